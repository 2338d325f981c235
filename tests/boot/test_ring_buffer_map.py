"""A CPU's buffer in the memory of a program: who may do what with it, and that no event is lost on the way.

tests/load/ring_map.c makes the calls. Linux's own test, tools/testing/selftests/ring-buffer/map_test.c of 6.12, is in test_kselftests.py.
"""
import re
import subprocess

import pytest

from conftest import build_in
from nop5 import BUILD, ROOT

CASES = """\
mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, rw, 0) -> Operation not permitted
mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0) -> Operation not permitted
mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0) -> Operation not permitted
mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 1 << 30) -> Invalid argument
mmap(NULL, 1UL << 30, PROT_READ, MAP_SHARED, fd, 0) -> Invalid argument
ioctl(fd, GET_READER) -> No such device
mprotect(p, 4 * PAGE, PROT_READ | PROT_WRITE) -> Permission denied
mprotect(p, 4 * PAGE, PROT_READ | PROT_EXEC) -> Permission denied
munmap(p, PAGE) -> Invalid argument
(long)mremap(p, 4 * PAGE, 8 * PAGE, MREMAP_MAYMOVE) -> Bad address
(long)mremap(p, 4 * PAGE, PAGE, 0) -> Invalid argument
write_mem(p) -> I/O error
write_vm(p) -> Bad address
ioctl(fd, GET_READER) -> ok
ioctl(fd, GET_READER + 1) -> Not a tty
a child writes to its own area -> Segmentation fault
a child reads the parent's area -> Segmentation fault
madvise(p, 4 * PAGE, MADV_DOFORK) -> ok
after MADV_DOFORK it reads -> exit
and writes -> Segmentation fault
put("per_cpu/cpu0/buffer_size_kb", "64") -> Resource busy
put("per_cpu/cpu1/buffer_size_kb", "64") -> ok
put("buffer_size_kb", "128") -> Resource busy
put("buffer_subbuf_size_kb", "8") -> Resource busy
put("snapshot", "1") -> Resource busy
put("events/sched/sched_switch/trigger", "snapshot") -> Resource busy
put("events/sched/sched_switch/trigger", "hist:keys=prev_pid:onmax($x).snapshot():x=prev_pid") -> Resource busy
put("set_ftrace_filter", "schedule:snapshot\\n") -> Resource busy
put("current_tracer", "wakeup") -> Resource busy
read: 1
after a reset: written 0, read 0, reader 0
read(fd, page, sizeof(page)) -> ok
another process maps, and is killed -> Killed
put("per_cpu/cpu0/buffer_size_kb", "64") -> Resource busy
put("per_cpu/cpu0/buffer_size_kb", "64") -> ok
put("snapshot", "1") -> ok
(long)(meta = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0)) -> ok
put("current_tracer", "wakeup") -> ok
(long)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) -> Resource busy
put("current_tracer", "nop") -> ok
put("set_ftrace_filter", "schedule:snapshot\\n") -> ok
(long)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) -> Resource busy
(long)(meta = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0)) -> ok
"""


@pytest.fixture(scope="module")
def root(images):
    directory = build_in(BUILD / "load", "-C", "tests/load", f"O={BUILD / 'load'}")
    subprocess.run([ROOT / "scripts/rootfs", directory / "ring_map.cpio", directory / "ring_map"], check=True)
    return str(directory / "ring_map.cpio")


def test_a_program_reads_the_buffer_and_cannot_change_it(boot, root):
    with boot(cpus=2, initrd=root) as machine:
        machine.check("ring_map > /tmp/said")  # the kernel reports each SIGSEGV on the console
        said = machine.check("cat /tmp/said")
        assert said == CASES, said
        # Events come while the program reads; those that were overwritten are counted, and none is seen twice.
        said = machine.check("ring_map count 3000")
        assert "DEFECT" not in said and "seen and lost: all" in said, said


@pytest.mark.soak
def test_mappers_that_die_do_not_disturb_those_who_resize_and_clear(boot, root):
    with boot(cpus=4, initrd=root) as machine:
        free = [machine.check("grep MemFree: /proc/meminfo") for _ in range(3) if machine.check("ring_map storm 100").count("-> ok") == 2]
        assert len(free) == 3 and not re.search(r"BUG|WARNING|Oops", machine.text), machine.says
        kib = [int(line.split()[1]) for line in free]
        assert kib[2] > kib[0] - 512, free
