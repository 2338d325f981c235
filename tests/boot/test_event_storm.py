"""All events at once on 8 CPUs under load, while they are switched and instances come and go. Nothing is lost without being
counted, and nothing leaks. selftest/trace/storm_events.c does more of it together with tracers and NMIs (test_ftrace_storm.py)."""
import re

import pytest

from nop5 import resources, resources_return_to
from test_ftrace_stress import BAD

TRACING = "/sys/kernel/tracing"
SWITCHES = ("echo 0 > events/sched/enable", "echo 1 > events/sched/enable", "echo sched_switch > set_event", "echo 1 > events/enable",
            "mkdir instances/storm", "echo 1 > instances/storm/events/enable", "head -n 40 instances/storm/trace > /tmp/head",
            "rmdir instances/storm", "echo 1 > options/stacktrace", "echo 0 > options/stacktrace")


def written(machine):
    """(entries in the buffer and written, from the head of `trace`; the same two from stats) of the stopped trace."""
    head = tuple(map(int, re.search(r"entries-in-buffer/entries-written: (\d+)/(\d+)", machine.check("head -n 5 trace")).groups()))
    entries = lost = 0
    for cpu in range(8):
        stats = dict(re.findall(r"^([\w ]+): (\d+)", machine.check(f"cat per_cpu/cpu{cpu}/stats"), re.M))
        entries += int(stats["entries"])
        lost += int(stats["overrun"])
        assert stats["commit overrun"] == "0" == stats["dropped events"], stats
    return head, (entries, entries + lost)


def load(machine, seconds):
    machine.check(f"echo 1 > events/enable; stress -c 4 -m 4 -t {seconds} > /tmp/stress &")
    number = 0
    while machine.check("ps").count(" stress") or not number:
        machine.check(SWITCHES[number % len(SWITCHES)])
        if number % 5 == 0:
            assert "Time:" in machine.check("hackbench -g 1 -l 20")
        number += 1
    for command in SWITCHES[number % len(SWITCHES):]:
        machine.run(command)
    machine.check("wait; echo 0 > options/stacktrace; echo 0 > events/enable")
    assert re.fullmatch(r"stress: \d+ checksums verified\n", machine.check("cat /tmp/stress"))
    assert machine.check("cat events/enable; ls instances; rm /tmp/head /tmp/stress") == "0\n"


def storm(boot, seconds):
    machine = boot(kernel="nop5-test", cpus=8, mem="512M")
    machine.check(f"cd {TRACING}; echo 500 > buffer_size_kb; echo 5 > /proc/sys/kernel/printk")
    load(machine, 2)
    before = resources(machine)
    machine.check("echo > trace")
    load(machine, seconds)
    machine.check("echo 0 > tracing_on")
    head, stats = written(machine)
    assert head == stats and stats[1] > 1000
    machine.check("echo > trace; echo 1 > tracing_on")
    resources_return_to(machine, before)
    assert machine.check("cat /sys/kernel/debug/ftrace_verify").endswith(" 0 mismatches\n")
    assert not BAD.search(machine.text), BAD.search(machine.text)
    machine.poweroff()


@pytest.mark.soak
def test_all_events_under_load_leave_a_sound_machine(boot):
    storm(boot, 8)


@pytest.mark.soak
def test_ten_minutes_of_all_events_leave_a_sound_machine(boot):
    storm(boot, 600)
