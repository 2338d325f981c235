"""The trace survives a reboot: reserve_mem=, trace_instance=NAME@AREA.

The machine restarts inside the same QEMU, which keeps the RAM, as a warm reboot does. The commands are those of
docs/persistent-trace.md.
"""
import re

import pytest

from nop5 import ROOT, Nop5
from test_docs import blocks, pattern, steps

PAGE = ROOT / "docs/persistent-trace.md"
WORDS = re.search(r"^```\n(reserve_mem=.*)\n```", PAGE.read_text(), re.M).group(1)
LAST = "/sys/kernel/tracing/instances/last"


def wait_for_restart(nop5):
    """Wait for the prompt of the next boot."""
    nop5.expect("Command line: ")
    nop5.widened = False
    nop5.wait_prompt()


def kept_and_damaged(nop5):
    text = nop5.check(f"cat {LAST}/last_boot_info")
    return tuple(map(int, re.search(r"sub-buffers: (\d+) kept, (\d+) damaged", text).groups()))


@pytest.fixture(scope="module")
def machine(images):
    """A machine after the commands of the page: it has panicked with all traced and 4 CPUs busy, and has restarted."""
    nop5 = Nop5(kernel="nop5-test", build=images, cpus=4, append=WORDS, extra=("-action", "reboot=reset"))
    nop5.wait_prompt()
    for number, _, lines in blocks(PAGE, "console-reboot"):
        for directory, command, output in steps(lines):
            if "PANIC" in command:
                nop5.check("hackbench -g 1 -l 1000000 > /dev/null &")
                nop5.send(command + "\n")
                wait_for_restart(nop5)
                continue
            if directory != nop5.directory:
                nop5.check(f"cd {directory}")
            said = "".join(l + "\n" for l in nop5.run(command).lines)
            assert re.fullmatch(pattern(output), said), f"{PAGE.name}:{number}: {command} printed:\n{said}"
    yield nop5
    nop5.close()


def test_the_function_that_panicked_is_at_the_end_of_the_trace(machine):
    kept, damaged = kept_and_damaged(machine)
    assert kept > 100 and damaged == 0
    cpu = machine.check(f"grep -l 'provoke_panic()' {LAST}/per_cpu/*/trace").strip()
    trace = machine.check(f"tail -n 30 {cpu}")
    calls = re.findall(r"(\w+)\(\)", trace)
    assert "provoke_panic" in calls and set(calls[calls.index("provoke_panic"):]) & {"panic", "vpanic"}, trace
    others = machine.check(f"for cpu in 0 1 2 3; do grep -c '|' {LAST}/per_cpu/cpu$cpu/trace; done").split()
    assert all(int(count) > 100 for count in others), others


def test_the_buffer_of_the_last_boot_cannot_be_resized_or_removed(machine):
    for command in (f"echo 100 > {LAST}/buffer_size_kb", f"echo 1 > {LAST}/snapshot", f"rmdir {LAST}"):
        result = machine.run(command)
        assert result.status and "Device or resource busy" in result.output, command


def test_a_new_trace_replaces_that_of_the_last_boot(machine):
    machine.check(f"cd {LAST}; echo 1 > tracing_on; echo new > trace_marker")
    trace = machine.check("grep -v '^#' trace")
    assert trace.count("\n") == 1 and "new" in trace, trace
    assert machine.check("head -n 1 last_boot_info") == "# Current\n"
