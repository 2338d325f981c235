"""/sys/kernel/debug/samples, which students copy. Each sample does exactly what it promises, and leaves nothing behind."""
import re

import pytest

from nop5 import eventually, resources

SAMPLES = "/sys/kernel/debug/samples"
SHARING = ["count", "arguments", "latency", "fail"]


def read(machine, sample):
    return machine.check(f"cat {SAMPLES}/{sample}")


def switch(machine, sample, on):
    machine.check(f"echo {int(on)} > {SAMPLES}/{sample}")


def choose(machine, sample, function):
    machine.check(f"echo {function} > {SAMPLES}/{sample}.function")


def verify(machine):
    assert re.fullmatch(r"\d+ sites, 0 mismatches\n", machine.check("cat /sys/kernel/debug/ftrace_verify"))


@pytest.fixture
def samples(nop5):
    """The shared machine. After the test each sample must be off and unchanged."""
    yield nop5
    for sample, function in {"count": "vfs_open", "arguments": "vfs_read", "latency": "vfs_read", "fail": "sys_mkdir"}.items():
        switch(nop5, sample, False)
        choose(nop5, sample, function)
    verify(nop5)
    assert nop5.check("cat /sys/kernel/tracing/enabled_functions") == ""


def test_count_counts_each_call_until_it_is_off_and_begins_anew(samples):
    choose(samples, "count", "sys_mkdir")
    for calls in (3, 2):
        switch(samples, "count", True)
        assert read(samples, "count") == "on: sys_mkdir\n0 calls\n"
        for i in range(calls):
            samples.check(f"mkdir /tmp/count{i}")
        assert read(samples, "count") == f"on: sys_mkdir\n{calls} calls\n"
        switch(samples, "count", True)  # it is on already: nothing happens
        assert read(samples, "count") == f"on: sys_mkdir\n{calls} calls\n"
        switch(samples, "count", False)
        samples.check("; ".join(f"rmdir /tmp/count{i}" for i in range(calls)) + "; mkdir /tmp/count; rmdir /tmp/count")
        assert read(samples, "count") == f"off: sys_mkdir\n{calls} calls\n"


@pytest.mark.parametrize("what", ["", "2", "-1", "on", "1 1", "1x", "9" * 40])
def test_a_switch_knows_0_and_1(samples, what):
    result = samples.run(f"echo '{what}' > {SAMPLES}/count")
    assert result.status == 1
    assert "Invalid argument" in result.output or "Numerical result out of range" in result.output
    assert read(samples, "count").startswith("off: ")


@pytest.mark.parametrize("what", ["", "no_such_function", "vfs_nothing*", "count_call", "vfs_open vfs_read", "x" * 200])
def test_a_function_that_is_not_there_is_refused(samples, what):
    result = samples.run(f"echo '{what}' > {SAMPLES}/count.function")
    assert result.status == 1 and "sh: write error: Invalid argument" in result.lines
    assert read(samples, "count.function") == "vfs_open\n"


def test_the_function_cannot_be_changed_while_it_is_watched(samples):
    switch(samples, "count", True)
    result = samples.run(f"echo sys_mkdir > {SAMPLES}/count.function")
    assert result.status == 1 and "sh: write error: Device or resource busy" in result.lines
    assert read(samples, "count").startswith("on: vfs_open\n")


def test_arguments_are_printed_with_the_caller_for_each_call(samples):
    choose(samples, "arguments", "sys_mkdir")
    samples.check("echo > /sys/kernel/tracing/trace")
    switch(samples, "arguments", True)
    assert read(samples, "arguments") == "on: sys_mkdir\nsee /sys/kernel/tracing/trace\n"
    samples.check("mkdir /tmp/arguments1 /tmp/arguments2")
    switch(samples, "arguments", False)
    samples.check("mkdir /tmp/arguments3; rmdir /tmp/arguments1 /tmp/arguments2 /tmp/arguments3")
    lines = re.findall(r"print_arguments: (.*)", samples.check("cat /sys/kernel/tracing/trace"))
    assert len(lines) == 2
    for line in lines:  # the mode is the second argument
        assert re.fullmatch(r"sys_mkdir\(0x[0-9a-f]{6,12}, 0x1ff, 0x[0-9a-f]+, 0x[0-9a-f]+\) called by entry_SYSCALL_64_after_hwframe", line), line
    samples.check("echo > /sys/kernel/tracing/trace")


