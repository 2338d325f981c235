"""The latency tracers: the longest section with interrupts or preemption off, and the longest wake-up; timerlat, osnoise, hwlat.

With -icount an instruction takes a nanosecond, so the times are exact. Debian's usual Linux has none of these tracers; the formats are those of
Documentation/trace/ftrace.rst, osnoise-tracer.rst, timerlat-tracer.rst. tests/fidelity/noise.txt types commands to the last three.
"""
import re
import subprocess

import pytest

from nop5 import BUILD, EXIT_PANIC, ROOT, Nop5, resources, resources_return_to

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
    shared.check("echo nop > current_tracer; echo 0 > tracing_thresh; echo 0 > events/enable; echo 1 > tracing_on; echo DEFAULTS > osnoise/options; "
                 "cd osnoise; echo 1000000 > period_us; echo 1000000 > runtime_us; echo 0 > stop_tracing_us; echo 0 > print_stack; cd ..; echo 1 > options/function-trace; echo 0 > options/display-graph; "
                 "echo > set_ftrace_filter; rmmod preemptirq_delay_test 2> /dev/null; true")


def keep_off(machine, mode, delay=DELAY):
    machine.check(f"modprobe preemptirq_delay_test test_mode={mode} delay={delay}")
    trace = machine.check("cat trace")
    machine.check("rmmod preemptirq_delay_test")
    return trace


def latency(trace):
    return int(re.search(r"^# latency: (\d+) us, ", trace, re.M)[1])


@pytest.mark.parametrize("tracer, mode, flags, reporter", [
    ("irqsoff", "irq", r"d\.\.\.\.", "trace_hardirqs_on"), ("preemptoff", "preempt", r"\.\.\.1\.", "trace_preempt_on"),
    ("preemptirqsoff", "irq", r"d\.\.\.\.", "trace_hardirqs_on"), ("preemptirqsoff", "preempt", r"\.\.\.1\.", "trace_preempt_on")])
