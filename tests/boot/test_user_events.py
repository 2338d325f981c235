"""User events: what a program may register and write, which address space has an event, and the cost of a write.

tests/load/user_events.c makes the calls. Linux's own tests, tools/testing/selftests/user_events of 6.12, are in test_kselftests.py; Debian's
kernels have no user events, so there is nothing to ask. Bits, forks and locks are in selftest/trace/user_events.c.
"""
import re
import subprocess

import pytest

from conftest import build_in
from nop5 import BUILD, ROOT

CASES = """\
reg(fd, "p u8 x", &word, 0, 4, PERSIST) -> ok
unreg(fd, &word, 0) -> ok
reg_sized(fd, 27, 0) -> Invalid argument
reg_sized(fd, 4097, 0) -> Argument list too long
reg_sized(fd, 40, 1) -> Argument list too long
reg_sized(fd, 40, 0) -> ok
ioctl(fd, DIAG_IOCSREG, NULL) -> Bad address
ioctl(fd, DIAG_IOCSREG ^ 0x70, NULL) -> Not a tty
reg(fd, "a u32 x", &word, 0, 4, 4) -> Invalid argument
reg(fd, "a u32 x", &word, 0, 3, 0) -> Invalid argument
reg(fd, "a u32 x", &word, 32, 4, 0) -> Invalid argument
reg(fd, "a u32 x", &word, 64, 8, 0) -> Invalid argument
reg(fd, "a u32 x", (char *)&word + 2, 0, 4, 0) -> Invalid argument
reg(fd, "a u32 x", (char *)&word + 4, 0, 8, 0) -> Invalid argument
reg(fd, "a u32 x", (void *)0xffff800000000000, 0, 8, 0) -> Bad address
reg(fd, "a u32 x", page, 0, 4, 0) -> Bad address
reg(fd, "a u32 x", NULL, 0, 4, 0) -> Bad address
reg(fd, NULL, &word, 0, 4, 0) -> Bad address
reg(fd, name, &word, 0, 4, 0) -> Invalid argument
reg(fd, "a:FLAG u32 x", &word, 0, 4, 0) -> Invalid argument
reg(fd, "a/b u32 x", &word, 0, 4, 0) -> Invalid argument
reg(fd, "z long x", &word, 0, 4, 0) -> Invalid argument
reg(fd, "a u32 x", &word, 0, 4, 0) -> ok
reg(fd, "a u32 x", &word, 0, 4, 0) -> Address in use
reg(fd, "a u64 x", &word, 1, 4, 0) -> Address in use
reg(fd, "a u64 x", &word, 2, 4, MULTI) -> ok
reg(fd, "a u32 x", &word, 3, 4, MULTI) -> ok
index 3, multi 1 1
unreg(fd, &word, 9) -> No such file or directory
unreg(fd, &word, 0) | unreg(fd, &word, 2) | unreg(fd, &word, 3) | unreg(fd, &word, 5) -> ok
reg(fd, "w __rel_loc char[] t", &word, 0, 4, 0) -> ok
write(fd, "12", 2) -> Bad address
record(fd, -1, &text, 8) -> Invalid argument
record(fd, 99, &text, 8) -> No such file or directory
record(fd, index, &text, 3) -> Invalid argument
record(fd, index, &text, 8) -> Bad file descriptor
put("events/user_events/w/enable", "1") -> ok
word 1
record(fd, index, &text, 8) -> ok
record(fd, index, (void *)8, 8) -> Bad address
record(fd, index, &number, 4) -> Bad address
record(fd, index, &text, 8) -> Bad address
record(fd, index, &text, 8) -> Bad address
put("events/user_events/w/enable", "0") -> ok
word 0
record(fd, index, &text, 8) -> Bad file descriptor
unreg(fd, &word, 0) -> ok
open(DATA, O_RDWR) -> Permission denied
reg(fd, "r u8 x", &word, 1, 4, PERSIST) -> Operation not permitted
reg(fd, "r u8 x", &word, 1, 4, 0) -> ok
ioctl(fd, DIAG_IOCSDEL, "p") -> Operation not permitted
persists 1
ioctl(fd, DIAG_IOCSDEL, "p") -> ok
ioctl(fd, DIAG_IOCSDEL, "p") -> No such file or directory
read(max, old, sizeof(old)) -> ok
pwrite(max, "3", 1, 0) -> ok
reg(fd, "m1", &word, 0, 4, 0) -> ok
reg(fd, "m2", &word, 1, 4, 0) -> ok
reg(fd, "m3", &word, 2, 4, 0) -> ok
reg(fd, "m4", &word, 3, 4, 0) -> No file descriptors available
reg(fd, "m3", &word, 3, 4, 0) -> ok
pwrite(max, "-1", 2, 0) -> Invalid argument
pwrite(max, old, strlen(old), 0) -> ok
reg(fd, "l u8 x", &word, 0, 4, 0) -> ok
ioctl(fd, DIAG_IOCSDEL, "l") -> Resource busy
unreg(open(DATA, O_RDWR | O_CLOEXEC), &word, 0) -> ok
kept by the child 1
write(enable, "1", 1) -> No such device
pread(enable, &byte, 1, 0) -> ok
reg(fd, "l u8 x", &word, 0, 4, 0) -> ok
unreg(open(DATA, O_RDWR | O_CLOEXEC), &word, 0) -> ok
exec drops it
"""
# Instructions of one write(2) of 8 bytes, with the call: at most.
COSTS = {"off": 380, "recorded": 920, "dropped": 850, "counted": 1000}


@pytest.fixture(scope="module")
def root(images):
    directory = build_in(BUILD / "load", "-C", "tests/load", f"O={BUILD / 'load'}")
    subprocess.run([ROOT / "scripts/rootfs", directory / "user_events.cpio", directory / "user_events"], check=True)
    return str(directory / "user_events.cpio")


def test_a_program_gets_what_it_may_have(boot, root):
    with boot(cpus=1, icount=True, initrd=root) as machine:
        assert machine.check("cd /sys/kernel/tracing; stat -c '%a %n' user_events_*") == "640 user_events_data\n440 user_events_status\n"
        said = machine.check("user_events")
        assert said == CASES, said
        costs = dict(re.findall(r"^(\S+): (\d+)$", machine.check("user_events cost"), re.M))
        assert costs.keys() == COSTS.keys() | {"/dev/null", "trace_marker"}
        assert all(int(costs[what]) <= most for what, most in COSTS.items()), costs


@pytest.mark.soak
@pytest.mark.variant
@pytest.mark.parametrize("how", ["", "DEBUG=1"])
def test_a_storm_leaves_nothing_behind(boot, variant, root, how):
    build = {"build": variant(how)} if how else {}
    with boot(cpus=4, mem="512M", initrd=root, **build) as machine:
        free = []
        for seed in range(1, 21):
            said = machine.check(f"user_events storm 200 {seed}")
            assert said == "the storm is over\n", said
            free.append(int(machine.check("awk '/MemFree:/ {print $2}' /proc/meminfo")))
        assert "Active: 0" in machine.check("cat /sys/kernel/tracing/user_events_status")
        assert not re.search(r"BUG|WARNING|Oops", machine.text), machine.says
        assert free[-1] > free[4] - 1024, free
