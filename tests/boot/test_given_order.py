"""Storms in which the virtual CPUs take turns, so that they do the same work on a fast and on a slow host.

QEMU counts instructions (-icount) and runs all virtual CPUs in one thread. Nobody types: the commands are a script in the root
file system, and what they print stays in memory until the end. So the host's speed decides almost nothing:
the virtual CPUs take turns, and QEMU also ends a turn when its main loop has work. The storms that wait for luck, with true concurrency,
run in `make soak` (test_ftrace_storm.py, test_ftrace_stress.py and others).
"""
import re
import subprocess

import pytest

from nop5 import BUILD, ROOT, Nop5
from test_ftrace_stress import BAD

INITTAB = "::sysinit:/etc/init.d/rcS\n::wait:/etc/script\n::shutdown:/bin/true\n"

STORM = """
echo 5 > /proc/sys/kernel/printk
echo 1 > /sys/kernel/debug/ftrace_storm &
hackbench -g 2 -l 20
wait
cat /sys/kernel/debug/ftrace_storm
"""

SWITCHES = """
cd /sys/kernel/tracing
stress -c 4 -m 2 -t 1 &
for tracer in function function_graph function nop; do
	echo $tracer > current_tracer
	echo 'vfs_* tty_*' > set_ftrace_filter
	echo 1 > events/enable
	hackbench -g 1 -l 10
	echo > set_ftrace_filter
	echo 0 > events/enable
done
wait
cat enabled_functions
cat /sys/kernel/debug/text_patch
"""


def run_script(directory, script, cpus, kernel, programs=()):
    """Boot with the programs, too, run the script instead of a shell, and return what it printed."""
    (directory / "inittab").write_text(INITTAB)
    (directory / "script").write_text(f"#!/bin/sh\n(\n{script}\ncat /sys/kernel/debug/ftrace_verify; tail -n 1 /sys/kernel/debug/page_tables\n"
                                      ") > /tmp/output 2>&1\necho BEGIN; cat /tmp/output; cat /proc/stat; echo END; poweroff -f\n")
    (directory / "script").chmod(0o755)
    image = directory / "root.cpio"
    subprocess.run([ROOT / "scripts/rootfs", image, *sorted((BUILD / "user").iterdir()), *programs, f"{directory}/inittab:etc/inittab",
                    f"{directory}/script:etc/script"], check=True)
    with Nop5(build=BUILD, kernel=kernel, cpus=cpus, mem="512M", icount=True, initrd=str(image), append="quiet", directory=directory,
              extra=["-rtc", "clock=vm,base=2026-01-01"]) as machine:
        machine.wait_exit(0)
        text = machine.text
    assert not BAD.search(text), BAD.search(text)
    output = re.search(r"^BEGIN\n(.*)^END\n", text, re.M | re.S).group(1)
    assert re.search(r"^\d+ sites, 0 mismatches\n", output, re.M) and "W+X pages: 0" in output, output
    return output


@pytest.mark.parametrize("cpus", [4, pytest.param(1, marks=pytest.mark.soak)])
def test_a_second_of_everything_at_once_leaves_a_sound_machine(images, tmp_path, cpus):
    output = run_script(tmp_path, STORM, cpus, "nop5-test")
    assert "\nfailures: 0\nover\n" in output, output
    assert sum(map(int, re.findall(r"^.+: (\d+) rounds", output, re.M))) > 100


@pytest.mark.parametrize("cpus", [4, pytest.param(1, marks=pytest.mark.soak)])
def test_tracers_that_change_under_load_leave_a_sound_machine(images, tmp_path, cpus):
    output = run_script(tmp_path, SWITCHES, cpus, "nop5")
    assert not re.search("mismatch(?!es)|fail", output), output
    assert re.search(r"^stress: \d+ checksums verified$", output, re.M), output
    assert cpus == 1 or int(re.search(r"^breakpoints: (\d+)$", output, re.M).group(1)) > 0, "no CPU ran into a half-patched site"
