"""The tools of Debian's package bpftrace, unmodified, inside nop5, print what they print on Linux 6.1.

All of it is in `make soak` only, because it downloads some thirty packages. The others of the package want what nop5 does not have:
the block layer and file systems on it (bio*, bitesize, mdflush, xfsdist), TCP's internals (tcp*), swap and writeback, libssl (ssl*),
packets of sockets (undump). gethostlatency and threadsnoop name a library without its path, which Debian's bpftrace cannot find, on
Linux, too. vfsstat fails on each kernel that has kprobe.multi, as Debian's has not: bpftrace 0.17 loads one program for its probes
with and without a wildcard, and attaches it in both ways.
"""
import subprocess

import pytest

from conftest import machine_with
from nop5 import ROOT, has_in_order

pytestmark = pytest.mark.soak
TIME = r"\d\d:\d\d:\d\d +"
BAR = r"\[\S+(?:, \S+\))? +\d+ \|@*"
FSYNC = "dd if=/dev/zero of=/tmp/x bs=1 count=1 conv=fsync"
# {tool: (a command that gives it something to show, regular expressions that its output then has in this order)}
TOOLS = {
    "bashreadline": ("echo 'echo hello' | bash -i", [TIME + r"\d+ +echo hello"]),
    "capable": ("chown 1 /tmp/x", [TIME + r"0 +\d+ +chown +\d+ +CAP_CHOWN +\d+"]),
    "cpuwalk": ("wc /bin/busybox", ["@cpu:", BAR]),
    "execsnoop": ("wc /etc/passwd", [r"\d+ +\d+ +wc /etc/passwd"]),
    "killsnoop": ("kill -0 1", [TIME + r"\d+ +sh +0 +1 +0"]),
    "loads": ("true", [TIME + r"load averages: \d+\.\d{3} \d+\.\d{3} \d+\.\d{3}"]),
    "naptime": ("naps", [TIME + r"\d+ +sh +\d+ +naps +0\.050"]),
    "oomkill": ("tail /dev/zero", ["Tracing oom_kill_process", r"Triggered by PID \d+ \(\"tail\"\), OOM kill of PID \d+ \(\"tail\"\), [45]\d{5} pages, loadavg: \d"]),
    "opensnoop": ("wc /etc/passwd /absent", [r"\d+ +wc +3 +0 /etc/passwd", r"\d+ +wc +-1 +2 /absent"]),
    "pidpersec": ("wc /etc/passwd", [TIME + r"PIDs/sec: @: [1-9]\d*"]),
    "-I /tmp/include /usr/sbin/runqlat": ("wc /etc/passwd", ["@usecs:", BAR]),
    "runqlen": ("wc /bin/busybox", ["@runqlen:", BAR]),
    "setuids": ("su -s /bin/true nobody", [TIME + r"\d+ +su +0 +setuid +uid=65534 \(0\)"]),
    "statsnoop": ("stat -f /tmp", [r"\d+ +stat +0 /tmp"]),
    "syncsnoop": (f"sync; {FSYNC}", [TIME + r"\d+ +sync +tracepoint:syscalls:sys_enter_sync", TIME + r"\d+ +dd +tracepoint:syscalls:sys_enter_fsync"]),
    "syscount": ("wc /etc/passwd", ["Top 10 syscalls IDs:", r"@syscall\[\d+\]: \d+", "Top 10 processes:", r"@process\[\w+\]: \d+"]),
    "vfscount": ("wc /etc/passwd", [r"@\[vfs_read\]: \d+"]),
}
# These show what they have counted when they end.
AT_END = {"cpuwalk", "-I /tmp/include /usr/sbin/runqlat", "runqlen", "syscount", "vfscount"}


@pytest.fixture(scope="module")
def machine(images):
    naps = images / "naps"
    subprocess.run(["musl-gcc", "-static", "-o", naps, ROOT / "tests/boot/data/naps.c"], check=True)
    with machine_with(images, "bpftrace_tools", [naps, "bpftrace", "bash"], cpus=2, mem="2G") as machine:
        # runqlat includes this without the guard of the others, and wants a constant that no header for programs has.
        machine.check("mkdir -p /tmp/include/linux; echo '#define TASK_RUNNING 0' > /tmp/include/linux/sched.h; touch /tmp/x")
        yield machine


@pytest.mark.parametrize("tool", TOOLS)
def test_tool_prints_what_it_prints_on_linux(machine, tool):
    command, patterns = TOOLS[tool]
    start = f"bpftrace {tool}.bt" if " " in tool else f"{tool}.bt"
    machine.check(f"__BPFTRACE_NOTIFY_PROBES_ATTACHED=1 {start} > /tmp/out 2>&1 & tool=$!")
    machine.check("until grep -q PROBES_ATTACHED /tmp/out || ! kill -0 $tool; do sleep 0.1; done 2>/dev/null")
    machine.run(f"({command}) > /dev/null 2>&1; {'sleep 1' if tool in AT_END else 'sleep 2'}; kill -INT $tool; wait $tool")
    has_in_order(machine.fetch("cat /tmp/out"), patterns)
