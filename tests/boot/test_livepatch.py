"""Live patching through its files, with the sample that is like Linux's livepatch-sample.ko."""
import re

import pytest

from nop5 import EXIT_POWEROFF, eventually, finish, gdb, gdb_port, kill, parse_ktap, resources, resources_return_to

PATCH = "/sys/kernel/livepatch/livepatch_sample"
TRACING = "/sys/kernel/tracing"
NEW = "this has been live patched\n"


def verify(machine):
    assert re.fullmatch(r"\d+ sites, 0 mismatches\n", machine.check("cat /sys/kernel/debug/ftrace_verify"))


def load(machine):
    machine.check("modprobe livepatch-sample")


def wait_patched(machine):
    eventually(lambda: machine.check(f"cat {PATCH}/transition") == "0\n")


def disable(machine):
    machine.check(f"echo 0 > {PATCH}/enabled")


def no_patch(machine):
    """True if no patch exists. ls fails if a patch disappears while it reads the directory."""
    result = machine.run("ls /sys/kernel/livepatch")
    return result.status == 0 and result.output == ""


def unload(machine):
    """Waits until all tasks have switched back and the patch's directory is removed, and removes the module. The worker of
    the transition gives up the module after it has removed the directory."""
    eventually(lambda: no_patch(machine))
    eventually(lambda: machine.run("rmmod livepatch-sample").status == 0)


def refused(machine, command, text):
    result = machine.run(command)
    assert result.status == 1 and text in result.output, result


@pytest.fixture
def quiet(nop5):
    """The shared machine without kernel messages on the console."""
    nop5.check("echo 4 > /proc/sys/kernel/printk")
    yield nop5
    nop5.check("echo 7 > /proc/sys/kernel/printk")


@pytest.fixture
def patched(quiet):
    """The same machine, with the sample's patch enabled."""
    nop5 = quiet
    load(nop5)
    wait_patched(nop5)
    yield nop5
    if not no_patch(nop5):
        if nop5.check(f"cat {PATCH}/enabled") == "1\n":
            disable(nop5)
        unload(nop5)
    else:
        nop5.run("rmmod livepatch-sample")
    verify(nop5)
    assert nop5.check(f"cat {TRACING}/enabled_functions") == ""


def test_the_sample_replaces_a_function_and_puts_it_back(quiet):
    nop5, mark = quiet, "the test of the sample begins"
    old = nop5.check(f"echo {mark} > /dev/kmsg; cat /proc/cmdline")
    load(nop5)
    wait_patched(nop5)
    assert nop5.check("cat /proc/cmdline") == NEW
    assert nop5.check(f"cat {PATCH}/enabled") == "1\n"
    assert nop5.check(f"ls {PATCH}").split() == ["enabled", "force", "transition", "vmlinux"]
    assert nop5.check(f"ls -1 {PATCH}/vmlinux; cat {PATCH}/vmlinux/patched") == "cmdline_proc_show,1\npatched\n1\n"
    assert nop5.check("cat /proc/1/patch_state") == "-1\n"
    assert re.fullmatch(r"cmdline_proc_show \(1\)   I   M\ttramp: 0x[0-9a-f]{16} \(klp_ftrace_handler\+0x0/0x[0-9a-f]+\)"
                        r" ->klp_ftrace_handler\+0x0/0x[0-9a-f]+\n", nop5.check(f"cat {TRACING}/enabled_functions"))
    verify(nop5)
    disable(nop5)
    unload(nop5)
    assert nop5.check("cat /proc/cmdline") == old
    verify(nop5)
    assert re.findall(r"livepatch: (.*)", nop5.check("dmesg").rpartition(mark)[2]) == [
        "enabling patch 'livepatch_sample'", "'livepatch_sample': starting patching transition",
        "'livepatch_sample': patching complete", "'livepatch_sample': starting unpatching transition",
        "'livepatch_sample': unpatching complete"]


