"""Events of perf_event_open(2) on eight CPUs: the programs of tests/abi that use many of them, and what they leave behind."""
import pytest

from test_abi import build_programs, expected, printed_by

OBJECTS = "awk '$1 == \"perf_event\" { print $2 }' /proc/slabinfo"


@pytest.mark.parametrize("programs", [
    ("perf_storm", "perf_sample_storm", "perf_exec", "perf_counts", "perf_breakpoint_storm"),
    # Alone: it counts what all tasks do, and PID 1 still waits for the orphans of the others.
    ("perf_tracepoint_storm",),
], ids="-".join)
@pytest.mark.parametrize("rounds", [1, pytest.param(8, marks=pytest.mark.soak)])
def test_no_hit_and_no_event_is_lost_among_eight_cpus(boot, programs, rounds):
    machine = boot(cpus=8, mem="512M", initrd=build_programs([("musl", name) for name in programs]))
    assert machine.check(OBJECTS) == "0\n"
    for _ in range(rounds):
        for name in programs:
            assert printed_by(machine, name, "musl") == expected(name)
    # A worker frees them after a grace period.
    machine.check(f"until [ $({OBJECTS}) = 0 ]; do sleep 0.1; done")
