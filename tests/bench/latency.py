"""The longest sections with interrupts off and with preemption off, under hackbench, on one CPU: there -icount is exact.

With several CPUs a section contains the instructions of the others, because QEMU runs them in turn.
"""
from nop5 import Nop5

FIGURES = {
    "irqsoff": ("longest section with interrupts off", "instructions", 20_000),
    "preemptoff": ("longest section with preemption off", "instructions", 40_000),
    "irqsoff_traced": ("the same two with all functions and", "instructions", 20_000),
    "preemptoff_traced": ("sched events traced in an instance", "instructions", 40_000),
}
TRACING = "/sys/kernel/tracing"
HACKBENCH = "hackbench -g 1 -l 50"


def longest(machine, tracer):
    machine.check(f"echo {tracer} > current_tracer; {HACKBENCH}")
    figure = 1000 * int(machine.check("cat tracing_max_latency"))
    machine.check("echo nop > current_tracer")
    return figure


def measure_latency():
    values = {}
    with Nop5(cpus=1, mem="256M", icount=True) as machine:
        machine.wait_prompt()
        machine.check(f"cd {TRACING}; echo 0 > options/function-trace")
        for suffix in ("", "_traced"):
            for tracer in ("irqsoff", "preemptoff"):
                values[tracer + suffix] = longest(machine, tracer)
            machine.check("mkdir -p instances/all; echo function > instances/all/current_tracer; echo 1 > instances/all/events/sched/enable")
        machine.poweroff()
    return values