@pytest.mark.parametrize("command, text", [
    (f"echo 1 > {PATCH}/enabled", "write error: Invalid argument"),
    (f"echo 2 > {PATCH}/enabled", "write error: Invalid argument"),
    (f"echo > {PATCH}/enabled", "write error: Invalid argument"),
    (f"echo disabled please > {PATCH}/enabled", "write error: Invalid argument"),
    (f"echo 1 > {PATCH}/force", "write error: Invalid argument"),
    (f"echo x > {PATCH}/force", "write error: Invalid argument"),
    (f"echo 1 > {PATCH}/transition", "Permission denied"),
    (f"cat {PATCH}/force", "Permission denied"),
    (f"mkdir {PATCH}/x", "Operation not permitted"),
    (f"rm {PATCH}/enabled", "Operation not permitted"),
    (f"rmdir {PATCH}", "Operation not permitted"),
    ("rmmod livepatch-sample", "Resource temporarily unavailable"),
])
def test_what_makes_no_sense_is_refused_as_in_linux(patched, command, text):
    refused(patched, command, text)
    assert patched.check(f"cat {PATCH}/enabled {PATCH}/transition") == "1\n0\n"
    assert patched.check("cat /proc/cmdline") == NEW


def test_a_word_for_no_disables_and_what_is_disabled_has_no_patch(patched):
    patched.check(f"echo 0 > {PATCH}/force")  # 0 does not force
    patched.check(f"echo off > {PATCH}/enabled")
    eventually(lambda: no_patch(patched))
    refused(patched, f"echo 1 > {PATCH}/enabled", f"can't create {PATCH}/enabled: nonexistent directory")


def test_a_patch_and_another_ipmodify_user_of_the_function_exclude_each_other(patched):
    refused(patched, "modprobe sample-fail function=cmdline_proc_show", "Operation not permitted")
    assert patched.check("cat /proc/cmdline") == NEW
    disable(patched)
    unload(patched)
    patched.check("modprobe sample-fail function=cmdline_proc_show")
    refused(patched, "modprobe livepatch-sample", "Operation not permitted")
    assert no_patch(patched)
    refused(patched, "cat /proc/cmdline", "Cannot allocate memory")
    patched.check("rmmod sample-fail")
    verify(patched)


def test_tracers_see_the_call_and_the_new_function_runs(patched):
    patched.check(f"cd {TRACING}; echo cmdline_proc_show > set_ftrace_filter; mkdir instances/a; "
                  "echo cmdline_proc_show > instances/a/set_ftrace_filter; "
                  "echo function_graph > current_tracer; echo function > instances/a/current_tracer")
    try:
        assert patched.check("cat /proc/cmdline") == NEW
        line, = [l for l in patched.check("cat enabled_functions").splitlines() if l.startswith("cmdline_proc_show")]
        assert line.startswith("cmdline_proc_show (3)   I ") and "->ftrace_ops_list_func+" in line
        verify(patched)
        assert patched.check("cat trace").count("cmdline_proc_show();") == 1
        assert patched.check("cat instances/a/trace").count(": cmdline_proc_show <-seq_") == 1
    finally:
        patched.check("echo nop > current_tracer; echo nop > instances/a/current_tracer; rmdir instances/a; "
                      "echo > set_ftrace_filter; echo > trace")


def test_a_task_has_its_new_state_before_it_stops_being_pending(boot, tmp_path):
    """A debugger stops the machine at each change of the boot CPU's idle task, and reads what other CPUs can see then."""
    machine = boot(cpus=2, extra=gdb_port(tmp_path))
    look = r'printf "pending %d, state %d\n", init_task.patch_pending, init_task.patch_state'
    debugger = gdb(tmp_path, "watch -l init_task.patch_pending", "continue", look, "continue", look)
    load(machine)
    said, _ = finish(debugger)
    assert re.findall(r"^pending .*", said, re.M) == ["pending 1, state 0", "pending 0, state 1"], said
    wait_patched(machine)


def test_tasks_that_loop_in_system_calls_do_not_hold_a_transition(boot):
    """There are more such tasks than CPUs, so some are preempted at any time. None of them ever sleeps."""
    machine = boot(cpus=2, append="quiet")
    for number in range(4):
        machine.check(f"taskset -c {number % 2} cat /dev/zero > /dev/null &")
    load(machine)
    wait_patched(machine)
    assert machine.check("cat /proc/cmdline") == NEW
    disable(machine)
    unload(machine)
    assert machine.check("cat /proc/cmdline") == "quiet\n"
    kill(machine, "cat")
    verify(machine)
    machine.poweroff()


