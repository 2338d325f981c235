"""Snapshots: the buffer is exchanged for another one while all CPUs write, and no event is lost."""
import re

import pytest

from nop5 import eventually, kill

TRACING = "/sys/kernel/tracing"


@pytest.fixture
def tracing(nop5):
    nop5.check(f"cd {TRACING}; echo > trace")
    yield nop5
    nop5.check(f"cd {TRACING}; echo nop > current_tracer; echo 0 > snapshot; echo > set_ftrace_filter; echo > trace")


def count(machine, path, function):
    """The number of calls of function in a trace, counted there: the console needs seconds for the lines of 100,000 calls."""
    return int(machine.run(f"grep -c ': {function} <-' {path}").output)


def test_a_snapshot_keeps_what_was_in_the_trace(tracing):
    assert "* Snapshot is freed *" in tracing.check("cat snapshot")
    tracing.check("echo one > trace_marker; echo 1 > snapshot; echo two > trace_marker")
    assert "tracing_mark_write: one" in tracing.check("cat snapshot") and "one" not in tracing.check("cat trace")
    tracing.check("echo 1 > snapshot")
    assert "tracing_mark_write: two" in tracing.check("cat snapshot") and "two" not in tracing.check("cat trace")
    tracing.check("echo 2 > snapshot")
    assert "* Snapshot is allocated *" in tracing.check("cat snapshot")
    tracing.check("echo 0 > snapshot")
    assert "* Snapshot is freed *" in tracing.check("cat snapshot")


@pytest.mark.parametrize("path,text", [
    ("snapshot", "abc"), ("snapshot", "-1"), ("snapshot", ""), ("per_cpu/cpu0/snapshot", "0"), ("per_cpu/cpu0/snapshot", "1"),
])
def test_invalid_values_are_refused(tracing, path, text):
    result = tracing.run(f"echo '{text}' > {path}")
    assert result.output == "sh: write error: Invalid argument\n" and result.status == 1
    assert "* Snapshot is freed *" in tracing.check("cat snapshot")


def test_the_snapshot_of_one_cpu_can_be_shown_and_cleared(tracing):
    tracing.check("taskset -c 0 echo zero > trace_marker; taskset -c 1 echo one > trace_marker; echo 1 > snapshot")
    parts = [tracing.check(f"cat per_cpu/cpu{cpu}/snapshot") for cpu in range(4)]
    assert sum("mark_write: zero" in part for part in parts) == 1 == sum("mark_write: one" in part for part in parts)
    where = next(cpu for cpu, part in enumerate(parts) if "mark_write: zero" in part)
    tracing.check(f"echo 2 > per_cpu/cpu{where}/snapshot")
    assert "zero" not in tracing.check("cat snapshot")


def test_snapshot_raw_gives_the_pages_of_the_snapshot_once(tracing):
    raw = "cat per_cpu/cpu*/snapshot_raw"
    tracing.check("echo -n inside > trace_marker")
    assert tracing.check(f"{raw} | wc -c") == "0\n"
    tracing.check("echo 1 > snapshot; echo -n outside > trace_marker")
    assert tracing.check(f"{raw} > /tmp/raw; grep -c inside /tmp/raw; grep -c outside /tmp/raw; wc -c < /tmp/raw") == "1\n0\n4096\n"
    assert tracing.check(f"{raw} | wc -c") == "0\n" and "outside" in tracing.check("cat trace")
    tracing.check("echo 0 > snapshot; echo irqsoff > current_tracer")
    assert "Device or resource busy" in tracing.run("cat per_cpu/cpu0/snapshot_raw").output


def test_the_memory_of_the_snapshot_is_freed(tracing):
    def free():
        return int(re.search(r"MemFree: +(\d+)", tracing.check("cat /proc/meminfo")).group(1))

    tracing.check("echo 1024 > buffer_size_kb")
    before = free()
    tracing.check("echo 1 > snapshot")
    assert before - free() > 4 * 1000
    tracing.check("echo 0 > snapshot")
    assert before - free() < 500
    tracing.check("echo 1408 > buffer_size_kb")


def test_both_buffers_have_the_settings(tracing):
    tracing.check("echo 64 > buffer_size_kb; echo 1 > snapshot; echo counter > trace_clock; echo 0 > options/overwrite")
    for _ in range(2):
        tracing.check("echo mark > trace_marker; echo 1 > snapshot")
        assert re.search(r"\[\d+\] \S+ +\d+: tracing_mark_write: mark", tracing.check("cat snapshot"))
        assert tracing.check("cat buffer_size_kb") == "64\n"
    tracing.check("echo 128 > buffer_size_kb; echo 1 > snapshot")
    assert tracing.check("cat buffer_size_kb") == "128\n"
    tracing.check("echo 0 > tracing_on; echo 1 > snapshot")
    assert tracing.check("cat tracing_on") == "0\n"
    tracing.check("echo 1 > tracing_on; echo 1 > options/overwrite; echo local > trace_clock; echo 1408 > buffer_size_kb")


def test_a_reader_of_trace_pipe_goes_on_in_the_other_buffer(tracing):
    tracing.check("echo 1 > snapshot")
    tracing.run("cat trace_pipe > /tmp/pipe &")
    for word in ("first", "second", "third"):
        tracing.check(f"echo {word} > trace_marker")
        assert eventually(lambda: word in tracing.check("cat /tmp/pipe"))
        tracing.check("echo 1 > snapshot")
    kill(tracing, "cat")


@pytest.mark.parametrize("rounds", [1, pytest.param(8, marks=pytest.mark.soak)])
def test_nothing_is_lost_by_snapshots_while_eight_cpus_write(boot, rounds):
    """The snapshot and the trace together have the same events as an instance that takes no snapshots."""
    machine = boot(cpus=8, mem="512M")
    machine.check(f"cd {TRACING}; mkdir instances/a")
    for directory in (".", "instances/a"):
        machine.check(f"echo pipe_write_iter > {directory}/set_ftrace_filter; echo 8192 > {directory}/buffer_size_kb; "
                      f"echo function > {directory}/current_tracer")
    for _ in range(rounds):
        machine.check("echo > trace; echo 2 > snapshot; echo > instances/a/trace")
        machine.send("hackbench -g 2 -l 40 &\n")
        machine.wait_prompt()
        machine.check("echo 1 > snapshot; wait")
        parts = count(machine, "trace", "pipe_write_iter"), count(machine, "snapshot", "pipe_write_iter")
        assert sum(parts) == count(machine, "instances/a/trace", "pipe_write_iter") >= 2 * 20 * 20 * 40, parts


def test_a_probe_takes_snapshots_under_load(boot):
    machine = boot(cpus=8)
    machine.check(f"cd {TRACING}; echo '__x64_sys_mkdir:snapshot:1' >> set_ftrace_filter; echo function > current_tracer")
    machine.check("mkdir /tmp/here; mkdir /tmp/there")
    assert "__x64_sys_mkdir:snapshot:count=0" in machine.check("cat set_ftrace_filter")
    assert re.search(r"^ +mkdir-\d+ ", machine.check("cat snapshot"), re.M)
    machine.check("echo '*lock*:snapshot' >> set_ftrace_filter; hackbench -g 1 -l 10; echo '!*:snapshot' >> set_ftrace_filter")
    machine.check("echo nop > current_tracer; echo '!*:snapshot:0' >> set_ftrace_filter; echo 0 > snapshot")
    assert machine.check("cat enabled_functions") == ""
    assert machine.check("cat /sys/kernel/debug/ftrace_verify").endswith(" 0 mismatches\n")
