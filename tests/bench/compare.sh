# What `make compare` runs on nop5 and on Linux, in busybox's shell, with programs.c as /bin/programs or /usr/bin/programs.
# Prints lines "NAME NUMBER". A cost of tracing is that of a read of one byte from /dev/zero with tracing, less that without.
programs tsc
# Whether neighbours share a page table would be chance.
echo 0 >/proc/sys/kernel/randomize_va_space
sed -n 's/^\(Mem[TF][a-z]*\): *\([0-9]*\) kB/\1 \2/p' /proc/meminfo
programs
cd /sys/kernel/tracing
echo 1 > tracing_on

# Not through a pipe: the start of the other program could fall into the measured loop.
read_with() { # NAME: of the cost
	programs read_zero >/tmp/cost
	sed "s/read_zero/$1/" /tmp/cost
}

read_with untraced
echo vfs_read > set_ftrace_filter
echo function > current_tracer; read_with function
echo function_graph > current_tracer; read_with graph
echo nop > current_tracer; echo > set_ftrace_filter
event=events/raw_syscalls
echo 1 > $event/sys_enter/enable; read_with event
echo 1 > $event/sys_exit/enable; read_with events
echo 0 > $event/sys_exit/enable
echo 'id == 7' > $event/sys_enter/filter; read_with filtered
echo 0 > $event/sys_enter/filter; echo 0 > $event/sys_enter/enable
echo hist:keys=id > $event/sys_enter/trigger; read_with hist
echo '!hist:keys=id' > $event/sys_enter/trigger
echo p:probe vfs_read > kprobe_events; echo 1 > events/kprobes/enable; read_with kprobe
echo 0 > events/kprobes/enable; echo r:probe vfs_read > kprobe_events; echo 1 > events/kprobes/enable; read_with kretprobe
echo 0 > events/kprobes/enable; echo > kprobe_events
