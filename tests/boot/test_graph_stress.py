"""Changes the graph tracer's files, options and instances, and the current tracer, under load on 8 CPUs."""
import random
import re

import pytest

from seed import seed
from test_ftrace_stress import BAD, GLOBS, TRACING, sound

GRAPH_OPTIONS = ["funcgraph-irqs", "funcgraph-retval", "funcgraph-args", "funcgraph-retaddr", "sleep-time", "funcgraph-tail"]


def change(chance):
    glob = chance.choice(GLOBS)
    option = chance.choice(GRAPH_OPTIONS)
    return chance.choice([
        "echo function > current_tracer",
        "echo function_graph > current_tracer",
        f"echo '{glob}' > set_ftrace_filter",
        "echo > set_ftrace_filter",
        f"echo '{glob}' > set_graph_function",
        f"echo '{glob}' >> set_graph_function",
        "echo > set_graph_function",
        f"echo '{glob}' > set_graph_notrace",
        "echo > set_graph_notrace",
        f"echo {chance.choice([0, 1, 2, 5, 30])} > max_graph_depth",
        f"echo {chance.choice([0, 0, 10, 1000])} > tracing_thresh",
        f"echo 0 > options/{option}",
        f"echo 1 > options/{option}",
        f"echo {chance.choice([8, 64, 500])} > buffer_size_kb",
        "head -n 40 trace > /tmp/head",
        "head -n 20 per_cpu/cpu2/trace > /tmp/head",
        "echo 0 > tracing_on; echo > trace; echo 1 > tracing_on",
        "echo function_graph > instances/other/current_tracer",
        "echo nop > instances/other/current_tracer",
        f"echo '{glob}' > instances/other/set_ftrace_filter",
    ])


@pytest.mark.soak
def test_changing_everything_under_load_leaves_a_sound_machine(boot):
    machine = boot(cpus=8, mem="512M")
    chance = random.Random(seed(11))
    machine.check(f"cd {TRACING}; mkdir instances/other")
    for number in range(30):
        if number % 10 == 0:
            for load in ("stress -c 4 -m 2 -t 2", "hackbench -g 1 -l 30"):
                machine.send(f"{load} > /tmp/load &\n")
                machine.wait_prompt()
        machine.command_output("; ".join(["echo function_graph > current_tracer",
                                          *(change(chance) for _ in range(4)), "echo nop > current_tracer"]))
        if number % 10 == 9:
            machine.check("wait")
            assert not re.search("mismatch|fail", machine.check("cat /tmp/load"))
    machine.check("echo nop > instances/other/current_tracer; rmdir instances/other; echo 0 > tracing_thresh; "
                  "echo > set_ftrace_filter; echo > set_graph_function; echo > set_graph_notrace")
    sound(machine)
    assert not BAD.search(machine.text), BAD.search(machine.text)
