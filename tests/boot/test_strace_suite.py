"""strace's own tests, unmodified, inside nop5, beside what they say on Linux 6.1.

All of it is in `make soak` only, because it downloads and builds Debian's source package of strace. data/strace_suite.txt names
the tests that pass on Linux, data/strace_suite_absent.txt those of them that want what nop5 does not have. They must be skipped,
as on a Linux without that option. Each line must be true: whoever makes another test pass takes its line away.
"""
import fnmatch
import re

import pytest

import strace_suite
from conftest import Shared, lend, root_with

pytestmark = pytest.mark.soak
BAD = re.compile(r"BUG:|WARNING: CPU|Oops|lockup|LOCKUP|Call Trace")
# The longest test runs strace some hundred times.
SLOWEST = 3600
TIMED = fnmatch.filter(strace_suite.passed(), strace_suite.TIMED)
LOTS = strace_suite.lots([name for name in strace_suite.passed() if name not in TIMED])


@pytest.fixture(scope="module")
def root(images):
    return root_with(images, "strace-suite", [strace_suite.tree(), *strace_suite.PACKAGES])


@pytest.fixture(scope="module")
def shared(images, root):
    shared = Shared(build=images, cpus=2, mem="2G", initrd=root)
    yield shared
    shared.close()


@pytest.fixture
def machine(shared, request):
    yield from lend(shared, request.node)


def run(machine, lot):
    """Runs the tests. Those that say something else than the tables must be none."""
    machine.check("ip link set lo up")
    machine.send(f"setsid suite {' '.join(lot)} | cat\n")
    wrong = []
    for name in lot:
        status = machine.expect(rf"^RESULT {re.escape(name)} (\d+)\r?\n", timeout=SLOWEST)[1].decode()
        if status != strace_suite.expected(name):
            wrong.append(f"{name}: {status}\n{machine.before.decode('utf-8', 'replace')}")
    machine.wait_prompt()
    assert not wrong, "\n".join(wrong)
    assert not BAD.search(machine.text), machine.says


@pytest.mark.parametrize("lot", LOTS, ids=[lot[0] for lot in LOTS])
def test_a_test_of_strace_passes_if_it_passes_on_linux(machine, lot):
    run(machine, lot)


def test_a_sleep_takes_its_time_in_what_strace_prints(boot, root):
    """With icount, so a slow host changes nothing. strace takes a clock that shows less than a second for one that shows nothing."""
    machine = boot(icount=True, cpus=1, mem="2G", initrd=str(root))
    machine.check("sleep 1")
    run(machine, TIMED)


def test_what_is_absent_is_in_the_suite():
    unused = [pattern for pattern in strace_suite.absent() if not fnmatch.filter(strace_suite.passed(), pattern)]
    assert not unused
