"""Tracing from the command line, and the trace on the console after an oops or sysrq z."""
import re

from nop5 import eventually, kill

TRACING = "/sys/kernel/tracing"
PROVOKE = "/sys/kernel/debug/provoke-crash/DIRECT"


def test_the_command_line_starts_a_tracer_before_the_shell(boot):
    nop5 = boot(cpus=2, append="ftrace=function ftrace_filter=vfs_*,kern_mount_at ftrace_notrace=vfs_write "
                               "trace_buf_size=300k trace_clock=global trace_options=sym-offset,nooverwrite alloc_snapshot")
    nop5.check(f"cd {TRACING}")
    assert "* Snapshot is allocated *" in nop5.check("cat snapshot")
    assert nop5.check("cat current_tracer") == "function\n"
    assert "[global]" in nop5.check("cat trace_clock")
    assert nop5.check("cat buffer_size_kb") == "300\n"
    assert nop5.check("cat options/sym-offset options/overwrite") == "1\n0\n"
    assert nop5.check("cat set_ftrace_notrace") == "vfs_write\n"
    trace = nop5.check("cat trace")
    assert re.search(r" init-1 .*: kern_mount_at\+0x0/0x[0-9a-f]+", trace)
    assert ": vfs_write+" not in trace


def test_events_at_sites_that_are_switched_together_record_from_the_command_line_on(boot):
    nop5 = boot(cpus=1, append="trace_event=preemptirq:irq_disable,preemptirq:preempt_enable trace_buf_size=4k")
    nop5.check(f"cd {TRACING}; echo 0 > tracing_on; echo 0 > events/enable")
    assert {"irq_disable", "preempt_enable"} == set(re.findall(r": (irq_\w+|preempt_\w+): caller=", nop5.check("cat trace")))


FILTERS = {
    "ftrace_filter": "set_ftrace_filter",
    "ftrace_notrace": "set_ftrace_notrace",
    "ftrace_graph_filter": "set_graph_function",
    "ftrace_graph_notrace": "set_graph_notrace",
    "stacktrace_filter": "stack_trace_filter",
}


def test_each_filter_of_the_command_line_takes_matching_names_and_reports_the_others(boot):
    nop5 = boot(cpus=2, append=" ".join(f"{name}=vfs_read,no_{name},,vfs_?r*,!vfs_write,!vfs_truncate" for name in FILTERS))
    nop5.check(f"cd {TRACING}")
    for name, file in FILTERS.items():
        assert set(nop5.check(f"cat {file}").split()) == {"vfs_read", "vfs_create"}, name
        assert f'ftrace: no function matches "no_{name}"' in nop5.text
    assert nop5.text.count("no function matches") == len(FILTERS)


def test_the_snapshot_of_the_boot_has_what_came_before_the_first_program(boot):
    nop5 = boot(cpus=1, append="ftrace=function ftrace_filter=kern_mount_at,__x64_sys_execve ftrace_boot_snapshot")
    snapshot, trace = (nop5.check(f"cat {TRACING}/{name}") for name in ("snapshot", "trace"))
    assert "kern_mount_at <-" in snapshot and "__x64_sys_execve <-" not in snapshot
    assert "kern_mount_at <-" not in trace and "__x64_sys_execve <-" in trace


def test_init_functions_are_traced_until_their_memory_is_freed(boot):
    nop5 = boot(cpus=4, append="ftrace=function ftrace_filter=sched_init,io_apic_init,smp_init,load_descriptors,"
                               "local_apic_setup,free_initmem,vfs_init trace_clock=global")
    nop5.check(f"cd {TRACING}")
    trace = nop5.check("cat trace")
    calls = re.findall(r"^ +(\S+)-(\d+) +\[(\d+)\] .*: (\w+) <-(\w+)$", trace, re.M)
    names = [call[3] for call in calls]
    assert names[:3] == ["sched_init", "io_apic_init", "smp_init"] and names[-1] == "free_initmem"
    assert calls[0][:3] == ("<idle>", "0", "000") and calls[0][4] == "start_kernel"
    # Each other CPU called load_descriptors().
    assert {call[2] for call in calls if call[3] == "load_descriptors"} == {"001", "002", "003"}
    assert "vfs_init" in names

    # The filter lists only functions that stay after boot. The records of the freed functions are removed.
    assert set(nop5.check("cat set_ftrace_filter").split()) == {"load_descriptors", "local_apic_setup", "free_initmem"}
    assert not {"smp_init", "sched_init", "vfs_init"} & set(nop5.check("cat available_filter_functions").split())
    assert nop5.run("echo smp_init > set_ftrace_filter").status == 1
    allocated = int(re.search(r"ftrace: allocating (\d+) entries", nop5.check("dmesg")).group(1))
    sites = int(nop5.check("cat dyn_ftrace_total_info").split()[0])
    assert sites < allocated
    for filter in ("", "load_descriptors"):
        nop5.check(f"echo {filter} > set_ftrace_filter; echo function > current_tracer")
        assert nop5.check("cat /sys/kernel/debug/ftrace_verify") == f"{sites} sites, 0 mismatches\n"
        nop5.check("echo nop > current_tracer")
        assert nop5.check("cat /sys/kernel/debug/ftrace_verify") == f"{sites} sites, 0 mismatches\n"