def test_a_section_of_known_length_is_reported_with_both_ends(machine, tracer, mode, flags, reporter):
    machine.check(f"echo 0 > options/function-trace; echo {tracer} > current_tracer")
    trace = keep_off(machine, mode)
    assert DELAY <= latency(trace) <= DELAY + HOOKS
    release = re.escape(machine.check("uname -r").strip())
    head = re.match(
        rf"# tracer: {tracer}\n#\n# {tracer} latency trace v1\.1\.5 on {release}\n# -{{68}}\n"
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
    assert re.search(r"\nirq_test-\d+ +0d\.\.\.\. +0us.: udelay <-execute\n", trace) and "#5/5," in trace
    machine.check("echo 1 > options/display-graph")
    trace = keep_off(machine, "irq")
    assert re.search(r"^#   REL TIME      CPU  TASK/PID       \|\|\|\|     DURATION                  FUNCTION CALLS$", trace, re.M)
    assert re.search(r"^        0 us \|   0\)   irq_tes-\d+ +\|  d\.\.\.\. \|   500\d\.\d+ us \|  udelay\(\);$", trace, re.M), trace


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


def timerlat_samples(trace):
    """[(time in us, number, context, latency in ns)]"""
    found = re.findall(r"^ +\S+-\d+ +\[000\] \S{5} +(\d+)\.(\d{6}): #(\d+) +context +(irq|thread) timer_latency +(\d+) ns$", trace, re.M)
    return [(int(s + us), int(number), context, int(ns)) for s, us, number, context, ns in found]


def test_timerlat_reports_how_late_the_timer_is_behind_a_section_of_known_length(machine):
    machine.check("mkdir instances/a; echo 0 > instances/a/options/function-trace; echo irqsoff > instances/a/current_tracer; "
                  "echo 0 > instances/a/options/latency-format; echo timerlat > current_tracer; usleep 10000")
    machine.check(f"modprobe preemptirq_delay_test delay={DELAY}; usleep 10000; echo 0 > tracing_on; echo 0 > instances/a/tracing_on")
    end = re.search(r" (\d+)\.(\d{6}): trace_hardirqs_on <-preemptirqtest_0$", machine.check("cat instances/a/trace"), re.M)
    samples = timerlat_samples(machine.check("cat trace"))
    highest = int(machine.check("cat tracing_max_latency"))
    machine.check("rmdir instances/a")
    irqs = [sample for sample in samples if sample[2] == "irq"]
    due = [time - ns / 1000 for time, _, _, ns in irqs]
    assert len(irqs) > 10 and [number for _, number, _, _ in irqs] == list(range(irqs[0][1], irqs[0][1] + len(irqs)))
    periods = [(later - earlier) / 1000 for earlier, later in zip(due, due[1:])]
    assert all(abs(one - round(one)) < 0.002 for one in periods), periods
    late = max(range(len(irqs)), key=lambda i: irqs[i][3])
    assert DELAY - 1000 <= irqs[late][3] / 1000 <= DELAY + HOOKS
    # The interrupt comes as soon as the section has ended, and irqsoff has reported it.
    assert -1 <= due[late] + irqs[late][3] / 1000 - int(end[1] + end[2]) <= 2 * HOOKS
    assert round(periods[late]) == DELAY // 1000
    thread = next(ns for _, number, context, ns in samples if context == "thread" and number == irqs[late][1])
    assert irqs[late][3] < thread < irqs[late][3] + 1000 * HOOKS and highest == thread // 1000


def test_timerlat_stops_at_a_limit_with_the_stack_that_was_interrupted(machine):
    machine.check("echo 3000 > osnoise/stop_tracing_us; echo 3000 > osnoise/print_stack; echo timerlat > current_tracer; usleep 10000")
    machine.check(f"modprobe preemptirq_delay_test test_mode=irq delay={DELAY}")
    trace = machine.check("cat tracing_on trace")
    assert trace.startswith("0\n# tracer: timerlat\n#\n#                                _-----=> irqs-off\n")
    assert re.search(
        r"context    irq timer_latency +\d{7} ns\n +\S+-\d+ .*<stack trace>\n => timerlat_irq\n( => \S+\n)+ => execute\n => preemptirqtest_0\n( => \S+\n)+"
        r" +\S+-\d+ .*: workload_stop_tracing: stop tracing hit on cpu 0\n$", trace), trace


def osnoise_rows(trace):
    """[(runtime, noise, share, longest, hardware, NMIs, interrupts, softirqs, threads)]"""
    return [tuple(map(float, row)) for row in re.findall(
        r"^ +\S+-\d+ +\[000\] \S{5} +\d+\.\d+: (\d+) +(\d+) +(\d+\.\d{5}) +(\d+)" + r" +(\d+)" * 5 + "$", trace, re.M)]


def noise_events(trace):
    """[(time in us, name, what, ns)]; a gap has no `what`"""
    found = re.findall(r"^.* (\d+)\.(\d{6}): (\w+_noise|sample_threshold): *(\S*?) ?start \d+\.\d{9} duration (\d+) ns", trace, re.M)
    return [(int(s + us), name, what, int(ns)) for s, us, name, what, ns in found]


def test_osnoise_charges_a_thread_the_time_that_it_takes(machine):
    machine.check("cd osnoise; echo 30000 > runtime_us; echo 30000 > period_us; cd ..; echo 1 > events/osnoise/enable; echo osnoise > current_tracer")
    machine.check(f"modprobe preemptirq_delay_test test_mode=irq delay={DELAY}; usleep 50000; echo 0 > tracing_on")
    trace = machine.check("cat trace")
    events, rows = noise_events(trace), osnoise_rows(trace)
    longest = max((event for event in events if event[1] == "thread_noise"), key=lambda event: event[3])
    assert longest[2].startswith("irq_test:") and 1000 * DELAY <= longest[3] <= 1000 * (DELAY + HOOKS), longest
    gap = next(event for event in events if event[1] == "sample_threshold" and event[0] >= longest[0])
    inside = [event for event in events if gap[0] - gap[3] / 1000 <= event[0] <= gap[0] and event[1] != "sample_threshold"]
    # All but the way in and out of an interruption is charged to one.
    assert 0 <= gap[3] - sum(event[3] for event in inside) <= 1000 * len(inside), (gap, inside)
    assert any(row[3] == gap[3] // 1000 for row in rows) and all(row[4] == 0 for row in rows), rows
    assert all(abs(100 * (1 - row[1] / row[0]) - row[2]) < 0.0001 for row in rows)


def test_osnoise_with_interrupts_off_or_without_its_threads(machine):
    machine.check("cd osnoise; echo 30000 > runtime_us; echo OSNOISE_IRQ_DISABLE > options; cd ..; echo osnoise > current_tracer; usleep 1100000")
    rows = osnoise_rows(machine.check("cat trace"))
    assert rows and all(row[1] == 0 and row[4:] == (0, 0, 0, 0, 0) for row in rows), rows
    machine.check("echo nop > current_tracer; echo NO_OSNOISE_WORKLOAD > osnoise/options; echo 1 > events/osnoise/enable; echo osnoise > current_tracer")
    machine.check(f"modprobe preemptirq_delay_test test_mode=irq delay={DELAY}; echo 0 > tracing_on")
    events = noise_events(machine.check("cat trace"))
    assert any(what.startswith("irq_test:") and 1000 * DELAY <= ns <= 1000 * (DELAY + HOOKS) for _, _, what, ns in events)
    assert "osnoise/" not in machine.check("ps")


def test_the_headings_are_those_of_the_pages_of_linux(machine):
    machine.check("echo osnoise > current_tracer")
    assert machine.check("cat trace").startswith(
        "# tracer: osnoise\n#\n"
        "#                                _-----=> irqs-off\n"
        "#                               / _----=> need-resched\n"
        "#                              | / _---=> hardirq/softirq\n"
        "#                              || / _--=> preempt-depth                            MAX\n"
        "#                              || /                                             SINGLE     Interference counters:\n"
        "#                              ||||               RUNTIME      NOISE   % OF CPU  NOISE    +-----------------------------+\n"
        "#           TASK-PID      CPU# ||||   TIMESTAMP    IN US       IN US  AVAILABLE  IN US     HW    NMI    IRQ   SIRQ THREAD\n"
        "#              | |         |   ||||      |           |             |    |            |      |      |      |      |      |\n")


def test_hwlat_finds_no_gap_in_a_machine_without_a_host(machine):
    machine.check("echo 100000 > hwlat_detector/width; echo 110000 > hwlat_detector/window; echo hwlat > current_tracer; usleep 230000")
    trace = machine.check("cat trace tracing_max_latency")
    assert trace.endswith("|   |||||     |         |\n0\n") and "entries-in-buffer/entries-written: 0/0" in trace


def test_a_limit_can_be_made_a_panic(boot):
    machine = boot(cpus=2)
    machine.check(f"cd {TRACING}; echo PANIC_ON_STOP > osnoise/options; echo 1 > osnoise/stop_tracing_us")
    machine.send("echo timerlat > current_tracer\r")
    machine.expect(r"Kernel panic - not syncing: tracer hit stop condition on CPU \d")
    machine.wait_exit(EXIT_PANIC)


def with_program(images, name):
    """A root file system with a program of data/."""
    program, archive = images / "test" / name, images / f"test/{name}.cpio"
    program.parent.mkdir(exist_ok=True)
    subprocess.run(["musl-gcc", "-static", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unused-result", "-idirafter", "/usr/include",
                    "-idirafter", "/usr/include/x86_64-linux-gnu", "-o", program, ROOT / f"tests/boot/data/{name}.c"], check=True)
    subprocess.run([ROOT / "scripts/rootfs", archive, program], check=True)
    return str(archive)


def test_changes_of_large_areas_leave_no_long_section(boot, images):
    """The time without preemption depends on a page table, not on the size of the area. 40 us is the target of the bench."""
    machine = boot(cpus=1, icount=True, initrd=with_program(images, "large_areas"))
    machine.check(f"cd {TRACING}; echo 0 > options/function-trace; echo preemptoff > current_tracer; large_areas")
    trace = machine.check("cat trace")
    assert latency(trace) <= 40, trace


def test_thousands_of_filters_of_system_calls_leave_no_long_section(boot, images):
    """Before a filter had jumps, one for all of 64 threads took 332 us. The last task of 2,004 filters frees them one after the other."""
    machine = boot(cpus=1, icount=True, initrd=with_program(images, "long_filters"))
    machine.check(f"cd {TRACING}; echo 0 > options/function-trace; echo preemptirqsoff > current_tracer")
    assert machine.check("long_filters") == "the OOM killer sees filters: yes\n2005 filters\nended\n"
    trace = machine.check("cat trace")
    machine.check("echo nop > current_tracer; cd /")
    assert latency(trace) <= 40, trace
    before = resources(machine)
    machine.check("long_filters")
    resources_return_to(machine, before)
