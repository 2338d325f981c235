"""Allocations and functions fail on demand, and the kernel keeps nothing of it; kmemleak finds what is kept.

make soak runs the programs of tests/abi, one run for each allocation that they make, on a DEBUG=1 kernel.
"""
import re
import subprocess

import pytest

from conftest import build_in
from nop5 import BUILD, ROOT, Nop5

DEBUG = "/sys/kernel/debug"
BAD = re.compile(r"BUG|WARNING|Oops|Call Trace")
ALL_ALLOCATIONS = (f"for f in failslab fail_page_alloc; do echo N > {DEBUG}/$f/ignore-gfp-wait; echo 0 > {DEBUG}/$f/verbose; done; "
                   f"echo 0 > {DEBUG}/fail_page_alloc/min-order")
# What the three directories have in common, and the values at the boot.
SETTINGS = {"probability": "0", "interval": "1", "times": "1", "space": "0", "verbose": "2", "task-filter": "N", "stacktrace-depth": "32",
            "require-start": "0x" + 16 * "0", "require-end": "0x" + 16 * "f", "reject-start": "0x" + 16 * "0", "reject-end": "0x" + 16 * "0"}
# (file, what is written, what the shell says: "" for success)
WRITES = [
    ("failslab/probability", "x", "Invalid argument"), ("failslab/probability", "-1", "Invalid argument"),
    ("failslab/times", "-1", ""), ("failslab/times", "0xffffffff", ""), ("failslab/times", "4294967296", "Numerical result out of range"),
    ("failslab/times", "1", ""), ("failslab/task-filter", "2", "Invalid argument"), ("failslab/stacktrace-depth", "99", ""),
    ("fail_page_alloc/min-order", "x", "Invalid argument"),
    ("fail_function/inject", "no_such_function", "Invalid argument"), ("fail_function/inject", "schedule", "Numerical result out of range"),
    ("fail_function/inject", "d_alloc", ""), ("fail_function/inject", "d_alloc", "Device or resource busy"),
    ("fail_function/d_alloc/retval", "0xfffffffffffffff4", "Invalid argument"), ("fail_function/d_alloc/retval", "0", ""),
    ("fail_function/inject", "!vmalloc", "No such file or directory"), ("fail_function/inject", "__x64_sys_rmdir", ""),
    ("fail_function/__x64_sys_rmdir/retval", "0", "Invalid argument"), ("fail_function/__x64_sys_rmdir/retval", "5", "Invalid argument"),
    ("fail_function/inject", "", ""), ("kmemleak", "nonsense", "Invalid argument"), ("kmemleak", "dump=0", "Invalid argument"),
]


def rootfs(directory, *more):
    build_in(BUILD / "load", "-C", "tests/load", f"O={BUILD / 'load'}", f"{BUILD / 'load'}/fail_nth")
    subprocess.run([ROOT / "scripts/rootfs", directory / "rootfs.cpio", *sorted((BUILD / "user").iterdir()), BUILD / "modroot", BUILD / "load/fail_nth", *more], check=True)
    return str(directory / "rootfs.cpio")


@pytest.fixture(scope="module")
def machine(images, tmp_path_factory):
    m = Nop5(build=images, cpus=2, append="kmemleak=on", initrd=rootfs(tmp_path_factory.mktemp("inject"))).wait_prompt()
    m.check("stty cols 1000")
    yield m
    m.close()


def test_the_settings_are_those_of_linux(machine):
    for name in ("failslab", "fail_page_alloc", "fail_function"):
        text = machine.check(f"cd {DEBUG}/{name}; grep . {' '.join(SETTINGS)}; cd /")
        assert dict(line.split(":", 1) for line in text.splitlines()) == SETTINGS


def test_refused_writes_change_nothing(machine):
    machine.check(f"cd {DEBUG}")
    for part in (WRITES[:12], WRITES[12:]):  # a line of the shell has less than 1024 bytes
        said = machine.run("; ".join(f"echo '{text}' > {file}" for file, text, _ in part)).quiet
        assert said == [f"sh: write error: {error}" for _, _, error in part if error]
    assert machine.check(f"cat {DEBUG}/failslab/stacktrace-depth {DEBUG}/failslab/times; cat {DEBUG}/fail_function/inject") == "32\n1\n"


def test_only_chosen_tasks_and_callers_fail(machine):
    """A child inherits make-it-fail; a task without it goes on. Only root may write it."""
    machine.check(f"cd {DEBUG}/fail_function; echo 0 > verbose; echo __x64_sys_mkdir > inject; echo Y > task-filter; echo -1 > times; echo 100 > probability")
    assert machine.check("mkdir /tmp/m && rmdir /tmp/m; sh -c 'echo 1 > /proc/self/make-it-fail; mkdir /tmp/m; cat /proc/self/make-it-fail'; true") == (
        "mkdir: can't create directory '/tmp/m': Invalid argument\n1\n")
    for name in ("make-it-fail", "fail-nth"):
        assert "Operation not permitted" in machine.run(f"su -s /bin/sh nobody -c 'echo 1 > /proc/self/{name}'").output
    # No caller of it is in the range, then one is.
    machine.check("echo N > task-filter; echo 1 > require-start; echo 2 > require-end; mkdir /tmp/m && rmdir /tmp/m")
    assert machine.run("echo 0xffffffffffffffff > require-end; mkdir /tmp/m").status == 1
    assert machine.run("echo 0xffffffff80000000 > reject-start; echo 0xffffffffffffffff > reject-end; mkdir /tmp/m && rmdir /tmp/m").status == 0
    machine.check("echo 0 > probability; echo > inject; echo 0 > require-start; echo 0 > reject-start; echo 0 > reject-end; cd /")


