# The features: what the kernel is linked from. `make FEATURES="core events"` links what it names and
# what that needs, `make WITHOUT="sockets livepatch"` all but these and what needs them; the default is
# everything. `make features` prints this table with lines of code, and links each feature with only
# what it needs. A feature is linked or it is not: no #ifdef comes with it.
#
# `core` is each source that no line names. With `ftrace`, which comes with it unless WITHOUT names it,
# it is the kernel that a student reads: it boots, has a prompt, and traces functions.
#
#	$(call feature,NAME,WHAT IT NEEDS,FOLDERS AND FILES,ONE SENTENCE)
#	$(call together,FEATURES,FOLDERS AND FILES)	linked only with all of these features; lines of the first one
#	$(call without,FEATURE,FOLDERS AND FILES)	linked only without this feature
#
# A file that a line names belongs to that line, and not to the line of its folder. % stands for any text.

$(call feature,core,,,the kernel: boot and memory and tasks and interrupts and time; files in tmpfs and tracefs and proc; the trace core)

$(call feature,ftrace,core,\
	arch/x86_64/ftrace trace/ftrace trace/fgraph trace/ftrace_files trace/tracers/function trace/tracers/function_graph,\
	call sites that are patched while they run; the tracers function and function_graph)

$(call feature,initramfs,core,\
	fs/initramfs fs/vfs/namei_link.c kernel/lib/inflate.c,\
	the root file system from an archive that the boot loader has read)

