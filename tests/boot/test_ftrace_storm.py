"""The storm on 8 CPUs under load: ops, probes, instances, tracers, snapshots and NMIs all at once (selftest/trace/storm.c).
All results are right, every site matches its record, and all memory is freed."""
import re
from collections import Counter
from fnmatch import fnmatch

import pytest

from nop5 import eventually, resources, resources_return_to
from test_ftrace_stress import BAD, sound

STORM = "/sys/kernel/debug/ftrace_storm"
ROUNDS = 3
STALL = re.compile(r"detected stalls|" + BAD.pattern)


def begin(machine, order):
    """Start a storm, and wait until it runs: before, the file says that the last one is over."""
    machine.check(f"echo '{order}' > {STORM} & until grep -q running {STORM} || ! grep -q VmSize /proc/$!/status; do :; done")


def storm(machine, seconds, kinds="*"):
    """Run a storm of these kinds while hackbench and stress run. Return the number of rounds of each."""
    begin(machine, f"{seconds} {kinds}")
    machine.check(f"stress -c 2 -m 2 -t {seconds} > /tmp/stress &")
    while machine.check(f"cat {STORM}").endswith("running\n"):
        assert "Time:" in machine.check("hackbench -g 1 -l 20")
    machine.check("wait")
    assert re.fullmatch(r"stress: \d+ checksums verified\n", machine.check("cat /tmp/stress"))
    report = machine.check(f"cat {STORM}")
    assert "\nfailures: 0\nover\n" in report, re.findall(r"ftrace_storm: .*", machine.text)
    assert not STALL.search(machine.text), STALL.search(machine.text)
    print(report)
    return {kind: rounds for kind, rounds in rounds_of(report).items() if any(fnmatch(kind, pattern) for pattern in kinds.split())}


def warm_up(machine, run_storm):
    """Run storms until each kind has done ROUNDS rounds. The kernel then has all objects that it makes once and keeps; those of the
    function profiler it gets before, because a kind switches it on by chance, and only if there is memory."""
    machine.check("cd /sys/kernel/tracing; echo 1 > function_profile_enabled; echo 0 > function_profile_enabled; cd /")
    rounds = Counter()
    while not rounds or min(rounds.values()) < ROUNDS:
        rounds.update(run_storm())


def rounds_of(report):
    return {kind: int(count) for kind, count in re.findall(r"^(.+): (\d+) rounds", report, re.M)}


def storm_leaves_a_sound_machine(machine, seconds, kinds="*"):
    machine.check("echo 5 > /proc/sys/kernel/printk")  # live patching prints each transition at level 5
    warm_up(machine, lambda: storm(machine, 3, kinds))
    before = resources(machine)
    rounds = storm(machine, seconds, kinds)
    assert all(rounds.values()), rounds
    resources_return_to(machine, before)
    assert re.search(r"^stacks: 0\n", machine.check("cat /sys/kernel/debug/fgraph"), re.M)
    sound(machine)
    machine.poweroff()


@pytest.mark.soak
def test_eight_seconds_of_everything_at_once_leave_a_sound_machine(boot):
    storm_leaves_a_sound_machine(boot(kernel="nop5-test", cpus=8, mem="512M"), 8)


def contents(machine, path):
    """The contents of a file, without messages of the kernel. cat may find no memory for a while."""
    result = eventually(lambda: found if (found := machine.run(f"cat {path}")).status == 0 else None)
    return "".join(line + "\n" for line in result.quiet)


@pytest.mark.soak
def test_the_storm_without_memory_gives_errors_and_frees_all_memory(boot):
    machine = boot(kernel="nop5-test", cpus=4, mem="40M")
    verified = []  # a load that begins when there is too little memory verifies nothing

    def all_at_once(seconds):
        begin(machine, seconds)
        while contents(machine, STORM).endswith("running\n"):
            start = len(machine.text)
            machine.run("stress -c 1 -m 24 -t 1 > /tmp/stress 2>&1")  # it may find no memory for a process
            text = contents(machine, "/tmp/stress")
            verified.extend(re.findall(r"stress: \d+ checksums verified\n", text))
            assert "mismatch" not in text
            # A process that is killed may have ended already. No other may be lost.
            killed = len(re.findall(r"Out of memory: Killed process \d+ \(stress\)", machine.text[start:]))
            assert sum(map(int, re.findall(r"(\d+) tasks did not complete", text))) <= killed
        machine.check("wait; : > /tmp/stress")  # it had a page, or none if the last load was killed
        report = contents(machine, STORM)
        assert "\nfailures: 0\nover\n" in report, re.findall(r"ftrace_storm: .*", machine.text)
        return rounds_of(report)

    machine.check("echo 5 > /proc/sys/kernel/printk")
    warm_up(machine, lambda: all_at_once(3))
    assert "page allocation failure" in machine.text and "Out of memory: Killed process" in machine.text
    before = resources(machine)
    all_at_once(5)
    assert verified
    resources_return_to(machine, before)
    sound(machine)
    machine.poweroff()


@pytest.mark.soak
def test_ten_minutes_of_everything_at_once_leave_a_sound_machine(boot):
    storm_leaves_a_sound_machine(boot(kernel="nop5-test", cpus=8, mem="512M"), 600)


@pytest.mark.soak
def test_ten_minutes_of_probes_tracers_and_live_patches_leave_a_sound_machine(boot):
    """Probes of all kinds get more rounds when no ops, filters and instances come and go beside them."""
    storm_leaves_a_sound_machine(boot(kernel="nop5-test", cpus=8, mem="512M"), 600, "*probe* nmis live* patched* calls tracers")
