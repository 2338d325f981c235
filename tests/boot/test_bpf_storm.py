"""Programs and maps of eBPF made, attached, replaced and detached at random on 8 CPUs, under load, with tracers, probes, modules and
live patches beside them (tests/boot/data/bpf_storm.c). What the maps have counted is what instances of tracefs recorded of the same
events, and what the threads say they have done; in NMIs too. Nothing is left.
"""
import re
import subprocess

import pytest

from conftest import root_with
from nop5 import ROOT, resources, resources_return_to
from seed import seed
from test_ftrace_stress import BAD

pytestmark = pytest.mark.soak
DATA = ROOT / "tests/boot/data"
SWITCHES = ("echo function > current_tracer", "modprobe sample-event", "echo 'p:mine vfs_read' >> kprobe_events", "echo 1 > events/kprobes/enable",
            "echo function_graph > current_tracer", "modprobe livepatch-sample", "hackbench -g 1 -l 20", "echo 0 > events/kprobes/enable",
            "echo -:mine >> kprobe_events", "echo nop > current_tracer", "echo 0 > /sys/kernel/livepatch/livepatch_sample/enabled",
            "until rmmod livepatch-sample 2> /dev/null; do sleep 0.1; done", "rmmod sample-event")


def written(machine, instance):
    """Events that the instance has recorded, those among them that were overwritten since."""
    total = 0
    for stats in machine.fetch(f"cat instances/{instance}/per_cpu/cpu*/stats").split("entries: ")[1:]:
        numbers = dict(re.findall(r"^([\w ]+): (\d+)", "entries: " + stats, re.M))
        assert numbers["commit overrun"] == "0" == numbers["dropped events"], stats
        total += int(numbers["entries"]) + int(numbers["overrun"])
    return total


def storm(machine, rounds, number):
    """The storm, for some rounds of the switches beside it. Its counts agree. The NMIs print backtraces."""
    machine.check("mkdir instances/calls instances/nmis; rm -f /tmp/end")
    machine.check(f"bpf_storm /tmp/end {number} /usr/bin/bpf_attach storm 1000000 {number} > /tmp/storm 2>&1 &")
    for switch in SWITCHES * rounds:
        machine.check(switch)
    machine.check("> /tmp/end; wait")
    # bpf_attach was killed, its events stay. To define them again would be an error, whose text the kernel keeps in error_log.
    machine.check("> kprobe_events; > uprobe_events")
    report = "\n".join(machine.run("cat /tmp/storm; rm /tmp/storm").quiet) + "\n"
    sums = {name: set(map(int, counts.split())) for name, counts in re.findall(r"^(\w+)((?: \d+)+)$", report, re.M)}
    calls, nmis = written(machine, "calls"), written(machine, "nmis")
    for name in ("tracepoint", "raw", "kprobe", "kretprobe", "fentry", "fexit"):
        assert sums[name] == {calls}, (name, calls, report)
    assert sums["uprobe"] == sums["uretprobe"] == sums["calls"] and 0 < max(sums["calls"]) < calls, report
    assert len(sums["nmi"]) == 1 and 0 < min(sums["recorded"]) <= nmis <= max(sums["recorded"]) <= max(sums["nmi"]), (nmis, report)
    machine.check("rmdir instances/calls instances/nmis")


@pytest.mark.parametrize("rounds", [2, 40])
def test_programs_count_all_events_in_a_storm_and_leave_nothing(boot, images, tmp_path, rounds):
    for name in ("bpf_storm", "bpf_attach"):
        subprocess.run(["gcc", "-static", "-no-pie", "-O2", "-pthread", "-o", tmp_path / name, DATA / f"{name}.c"], check=True)
    machine = boot(cpus=8, mem="512M", initrd=root_with(images, "bpf_storm", [images / "modroot", tmp_path / "bpf_storm", tmp_path / "bpf_attach"]))
    machine.check("cd /sys/kernel/tracing")
    first = seed(33)
    storm(machine, 1, first)  # fills the kernel's caches
    before = resources(machine)
    storm(machine, rounds, first + 1)
    resources_return_to(machine, before)
    assert machine.check("cat enabled_functions; ls instances") == ""
    assert machine.check("cat /sys/kernel/debug/ftrace_verify").endswith(" 0 mismatches\n")
    log = machine.fetch("dmesg")
    assert not BAD.search(log), log[-4000:]
    assert not BAD.search(machine.text), BAD.search(machine.text)
