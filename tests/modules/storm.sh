# Loads and removes modules for SECONDS while tracers, filters, probes, events and readers are busy: storm.sh SECONDS TASKS.
# Run by test_modules.py. An error that must not be is printed; a load that another loop makes impossible is no error.
cd /sys/kernel/tracing
tasks=$2
end=$(($(date +%s) + ${1:-10}))
again() { while [ $(date +%s) -lt $end ]; do eval "$1"; sleep 0.2; done; }
run() { again "$1" > /dev/null 2>&1 & }
removed() { while [ -e /sys/module/$1 ] && ! rmmod $1 2> /dev/null; do sleep 0.02; done; }
run "echo function > current_tracer; echo function_graph > current_tracer; echo nop > current_tracer"
run "echo ':mod:test_traced' > set_ftrace_filter; echo ':mod:test_*' > set_ftrace_notrace; echo > set_ftrace_filter; echo > set_ftrace_notrace"
run "echo test_traced_loop > set_graph_function; echo > set_graph_function"
run "echo 1 > events/sample-trace/enable; echo 1 > events/sample-trace/foo_bar/enable; echo traceoff:1 > events/sample-trace/foo_bar/trigger; echo '!traceoff:1' > events/sample-trace/foo_bar/trigger"
run "echo 'p:m/leaf test_traced:test_traced_leaf' > kprobe_events; echo 'r:m/loop test_traced:test_traced_loop \$retval' >> kprobe_events; echo 1 > events/m/enable; echo 0 > events/m/enable; echo > kprobe_events"
run "echo 'sample-trace:mod:trace_events_sample' > set_event; echo ':mod:nosuch' > set_event"
run "cat set_event available_filter_functions enabled_functions set_ftrace_filter printk_formats kprobe_profile /proc/kallsyms /proc/modules"
run "cat /sys/module/*/* /sys/module/*/*/* /sys/kernel/livepatch/*/* /sys/kernel/livepatch/*/*/*; cat events/*/*/format"
run "exec 3< available_filter_functions 4< /proc/modules 5< /proc/kallsyms; head -c 100 <&3; sleep 0.05; cat <&3 <&4 <&5; exec 3<&- 4<&- 5<&-"
again 'insmod /root/test_probes.ko && removed test_probes' > /dev/null 2>&1 &
again 'insmod /root/test_klp_traced.ko && { echo 0 > /sys/kernel/livepatch/test_klp_traced/enabled; removed test_klp_traced; }' > /dev/null 2>&1 &
again 'insmod /root/test_percpu.ko tasks=$tasks; insmod /root/test_init_fails.ko 2> /dev/null; removed test_percpu' &
again 'modprobe trace-events-sample; modprobe trace-printk; rmmod trace-printk; removed trace_events_sample' &
rounds=0
while [ $rounds = 0 ] || [ $(date +%s) -lt $end ]; do
	insmod /root/test_traced.ko tasks=$tasks
	insmod /root/test_many.ko
	rmmod test_many
	removed test_traced
	rounds=$((rounds+1))
done
wait
for m in $(cut -d ' ' -f 1 /proc/modules); do removed $m; done
echo nop > current_tracer; echo > set_ftrace_filter; echo > kprobe_events; echo > set_event; echo 1 > tracing_on
echo $rounds rounds; cat /sys/kernel/debug/ftrace_verify; cat /proc/modules
