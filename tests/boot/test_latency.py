"""The latency tracers: the longest section with interrupts or preemption off, and the longest wake-up.

With -icount an instruction takes a nanosecond, so the times are exact. Debian's Linux has none of these tracers; the formats are those of
Documentation/trace/ftrace.rst.
"""
import re

import pytest

from nop5 import BUILD, Nop5

TRACING = "/sys/kernel/tracing"
DELAY = 5000  # microseconds
HOOKS = 3  # microseconds that the tracer's own work and the end of the delay may take


@pytest.fixture(scope="module")
def shared():
    machine = Nop5(build=BUILD, icount=True, cpus=1).wait_prompt()
    machine.check(f"cd {TRACING}")
    yield machine
    machine.close()


@pytest.fixture
def machine(shared):
    yield shared
    shared.check("echo nop > current_tracer; echo 0 > tracing_thresh; echo 1 > options/function-trace; echo 0 > options/display-graph; "
                 "echo > set_ftrace_filter; rmmod preemptirq_delay_test 2> /dev/null; true")


def keep_off(machine, mode, delay=DELAY):
    machine.check(f"modprobe preemptirq_delay_test test_mode={mode} delay={delay}")
    trace = machine.check("cat trace")
    machine.check("rmmod preemptirq_delay_test")
    return trace


def latency(trace):
    return int(re.search(r"^# latency: (\d+) us, ", trace, re.M)[1])


@pytest.mark.parametrize("tracer, mode, flags, reporter", [
    ("irqsoff", "irq", r"d\.\.\.", "trace_hardirqs_on"), ("preemptoff", "preempt", r"\.\.\.1", "trace_preempt_on"),
    ("preemptirqsoff", "irq", r"d\.\.\.", "trace_hardirqs_on"), ("preemptirqsoff", "preempt", r"\.\.\.1", "trace_preempt_on")])
def test_a_section_of_known_length_is_reported_with_both_ends(machine, tracer, mode, flags, reporter):
    machine.check(f"echo 0 > options/function-trace; echo {tracer} > current_tracer")
    trace = keep_off(machine, mode)
    assert DELAY <= latency(trace) <= DELAY + HOOKS
    head = re.match(
        rf"# tracer: {tracer}\n#\n# {tracer} latency trace v1\.1\.5 on \S+\n# -{{68}}\n"
        r"# latency: (\d+) us, #4/4, CPU#0 \| \(M:preempt VP:0, KP:0, SP:0 HP:0 #P:1\)\n#    -----------------\n"
        rf"#    \| task: {mode}_test-\d+ \(uid:0 nice:0 policy:0 rt_prio:0\)\n#    -----------------\n"
        r"#  => started at: preemptirqtest_0\n#  => ended at:   preemptirqtest_0\n#\n#\n#  ", trace)
    assert head, trace
    assert re.findall(rf"^\S+-\d+ +0{flags} +\d+us.: (.*)$", trace, re.M) == [
        "execute <-preemptirqtest_0", "execute <-preemptirqtest_0", f"{reporter} <-preemptirqtest_0", "<stack trace>"], trace
    assert trace.endswith("<stack trace>\n => execute\n => preemptirqtest_0\n => delay_task\n => kthread_entry\n => ret_from_fork\n")
    assert int(machine.check("cat tracing_max_latency")) == latency(trace)


def test_only_a_longer_section_replaces_the_trace(machine):
    machine.check("echo 0 > options/function-trace; echo irqsoff > current_tracer")
    assert latency(keep_off(machine, "irq")) == latency(keep_off(machine, "irq", 1000))
    machine.check("echo 0 > tracing_max_latency")
    assert 1000 <= latency(keep_off(machine, "irq", 1000)) <= 1000 + HOOKS
    machine.check("echo 500 > tracing_thresh")
    assert 700 <= latency(keep_off(machine, "irq", 700)) <= 700 + HOOKS
    machine.check("echo > trace")
    assert "latency:" not in machine.check("cat trace")


def test_functions_in_the_section_are_recorded(machine):
    machine.check("echo udelay > set_ftrace_filter; echo irqsoff > current_tracer")
    trace = keep_off(machine, "irq")
    assert re.search(r"\nirq_test-\d+ +0d\.\.\. +0us.: udelay <-execute\n", trace) and "#5/5," in trace
    machine.check("echo 1 > options/display-graph")
    trace = keep_off(machine, "irq")
    assert re.search(r"^#   REL TIME      CPU  TASK/PID       \|\|\|\|     DURATION                  FUNCTION CALLS$", trace, re.M)
    assert re.search(r"^        0 us \|   0\)   irq_tes-\d+ +\|  d\.\.\.  \|   500\d\.\d+ us \|  udelay\(\);$", trace, re.M), trace


def test_options_and_snapshot_belong_to_the_tracer_while_it_runs(machine):
    machine.check("echo 0 > options/overwrite; echo irqsoff > current_tracer")
    assert machine.check("cat options/overwrite options/latency-format options/pause-on-trace") == "1\n1\n1\n"
    for command in ("cat snapshot", "echo 1 > snapshot"):
        assert "Device or resource busy" in machine.run(command).output
    machine.check("mkdir instances/a; echo 0 > instances/a/tracing_on; echo wakeup > instances/a/current_tracer")
    assert "Device or resource busy" in machine.run("echo preemptoff > instances/a/current_tracer").output
    assert machine.check("cat instances/a/tracing_max_latency") == "0\n"
    machine.check("rmdir instances/a; echo nop > current_tracer")
    assert machine.check("cat options/overwrite options/latency-format options/pause-on-trace") == "0\n0\n0\n"
    assert "* Snapshot is freed *" in machine.check("cat snapshot; echo 1 > options/overwrite")


@pytest.mark.parametrize("tracer", ["wakeup", "wakeup_rt"])
def test_the_wake_up_of_a_real_time_task_is_reported(machine, tracer):
    machine.check(f"echo 0 > options/function-trace; echo {tracer} > current_tracer; chrt -f 5 sleep 0.1")
    trace = machine.check("cat trace")
    assert re.search(r"^#    \| task: \S+-\d+ \(uid:0 nice:0 policy:1 rt_prio:\d+\)$", trace, re.M), trace
    assert len(re.findall(r"us.: +\d+: *\d+:R   \+ \[000\] +\d+: *\d+:R \S+$", trace, re.M)) == 1, trace
    assert len(re.findall(r"us.: +\d+: *\d+:\w ==> \[000\] +\d+: *\d+:R \S+$", trace, re.M)) == 1, trace
    assert latency(trace) == int(machine.check("cat tracing_max_latency")) <= 100
