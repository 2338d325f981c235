"""ptrace(2) where Linux cannot be asked, because it hangs there in QEMU, or stays changed until the next boot."""
import subprocess

from nop5 import ROOT


def test_a_step_over_a_write_to_watched_memory_loses_nothing(boot, tmp_path):
    program, archive = tmp_path / "watched_step", tmp_path / "rootfs.cpio"
    subprocess.run(["musl-gcc", "-static", "-no-pie", "-O1", "-Wall", "-Wextra", "-Werror", "-o", program, ROOT / "tests/boot/data/watched_step.c"], check=True)
    subprocess.run([ROOT / "scripts/rootfs", archive, program], check=True)
    for cpus in (1, 2):
        said = boot(cpus=cpus, initrd=str(archive)).check("watched_step").splitlines()
        # The second write stores the same value.
        assert said[:5] == [f"{size} bytes, status 57f, hit {hit}" for size, hit in ((11, 1), (11, 0), (6, 0), (7, 1), (4, 0))]
        assert said[5:] == ["status 300", "status 57f", "status 9"]


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
