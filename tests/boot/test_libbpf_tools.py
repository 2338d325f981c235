"""Debian's libbpf-tools, unmodified, inside nop5: each one whose hooks are there tells what the machine does, as on Linux 6.1.

All of it is in `make soak` only, because it downloads a package. RUN is {name: (command, what happens meanwhile, regular
expressions that the output has in this order)}; ABSENT is {name: (command, the reason, what the tool says)}. Each program of the
package is in one of the two. A tool that ends by itself runs beside a loop of small commands; another one gets ^C at the end.
Time is a count of instructions: then a tool has told all it knows when ^C comes, however slow the host is.
"""
import re

import pytest

from conftest import machine_with
from nop5 import BUILD, has_in_order

pytestmark = pytest.mark.soak
BAR = r" -> \d+ +: [1-9]\d* +\|"
LOAD = None  # the loop of small commands

RUN = {
    "bashreadline": ("bashreadline", "echo 'echo typed' | bash --norc -i", [r"^TIME +PID +COMMAND$", r"^\d\d:\d\d:\d\d +\d+ +echo typed$"]),
    "capable": ("capable", "su -s /bin/sh nobody -c 'mount -t tmpfs x /mnt'",
                [r"^TIME +UID +PID +COMM +CAP +NAME +AUDIT +VERDICT", r" +0 +\d+ +su +7 +CAP_SETUID +1 +allow", r" +65534 +\d+ +\S+ +21 +CAP_SYS_ADMIN +1 +deny"]),
    "cpudist": ("cpudist 1 1", LOAD, [r"usecs +: count +distribution", BAR]),
    "execsnoop": ("execsnoop", "sh -c 'exit 3'", [r"^PCOMM +PID +PPID +RET ARGS$", r"^exe +\d+ +\d+ +0 /proc/self/exe -c exit 3 ?$"]),
    "exitsnoop": ("exitsnoop", "sh -c 'exit 3'; sh -c 'kill -9 $$'",
                  [r"^PCOMM +PID +PPID +TID +AGE\(s\) +EXIT_CODE", r"^sh +\d+ +\d+ +\d+ +\d\.\d\d +code 3$", r"^sh +\d+ +\d+ +\d+ +\d\.\d\d +signal 9 \(Killed\)$"]),
    "filelife": ("filelife", "touch /tmp/brief; rm /tmp/brief", [r"^TIME +PID +COMM +AGE\(s\) +FILE$", r"^\d\d:\d\d:\d\d +\d+ +rm +\d\.\d\d +brief$"]),
    "filetop": ("filetop 1 1", LOAD, [r"TID +COMM +READS +WRITES", r"\d+ +wc +2 +0 +8 +0 +R passwd"]),
    "funclatency": ("funclatency vfs_read -d 1", LOAD, [r"nsec +: count +distribution", BAR]),
    "gethostlatency": ("gethostlatency", "getent ahosts 127.0.0.7", [r"^TIME +PID +COMM +LATms +HOST$", r"^\d\d:\d\d:\d\d +\d+ +getent +\d+\.\d+ +127\.0\.0\.7$"]),
    "hardirqs": ("hardirqs", "echo hello > /dev/console", [r"^HARDIRQ +TOTAL_usecs$", r"^ttyS0 +\d+$"]),
    "killsnoop": ("killsnoop", "sleep 100 & kill -15 $!; wait", [r"^TIME +PID +COMM +SIG +TPID +RESULT$", r"^\d\d:\d\d:\d\d \d+ +sh +15 +\d+ +0 *$"]),
    "ksnoop": ("ksnoop trace vfs_read", "dd if=/dev/zero of=/dev/null bs=1000 count=1",
               [r"^ +TIME +CPU +PID FUNCTION/ARGS$", r"^ *\d+ +\d +\d+ vfs_read\($", r"^ +\.f_path = \(struct path\)\{$", r"^ +count = ?$", r"^ +\(size_t\)1000,$"]),
    "offcputime": ("offcputime 1 2>/dev/null", LOAD, [r"__schedule", r"- +\S+ \(\d+\)"]),
    "oomkill": ("oomkill", "tail /dev/zero", [r"^\d\d:\d\d:\d\d Triggered by PID \d+ \(\"tail\"\), OOM kill of PID \d+ \(\"tail\"\), 2\d{5} pages, loadavg: \d"]),
    "opensnoop": ("opensnoop", "cat /etc/hosts /tmp/none", [r"^PID +COMM +FD ERR PATH$", r"^\d+ +cat +3 +0 /etc/hosts$", r"^\d+ +cat +-1 +2 /tmp/none$"]),
    "runqlat": ("runqlat 1 1", LOAD, [r"usecs +: count +distribution", BAR]),
    "runqlen": ("runqlen 1 1", LOAD, [r"runqlen +: count +distribution", r"^ +\d+ +: [1-9]\d* +\|"]),
    "runqslower": ("runqslower 100", "for i in 1 2 3 4 5 6 7 8 9; do (sleep 0.1; ls /) & done; wait", [r"^TIME +COMM +TID +LAT\(us\)$", r"^\d\d:\d\d:\d\d \S+ +\d+ +\d+$"]),
    "sigsnoop": ("sigsnoop", "sleep 100 & kill -10 $!; wait", [r"^TIME +PID +COMM +SIG +TPID +RESULT$", r"^\d\d:\d\d:\d\d \d+ +sh +10 +\d+ +0 *$"]),
    "slabratetop": ("slabratetop -C 1 1", LOAD, [r"^CACHE +ALLOCS +BYTES$", r"^names_cache +[1-9]\d* +[1-9]\d*$"]),
    "softirqs": ("softirqs 1 1", LOAD, [r"SOFTIRQ +TOTAL_usecs", r"sched +\d+"]),
    "syscount": ("syscount -d 1", LOAD, [r"SYSCALL +COUNT", r"newfstatat +\d+"]),
    "vfsstat": ("vfsstat 1 1", LOAD, [r"^TIME +READ/s +WRITE/s +FSYNC/s +OPEN/s CREATE/s$", r"^\d\d:\d\d:\d\d: +[1-9]\d* +[1-9]\d* +0 +[1-9]\d* +0$"]),
    "wakeuptime": ("wakeuptime 1", LOAD, [r"target: +\S+", r"try_to_wake_up", r"waker: +\S+"]),
}