def test_arguments_of_what_prints_them_do_not_print_themselves_for_ever(samples):
    choose(samples, "arguments", "*printf")
    switch(samples, "arguments", True)
    samples.check("cat /proc/version /proc/uptime")
    switch(samples, "arguments", False)
    assert "seq_printf(" in samples.check("cat /sys/kernel/tracing/trace")
    samples.check("echo > /sys/kernel/tracing/trace")


def test_a_function_fails_and_is_not_run_while_its_sample_is_on(samples):
    switch(samples, "fail", True)
    assert read(samples, "fail") == "on: sys_mkdir\n0 calls failed\n"
    for _ in range(3):
        result = samples.run("mkdir /tmp/fail")
        assert result.status == 1 and "Cannot allocate memory" in result.output
    assert read(samples, "fail") == "on: sys_mkdir\n3 calls failed\n"
    assert "No such file or directory" in samples.run("ls /tmp/fail").output
    switch(samples, "fail", False)
    samples.check("mkdir /tmp/fail; rmdir /tmp/fail")
    assert read(samples, "fail") == "off: sys_mkdir\n3 calls failed\n"


def test_callers_of_a_function_that_fails_give_everything_back(boot):
    machine = boot(cpus=2)
    choose(machine, "fail", "vfs_open")
    # vfs_open fails as well, so a shell could not open the switch to turn it off. One shell keeps it open.
    machine.check("echo 'echo 1' > /tmp/script; echo x > /tmp/file")
    machine.check("echo 'for i in 0 1 2 3 4 5 6 7 8 9; do read line < /tmp/file; done' >> /tmp/script")  # read is a builtin
    machine.check("echo 'echo 0' >> /tmp/script; sed 's/read line </cat/' < /tmp/script > /tmp/programs")
    machine.check("sh /tmp/script > /tmp/out; sh /tmp/programs > /tmp/out")
    before = None
    for _ in range(5):
        said = machine.check(f"sh /tmp/script > {SAMPLES}/fail")
        assert said.count("can't open /tmp/file: Cannot allocate memory") == 10
        assert read(machine, "fail") == "off: vfs_open\n10 calls failed\n"
        said = machine.check(f"sh /tmp/programs > {SAMPLES}/fail")
        assert said.count("cat: Cannot allocate memory") == 10  # exec fails
        before = before or resources(machine)  # the first turn has allocated a page for trampolines
    assert machine.check("cat /tmp/file") == "x\n"
    assert resources(machine) == before


# What `hackbench -g 2 -l 50` writes to pipes. Each of two groups has 20 senders, and each sender sends 50 messages to each of 20
# receivers. Senders and receivers report that they are ready.
WRITES = 2 * 20 * 20 * 50 + 2 * 40


def test_latency_has_each_call_in_one_slot(boot):
    machine = boot(cpus=8)
    for sample in ("latency", "count"):
        choose(machine, sample, "pipe_write_iter")
        switch(machine, sample, True)
    machine.check("hackbench -g 2 -l 50")
    first, *lines = read(machine, "latency").splitlines()
    slots = [re.fullmatch(r"from +(\d+) ns: (\d+) calls", line).groups() for line in lines]
    starts = [int(start) for start, calls in slots]
    assert first == "on: pipe_write_iter" and starts == sorted(starts)
    assert all(start & (start - 1) == 0 for start in starts) and all(int(calls) > 0 for _, calls in slots)
    assert sum(int(calls) for _, calls in slots) == WRITES
    assert read(machine, "count") == f"on: pipe_write_iter\n{WRITES} calls\n"


