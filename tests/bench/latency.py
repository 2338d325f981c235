"""The longest sections with interrupts off and with preemption off, under hackbench and stress, on one CPU and on eight.

A plugin of QEMU counts the instructions of each CPU (sections_plugin.c). On one CPU the clock of the kernel counts the same
with -icount, and must agree.
"""
import subprocess
from pathlib import Path

from nop5 import BUILD, Nop5

FIGURES = {
    "irqsoff": ("longest section with interrupts off", "instructions", 20_000),
    "preemptoff": ("longest section with preemption off", "instructions", 20_000),
    "irqsoff_traced": ("the same two with all functions and", "instructions", 20_000),
    "preemptoff_traced": ("sched events traced in an instance", "instructions", 20_000),
    "irqsoff_8": ("on 8 CPUs: interrupts off", "instructions", 20_000),
    "preemptoff_8": ("on 8 CPUs: preemption off", "instructions", 20_000),
    "irqsoff_traced_8": ("on 8 CPUs, all traced: interrupts off", "instructions", 20_000),
    "preemptoff_traced_8": ("on 8 CPUs, all traced: preemption off", "instructions", 20_000),
}
TRACING = "/sys/kernel/tracing"
LOADS = {1: "hackbench -g 1 -l 50; stress -c 2 -m 2 -t 1", 8: "hackbench -g 4 -l 50; stress -c 8 -m 8 -t 1"}


def build_plugin():
    plugin = BUILD / "bench/sections_plugin.so"
    plugin.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden", "-o", plugin,
                    Path(__file__).with_name("sections_plugin.c")], check=True)
    return plugin


def plugin_arguments(out):
    """QEMU's arguments for the plugin: the addresses of functions of the kernel, in hexadecimal."""
    symbols = [line.split() for line in subprocess.check_output(["nm", "-n", BUILD / "nop5.elf"], text=True).splitlines()]
    address = {name: at for at, _, name in symbols}
    end = {name: after[0] for (_, _, name), after in zip(symbols, symbols[1:])}
    arguments = {"start": address["section_start"], "stop": address["section_stop"], "forget": address["forget_sections"],
                 "wait": address["ticket_lock_wait"], "wait_end": end["ticket_lock_wait"],
                 "interrupt": address["do_interrupt"], "interrupt_end": end["do_interrupt"],
                 "tick": address["local_apic_timer_interrupt"], "uart": address["serial8250_interrupt"],
                 "report": address["max_latency_read"], "out": out}
    return ["-plugin", ",".join([str(build_plugin()), *(f"{name}={value}" for name, value in arguments.items())])]


def longest(machine, tracer, load, out):
    """The longest section of all CPUs that the tracer sees under the load."""
    before = len(out.read_text().splitlines())
    machine.check(f"echo {tracer} > current_tracer; {load}")
    clock = 1000 * int(machine.check("cat tracing_max_latency"))
    machine.check("echo nop > current_tracer")
    sections = [line.split() for line in out.read_text().splitlines()[before:]]
    figure = max(int(instructions) for _, instructions in sections)
    # Whole microseconds, and a few instructions before the tracer looks at the clock.
    assert len({cpu for cpu, _ in sections}) > 1 or clock - 100 <= figure < clock + 1100, (tracer, figure, clock)
    return figure


def measure_on(cpus, suffix):
    values, out = {}, BUILD / f"bench/sections-{cpus}"
    with Nop5(cpus=cpus, mem="256M", icount=True, extra=plugin_arguments(out)) as machine:
        machine.wait_prompt()
        machine.check(f"cd {TRACING}; echo 0 > options/function-trace")
        for traced in ("", "_traced"):
            for tracer in ("irqsoff", "preemptoff"):
                values[tracer + traced + suffix] = longest(machine, tracer, LOADS[cpus], out)
            machine.check("mkdir -p instances/all; echo function > instances/all/current_tracer; echo 1 > instances/all/events/sched/enable")
        machine.poweroff()
    return values


def measure_latency():
    return {**measure_on(1, ""), **measure_on(8, "_8")}