$(call feature,programs,initramfs,\
	arch/x86_64/user kernel/process kernel/signal kernel/task/task_work.c kernel/vm kernel/syscalls kernel/time/timespec.c kernel/posix_time/clock.c kernel/posix_time/cpu_clock.c kernel/posix_time/nanosleep.c \
	kernel/random/getrandom.c fs/exec fs/calls fs/pipe kernel/sched/rt_bandwidth.c \
	fs/file/anon_inode.c fs/file/file.c fs/file/file_sysctl.c fs/file/iovec.c fs/vfs/d_path.c fs/vfs/dcache_rename.c fs/vfs/fs_struct_tasks.c \
	fs/vfs/namei_rename.c fs/vfs/mmap_file.c fs/tmpfs/memfd.c fs/tmpfs/mmap.c kernel/console/tty_jobctrl.c kernel/console/tty_ioctl.c \
	kernel/console/n_tty_control.c kernel/printk/kmsg_record.c 	kernel/console/tty_modes.c \
	fs/proc/task fs/proc/mounts.c fs/proc/unknown_syscalls.c fs/dev/random.c fs/dev/kmsg.c \
	fs/proc/sysctl_sched.c fs/proc/sysctl_ulong.c fs/sys/sysfs.c fs/tmpfs/fallocate.c fs/tmpfs/options.c fs/tmpfs/statfs.c fs/tracefs/options.c fs/vfs/statfs.h fs/dev/devices.h kernel/lib/hash.h kernel/mm/kasprintf.c kernel/sched/mm.h,\
	ring 3: processes and signals and user memory and Linux's system calls)

$(call feature,threads,programs,\
	kernel/futex kernel/posix_time kernel/sched/rtmutex.c,\
	what threads of a program use: futexes; timers of POSIX)

$(call feature,fdevents,threads,\
	fs/fdevents,\
	descriptors that wait for events: epoll and eventfd and signalfd and timerfd and pidfd)

$(call feature,notify,programs,\
	fs/notify fs/file/fasync.c,\
	news about files: inotify; signals of files)

$(call feature,locks,programs,\
	fs/locks,\
	locks of files: fcntl and flock)

$(call feature,sockets,threads notify,\
	net,\
	sockets: AF_UNIX; AF_INET on the loopback interface; netlink)

$(call feature,xattr,programs,\
	fs/calls/xattr.c,\
	the system calls of extended attributes; no file system keeps any)

$(call feature,coredump,programs,\
	fs/coredump,\
	core files of programs that a signal has ended)

$(call feature,ptys,programs,\
	fs/devpts kernel/console/pty.c kernel/console/pty.h kernel/console/pty_ioctl.c,\
	pseudo-terminals)

$(call feature,modules,programs,\
	kernel/module trace/core/module_formats.c fs/module arch/x86_64/module kernel/jump_label_module.c kernel/kallsyms_module.c fs/proc/modules.c,\
	loadable modules)

$(call feature,sysfiles,core,\
	fs/proc/cpuinfo.c fs/proc/interrupts.c fs/proc/meminfo.c fs/proc/slabinfo.c fs/proc/stat.c fs/proc/storage.c fs/proc/sysrq.c \
	fs/sys/cache.c fs/sys/cpu.c fs/sys/irq.c fs/sys/node.c fs/sys/notes.c fs/sys/rtc.c fs/sys/text.c fs/sys/topology.c \
	fs/debug/boot_time.c fs/debug/page_tables.c fs/debug/rcu_tasks.c \
	arch/x86_64/boot/cpu_features.c arch/x86_64/cpu/topology.c arch/x86_64/mm/page_table_walk.c,\
	files about the whole machine: /proc/stat and meminfo and cpuinfo and others; with programs /sys/devices; page tables; sysrq)

$(call feature,watchdog,core,\
	kernel/watchdog.c,\
	reports of CPUs that are stuck)

$(call feature,debug,core,\
	kernel/locking/lockdep.c kernel/mm/slab_debug.c,\
	checks that a build with DEBUG=1 has and no other one: the order of locks; freed and overwritten memory)

# The headers declare tracepoints and describe records. Without events a tracepoint is no code.
$(call feature,events,core,\
	trace/events trace/filter trace/trigger trace/core/user_stack.c kernel/tracepoint.c %_events.h kernel/lib/cpulist_parse.c kernel/mm/gfp_names.h kernel/random/hash_pointer.c,\
	trace events with filters and triggers)

$(call feature,hist,events,\
	trace/hist trace/synth,\
	histograms of events; synthetic events)

$(call feature,uprobes,programs,\
	trace/uprobes arch/x86_64/probes arch/x86_64/unwind/regs.c kernel/vm/patch.c kernel/jump_label_find.c,\
	probed instructions: the machine's part; uprobes)

$(call feature,probes,events ftrace uprobes btf,\
	trace/kprobes trace/probes trace/probe_events,\
	kprobes and kretprobes; events that users make of probes; arguments of probes)

$(call feature,quick,ftrace,\
	trace/tracers/function/quick.c trace/tracers/function_graph/quick.c,\
	the usual case of a recorded call; in fewer instructions)

$(call feature,commands,ftrace dump,\
	trace/tracers/function/probes.c trace/tracers/function/commands.c,\
	commands in set_ftrace_filter: tracing switched on and off or a stack recorded when a function is called)

$(call feature,latency,events ftrace,\
	trace/tracers/latency trace/ring_buffer/swap.c,\
	the tracers of latencies)

$(call feature,noise,events,\
	trace/tracers/noise,\
	the tracers of noise: hwlat and osnoise and timerlat)

$(call feature,profiler,ftrace,\
	trace/tracers/profiler.c,\
	the function profiler)

$(call feature,stack,ftrace,\
	trace/tracers/stack.c,\
	the stack tracer)

$(call feature,livepatch,ftrace modules,\
	trace/livepatch arch/x86_64/unwind/unwind_reliable.c,\
	functions that replace others)

$(call feature,persist,core,\
	fs/pstore trace/ring_buffer/persistent.c trace/core/persistent.c trace/core/valid_entry.c kernel/mm/reserve_mem.c,\
	what the next boot reads: persistent buffers; pstore)

$(call feature,dump,core,\
	trace/core/dump.c,\
	the trace on the console after an oops)

$(call feature,rawpipe,core,\
	trace/core/trace_pipe_raw.c trace/core/printk_formats.c,\
	whole sub-buffers for programs such as trace-cmd: trace_pipe_raw; snapshot_raw; printk_formats)

$(call feature,ringmap,rawpipe programs,\
	trace/ring_buffer/map% trace/core/buffer_mmap.c,\
	buffers of CPUs that programs read in their own memory: mmap of trace_pipe_raw)

$(call feature,btf,core,\
	kernel/btf fs/sys/btf.c,\
	the types of the kernel: arguments of traced functions by name)

$(call feature,breakpoints,core,\
	arch/x86_64/cpu/debugreg.c kernel/hw_breakpoint.c,\
	the debug registers of the CPUs: who has them; what is called when one is hit)

$(call feature,wprobe,probes breakpoints,\
	trace/wprobe,\
	watchpoint events: which code accesses this place in memory; triggers that choose the place)

$(call feature,rv,events,\
	trace/rv,\
	runtime verification: monitors that compare what the kernel does with an automaton; reactors)

$(call feature,user_events,events programs,\
	trace/user_events kernel/vm/writable_page.c,\
	events that programs define and write: user_events_data; bits in their memory that say whether an event is on)

$(call feature,perf,events programs breakpoints,\
	trace/perf kernel/mm/vmap.c arch/x86_64/unwind/unwind_event.c arch/x86_64/unwind/perf_regs.c arch/x86_64/unwind/perf_regs.h \
	arch/x86_64/time/tsc_conversion.c,\
	perf_event_open: software events and events of tracefs and probes; counted and sampled)

$(call feature,bpf,perf probes btf ftrace fdevents,\
	trace/bpf arch/x86_64/bpf trace/ftrace/direct_code.c,\
	eBPF: programs of users that run in the kernel behind a verifier; maps)

$(call feature,seccomp,programs,\
	kernel/seccomp,\
	seccomp: system calls that a task gives up; filters in classic BPF)

$(call feature,ptrace,programs breakpoints,\
	kernel/ptrace fs/proc/task/process_vm.c arch/x86_64/user/ptrace.c arch/x86_64/user/ptrace.h arch/x86_64/user/ptrace_debugreg.c arch/x86_64/user/fpu_regset.c,\
	ptrace: one task stops another one and sees and changes its registers and memory and signals and system calls)

$(call feature,yama,programs,\
	kernel/yama fs/proc/sysctl_yama.c,\
	Yama: kernel.yama.ptrace_scope says which processes of the same user a task may attach to)

$(call feature,inject,ftrace programs,\
	trace/inject,\
	error injection: allocations and marked functions that fail on demand)

$(call feature,kmemleak,events sysfiles,\
	trace/kmemleak,\
	kmemleak: allocated objects to which no pointer is left)

# The prompt of a kernel without ring 3.
$(call without,programs,kernel/monitor)

# The readable callbacks of the two tracers.
$(call without,quick,trace/tracers/function/call.c trace/tracers/function_graph/call.c)

$(call together,persist ftrace,trace/tracers/pstore.c)
$(call together,btf ftrace,trace/tracers/function/typed_args.c)
$(call together,modules ftrace,trace/ftrace/module.c trace/ftrace_files/module_filter.c)
$(call together,sysfiles programs,fs/proc/kcore.c fs/proc/task/ns.c fs/sys/cache.c fs/sys/cpu.c fs/sys/irq.c fs/sys/node.c fs/sys/notes.c fs/sys/rtc.c fs/sys/text.c fs/sys/topology.c)
$(call together,btf programs,fs/sys/btf.c)
$(call together,btf programs modules,fs/sys/btf_module.c)
$(call together,modules events,trace/events/module.c)
$(call together,programs events,trace/core/user_program.c arch/x86_64/unwind/unwind_user.c)
$(call together,events commands,trace/events/function_commands.c)
$(call together,events programs,trace/events/syscalls.c trace/events/syscall_data.c trace/events/syscall_text.c trace/events/systems/raw_syscalls.c trace/events/systems/signal.c)
$(call together,inject events,trace/inject/events.c)
$(call together,inject bpf,trace/bpf/helpers/modify_return.c)
$(call together,inject,selftest/trace/inject.c)
$(call together,sockets events,trace/events/systems/net.c)
$(call together,perf probes,trace/perf/probe.c)
$(call together,perf ftrace,trace/perf/function.c)

# Self-tests, benches and provoked faults of features.
$(call together,programs,selftest/arch/ring3% selftest/arch/uaccess.c selftest/bench/calls.c selftest/bench/ring3.c selftest/bench/vm.c \
	selftest/fs/descriptors.c  selftest/fs/pipe.c selftest/fs/proc_storm.c selftest/fs/rename_locks.c \
	selftest/kernel/printk.c selftest/kernel/rt_bandwidth.c selftest/kernel/page_fault_hook.c selftest/kernel/sched_program.c selftest/kernel/task_work.c selftest/kernel/signals.c selftest/kernel/tasks.c selftest/kernel/tty_hangup.c selftest/kernel/user_memory% \
	selftest/lib/kernel_task.c selftest/lib/start_process.c selftest/lib/user_memory.c)
$(call together,programs breakpoints,selftest/arch/debugreg.c)
$(call together,programs events,selftest/kernel/bare_tracepoints.c selftest/kernel/user_memory_faults.c selftest/trace/events/syscall_data.c selftest/trace/events/inline.c)
$(call together,programs ftrace,selftest/trace/function_fork.c selftest/kernel/user_memory_refused.c)
$(call together,programs ftrace rawpipe,selftest/trace/trace_pipe_poll.c)
$(call together,ftrace rawpipe,selftest/trace/trace_printk.c)
$(call together,events commands,selftest/trace/traceoff_count.c)
$(call together,sockets ftrace,selftest/net)
$(call together,ftrace rawpipe,selftest/trace/trace_pipe%)
$(call together,ftrace dump,selftest/trace/dump.c)
$(call together,ftrace,selftest/kernel/softirq_traced.c)
$(call together,ftrace,selftest/trace selftest/bench/ftrace.c selftest/provoke/ftrace_fault.c selftest/provoke/refuse.c selftest/arch/ftrace_entry.asm)
$(call together,livepatch,selftest/bench/livepatch.c selftest/trace/livepatch% selftest/trace/kprobe_jump.c selftest/trace/ftrace_memory.c selftest/trace/trace_fuzz.c)
$(call together,probes,selftest/bench/probes.c selftest/lib/uprobe_program.c selftest/trace/kprobe% selftest/trace/kretprobes.c selftest/trace/fprobe.c \
	selftest/trace/uprobes.c selftest/trace/probes_memory.c selftest/provoke/ftrace_fault.c)
$(call together,livepatch probes hist,selftest/trace/storm%)
$(call together,hist probes,selftest/trace/events/synth.c selftest/trace/events/dynamic_storm.c)
$(call together,hist,selftest/trace/events/hist% selftest/bench/hist.c)
$(call together,events,selftest/trace/events selftest/kernel/lock_events.c selftest/kernel/tracepoint.c selftest/bench/tracepoint.c selftest/bench/events.c selftest/trace/refuse_removal.c)
$(call together,sysfiles programs,selftest/kernel/memory_protection.c)
$(call together,sysfiles programs ftrace,selftest/fs/kcore.c)
$(call together,watchdog,selftest/kernel/watchdog.c)
$(call together,notify,selftest/fs/inotify.c)
$(call together,fdevents,selftest/fs/eventpoll.c)
$(call together,debug,selftest/kernel/lockdep.c)
$(call together,latency,selftest/trace/latency.c selftest/trace/trace_pipe_swap.c)
$(call together,noise,selftest/trace/noise.c)
$(call together,persist,selftest/trace/last_boot.c)
$(call together,btf,selftest/trace/func_args.c)
$(call together,quick,selftest/trace/quick.c)
$(call together,perf,selftest/perf selftest/arch/tsc.c selftest/kernel/unwind_event.c selftest/kernel/unwind_user.c selftest/kernel/vmap.c)
$(call together,bpf,selftest/bpf selftest/bench/bpf_maps.c)
$(call together,bpf livepatch,selftest/bpf/trampoline.c)
$(call together,wprobe,selftest/trace/watch.c)
$(call together,rv,selftest/trace/rv.c)
$(call together,user_events,selftest/trace/user_events.c)
$(call together,perf ftrace,selftest/perf/breakpoints.c)
$(call together,perf ftrace hist,selftest/perf/tracepoints.c)
