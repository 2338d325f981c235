"""The self-tests of the test kernel pass: on each number of CPUs, and in each build.

`make test` runs each of them on one CPU, or on two if it has to do with the number of CPUs, or on both, with fewer repetitions (BRIEF) than `make soak` (QUICK, LONG).
"""
import pytest

from nop5 import EXIT_POWEROFF, parse_ktap

# QUICK: 50 malformed writes to each kind of file. The first 60 allocations of an operation are refused in turn, and of the
# later ones each 97th. BRIEF: 10 writes, and each 997th allocation.
# LONG: 200 malformed writes, and each allocation is refused.
QUICK = "selftest_fuzz=50 selftest_refuse=97"
BRIEF = "selftest_fuzz=10 selftest_refuse=997"
LONG = "selftest_fuzz=200"
# What `make test` adds to BRIEF: a tenth of the rounds of tests that wait for luck.
SHORT = f"{BRIEF} selftest_rounds=10"

# What does not depend on the number of CPUs, and storms, which wait for luck. The kernel takes up to 127 bytes.
NOT_OF_CPUS = "selftest_except=ftrace_memory,probes_memory,seq_file,*storm*,*without_memory*,*_at_any_instruction_*,kprobes_text,*malformed_writes*"


# Storms, and what takes long and runs on two CPUs, too. On one CPU, the core's self-tests have most of it (test_core.py).
OF_CPUS = "selftest_except=ftrace_storm,trace_nmi,ftrace.every*,fgraph.tasks*,livepatch.tasks*,synth.events*,ftrace_free.a_tr*,sched,noise.tr*"


def run_selftests(boot, append=QUICK, at_least=250, **arguments):
    machine = boot(wait=False, append=f"selftest {append}", **arguments)
    code = machine.wait_exit(progress=r"ok \d+ ")
    report = parse_ktap(machine.text)
    assert not report.failed, "\n".join(report.failed)
    assert report.totals == (len(report.passed), 0), machine.says
    assert len(report.passed) >= at_least
    assert code == EXIT_POWEROFF


def test_selftests_pass_on_one_cpu(boot):
    run_selftests(boot, cpus=1, append=f"{SHORT} {OF_CPUS}")


def test_selftests_that_use_other_cpus_pass(boot):
    run_selftests(boot, cpus=2, append=f"{SHORT} {NOT_OF_CPUS}")


def test_an_interrupt_at_any_instruction_of_the_entry_comes_after_it_in_the_graph(boot):
    """The test tries each fourth instruction only where the clock counts instructions."""
    machine = boot(wait=False, cpus=1, icount=True, append="selftest=trace.a_graph_of_one_function_begins_with_that_function")
    machine.wait_exit(progress=r"ok \d+ ")
    assert parse_ktap(machine.text).totals == (1, 0), machine.says


@pytest.mark.soak
def test_selftests_pass_on_four_cpus(boot):
    run_selftests(boot, cpus=4, append=BRIEF)


@pytest.mark.soak
@pytest.mark.parametrize("cpus", [1, 8])
def test_selftests_pass_with_more_repetitions(boot, cpus):
    run_selftests(boot, cpus=cpus)


@pytest.mark.soak
def test_selftests_pass_where_time_is_a_count_of_instructions(boot):
    run_selftests(boot, cpus=1, append=BRIEF, icount=True)


@pytest.mark.variant
@pytest.mark.parametrize("how", ["DEBUG=1", "CC=clang"])
def test_selftests_pass_in_another_build(boot, variant, how):
    run_selftests(boot, cpus=4, build=variant(how, kernel="nop5-test"), append=BRIEF)


@pytest.mark.soak
@pytest.mark.parametrize("cpus", [1, 2, 4, 8, 16])
def test_selftests_pass_when_each_allocation_is_refused(boot, cpus):
    run_selftests(boot, cpus=cpus, append=LONG)


@pytest.mark.soak
@pytest.mark.variant
@pytest.mark.parametrize("how", ["DEBUG=1", "CC=clang", "CC=clang DEBUG=1", "MCOUNT=script", "PAHOLE="])
def test_selftests_pass_in_another_build_when_each_allocation_is_refused(boot, variant, how):
    run_selftests(boot, cpus=4, build=variant(*how.split(), kernel="nop5-test"), append=LONG)


@pytest.mark.soak
def test_selftests_pass_with_ten_thousand_malformed_writes_to_each_kind_of_file(boot):
    run_selftests(boot, cpus=4, append="")


def test_selftest_takes_a_glob_and_reports_one_that_matches_nothing(boot):
    machine = boot(wait=False, cpus=1, append="selftest=nothing.like.this")
    machine.wait_exit(33)
    assert "# No test matches nothing.like.this\n" in machine.text
    assert "# Totals: pass:0 fail:0" in machine.text


def test_selftest_takes_several_globs_and_leaves_out_those_of_selftest_except(boot):
    machine = boot(wait=False, cpus=1, append="selftest=string.*,glob*,pipe selftest_except=pipe,*.nothing")
    machine.wait_exit(EXIT_POWEROFF)
    report = parse_ktap(machine.text)
    assert {name.partition(".")[0] for name in report.passed} == {"string"} and not report.failed, report
