"""Each instruction of eBPF, through the verifier, compiled and interpreted: tests/boot/data/bpf_isa.c.

bpf_isa.txt is what `bpf_isa` prints on Debian's Linux 6.1 (linux-ref --cpus 1 --add). The vectors of the project bpf_conformance
ask the same; they are not in this tree, so these were made anew: all codes, with constants, offsets and operands at the edges.
"""
import subprocess

import pytest

from conftest import root_with
from nop5 import ROOT, Nop5

DATA = ROOT / "tests/boot/data"


@pytest.fixture(scope="module")
def machine(images, tmp_path_factory):
    program = tmp_path_factory.mktemp("bpf") / "bpf_isa"
    subprocess.run(["gcc", "-static", "-no-pie", "-O2", "-o", program, DATA / "bpf_isa.c"], check=True)
    with Nop5(build=images, cpus=1, initrd=root_with(images, "bpf_isa", [program])) as machine:
        machine.wait_prompt()
        yield machine


@pytest.mark.parametrize("engine", ["interpreter", pytest.param("JIT", marks=pytest.mark.soak)])
def test_instructions_are_accepted_and_run_as_on_linux(machine, engine):
    machine.check(f"echo {int(engine == 'JIT')} > /proc/sys/net/core/bpf_jit_enable")
    assert machine.check("bpf_isa") == (DATA / "bpf_isa.txt").read_text()
