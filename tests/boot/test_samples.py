"""The modules sample-*, which students copy. Each does exactly what it promises, and leaves nothing behind."""
import re

import pytest

from nop5 import eventually, resources, resources_return_to

SAMPLES = ["count", "arguments", "latency", "fail"]
DEBUG = "/sys/kernel/debug"


def load(machine, sample, function):
    machine.check(f"modprobe sample-{sample} function={function}")


def read(machine, sample):
    return machine.check(f"cat {DEBUG}/sample-{sample}")


def unload(machine, sample):
    machine.check(f"rmmod sample-{sample}")


def verify(machine):
    assert re.fullmatch(r"\d+ sites, 0 mismatches\n", machine.check(f"cat {DEBUG}/ftrace_verify"))


@pytest.fixture
def samples(nop5):
    """The shared machine. Afterwards nothing of a module is left."""
    yield nop5
    verify(nop5)
    assert nop5.check(f"cat /sys/kernel/tracing/enabled_functions /proc/modules; ls {DEBUG} | grep sample; true") == ""


def test_count_counts_each_call_while_it_is_loaded_and_begins_anew(samples):
    for calls in (3, 2):
        load(samples, "count", "__x64_sys_mkdir")
        assert read(samples, "count") == "0 calls\n"
        for i in range(calls):
            samples.check(f"mkdir /tmp/count{i}")
        assert read(samples, "count") == f"{calls} calls\n"
        assert samples.check("cat /sys/module/sample_count/parameters/function") == "__x64_sys_mkdir\n"
        unload(samples, "count")
        samples.check("; ".join(f"rmdir /tmp/count{i}" for i in range(calls)) + "; mkdir /tmp/count; rmdir /tmp/count")


def test_a_reader_of_its_file_keeps_the_module(samples):
    load(samples, "count", "vfs_open")
    samples.check(f"exec 3< {DEBUG}/sample-count")
    assert "Resource temporarily unavailable" in samples.run("rmmod sample-count").output
    samples.check("exec 3<&-")
    unload(samples, "count")


@pytest.mark.parametrize("what", ["no_such_function", "vfs_nothing*", "x" * 200])
def test_a_function_that_is_not_there_is_refused(samples, what):
    result = samples.run(f"modprobe sample-count function='{what}'")
    assert result.status == 1 and "Invalid argument" in result.output, result


def test_samples_of_all_functions_do_not_watch_themselves(samples):
    """Callbacks of ftrace in a module are guarded: they have call sites. Callbacks of fgraph are notrace."""
    for sample in ("count", "latency"):
        load(samples, sample, "")
    samples.check("mkdir /tmp/x; rmdir /tmp/x")
    assert int(read(samples, "count").split()[0]) > 1000
    for sample in ("count", "latency"):
        unload(samples, sample)


def test_arguments_are_printed_with_the_caller_for_each_call(samples):
    samples.check("echo > /sys/kernel/tracing/trace")
    load(samples, "arguments", "__x64_sys_mkdir")
    samples.check("mkdir /tmp/arguments1 /tmp/arguments2")
    lines = re.findall(r"print_arguments: (.*)", samples.check("cat /sys/kernel/tracing/trace"))
    unload(samples, "arguments")
    samples.check("rmdir /tmp/arguments1 /tmp/arguments2")
    assert len(lines) == 2
    for line in lines:  # the mode is the second argument
        assert re.fullmatch(r"__x64_sys_mkdir\(0x[0-9a-f]{6,12}, 0x1ff, 0x[0-9a-f]+, 0x[0-9a-f]+\) called by entry_SYSCALL_64_after_hwframe", line), line
    samples.check("echo > /sys/kernel/tracing/trace")


def test_arguments_of_what_prints_them_do_not_print_themselves_for_ever(samples):
    load(samples, "arguments", "*printf")
    samples.check("cat /proc/version /proc/uptime")
    unload(samples, "arguments")
    assert "seq_printf(" in samples.check("cat /sys/kernel/tracing/trace")
    samples.check("echo > /sys/kernel/tracing/trace")


def test_a_function_fails_and_is_not_run_while_the_module_is_loaded(samples):
    load(samples, "fail", "__x64_sys_mkdir")
    assert read(samples, "fail") == "0 calls failed\n"
    for _ in range(3):
        result = samples.run("mkdir /tmp/fail")
        assert result.status == 1 and "Cannot allocate memory" in result.output
    assert read(samples, "fail") == "3 calls failed\n"
    assert "No such file or directory" in samples.run("ls /tmp/fail").output
    unload(samples, "fail")
    samples.check("mkdir /tmp/fail; rmdir /tmp/fail")


def test_callers_of_a_function_that_fails_give_everything_back(boot):
    """The function is one that rmmod needs, too: 10 calls fail."""
    machine = boot(cpus=2)
    machine.check("echo x > /tmp/file")
    before = None
    for _ in range(5):
        for command, text in (("read line <", "can't open /tmp/file: Cannot allocate memory"), ("/bin/cat", "/bin/cat: Cannot allocate memory")):
            said = machine.run("modprobe sample-fail function=vfs_open times=10; "
                               f"for i in 0 1 2 3 4 5 6 7 8 9; do {command} /tmp/file; done").output
            assert said.count(text) == 10, said
            assert read(machine, "fail") == "10 calls failed\n"
            unload(machine, "fail")
        before = before or resources(machine)  # the first turn has allocated a page for trampolines
    assert machine.check("cat /tmp/file") == "x\n"
    resources_return_to(machine, before)


