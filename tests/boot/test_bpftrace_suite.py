"""bpftrace's own runtime tests, unmodified, inside nop5, beside what they say on Linux 6.1.

All of it is in `make soak` only, because it downloads Debian's source package of bpftrace and some thirty packages. All tests of a suite must
pass, but those of data/bpftrace_suite.txt, which has their result and the reason. Each line must be true: whoever makes another test pass
takes its line away.
"""
import re

import pytest

import bpftrace_suite
from conftest import machine_with

pytestmark = pytest.mark.soak
SUITES = ("addrspace", "array", "banned_probes", "basic", "btf", "builtin", "call", "complex_types", "dwarf", "file-output", "intcast",
          "intptrcast", "json-output", "other", "pointers", "precedence", "probe", "regression", "signals", "signed_ints", "struct", "tuples",
          "uprobe", "usdt", "variable", "watchpoint")


def run_suite(machine, suite):
    """Runs the tests of a suite, and returns what the engine says. Each test that begins shows that the machine does not hang."""
    machine.send(f"bpftrace-suite '{suite}.*' | cat\n")
    while machine.expect(r"^\[ RUN +\]|\d+ tests from \d+ test cases ran").group(0).startswith(b"["):
        pass
    machine.wait_prompt()
    return machine.text[machine.text.index("[==========]"):]


@pytest.mark.parametrize("suite", SUITES)
def test_a_test_of_bpftrace_passes_if_it_passes_on_linux(images, suite):
    packages = [bpftrace_suite.tree(), *bpftrace_suite.PACKAGES]
    with machine_with(images, "bpftrace-suite", packages, cpus=1, mem="2G", icount=True) as machine:
        text = run_suite(machine, suite)
    expected = {name: nop5 for name, (_, nop5, _) in bpftrace_suite.table().items()}
    results = bpftrace_suite.results(text)
    wrong = [f"{name}: {result}" for name, result in results.items() if result not in expected.get(name, "OK").split("/")]
    assert results and not wrong, "\n".join([*wrong, text])


def test_the_tests_of_the_table_exist():
    bpftrace_suite.tree()
    names = {f"{path.name}.{name}" for path in (bpftrace_suite.SOURCE / "runtime").iterdir() if path.is_file()
             for name in re.findall(r"^NAME +(.*?) *$", path.read_text(), re.M)}
    assert not set(bpftrace_suite.table()) - names
