"""The programs of user/bpf/, built by clang and loaded by libbpf, tell what happens in the machine.

All of it is in `make soak` only, because it needs packages that no other target does.
"""
import re

import pytest

from conftest import root_with
from nop5 import Nop5

pytestmark = pytest.mark.soak
NAMES = ("execs", "opens", "wakers")


@pytest.fixture(scope="module")
def machine(images, bpf_programs):
    built = bpf_programs()
    root = root_with(images, "bpf_programs", [*(built / name for name in NAMES), "bpftool"])
    with Nop5(build=images, cpus=4, mem="512M", initrd=root) as machine:
        machine.wait_prompt()
        yield machine
        assert not re.search(r"BUG:|WARNING: CPU|Oops|lockup|Call Trace", machine.text), machine.says


def during(machine, program, commands):
    """Start a program, type commands while it watches, and return what it prints after ^C."""
    machine.check(f"{program} > /tmp/out & watcher=$!")
    machine.check("until bpftool link | grep -q prog; do sleep 0.1; done; sleep 0.1")
    for command in commands:
        machine.run(command)
    machine.check("sleep 0.1; kill -INT $watcher; wait $watcher")
    return machine.fetch("cat /tmp/out").splitlines()


def test_execs_tells_each_program_and_each_end_in_their_order(machine):
    lines = during(machine, "execs", ["sh -c 'exit 3'", "sh -c 'kill -9 $$'", "sh -c 'sh -c \"exit 4\"; exit 5'", "sh -c ': " + "x" * 300 + "'"])
    assert lines[0] == "   PID PPID COMMAND" and not [line for line in lines if "lost" in line]
    shell = machine.run("echo $$").output.strip()
    ends = []
    for arguments, end in (("exit 3", "status 3"), ("kill -9 $$", "signal 9"), ("exit 4", "status 4"), ('sh -c "exit 4"; exit 5', "status 5"), (": " + "x" * 300, "status 0")):
        line, = [line for line in lines[1:] if line.split(None, 3)[0] == "+" and line.split(None, 3)[3] == f"sh -c {arguments}"[:256]]
        begin, pid, parent = lines.index(line), line.split()[1], line.split()[2]
        after, = [i for i, other in enumerate(lines) if re.fullmatch(rf"- +{pid} +{parent} sh, {end} after \d+\.\d ms", other)]
        assert begin < after
        ends.append((pid, parent, after))
    assert [parent == shell for _, parent, _ in ends] == [True, True, False, True, True]
    (_, parent, inner), (outer_pid, _, outer) = ends[2:4]
    assert parent == outer_pid and inner < outer


def test_opens_counts_what_each_program_opens(machine):
    machine.check("echo x > /tmp/one; echo x > /tmp/two")
    lines = during(machine, "opens", ["for i in 1 2 3 4 5 6 7; do cat /tmp/one; done", "wc /tmp/one /tmp/one /tmp/two", "cat /tmp/none"])
    counts = {(comm, file): int(count) for count, comm, file in (line.split() for line in lines[1:])}
    assert {key: count for key, count in counts.items() if key[1] in ("one", "two", "none")} == {
        ("cat", "one"): 7, ("wc", "one"): 2, ("wc", "two"): 1}
    assert list(counts.values()) == sorted(counts.values(), reverse=True)


def test_wakers_counts_wake_ups_and_waits(machine):
    machine.check("mkfifo /tmp/f; cat /tmp/f > /dev/null & reader=$!; exec 5> /tmp/f")
    asleep = "until grep -q 'State:.S' /proc/$reader/status; do :; done"
    lines = during(machine, "wakers", [f"for i in $(seq 50); do {asleep}; echo x >&5; done; {asleep}"])
    machine.check("exec 5>&-; wait $reader; rm /tmp/f")
    empty = lines.index("")
    pairs = {(waker, woken): (int(times), float(mean), float(longest))
             for waker, woken, times, mean, longest in (re.fullmatch(r"(\S+) +(\S+) +(\d+) +(\S+) +(\S+)", line).groups() for line in lines[1:empty])}
    times, mean, longest = pairs["sh", "cat"]
    assert times == 50 and 0 < mean <= longest
    slots = [re.fullmatch(r" *(\d+) \.\. *(\d+) (\**)", line).groups() for line in lines[empty + 2:]]
    assert [int(start) for start, _, _ in slots] == [0] + [2 ** n for n in range(1, len(slots))]
    waits = [int(count) for _, count, _ in slots]
    assert sum(waits) >= sum(times for times, _, _ in pairs.values()) and waits[-1] > 0
    assert max(len(stars) for _, _, stars in slots) == 40
    assert 2 ** (len(slots) - 1) <= max(longest for _, _, longest in pairs.values()) < 2 ** len(slots)


def test_nothing_of_the_programs_is_left_when_they_have_ended(machine):
    for name in NAMES:
        during(machine, name, [])
    machine.check("until [ -z \"$(bpftool prog; bpftool map; bpftool link)\" ]; do sleep 0.1; done")
