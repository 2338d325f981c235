"""The stack tracer: a table of the deepest stack with sizes that add up; on, off, filtered, from the command line."""
import re

import pytest

TRACING = "/sys/kernel/tracing"
ENABLED = "/proc/sys/kernel/stack_tracer_enabled"
HEAD = "        Depth    Size   Location    ({} entries)\n        -----    ----   --------\n"


def table(machine):
    """Return the rows of stack_trace as (depth, size, location), and the text between the heading and the rows."""
    text = machine.check(f"cat {TRACING}/stack_trace")
    rows = re.findall(r"^ *(\d+)\) +(\d+) +(\d+)   (\S+(?: \[\w+\])?)$", text, re.M)
    assert text.startswith(HEAD.format(len(rows))), text
    assert [int(row[0]) for row in rows] == list(range(len(rows)))
    return [(int(depth), int(size), where) for _, depth, size, where in rows], [
        line for line in text.splitlines() if line.startswith("#")]


def size(machine):
    return int(machine.check(f"cat {TRACING}/stack_max_size"))


def test_nothing_is_recorded_while_it_is_off(nop5):
    rows, comment = table(nop5)
    assert rows == [] and any("stack_tracer_enabled" in line for line in comment)
    assert size(nop5) == 0


@pytest.mark.parametrize("cpus", [1, 8])
def test_the_deepest_stack_is_shown_with_sizes_that_add_up(boot, cpus):
    machine = boot(cpus=cpus)
    machine.check(f"echo 1 > {ENABLED}; hackbench -g 2 -l 20; ls -l /proc")
    rows, comment = table(machine)
    assert comment == []
    assert 3 < len(rows) and 300 < rows[0][0] < 16384
    depths = [depth for depth, _, _ in rows]
    assert [s for _, s, _ in rows] == [a - b for a, b in zip(depths, depths[1:] + [0])]
    assert rows[0][1] == 8, "the innermost function has not made a frame yet, only been called"
    assert rows[0][2].split("/")[0].endswith("+0x5"), "it is known by the return address behind its site"
    assert rows[-1][2].startswith("ret_from_fork+") or "start" in rows[-1][2] or "entry" in rows[-1][2], rows[-1]
    machine.check(f"echo 0 > {ENABLED}")
    assert size(machine) >= depths[0]
    before = machine.check(f"cat {TRACING}/stack_trace")
    machine.check("ls -l /proc; hackbench -g 1 -l 5")
    assert machine.check(f"cat {TRACING}/stack_trace") == before
    assert machine.check("cat /sys/kernel/debug/ftrace_verify").endswith(" 0 mismatches\n")


def test_a_filter_limits_the_stack_tracer_to_its_functions(nop5):
    nop5.check(f"echo vfs_read > {TRACING}/stack_trace_filter; echo 1 > {ENABLED}; cat /proc/version")
    assert nop5.check(f"cat {TRACING}/stack_trace_filter") == "vfs_read\n"
    rows, _ = table(nop5)
    assert rows[0][2].startswith("vfs_read+0x5/") and rows[1][2].startswith("ksys_read+")
    nop5.check(f"echo > {TRACING}/stack_trace_filter")
    assert nop5.check(f"cat {TRACING}/stack_trace_filter") == "#### all functions enabled ####\n"
    nop5.check("ls -l /proc")
    deeper, _ = table(nop5)
    assert deeper[0][0] > rows[0][0]
    nop5.check(f"echo 0 > {ENABLED}")


def kept_table(machine):
    """The rows. An address in the tracer's own trampoline has a name only while the tracer is on: here it is the same in both cases."""
    return [(depth, size, re.sub(r"^(0xffffffffa\w+|ftrace_trampoline\+.*)$", "in the trampoline", where)) for depth, size, where in table(machine)[0]]


def test_the_largest_size_can_be_set(nop5):
    before = kept_table(nop5)
    nop5.check(f"echo 999999 > {TRACING}/stack_max_size; echo 1 > {ENABLED}; ls -l /proc")
    assert size(nop5) == 999999 and kept_table(nop5) == before
    nop5.check(f"echo 0 > {TRACING}/stack_max_size; ls -l /proc")
    assert 0 < size(nop5) < 16384
    nop5.check(f"echo 0 > {ENABLED}")


@pytest.mark.parametrize("file,text", [
    ("stack_max_size", "abc"), ("stack_max_size", "-1"), ("stack_trace_filter", "no_such_function"),
])
def test_an_invalid_value_is_refused_and_changes_nothing(nop5, file, text):
    before = nop5.check(f"cat {TRACING}/{file}")
    result = nop5.run(f"echo {text} > {TRACING}/{file}")
    assert result.output == "sh: write error: Invalid argument\n" and result.status == 1
    assert nop5.check(f"cat {TRACING}/{file}") == before


def test_the_switch_takes_numbers_only(nop5):
    before = nop5.check(f"cat {ENABLED}")
    assert nop5.run(f"echo on > {ENABLED}").output == "sh: write error: Invalid argument\n"
    assert nop5.check(f"cat {ENABLED}") == before
    nop5.check(f"echo 2 > {ENABLED}")
    assert nop5.check(f"cat {ENABLED}") == "2\n"
    assert not table(nop5)[1]
    nop5.check(f"echo 0 > {ENABLED}")


def test_the_stack_tracer_can_start_at_boot(boot):
    machine = boot(append="stacktrace")
    assert machine.check(f"cat {ENABLED}") == "1\n"
    assert table(machine)[0]
    machine = boot(append="stacktrace_filter=vfs_write")
    assert machine.check(f"cat {TRACING}/stack_trace_filter") == "vfs_write\n"
    assert table(machine)[0][0][2].startswith("vfs_write+0x5/")


def test_the_stack_tracer_works_beside_the_function_tracer(boot):
    machine = boot(cpus=8)
    machine.check(f"echo 1 > {ENABLED}; echo function > {TRACING}/current_tracer; hackbench -g 2 -l 20")
    rows, _ = table(machine)
    assert rows[0][2].split("/")[0].endswith("+0x5")
    machine.check(f"echo nop > {TRACING}/current_tracer; echo 0 > {ENABLED}")
    assert machine.check(f"cat {TRACING}/enabled_functions") == ""
    assert machine.check("cat /sys/kernel/debug/ftrace_verify").endswith(" 0 mismatches\n")