def read_all_the_time(machine, name):
    """Starts a reader on each CPU in the background."""
    machine.check("many=$(for i in $(seq 100); do echo /proc/cmdline; done)")
    for cpu in range(8):
        machine.send(f"taskset -c {cpu} cat $many > /tmp/{name}{cpu} &\n")
        machine.wait_prompt()


@pytest.mark.soak
def test_toggled_on_eight_cpus_that_call_it_all_the_time_with_everything_traced(boot):
    machine = boot(cpus=8, append="the_old_one quiet")
    old = machine.check("cat /proc/cmdline")
    assert old == "the_old_one quiet\n"

    def toggle():
        load(machine)
        wait_patched(machine)
        assert machine.check("cat /proc/cmdline") == NEW
        disable(machine)
        unload(machine)
        assert machine.check("cat /proc/cmdline") == old

    def wait_stacks_freed():
        eventually(lambda: "stacks: 0\n" in machine.check("cat /sys/kernel/debug/fgraph"))

    # The first use of a tracer allocates buffers.
    toggle()
    machine.check(f"cd {TRACING}; echo function_graph > current_tracer; echo nop > current_tracer")
    wait_stacks_freed()
    before = resources(machine)
    machine.check("mkdir instances/a; modprobe sample-count")
    for tracer, other in (("function_graph", "nop"), ("function", "nop"), ("function_graph", "function")):
        machine.check(f"echo {tracer} > current_tracer; echo {other} > instances/a/current_tracer")
        read_all_the_time(machine, tracer)
        toggle()
        machine.check("wait")
        verify(machine)
        for cpu in range(8):
            said = machine.check(f"cat /tmp/{tracer}{cpu}; rm /tmp/{tracer}{cpu}")
            assert set(said.splitlines(keepends=True)) <= {old, NEW} and said.count("\n") == 100
    machine.check("echo nop > current_tracer; echo nop > instances/a/current_tracer; rmdir instances/a; "
                  "rmmod sample-count; cd /")
    verify(machine)
    wait_stacks_freed()
    resources_return_to(machine, before)
    machine.poweroff()


def test_when_an_error_shuts_ftrace_down_the_old_function_is_back_and_the_patch_stays(boot):
    machine = boot(kernel="nop5-test", cpus=4, append="panic=0")
    load(machine)
    eventually(lambda: machine.check(f"cat {PATCH}/transition").startswith("0"))
    machine.check("echo __x64_sys_mkdir > /sys/kernel/debug/ftrace_fault")
    assert machine.run("mkdir /tmp/x").status != 0
    eventually(lambda: "ftrace: all sites are off" in machine.check("dmesg"))
    machine.check("echo 4 > /proc/sys/kernel/printk")
    assert machine.check("cat /proc/cmdline") == "panic=0\n"
    disable(machine)
    eventually(lambda: no_patch(machine))
    refused(machine, "rmmod livepatch-sample", "Resource temporarily unavailable")
    machine.poweroff()


@pytest.mark.soak
def test_transitions_while_the_graph_tracer_is_in_all_functions(boot):
    """The self-tests while return addresses are replaced everywhere, and each call goes through ftrace_ops_list_func()."""
    machine = boot(wait=False, cpus=4, append="selftest=livepatch* ftrace=function_graph")
    code = machine.wait_exit()
    report = parse_ktap(machine.text)
    assert not report.failed, "\n".join(report.failed)
    assert len(report.passed) >= 19 and code == EXIT_POWEROFF


def test_the_bench_tells_small_costs_and_none_that_has_wrapped_around(boot):
    """The difference of two measurements may be negative. As an unsigned number it was 922337203685476."""
    machine = boot(kernel="nop5-test", cpus=4)
    for name, costs in (("livepatch_bench", 2), ("ftrace_ops_bench", 6), ("probes_bench", 4)):
        text = machine.check(f"cat /sys/kernel/debug/{name}")
        ticks = [int(number) for number in re.findall(r"^.+: (-?\d+) ticks$", text, re.M)][:costs]
        assert len(ticks) == costs and all(-10_000 < number < 1_000_000 for number in ticks), text
        assert ticks[0] > 0, text
