"""What programs of eBPF print into the trace, and the page about helpers. tests/abi/programs/bpf_helpers.c compares helpers with Linux."""
import re
import subprocess

import pytest

from conftest import root_with
from nop5 import ROOT, Nop5

HELPERS = ROOT / "trace/bpf/helpers"
PAGE = (ROOT / "docs/bpf-helpers.md").read_text()


def numbers():
    """{helper: its number}, from the list of names."""
    return {name: number for number, name in enumerate(re.findall(r"X\((\w+)\)", (HELPERS / "numbers.h").read_text()))}


def in_table(text):
    """{helper: its number} of the lines of a table."""
    rows = re.findall(r"^\| ([\d, ]+) \| ((?:`\w+`(?:, )?)+) \|", text, re.M)
    return {name: int(number) for some, names in rows
            for number, name in zip(some.split(", "), re.findall(r"`(\w+)`", names), strict=True)}


def test_the_page_names_the_helpers_of_the_code_with_their_numbers():
    ours = {name for path in HELPERS.glob("*.c") for name in re.findall(r"BPF_HELPER(?:_AS)?\((\w+)", path.read_text())}
    here, left_out = PAGE.split("Left out:")
    assert in_table(here) == {name: numbers()[name] for name in ours}
    assert in_table(left_out).items() <= numbers().items()
    assert not in_table(left_out).keys() & ours


@pytest.fixture(scope="module")
def machine(images, tmp_path_factory):
    program = tmp_path_factory.mktemp("bpf") / "bpf_helpers"
    sources = [ROOT / "tests/abi" / name for name in ("programs/bpf_helpers.c", "abi.c")]
    subprocess.run(["gcc", "-static", "-O1", "-w", "-D_GNU_SOURCE", f"-I{ROOT}/tests/abi", "-o", program, *sources, "-lpthread"], check=True)
    with Nop5(build=images, cpus=2, initrd=root_with(images, "bpf_helpers", [program])) as machine:
        machine.wait_prompt()
        yield machine


def test_a_program_that_prints_enables_the_event_and_its_text_is_in_the_trace(machine):
    event = "/sys/kernel/tracing/events/bpf_trace/bpf_trace_printk"
    assert machine.check(f"cat {event}/enable") == "0\n"
    machine.check("bpf_helpers > /tmp/out")
    assert machine.check(f"cat {event}/enable") == "1\n"
    lines = [line for line in machine.check("cat /sys/kernel/tracing/trace").splitlines() if "bpf_trace_printk" in line]
    assert len(lines) == 1  # the other two formats are wrong
    assert re.match(r" +bpf_helpers-\d+ +\[\d{3}\] \.\.\.\d\. +\d+\.\d{6}: bpf_trace_printk: 42 ", lines[0])


def test_descriptors_and_memory_come_back(machine):
    machine.check("bpf_helpers > /tmp/out; sleep 2")
    before = int(re.search(r"MemFree: +(\d+)", machine.check("cat /proc/meminfo"))[1])
    machine.check("for i in 1 2 3 4 5; do bpf_helpers > /tmp/out; done; sleep 2")
    assert before - int(re.search(r"MemFree: +(\d+)", machine.check("cat /proc/meminfo"))[1]) < 512
