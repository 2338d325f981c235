"""ptrace(2) where Linux cannot be asked, because it hangs there in QEMU, or stays changed until the next boot; and what ptrace costs the others."""
import re
import subprocess

import pytest

from nop5 import ROOT
from test_core import load_script


def test_a_step_over_a_write_to_watched_memory_loses_nothing(boot, tmp_path):
    program, archive = tmp_path / "watched_step", tmp_path / "rootfs.cpio"
    subprocess.run(["musl-gcc", "-static", "-no-pie", "-O1", "-Wall", "-Wextra", "-Werror", "-o", program, ROOT / "tests/boot/data/watched_step.c"], check=True)
    subprocess.run([ROOT / "scripts/rootfs", archive, program], check=True)
    for cpus in (1, 2):
        said = boot(cpus=cpus, initrd=str(archive)).check("watched_step").splitlines()
        # The second write stores the same value.
        assert said[:5] == [f"{size} bytes, status 57f, hit {hit}" for size, hit in ((11, 1), (11, 0), (6, 0), (7, 1), (4, 0))]
        assert said[5:] == ["status 300", "status 57f", "status 9"]


def test_a_tracer_does_not_touch_a_task_that_it_has_let_go(boot, tmp_path):
    """The task may be frozen by its next tracer already. A DETACH that fails leaves it to the first one, which must unfreeze it."""
    program, archive = tmp_path / "detach_twice", tmp_path / "rootfs.cpio"
    subprocess.run(["musl-gcc", "-static", "-Wall", "-Wextra", "-Werror", "-o", program, ROOT / "tests/boot/data/detach_twice.c"], check=True)
    subprocess.run([ROOT / "scripts/rootfs", archive, program], check=True)
    machine = boot(cpus=2, initrd=str(archive))
    machine.check("cd /sys/kernel/tracing; echo ptrace_check_attach ptrace_detach ptrace_unfreeze > set_ftrace_filter; echo function > current_tracer")
    assert machine.check("detach_twice") == "-1 0\n"
    called = re.findall(r"^ *detach_twice-.*: (\w+) <-", machine.check("cat trace"), re.M)
    assert called == ["ptrace_check_attach", "ptrace_detach", "ptrace_unfreeze", "ptrace_check_attach", "ptrace_detach"]


def test_yama_scope_3_forbids_all_and_stays(boot):
    machine = boot(cpus=2)
    scope = "/proc/sys/kernel/yama/ptrace_scope"
    machine.check("sleep 1000 &")
    machine.check("head -c 0 /proc/$!/mem")
    machine.check(f"echo 3 > {scope}")
    assert "Permission denied" in machine.command_output("head -c 0 /proc/$!/mem")
    assert "Invalid argument" in machine.command_output(f"echo 0 > {scope}")
    assert machine.check(f"cat {scope}") == "3\n"
    machine.check(f"echo 3 > {scope}; kill $!")


def linked_without_ptrace(images, elf):
    """Links the objects of the whole kernel, but for those of ptrace and of what needs it."""
    features = load_script("features")
    linked = {name for name in features.features() if name != "debug" and "ptrace" not in features.with_needs(name)}
    objects = [images / "obj" / (source.removesuffix(".c") + ".o") for source in features.sources(linked, features.ROOMS)]
    subprocess.run(["ld", "-S", "-nostdlib", "-static", "-z", "noexecstack", "-L", ROOT / "arch/x86_64", "-T", ROOT / "linker.ld", "-o", elf,
                    images / "symvers.ld", *objects], check=True)


@pytest.mark.soak
def test_a_task_that_nobody_traces_pays_nothing_for_ptrace(boot, images, tmp_path):
    """A system call, a page fault and a switch take as many instructions as in a kernel without ptrace; a mean may round up."""
    program, archive, elf = tmp_path / "programs", tmp_path / "rootfs.cpio", tmp_path / "nop5.elf"
    subprocess.run(["musl-gcc", "-O2", "-static", "-o", program, ROOT / "tests/bench/programs.c"], check=True)
    subprocess.run([ROOT / "scripts/rootfs", archive, program], check=True)
    linked_without_ptrace(images, elf)
    whole, without = [], []
    for figures, directory in (whole, images), (without, tmp_path):
        machine = boot(build=directory, icount=True, cpus=1, initrd=str(archive))
        machine.check("echo 0 > /proc/sys/kernel/randomize_va_space")
        said = machine.check("programs getppid fault pipe_program futex")
        figures += [int(number) for number in re.findall(r"^\w+ (\d+)$", said, re.M)]
    assert len(whole) == len(without) == 4
    assert all(figure <= least + 1 for figure, least in zip(whole, without)), (whole, without)
