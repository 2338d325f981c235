"""buffer_subbuf_size_kb: sub-buffers of several pages, and all that depends on their size (Documentation/trace/ftrace.rst of Linux 6.8)."""
import re
import struct

import pytest

from nop5 import eventually

TRACING = "/sys/kernel/tracing"
BUFFER_KB = 1024  # of each CPU; whole sub-buffers of each size
MAX_EVENT = {4: 1024, 8: 4096, 512: 4096}  # bytes of text that one entry of trace_marker holds

# Of the letter x: bytes of the header may be x, too.
LONGEST_RUN = "tr -cs x '\\n' < /tmp/raw | awk '{ if (length > n) n = length } END { print n }'"


@pytest.fixture
def tracing(nop5):
    nop5.check(f"cd {TRACING}; echo > trace; echo {BUFFER_KB} > buffer_size_kb")
    yield nop5
    nop5.check(f"cd {TRACING}; echo nop > current_tracer; echo 0 > snapshot; echo 1 > tracing_on; echo 4 > buffer_subbuf_size_kb; echo > trace")


def data_size(machine, directory="."):
    return int(re.search(r"char data;\toffset:16;\tsize:(\d+);", machine.check(f"cat {directory}/events/header_page"))[1])


def mark(machine, size, where="trace_marker"):
    machine.check(f"head -c {size} /dev/zero | taskset -c 0 tr '\\0' x > {where}")


def marks(machine, where="trace"):
    """The lengths of the texts in a trace."""
    return [int(n) for n in machine.check(f"awk '/_mark_write: /{{ sub(/^.*_mark_write: /, \"\"); print length($0) }}' {where}").split()]


def test_a_size_is_rounded_up_to_a_power_of_two_of_pages(tracing):
    for written, size in ((1, 4), (5, 8), (8, 8), (9, 16), (100, 128), (512, 512), (3, 4)):
        tracing.check(f"echo {written} > buffer_subbuf_size_kb")
        assert tracing.check("cat buffer_subbuf_size_kb") == f"{size}\n" and data_size(tracing) == size * 1024 - 16
    assert tracing.check("cat buffer_size_kb") == f"{BUFFER_KB}\n"
    for refused in ("0", "513", "x", "-1", ""):
        assert tracing.run(f"echo '{refused}' > buffer_subbuf_size_kb").output == "sh: write error: Invalid argument\n"
    assert tracing.check("cat buffer_subbuf_size_kb") == "4\n"


@pytest.mark.parametrize("size", MAX_EVENT)
def test_an_entry_of_the_largest_text_is_read_whole_in_each_file(tracing, size):
    text = MAX_EVENT[size]
    tracing.check(f"echo {size} > buffer_subbuf_size_kb")
    mark(tracing, text)
    assert marks(tracing) == [text]
    tracing.check("head -n 1 trace_pipe > /tmp/piped")
    assert marks(tracing, "/tmp/piped") == [text] and marks(tracing) == []
    mark(tracing, text)
    raw = tracing.check(f"head -c {size * 1024} per_cpu/cpu0/trace_pipe_raw > /tmp/raw; wc -c < /tmp/raw; {LONGEST_RUN}").split()
    assert raw == [str(size * 1024), str(text)]
    mark(tracing, 5000)
    assert sum(marks(tracing)) == 5000 and max(marks(tracing)) == text


def test_a_change_removes_the_trace_and_readers_that_are_open_go_on(tracing):
    tracing.check("echo before > trace_marker; exec 3< trace; head -n 3 <&3 > /dev/null; echo 64 > buffer_subbuf_size_kb")
    mark(tracing, 4096)
    assert marks(tracing) == [4096]
    tracing.check("cat <&3 > /tmp/old; exec 3<&-; grep -c before trace; test $? = 1")
    tracing.check("cat trace_pipe > /tmp/piped &")
    eventually(lambda: marks(tracing, "/tmp/piped") == [4096])
    tracing.check("echo 8 > buffer_subbuf_size_kb")
    mark(tracing, 4000)
    tracing.check("echo 0 > tracing_on; wait")
    assert marks(tracing, "/tmp/piped") == [4096, 4000]


def test_sub_buffers_of_32_pages_hold_what_all_functions_write(tracing):
    tracing.check("echo 128 > buffer_subbuf_size_kb; echo function > current_tracer; taskset -c 0 hackbench -g 1 -l 4 > /dev/null; echo 0 > tracing_on")
    stats = tracing.check("cat per_cpu/cpu0/stats")
    entries, overrun, size = (int(re.search(rf"^{name}: (\d+)", stats, re.M)[1]) for name in ("entries", "overrun", "bytes"))
    assert overrun > 0 and 0 < size <= (BUFFER_KB + 128) * 1024 and size >= entries * 28
    # What trace_pipe_raw gives first is full to the last event.
    assert tracing.check("head -c 131072 per_cpu/cpu0/trace_pipe_raw > /tmp/raw; wc -c < /tmp/raw") == "131072\n"
    head = bytes.fromhex(tracing.check("head -c 16 /tmp/raw | hexdump -v -e '1/1 \"%02x\"'").strip())
    stamp, commit = struct.unpack("<QQ", head)
    assert 128 * 1024 - 16 - 64 <= commit & 0xfffff <= 128 * 1024 - 16 and stamp > 0
    after = tracing.check("cat per_cpu/cpu0/stats")
    assert int(re.search(r"^read events: (\d+)", after, re.M)[1]) >= 3000


def test_a_snapshot_has_sub_buffers_of_the_same_size(tracing):
    tracing.check("echo 16 > buffer_subbuf_size_kb")
    mark(tracing, 4000)
    tracing.check("echo 1 > snapshot")
    mark(tracing, 3000)
    assert marks(tracing, "snapshot") == [4000] and marks(tracing) == [3000]
    tracing.check("echo 1 > snapshot")
    assert marks(tracing, "snapshot") == [3000] and marks(tracing) == [4000]
    tracing.check("echo 8 > buffer_subbuf_size_kb")
    assert marks(tracing, "snapshot") == []
    mark(tracing, 4000)
    assert tracing.check("echo 1 > snapshot; cat per_cpu/cpu*/snapshot_raw > /tmp/raw; wc -c < /tmp/raw") == "8192\n"
    tracing.check("echo 0 > snapshot")
    mark(tracing, 2000)
    assert marks(tracing) == [2000]


def test_an_instance_has_a_size_of_its_own(tracing):
    tracing.check("mkdir instances/a; echo 32 > instances/a/buffer_subbuf_size_kb")
    try:
        assert tracing.check("cat buffer_subbuf_size_kb instances/a/buffer_subbuf_size_kb") == "4\n32\n"
        assert (data_size(tracing), data_size(tracing, "instances/a")) == (4080, 32752)
        mark(tracing, 4000, "instances/a/trace_marker")
        assert marks(tracing, "instances/a/trace") == [4000]
    finally:
        tracing.check("rmdir instances/a")


def test_a_dump_shows_entries_of_large_sub_buffers(tracing):
    tracing.check("echo 64 > buffer_subbuf_size_kb; echo a text that a dump shows > trace_marker; echo z > /proc/sysrq-trigger")
    assert "a text that a dump shows" in tracing.check("dmesg")