@pytest.mark.parametrize("tracer", ["nop", "function", "function_graph"])
def test_all_samples_and_a_tracer_watch_the_same_function_at_once(boot, tracer):
    machine = boot(cpus=4)
    machine.check("cd /sys/kernel/tracing; echo sys_mkdir > set_ftrace_filter")
    before = None
    for turn in range(3):
        machine.check(f"echo {tracer} > current_tracer; echo > trace")
        for sample in SHARING if turn % 2 else reversed(SHARING):
            choose(machine, sample, "sys_mkdir")
            switch(machine, sample, True)
        verify(machine)
        machine.run("mkdir /tmp/a /tmp/b /tmp/c")
        switch(machine, "fail", False)
        machine.check("mkdir /tmp/a /tmp/b")
        machine.check("echo 0 > tracing_on")
        trace = machine.check("cat trace")
        machine.check("rmdir /tmp/a /tmp/b; echo 1 > tracing_on")
        assert read(machine, "count") == "on: sys_mkdir\n5 calls\n"
        assert read(machine, "fail") == "off: sys_mkdir\n3 calls failed\n"
        assert sum(map(int, re.findall(r"(\d+) calls", read(machine, "latency")))) == 5
        assert trace.count("sys_mkdir(0x") == 5
        traced = {"nop": r"(?!)", "function": r": sys_mkdir <-", "function_graph": r"\|  sys_mkdir\(\) \{\n"}
        assert len(re.findall(traced[tracer], trace)) == (5 if tracer != "nop" else 0), trace
        for sample in SHARING:
            switch(machine, sample, False)
        machine.check("echo nop > current_tracer; echo > trace")
        assert machine.check("cat enabled_functions") == ""
        verify(machine)
        before = before or resources(machine)  # the first turn has allocated the buffer
    assert resources(machine) == before


def test_samples_are_switched_by_many_while_their_function_runs_on_all_cpus(boot):
    machine = boot(cpus=8)
    switches = [f"echo {on} > {SAMPLES}/{sample}" for on in (1, 0) for sample in SHARING]
    for sample in SHARING:
        choose(machine, sample, "pipe_write_iter" if sample != "fail" else "sys_mkdir")
    machine.check("echo > /tmp/script")
    for line in 5 * switches:
        machine.check(f"echo '{line}' >> /tmp/script")
    before = None
    for _ in range(2):
        machine.check("hackbench -g 4 -l 200 &")
        for _ in range(4):
            machine.check("sh /tmp/script &")
        machine.check("wait")
        for sample in SHARING:
            switch(machine, sample, False)
        verify(machine)
        assert machine.check("cat /sys/kernel/tracing/enabled_functions") == ""
        machine.check("echo > /sys/kernel/tracing/trace")
        before = before or resources(machine)  # the first turn has allocated the buffer
    assert resources(machine) == before
    switch(machine, "count", True)
    machine.check("hackbench -g 2 -l 50")
    assert read(machine, "count") == f"on: pipe_write_iter\n{WRITES} calls\n"


def test_a_sample_that_cannot_start_is_off(boot):
    """The sample cannot start because an error has shut ftrace down."""
    machine = boot(kernel="nop5-test", cpus=2, append="panic=0")
    machine.check("echo sys_rmdir > /sys/kernel/debug/ftrace_fault")
    assert machine.run("rmdir /tmp/x").status != 0  # the callback faults, and shuts ftrace down
    eventually(lambda: "all sites are off" in machine.check("dmesg"))
    for sample in SHARING:
        result = machine.run(f"echo 1 > {SAMPLES}/{sample}")
        assert result.status == 1 and "sh: write error: No such device" in result.lines
        assert read(machine, sample).startswith("off: ")