def test_a_filter_of_init_functions_only_does_not_become_a_filter_of_all(boot):
    nop5 = boot(cpus=2, append="ftrace=function ftrace_filter=smp_init")
    nop5.check(f"cd {TRACING}")
    assert nop5.check("cat set_ftrace_filter") == "" and nop5.check("cat enabled_functions") == ""
    assert re.findall(r": (\w+) <-\w+$", nop5.check("cat trace"), re.M) == ["smp_init"]


def test_a_tracers_own_option_on_the_command_line_reaches_it(boot):
    nop5 = boot(cpus=1, append="ftrace=function ftrace_filter=timers_init trace_options=func_stack_trace,sym-addr")
    assert re.search(r"<stack trace>\n => timers_init <ffffffff[0-9a-f]+>\n => start_kernel <",
                     nop5.check(f"cat {TRACING}/trace"))


def test_a_buffer_larger_than_memory_is_reported_and_harmless(boot):
    nop5 = boot(cpus=2, mem="64M", append="ftrace=function trace_buf_size=900M")
    assert "tracer 'function' did not start: -ENOMEM" in nop5.text
    nop5.check(f"cd {TRACING}; echo 64 > buffer_size_kb; echo function > current_tracer; echo nop > current_tracer")


def test_unknown_names_on_the_command_line_are_reported_and_harmless(boot):
    nop5 = boot(cpus=1, append="ftrace=bogus trace_clock=bogus trace_options=bogus")
    assert "trace_clock=bogus: no such clock" in nop5.text
    assert "trace_options=bogus: no such option" in nop5.text
    assert "ftrace=bogus: no such tracer" in nop5.text
    assert nop5.check(f"cat {TRACING}/current_tracer") == "nop\n"


def test_ftrace_dump_on_oops_prints_the_trace_once(boot):
    nop5 = boot(kernel="nop5-test", cpus=2, append="ftrace_dump_on_oops panic=0")
    nop5.check(f"echo before the oops > {TRACING}/trace_marker")
    nop5.run(f"echo BUG > {PROVOKE}")
    assert re.search(r"Dumping ftrace buffer:\r?\n.*-{33}\r?\n.* tracing_mark_write: before the oops\r?\n.*-{33}\r?\n",
                     nop5.text)
    assert nop5.check(f"cat {TRACING}/tracing_on") == "0\n"
    nop5.run(f"echo BUG > {PROVOKE}")
    assert nop5.text.count("Dumping ftrace buffer:") == 1


def test_sysrq_z_prints_the_trace(nop5):
    nop5.check(f"echo > {TRACING}/trace; echo look at this > {TRACING}/trace_marker")
    nop5.run("echo z > /proc/sysrq-trigger")
    assert re.search(r" +0?[\d.dNhs]+ +\d+us.: tracing_mark_write: look at this\r?\n", nop5.text)
    nop5.check(f"echo 1 > {TRACING}/tracing_on; echo > {TRACING}/trace")
    nop5.run("echo z > /proc/sysrq-trigger")
    assert "(ftrace buffer empty)" in nop5.text
    nop5.check(f"echo 1 > {TRACING}/tracing_on")


def test_a_dump_shows_the_buffer_that_is_in_use_after_a_latency_tracer(nop5):
    """Each report of irqsoff exchanges the two buffers of one CPU."""
    nop5.check(f"cd {TRACING}")
    for turn in ("first", "second"):
        nop5.check("echo irqsoff > current_tracer; echo 0 > tracing_max_latency; for cpu in 0 1 2 3; do taskset -c $cpu ls / > /dev/null; done")
        nop5.check("echo nop > current_tracer; echo 0 > snapshot; echo > trace")
        nop5.check(f"for cpu in 0 1 2 3; do taskset -c $cpu sh -c 'echo {turn} mark of CPU $1 > trace_marker' - $cpu; done; echo z > /proc/sysrq-trigger")
        assert re.findall(rf"{turn} mark of CPU (\d)", nop5.check("dmesg")) == ["0", "1", "2", "3"]
        nop5.check("echo 1 > tracing_on")


def test_two_readers_of_trace_pipe_do_not_both_get_an_event(nop5):
    nop5.check(f"cd {TRACING}; echo > trace; cat trace_pipe > /tmp/one &")
    nop5.check("cat trace_pipe > /tmp/two &")
    nop5.check("; ".join(f"echo event {i} > trace_marker" for i in range(20)))

    def seen():
        return sorted(map(int, re.findall(r"event (\d+)$", nop5.check("cat /tmp/one /tmp/two"), re.M)))

    eventually(lambda: set(seen()) == set(range(20)))
    kill(nop5, "cat")
    assert seen() == list(range(20))
    assert "entries-in-buffer/entries-written: 0/0" in nop5.check("head -n 3 trace")
