"""Programs of eBPF on perf events, tracepoints and many functions: tests/boot/data/bpf_attach.c and bpf_nest.c.

bpf_attach.txt is what `bpf_attach checks` prints on Debian's Linux 6.1 (tools/linux-ref --add).
"""
import re
import subprocess

import pytest

from conftest import root_with
from nop5 import ROOT, Nop5
from seed import seed

DATA = ROOT / "tests/boot/data"
# Debian's Linux has no kprobe.multi.
MULTI = """\
multi: program of another kind: -22
multi: flags: -22
multi: no function: -22
multi: a function that is not there: -3
multi: 0
multi: on one event: -22
multi return: 0
multi: at least 4 hits for each round: 1
# multi, detached: 0
"""
# Linux allows fmod_ret at other functions.
MODIFY = """\
modify: -22 vfs_read() is not modifiable
modify: -22 vmalloc() is not modifiable
modify: load: 0
modify: truncate before: 0
modify: attach: 0
modify: truncate with a program: -122
modify: truncate of another process: 0
modify: a second one: 0
modify: truncate with a number: -22
modify: truncate after: 0
modify: attach to rmdir: 0
modify: rmdir with a program: -122
modify: rmdir after: 0
"""
# Linux compares the program with the elements only when the link is made.
ITER = """\
iter: programs: 1 1 1
iter: link of a program that reads behind the value: -13
iter: link to a prog array: -22
iter: link: 0
iter: update to a program that reads the last byte: 0
iter: update to one that reads behind it: -13
iter: target of tail calls that reads values: -22
iter: target of tail calls that reads none: 0
"""


@pytest.fixture(scope="module")
def root(images, tmp_path_factory):
    programs = [tmp_path_factory.mktemp("bpf") / name for name in ("bpf_attach", "bpf_nest")]
    for program in programs:
        subprocess.run(["gcc", "-static", "-no-pie", "-O2", "-pthread", "-o", program, DATA / f"{program.name}.c"], check=True)
    return root_with(images, "bpf_attach", programs)


@pytest.fixture(scope="module")
def machine(images, root):
    with Nop5(build=images, cpus=4, initrd=root) as machine:
        machine.wait_prompt()
        yield machine


def test_attaching_answers_and_counts_as_on_linux(machine):
    assert machine.check("bpf_attach checks nop5") == (DATA / "bpf_attach.txt").read_text() + MULTI + MODIFY + ITER


def test_programs_that_print_inside_each_other_leave_the_stack_whole(machine):
    """The system call's program runs, then those of its print, those of their prints, and once more: four levels."""
    programs = 24
    runs = 1 + programs + programs * (programs - 1) + programs * (programs - 1) * (programs - 2)
    assert machine.check(f"bpf_nest {programs}") == f"{runs} runs\n"


def test_a_program_with_callbacks_is_not_interpreted(machine):
    assert machine.check("bpf_nest callback") == "loaded: 0\n"
    assert machine.check("cd /proc/sys/net/core; echo 0 > bpf_jit_enable; bpf_nest callback; echo 1 > bpf_jit_enable") == "loaded: -524\n"


def test_a_map_of_deeply_nested_types_is_cut_text(machine):
    machine.check("mount -t bpf bpf /sys/fs/bpf")
    assert machine.check("bpf_nest types") == "pinned: 0\n"
    assert machine.check("tail -n 1 /sys/fs/bpf/types; rm /sys/fs/bpf/types") == "0: " + 32 * "{" + "..." + 32 * "}" + "\n"


def test_tail_calls_that_leave_frames_end_before_the_stack(machine):
    """A round takes 672 bytes of the stack, of which 6 KB may be used. Four programs, with one round each, still run in the last one."""
    runs = int(machine.check("bpf_nest tails").split()[0])
    assert 1 < runs <= 1 + 6144 // 672
    inside = 4 + 4 * 3 + 4 * 3 * 2
    assert machine.check("bpf_nest tails 4") == f"{runs + inside} runs\n"


def free_memory(machine):
    machine.check("sleep 2; sync")
    return int(re.search(r"MemFree: +(\d+)", machine.check("cat /proc/meminfo"))[1])


@pytest.mark.parametrize("rounds", [20, pytest.param(1000, marks=pytest.mark.soak)])
def test_attaching_and_detaching_at_random_gives_all_memory_back(machine, rounds):
    machine.check(f"bpf_attach storm 10 {seed(33)}")
    before = free_memory(machine)
    assert machine.check(f"bpf_attach storm {rounds} {seed(33) + 1}") == "counted: 1\n"
    assert before - free_memory(machine) < 2048
    assert machine.check("cat /sys/kernel/tracing/enabled_functions") == ""
