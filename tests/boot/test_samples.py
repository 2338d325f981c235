"""/sys/kernel/debug/samples: what students copy. Each does what it says, exactly, and leaves nothing behind."""
import re

import pytest

from nop5 import resources

SAMPLES = "/sys/kernel/debug/samples"


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
    """The shared machine; afterwards each sample has to be off, and as it was."""
    yield nop5
    for sample, function in {"count": "vfs_open"}.items():
        switch(nop5, sample, False)
        choose(nop5, sample, function)
    verify(nop5)
    assert nop5.check("cat /sys/kernel/tracing/enabled_functions") == ""


def test_count_counts_each_call_until_it_is_off_and_begins_anew(samples):
    choose(samples, "count", "sys_mkdir")
    assert read(samples, "count") == "off: sys_mkdir\n0 calls\n"
    for calls in (3, 2):
        switch(samples, "count", True)
        assert read(samples, "count") == "on: sys_mkdir\n0 calls\n"
        for i in range(calls):
            samples.check(f"mkdir /tmp/count{i}")
        assert read(samples, "count") == f"on: sys_mkdir\n{calls} calls\n"
        switch(samples, "count", True)  # it is: nothing happens
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
