"""The function profiler: function_profile_enabled and trace_stat/."""
import re

import pytest

from test_ftrace_stress import TRACING, verify

HEADING = ["  Function                               Hit    Time            Avg             s^2",
           "  --------                               ---    ----            ---             ---"]
LINE = re.compile(r"  (\S+) +(\d+)    ([\d.]+) us +([\d.]+) us +([\d.]+) us +")
CALLS = 21_000  # calls of bench_call() in one read of bench/call, with the warm-up


def profile(machine, cpu):
    """{function: (hits, time, average, variance)} of one CPU. The last one of functions with the same name."""
    lines = machine.check(f"cat {TRACING}/trace_stat/function{cpu}").splitlines()
    assert lines[:2] == HEADING
    found, times = {}, []
    for line in lines[2:]:
        match = LINE.fullmatch(line)
        assert match, line
        assert len(line) >= 30 + 14 + 3 * 16 - 4
        found[match[1]] = int(match[2]), *map(float, match.groups()[2:])
        times.append(found[match[1]][1])
    assert times == sorted(times, reverse=True)
    return found


@pytest.fixture
def profiler(nop5_test):
    nop5 = nop5_test
    nop5.check(f"cd {TRACING}; echo nop > current_tracer; echo > set_ftrace_filter")
    yield nop5
    nop5.check("echo 0 > function_profile_enabled; echo > set_ftrace_filter; echo 1 > options/graph-time; "
               "echo 1 > options/sleep-time; echo 0 > tracing_thresh; cd /")
    verify(nop5)


def test_hits_over_all_cpus_are_the_calls_that_were_made(profiler):
    profiler.check("echo 'bench_*' > set_ftrace_filter; echo 1 > function_profile_enabled")
    for cpu in (0, 1, 2, 3):
        profiler.send(f"taskset -c {cpu} cat /sys/kernel/debug/bench/call > /tmp/{cpu} &\n")
        profiler.wait_prompt()
    profiler.check("wait; cat /sys/kernel/debug/bench/call > /tmp/once; echo 0 > function_profile_enabled")
    hits = [profile(profiler, cpu)["bench_call"][0] for cpu in range(4)]
    assert sum(hits) == 5 * CALLS
    assert min(hits) >= CALLS


def test_everything_profiled_on_all_cpus_counts_each_call(profiler):
    profiler.check("echo 1 > function_profile_enabled")
    assert profiler.check("cat function_profile_enabled") == "1\n"
    profiler.check("hackbench -g 2 -l 20 > /tmp/load")
    profiler.check("cat /sys/kernel/debug/bench/call > /tmp/once; echo 0 > function_profile_enabled")
    assert profiler.check("cat function_profile_enabled") == "0\n"
    profiles = [profile(profiler, cpu) for cpu in range(4)]
    assert sum(p["bench_call"][0] for p in profiles if "bench_call" in p) == CALLS
    assert all(len(found) > 50 for found in profiles)


def test_average_and_variance_belong_to_the_times(profiler):
    profiler.check("echo bench_call > set_ftrace_filter; echo 1 > function_profile_enabled")
    profiler.check("cat /sys/kernel/debug/bench/call > /tmp/once")
    profiler.check("echo 0 > function_profile_enabled")
    found = [p["bench_call"] for p in (profile(profiler, cpu) for cpu in range(4)) if "bench_call" in p]
    assert found
    for hits, time, average, variance in found:
        assert abs(time / hits - average) < 0.001
        assert variance >= 0


def test_it_begins_at_zero_each_time_and_keeps_its_figures_when_it_ends(profiler):
    profiler.check("echo bench_call > set_ftrace_filter")
    for _ in range(2):
        profiler.check("echo 1 > function_profile_enabled; taskset -c 1 cat /sys/kernel/debug/bench/call > /tmp/once; "
                       "echo 0 > function_profile_enabled")
        assert profile(profiler, 1)["bench_call"][0] == CALLS
        assert profile(profiler, 1)["bench_call"][0] == CALLS


def time_of_a_sleep(profiler, seconds):
    """The time of the system call in a task that sleeps for so long. What it calls may be asked for less: time may pass before."""
    profiler.check(f"echo 1 > function_profile_enabled; taskset -c 1 sleep {seconds}; echo 0 > function_profile_enabled")
    return profile(profiler, 1)["__x64_sys_clock_nanosleep"][1]


def test_without_sleep_time_a_sleeper_took_no_time(profiler):
    profiler.check("echo 1 > options/sleep-time; echo __x64_sys_clock_nanosleep > set_ftrace_filter")
    assert time_of_a_sleep(profiler, 0.2) >= 200_000
    profiler.check("echo 0 > options/sleep-time")
    assert time_of_a_sleep(profiler, 2) < 2_000_000


def test_without_graph_time_a_caller_has_its_own_time_only(profiler):
    profiler.check("echo 1 > options/graph-time; echo __x64_sys_clock_nanosleep > set_ftrace_filter; echo schedule >> set_ftrace_filter")
    assert time_of_a_sleep(profiler, 0.2) >= 200_000
    profiler.check("echo 0 > options/graph-time")
    assert time_of_a_sleep(profiler, 2) < 2_000_000


def test_a_threshold_leaves_out_functions_that_are_fast_on_average(profiler):
    profiler.check("echo 1 > function_profile_enabled; taskset -c 1 sleep 0.05; taskset -c 1 ls > /tmp/ls; "
                   "echo 0 > function_profile_enabled")
    everything = profile(profiler, 1)
    profiler.check("echo 1000 > tracing_thresh")
    slow = profile(profiler, 1)
    assert slow and len(slow) < len(everything)
    assert all(average >= 1000 for _, _, average, _ in slow.values())


def test_what_is_no_number_is_refused(profiler):
    result = profiler.run("echo x > function_profile_enabled")
    assert result.status == 1 and "Invalid argument" in result.output
    assert profiler.check("cat function_profile_enabled") == "0\n"
