"""Hostile eBPF programs by bpf(2): random bytes, and generated programs with a few bits changed. Those that the verifier takes run.

The oracle of tests/fuzz/fuzz_bpf_verifier.c sees more than a kernel that is still alive; here the interpreter, the JIT, the maps and
the helpers are the kernel's own, and other CPUs change the maps meanwhile.
"""
import re
import subprocess

import pytest

from conftest import build_in
from nop5 import BUILD, ROOT, resources, resources_return_to

BAD = re.compile(r"BUG|WARNING|Oops|lockup|LOCKUP|Call Trace|stall")


@pytest.fixture(scope="module")
def image(images):
    """The root file system with the program."""
    directory = build_in(BUILD / "load", "-C", "tests/load", f"O={BUILD / 'load'}")
    subprocess.run([ROOT / "scripts/rootfs", directory / "bpf_hostile.cpio", directory / "bpf_hostile"], check=True)
    return str(directory / "bpf_hostile.cpio")


def attack(machine, seeds, strings, programs):
    """Each seed loads that many. Most are refused, some run, and what the kernel kept of them is gone."""
    machine.check("bpf_hostile 99 20 100 4")  # fills the kernel's caches
    before = resources(machine)
    loaded = runs = 0
    for seed in seeds:
        report = machine.check(f"bpf_hostile {seed} {strings} {programs} 4")
        match = re.search(r"(\d+) loaded, (\d+) refused, (\d+) runs, 0 failed", report)
        assert match and "DEFECT" not in report, report
        loaded, runs = loaded + int(match[1]), runs + int(match[3])
        assert int(match[2])
    assert loaded > len(seeds) * programs / 50 and runs > loaded / 10, (loaded, runs)
    print(f"{loaded} loaded, {runs} runs")
    resources_return_to(machine, before)
    assert not BAD.search(machine.text), machine.says


@pytest.mark.parametrize("seed, programs", [(1, 250), *(pytest.param(number, 700, marks=pytest.mark.soak) for number in (1, 2, 3))])
def test_some_hundred_hostile_programs_do_no_harm(boot, image, seed, programs):
    attack(boot(cpus=4, mem="512M", initrd=image), [seed], programs // 7, programs)


def test_proofs_that_need_much_memory_go_on_one_after_the_other(boot, image):
    """Six times 64 MB are more than the machine has. Each is refused for what it needs itself, not for want of memory."""
    machine = boot(cpus=2, mem="256M", initrd=image)
    assert "6 of 6 are too large" in machine.check("bpf_hostile together 6")
    assert not BAD.search(machine.text), machine.says


@pytest.mark.soak
@pytest.mark.variant
@pytest.mark.parametrize("how", ["", "DEBUG=1"])
def test_a_hundred_thousand_hostile_programs_do_no_harm(boot, variant, image, how):
    """The debug build poisons freed memory, checks each lock, and finds who sleeps where it must not."""
    build = {"build": variant(how)} if how else {}
    attack(boot(cpus=4, mem="512M", initrd=image, **build), range(100, 150), 200, 2000)