def test_each_allocation_of_a_program_fails_once_and_nothing_is_kept(machine):
    """execve(2), fork(2), files and pipes: about a hundred error paths, and kmemleak finds nothing that they have forgotten."""
    machine.check(ALL_ALLOCATIONS)
    command = "mkdir -p /tmp/d; echo a | cat > /tmp/d/f; ls -l /proc/self/fd /tmp/d; rm -r /tmp/d"
    text = machine.check(f'fail_nth 1 400 /bin/sh -c "{command}"')
    assert int(re.search(r": (\d+) failures", text).group(1)) > 60, text
    machine.check("sleep 1.2")
    assert machine.check(f"echo scan > {DEBUG}/kmemleak; cat {DEBUG}/kmemleak") == ""
    assert not BAD.search(machine.text)


def test_without_a_user_the_call_sites_are_nops_again(machine):
    """The callbacks go a second after the last task with fail-nth."""
    machine.check("n=0; while grep -q kmem_cache_alloc /sys/kernel/tracing/enabled_functions && [ $n -lt 100 ]; do sleep 0.2; n=$((n + 1)); done")
    assert machine.check("cat /sys/kernel/tracing/enabled_functions") == ""
    assert machine.check(f"tail -n 1 {DEBUG}/ftrace_verify").endswith(" 0 mismatches\n")


def test_kmemleak_finds_what_a_module_forgets(machine):
    text = machine.check(f"modprobe memory-bugs bug=leak; sleep 1.2; cd {DEBUG}; echo scan > kmemleak; cat kmemleak")
    assert text.count("unreferenced object") == 2 and text.count("leak+0x") == 2 and "2 new suspected memory leaks" in text
    address = re.search(r"unreferenced object (0x\w+) \(size 64\)", text).group(1)
    assert f"kmemleak: Object {address} (size 64):" in machine.check(f"echo dump={address} > kmemleak")
    assert machine.check("echo clear > kmemleak; echo scan > kmemleak; cat kmemleak; rmmod memory-bugs; cd /") == ""


@pytest.mark.variant
def test_a_debug_kernel_tells_the_story_of_memory_that_is_used_wrongly(boot, variant):
    """Each report names the object, the code that allocated and freed it, and what the task did before."""
    m = boot(build=variant("DEBUG=1", modules=True), cpus=2)
    m.check("stty cols 1000")
    for bug, said in (("overflow", "written beyond its end"), ("double-free", "double free"), ("use-after-free", "modified after free")):
        m.check("cd /sys/kernel/tracing; echo > trace; echo 1 > events/kmem/kmalloc/enable; echo 1 > events/kmem/kfree/enable; echo 1 > tracing_on")
        text = m.check(f"modprobe memory-bugs bug={bug}; rmmod memory-bugs; dmesg")
        report = re.search(rf"BUG kmalloc-64: {said}: object (\w+) \(size 64\).*?Last events of task (\d+):(.*?)---\n(.*?)---", text, re.S)
        assert report, text
        assert re.search(r"Allocated by task \d+:\n.* memory_bugs_init", report.group(0))
        assert ("Freed by task" in report.group(0)) == (bug != "overflow")
        assert re.search(rf"-{report.group(2)} .* kfree: call_site={bug.replace('-', '_')}\+", report.group(4))
        m.check("dmesg -c > /dev/null; cd /")


@pytest.mark.soak
def test_each_allocation_of_each_program_fails_once(boot, variant, tmp_path):
    """The first allocations are those of execve(2), the same in each program: they are left out."""
    from test_abi import NAMES
    build_in(BUILD / "abi", "-C", "tests/abi", f"O={BUILD / 'abi'}", *(f"{BUILD}/abi/musl/{name}" for name in NAMES))
    machine = boot(build=variant("DEBUG=1"), cpus=2, mem="1G", append="kmemleak=on", initrd=rootfs(tmp_path, *(BUILD / f"abi/musl/{n}" for n in NAMES)))
    machine.check(f"{ALL_ALLOCATIONS}; ulimit -c 0; export SHORT=1")  # what waits for luck makes the same allocations
    for name in NAMES:
        for first in range(40, 400, 20):  # a program may wait up to eight seconds for what has failed
            said = machine.check(f"mkdir /tmp/w; cd /tmp/w; fail_nth {first} {first + 19} $(command -v {name}); cd /; rm -rf /tmp/w; true")
            assert not BAD.search(machine.text), name
            if f"{name}: 20 failures" not in said:
                break
    assert machine.check(f"sleep 1.2; echo scan > {DEBUG}/kmemleak; cat {DEBUG}/kmemleak") == ""