# What `hackbench -g 2 -l 10` writes to pipes. Each of two groups has 20 senders, and each sender sends 10 messages to each of 20
# receivers. Senders and receivers report that they are ready.
WRITES = 2 * 20 * 20 * 10 + 2 * 40


def test_latency_has_each_call_in_one_slot(boot):
    machine = boot(cpus=8)
    for sample in ("latency", "count"):
        load(machine, sample, "pipe_write_iter")
    machine.check("hackbench -g 2 -l 10")
    lines = read(machine, "latency").splitlines()
    slots = [re.fullmatch(r"from +(\d+) ns: (\d+) calls", line).groups() for line in lines]
    starts = [int(start) for start, calls in slots]
    assert starts == sorted(starts)
    assert all(start & (start - 1) == 0 for start in starts) and all(int(calls) > 0 for _, calls in slots)
    assert sum(int(calls) for _, calls in slots) == WRITES
    assert read(machine, "count") == f"{WRITES} calls\n"


def test_all_samples_and_each_tracer_watch_the_same_function_at_once(boot):
    machine = boot(cpus=4)
    machine.check("cd /sys/kernel/tracing; echo __x64_sys_mkdir > set_ftrace_filter")
    before = None
    for turn, tracer in enumerate(("nop", "function", "function_graph", "nop", "function", "function_graph")):
        machine.check(f"echo {tracer} > current_tracer; echo > trace")
        for sample in SAMPLES if turn % 2 else reversed(SAMPLES):
            load(machine, sample, "__x64_sys_mkdir")
        verify(machine)
        machine.run("mkdir /tmp/a /tmp/b /tmp/c")
        assert read(machine, "fail") == "3 calls failed\n"
        unload(machine, "fail")
        machine.check("mkdir /tmp/a /tmp/b")
        machine.check("echo 0 > tracing_on")
        trace = machine.fetch("cat trace")
        machine.check("rmdir /tmp/a /tmp/b; echo 1 > tracing_on")
        assert read(machine, "count") == "5 calls\n"
        assert sum(map(int, re.findall(r"(\d+) calls", read(machine, "latency")))) == 5
        assert trace.count("__x64_sys_mkdir(0x") == 5
        traced = {"nop": r"(?!)", "function": r": __x64_sys_mkdir <-", "function_graph": r"\|  __x64_sys_mkdir\(\) \{\n"}
        assert len(re.findall(traced[tracer], trace)) == (5 if tracer != "nop" else 0), trace
        for sample in ("count", "arguments", "latency"):
            unload(machine, sample)
        machine.check("echo nop > current_tracer; echo > trace")
        assert machine.check("cat enabled_functions") == ""
        verify(machine)
        if turn == 2:
            before = resources(machine)  # the first turns have allocated the buffer
    resources_return_to(machine, before)


def test_samples_come_and_go_while_their_function_runs_on_all_cpus(boot):
    machine = boot(cpus=8)
    commands = [f"modprobe sample-{sample} function={'__x64_sys_mkdir' if sample == 'fail' else 'pipe_write_iter'}" for sample in SAMPLES]
    commands += [f"rmmod sample-{sample}" for sample in SAMPLES]
    machine.check("echo > /tmp/script")
    for line in commands:
        machine.check(f"echo '{line} 2> /dev/null' >> /tmp/script")
    before = None
    for _ in range(2):
        machine.check("hackbench -g 2 -l 10 &")
        for _ in range(2):
            machine.check("sh /tmp/script &")
        machine.check("wait")
        machine.run(f"rmmod {' '.join('sample-' + sample for sample in SAMPLES)}")
        assert machine.check("cat /proc/modules") == ""
        verify(machine)
        assert machine.check("cat /sys/kernel/tracing/enabled_functions") == ""
        machine.check("echo > /sys/kernel/tracing/trace")
        before = before or resources(machine)  # the first turn has allocated the buffer
    resources_return_to(machine, before)
    load(machine, "count", "pipe_write_iter")
    machine.check("hackbench -g 2 -l 10")
    assert read(machine, "count") == f"{WRITES} calls\n"


def test_a_sample_that_cannot_start_is_not_loaded(boot):
    """The sample cannot start because an error has shut ftrace down."""
    machine = boot(kernel="nop5-test", cpus=2, append="panic=0")
    machine.check(f"echo __x64_sys_rmdir > {DEBUG}/ftrace_fault")
    assert machine.run("rmdir /tmp/x").status != 0  # the callback faults, and shuts ftrace down
    eventually(lambda: "all sites are off" in machine.check("dmesg"))
    for sample in SAMPLES:
        result = machine.run(f"modprobe sample-{sample}")
        assert result.status == 1 and "No such device" in result.output
    assert machine.check("cat /proc/modules") == ""
