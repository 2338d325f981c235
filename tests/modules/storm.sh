# Loads and removes modules while tracers, filters, events and readers are busy: storm.sh ROUNDS. Run by test_modules.py.
cd /sys/kernel/tracing
run() { while [ ! -e /tmp/stop ]; do eval "$1"; done > /dev/null 2>&1 & }
run "echo function > current_tracer; echo function_graph > current_tracer; echo nop > current_tracer"
run "echo ':mod:test_traced' > set_ftrace_filter; echo > set_ftrace_filter"
run "echo 1 > events/sample-trace/enable; echo 1 > events/sample-trace/foo_bar/enable"
run "cat available_filter_functions enabled_functions set_ftrace_filter printk_formats /proc/kallsyms /proc/modules /sys/module/*/*"
i=0
while [ $i -lt ${1:-3} ]; do i=$((i+1)); insmod /root/test_traced.ko tasks=4; insmod /root/test_many.ko; modprobe trace-events-sample; modprobe trace-printk; rmmod trace-printk; rmmod test_many; rmmod test_traced; while ! rmmod trace-events-sample 2> /dev/null; do :; done; echo round $i; done
touch /tmp/stop; wait
echo nop > current_tracer; cat /sys/kernel/debug/ftrace_verify; cat /proc/modules
