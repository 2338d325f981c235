"""bpftrace's own runtime tests, unmodified, inside nop5, beside what they say on Linux 6.1.

All of it is in `make soak` only, because it downloads Debian's source package of bpftrace and some thirty packages. All tests of a suite must
pass, but those of data/bpftrace_suite.txt, which has their result and the reason. Each line must be true: whoever makes another test pass
takes its line away.
"""
import re

import pytest

import bpftrace_suite
from conftest import root_with
from nop5 import Nop5

pytestmark = pytest.mark.soak
BAD = re.compile(r"BUG:|WARNING: CPU|Oops|lockup|LOCKUP|Call Trace")
# The largest suite runs bpftrace some 80 times.
SLOWEST = 3600
SUITES = ("basic", "builtin", "call", "intcast", "other", "probe", "signals")


@pytest.fixture(scope="module")
def root(images):
    return root_with(images, "bpftrace-suite", [bpftrace_suite.tree(), *bpftrace_suite.PACKAGES])


@pytest.mark.parametrize("suite", SUITES)
def test_a_test_of_bpftrace_passes_if_it_passes_on_linux(images, root, suite):
    with Nop5(build=images, cpus=1, mem="2G", initrd=root, icount=True) as machine:
        machine.wait_prompt()
        machine.send(f"bpftrace-suite '{suite}.*' | cat\n")
        machine.expect(r"tests from \d+ test cases ran", timeout=SLOWEST)
        machine.wait_prompt()
        text = machine.text
    expected = {name: nop5 for name, (_, nop5, _) in bpftrace_suite.table().items()}
    results = bpftrace_suite.results(text[text.index("[==========]"):])
    wrong = [f"{name}: {result}" for name, result in results.items() if result != expected.get(name, "OK")]
    assert results and not wrong, "\n".join([*wrong, text])
    assert not BAD.search(text), text


def test_the_tests_of_the_table_exist():
    bpftrace_suite.tree()
    names = {f"{path.name}.{name}" for path in (bpftrace_suite.SOURCE / "runtime").iterdir() if path.is_file()
             for name in re.findall(r"^NAME +(.*?) *$", path.read_text(), re.M)}
    assert not set(bpftrace_suite.table()) - names
