"""Core files: a debugger reads them, and a storm of crashes leaves nothing behind."""
import re
import subprocess

import pytest

from nop5 import ROOT
from test_abi import build_programs, expected, printed_by


@pytest.fixture
def crashing(boot, images):
    """A machine with the program, and the program."""
    directory = images / "test/core"
    directory.mkdir(parents=True, exist_ok=True)
    program, archive = directory / "crash", directory / "rootfs.cpio"
    subprocess.run(["musl-gcc", "-static", "-no-pie", "-g", "-O1", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Werror", "-o", program,
                    ROOT / "tests/boot/data/crash.c"], check=True)
    subprocess.run([ROOT / "scripts/rootfs", archive, program], check=True)
    return boot(cpus=2, initrd=str(archive)), program


def test_gdb_shows_where_a_program_has_crashed(crashing):
    machine, program = crashing
    core = program.with_name("core")
    said = machine.run("cd /tmp; (ulimit -c unlimited; crash)")
    assert "Segmentation fault (core dumped)" in said.output
    core.write_bytes(machine.fetch_bytes("cat core"))
    text = subprocess.run(["gdb", "-nx", "-batch", "-ex", "bt", "-ex", "info threads", "-ex", "p value", "-ex", "info auxv", "-ex", "info proc mappings",
                           program, core], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True).stdout
    assert "Program terminated with signal SIGSEGV, Segmentation fault." in text
    assert re.search(r"^#0 +(0x\w+ in )?inner \(pointer=(pointer@entry=)?0x10, value=(value@entry=)?42\)", text, re.M), text
    assert re.search(r"^#1 .* outer \(value=(value@entry=)?41\)", text, re.M), text
    assert re.search(r"^#2 .* main \(argc=", text, re.M), text
    assert len(re.findall(r"^[* ] \d+ +LWP \d+", text, re.M)) == 2, text
    assert "$1 = 42" in text
    assert re.search(r"AT_PAGESZ .* 4096$", text, re.M), text
    assert re.search(r"0x400000 .*/crash$", text, re.M), text


def test_a_dump_of_a_hole_without_end_can_be_killed(crashing):
    machine, _ = crashing
    machine.check("cd /tmp; ulimit -c unlimited; crash hole & until grep -q 'CoreDumping:.1' /proc/$!/status; do :; done; kill -9 $!")
    assert machine.run("wait $!").status == 128 + 9


@pytest.mark.parametrize("rounds", [1, pytest.param(10, marks=pytest.mark.soak)])
def test_programs_that_crash_at_once_on_eight_cpus_all_end(boot, rounds):
    machine = boot(cpus=8, initrd=build_programs([("musl", "core_dump_storm")]))
    for _ in range(rounds):
        assert printed_by(machine, "core_dump_storm", "musl") == expected("core_dump_storm")
    assert machine.check("ps -o comm | grep -c core_dump || true") == "0\n"
