"""trace_pipe and trace_pipe_raw from the shell: readers that wait, what wakes them, and the events that they get."""
import re
import struct

import pytest

from nop5 import eventually

TRACING = "/sys/kernel/tracing"
MISSED_EVENTS, MISSED_STORED = 1 << 31, 1 << 30
PAGE_DATA = 4096 - 16  # bytes of a page after its header


@pytest.fixture
def tracing(boot):
    machine = boot(cpus=4)
    machine.check(f"cd {TRACING}")
    return machine


def write_on(machine, cpu, text, times=1):
    """Write events on one CPU."""
    machine.check(f"taskset -c {cpu} sh -c 'for i in $(seq {times}); do echo {text} > trace_marker; done'")


def wait_asleep(machine, pid):
    """Wait until this task has left its CPU, and waits."""
    eventually(lambda: machine.check(f"cat /proc/{pid}/wchan") not in ("", "0"))


def test_a_reader_is_woken_by_an_interrupt_that_the_writers_cpu_sends_itself(tracing):
    def interrupts():
        return list(map(int, re.search(r"^IWI: +(.*?) +IRQ", tracing.check("cat /proc/interrupts"), re.M)[1].split()))

    tracing.check("cat trace_pipe > /tmp/piped &")
    reader = tracing.check("echo $!").strip()
    for number in range(10):
        wait_asleep(tracing, reader)
        before = interrupts()
        write_on(tracing, 2, f"event{number}")
        assert interrupts()[2] > before[2]
    tracing.check("echo 0 > tracing_on; wait")
    assert re.findall(r"tracing_mark_write: (\w+)$", tracing.check("cat /tmp/piped"), re.M) == \
        [f"event{number}" for number in range(10)]


def test_a_cpus_pipe_has_the_events_of_that_cpu_alone(tracing):
    for cpu in range(4):
        write_on(tracing, cpu, f"on{cpu}", 2)
    tracing.check("echo 0 > tracing_on")
    text = tracing.check("cat per_cpu/cpu3/trace_pipe")
    assert re.findall(r"\[(\d+)\].*tracing_mark_write: (\w+)$", text, re.M) == [("003", "on3")] * 2
    rest = tracing.check("cat trace_pipe")
    assert sorted(re.findall(r"tracing_mark_write: (\w+)$", rest, re.M)) == ["on0", "on0", "on1", "on1", "on2", "on2"]


def test_a_raw_page_has_the_number_of_events_lost_before_it(tracing):
    """As Linux does: bit 31 of commit is set. If bit 30 is set, too, the number of lost events follows the events, which needs
    8 free bytes on the page. An event after a long time is longer, so the host's load decides how full a page is."""
    tracing.check("echo 8 > buffer_size_kb")
    stored = []
    for text in ("event", "an-event", "a-longer-event", "the-longest-event-of-all", "event", "an-event"):
        tracing.check("echo > trace; echo 1 > tracing_on")
        for _ in range(10):
            write_on(tracing, 1, text, 40)
        tracing.check("echo 0 > tracing_on")
        overrun = int(re.search(r"^overrun: (\d+)$", tracing.check("cat per_cpu/cpu1/stats"), re.M).group(1))
        tracing.check("cat per_cpu/cpu1/trace_pipe_raw > /tmp/raw")
        lines = re.findall(r"^[0-9a-f]{8}  ((?:[0-9a-f]{2} +)+)\|", tracing.check("hexdump -C /tmp/raw | head -n 1"), re.M)
        assert lines, "hexdump -C prints 16 bytes a line"
        _, commit = struct.unpack("<QQ", bytes.fromhex(lines[0].replace(" ", ""))[:16])
        stored.append(commit & MISSED_STORED != 0)
        assert overrun > 0 and commit & MISSED_EVENTS
        assert stored[-1] == (PAGE_DATA - (commit & 0xfff) >= 8), hex(commit)
        stats = tracing.check("cat per_cpu/cpu1/stats")
        assert re.search(r"^entries: 0$", stats, re.M)
        assert int(re.search(r"^read events: (\d+)$", stats, re.M).group(1)) == 400 - overrun
    assert any(stored)


def test_readers_of_all_kinds_leave_a_sound_machine_when_everything_is_traced(boot):
    machine = boot(cpus=8)
    machine.check(f"cd {TRACING}")
    machine.check("cat trace_pipe > /tmp/lines &")
    machine.check("cat trace_pipe > /dev/null &")
    for cpu in range(8):
        machine.check(f"cat per_cpu/cpu{cpu}/trace_pipe_raw > /dev/null &")
    machine.check("echo 64 > buffer_size_kb; echo 10 > buffer_percent")
    for _ in range(3):
        machine.check("echo function > current_tracer; hackbench -g 1 -l 5; echo nop > current_tracer")
    machine.check("echo '*_read' > set_ftrace_filter; echo function > current_tracer; hackbench -g 1 -l 20")
    machine.check("echo nop > current_tracer")
    assert re.fullmatch(r"\d+ sites, 0 mismatches\n", machine.check("cat /sys/kernel/debug/ftrace_verify"))
    eventually(lambda: re.search(r" <-\w+$", machine.check("head -n 50 /tmp/lines"), re.M))