BLOCK, FILE_SYSTEM, IPV6, SOCK = "no block layer", "no such file system", "no IPv6: tcp_v6_connect()", "struct sock has other members, and none for IPv6"
ABSENT = {
    **{name: (f"{name} 1 1", BLOCK, r"block_|blk_") for name in ("biolatency", "biopattern", "biotop", "bitesize")},
    **{name: (f"{name} 1", BLOCK, r"block_|blk_") for name in ("biosnoop", "biostacks")},
    "tcpconnlat": ("tcpconnlat", IPV6, "tcp_v6_connect"),
    **{name: (name, SOCK, r"struct (tcp_sock|inet_sock|sock|socket|trace_event_raw_inet_sock_set_state)\.") for name in (
        "bindsnoop", "solisten", "tcpconnect", "tcplife", "tcprtt", "tcpstates", "tcpsynbl", "tcptop", "tcptracer")},
    **{name: (f"{name} 1 1", FILE_SYSTEM, r"\w+_file_read") for name in ("btrfsdist", "ext4dist", "nfsdist", "xfsdist")},
    **{name: (name, FILE_SYSTEM, r"\w+_file_read") for name in ("btrfsslower", "ext4slower", "nfsslower", "xfsslower")},
    "fsdist": ("fsdist -t ext4 1 1", FILE_SYSTEM, "ext4_file_read"),
    "fsslower": ("fsslower -t ext4", FILE_SYSTEM, "ext4_file_read"),
    "cachestat": ("cachestat 1 1", "the page cache has no such functions", "add_to_page_cache_lru"),
    "cpufreq": ("cpufreq -d 1", "no frequencies of CPUs", "cpu_frequency"),
    "drsnoop": ("drsnoop", "no reclaim", "mm_vmscan_direct_reclaim_begin"),
    "javagc": ("javagc -p 1", "the process is no JVM", "mem__pool__gc__begin"),
    "klockstat": ("klockstat -d 1", "mutexes have no killable wait", "mutex_lock_killable"),
    "llcstat": ("llcstat 1", "no hardware counters in the emulator", "perf sampling"),
    "mdflush": ("mdflush", BLOCK, "md_flush_request"),
    "mountsnoop": ("mountsnoop", "tasks have no namespaces of their own", "nsproxy|mnt_namespace"),
    "numamove": ("numamove", "no NUMA", "migrate_misplaced_page"),
    "readahead": ("readahead -d 1", "no disks to read ahead from", "do_page_cache_ra"),
    # It looks for events/syscalls/statfs, a name that no kernel has, and attaches nothing: on Linux, too.
    "statsnoop": ("sh -c 'statsnoop -v & sleep 2; kill $!; wait'", "a wrong name in the tool", "handle_statfs_entry': skipped loading"),
}


@pytest.fixture(scope="module")
def machine(images):
    with machine_with(images, "libbpf_tools", ["libbpf-tools", "bpftool", "bash", "libc-bin"], cpus=2, mem="1G", icount=True, shift=2) as machine:
        yield machine


def until_attached(machine):
    """Wait until the tool has attached all that it attaches: the list of links is the same twice."""
    machine.check("old=; until new=$(bpftool link | grep -c prog); [ $new != 0 -a \"$new\" = \"$old\" ]; do old=$new; sleep 0.3; done")


def said(machine, command, meanwhile):
    if meanwhile is LOAD:
        machine.check("(while :; do wc /etc/passwd; ls /; done) > /dev/null 2>&1 & load=$!")
        machine.run(f"({command}) > /tmp/out 2>&1")
        machine.check("kill $load; wait $load; true")
    else:
        machine.check(f"{command} > /tmp/out 2>&1 & tool=$!")
        until_attached(machine)
        machine.run(f"({meanwhile}) > /dev/null 2>&1")
        machine.check("sleep 0.3; kill -INT $tool; wait $tool; true")
    return machine.fetch("cat /tmp/out")


@pytest.mark.parametrize("name", RUN)
def test_tool_tells_what_happens(machine, name):
    command, meanwhile, patterns = RUN[name]
    has_in_order(said(machine, command, meanwhile), patterns)


@pytest.mark.parametrize("name", ABSENT)
def test_tool_says_what_it_misses(machine, name):
    command, reason, pattern = ABSENT[name]
    result = machine.run(f"timeout -s INT 30 {command} 2>&1")
    assert result.status != 124 and re.search(pattern, result.output), f"{name}: {reason}: {result.output}"


@pytest.mark.usefixtures("machine")
def test_the_tables_have_each_tool_of_the_package():
    tools = {path.name for path in (BUILD / "packages/libbpf-tools/usr/sbin").iterdir()}
    assert tools == {*RUN, *ABSENT}
