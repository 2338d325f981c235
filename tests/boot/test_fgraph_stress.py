"""Traced returns under load: the graph tracer, the function tracer and the profiler are switched on and off while all
functions are traced. Checksums are right, shadow stacks are valid and freed in the end, and nothing leaks."""
import random
import re

import pytest

from nop5 import eventually, resources, resources_return_to
from seed import seed
from test_ftrace_stress import GLOBS, TRACING, sound, verify


def change(chance):
    return chance.choice([
        "echo function > current_tracer",
        "echo function_graph > current_tracer",
        "echo nop > current_tracer",
        "echo 1 > function_profile_enabled",
        "echo 0 > function_profile_enabled",
        f"echo '{chance.choice(GLOBS)}' > set_ftrace_filter",
        "echo > set_ftrace_filter",
        "cat trace_stat/function3 > /tmp/stat",
        "cat " + " ".join(f"/proc/{pid}/stack" for pid in range(1, 60)) + " > /tmp/stacks",
        f"echo {chance.choice([0, 1])} > options/graph-time",
        f"echo {chance.choice([0, 1])} > options/sleep-time",
    ])


def storm(machine, rounds, fixed):
    chance = random.Random(seed(fixed))
    for number in range(rounds):
        if number % 10 == 0:
            for load in ("stress -c 8 -m 4 -t 2", "hackbench -g 2 -l 40"):
                machine.send(f"{load} > /tmp/load &\n")
                machine.wait_prompt()
        machine.command_output("; ".join(["echo function_graph > current_tracer", *(change(chance) for _ in range(2)),
                                          "echo nop > current_tracer"]))
        if number % 10 == 9:
            machine.check("wait")
            assert not re.search("mismatch|fail", machine.check("cat /tmp/load"))
            verify(machine)
    machine.check("wait; echo nop > current_tracer; echo 0 > function_profile_enabled; echo > set_ftrace_filter; "
                  "echo 1 > options/graph-time; echo 1 > options/sleep-time")
    machine.check("; ".join(f"echo > {name}; rm {name}" for name in ("/tmp/load", "/tmp/stat", "/tmp/stacks")))


def figures(machine):
    return {k: int(v) for k, v in re.findall(r"^(\w+): (\d+)$", machine.check("cat /sys/kernel/debug/fgraph"), re.M)}


def toggles_leave_nothing_behind(machine, rounds, fixed=5):
    machine.check(f"cd {TRACING}; echo 1 > function_profile_enabled; echo 0 > function_profile_enabled")
    storm(machine, 2, fixed)  # makes the objects that are made once and kept
    assert eventually(lambda: figures(machine)["stacks"] == 0)
    before = resources(machine)
    storm(machine, rounds, fixed)
    assert eventually(lambda: figures(machine)["stacks"] == 0)
    assert figures(machine)["users"] == figures(machine)["frames"] == figures(machine)["unmatched"] == 0
    resources_return_to(machine, before)
    sound(machine)


@pytest.mark.soak
def test_toggling_under_load_leaves_no_frame_and_no_memory_behind(boot):
    toggles_leave_nothing_behind(boot(cpus=8, mem="512M"), 20)


@pytest.mark.variant
def test_shadow_stacks_are_in_order_at_every_task_switch(boot, variant):
    """A DEBUG build checks the stacks of both tasks at each switch. It stops the machine after an error."""
    toggles_leave_nothing_behind(boot(cpus=4, mem="512M", build=variant("DEBUG=1")), 10)


@pytest.mark.soak
def test_five_hundred_toggles_leave_a_sound_machine(boot):
    toggles_leave_nothing_behind(boot(cpus=8, mem="512M"), 500)
