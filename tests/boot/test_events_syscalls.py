"""The events of system calls: both ends of each call, by number (raw_syscalls) and by name (syscalls)."""
import re
from collections import Counter

import pytest

from nop5 import ROOT

TRACING = "/sys/kernel/tracing"
LINE = re.compile(r"^ *(?P<comm>.+)-(?P<pid>\d+) +\[\d+\] \S{5} +[\d.]+: (?P<text>.*)$", re.M)
NUMBERS = {name: int(number) for name, number in
           re.findall(r"^#define __NR_(\w+)\s+(\d+)$", (ROOT / "kernel/syscalls/unistd.h").read_text(), re.M)}


@pytest.fixture
def record(nop5):
    """A function that runs commands with events on, and returns (comm, pid, text) of what was recorded."""
    def run(events, *commands, verbose=False):
        nop5.check(f"cd {TRACING}")
        nop5.check("echo > trace")
        nop5.check(f"echo {events} > set_event")
        for command in commands:
            nop5.check(command)
        nop5.check("echo > set_event")
        nop5.check(f"echo {int(verbose)} > options/verbose")
        return [m.group("comm", "pid", "text") for m in LINE.finditer(nop5.fetch("cat trace"))]  # which has the prompt, too
    yield run
    nop5.check(f"cd {TRACING}")
    nop5.run("echo > set_event")
    nop5.check("echo 0 > options/verbose")
    nop5.check("echo > trace")


def test_each_call_that_a_task_begins_it_ends_before_the_next(record):
    inside, pairs = {}, 0
    for _, pid, text in record("raw_syscalls", "cat /proc/uptime", "ls /proc"):
        enter = re.fullmatch(r"sys_enter: NR (\d+) \((?:[0-9a-f]+, ){5}[0-9a-f]+\)", text)
        leave = re.fullmatch(r"sys_exit: NR (\d+) = -?\d+", text)
        assert enter or leave, text
        if enter:
            assert pid not in inside, f"{text} inside call {inside[pid]}"
            inside[pid] = enter[1]
        elif pid in inside:
            assert inside.pop(pid) == leave[1]
            pairs += 1
    assert pairs > 20


def test_the_descriptor_that_open_returns_is_read_and_closed(record):
    calls = [text for comm, _, text in record("syscalls", "wc /proc/uptime") if comm == "wc"]
    at = next(i for i, text in enumerate(calls)
              if re.fullmatch(r'sys_openat\(dfd: 0xffffff9c, filename: 0x[0-9a-f]{1,12} "/proc/uptime", flags: O_RDONLY\)', text))
    fd = re.fullmatch(r"sys_openat -> 0x(\d+)", calls[at + 1])[1]
    after = calls[at + 2:]
    assert re.match(rf"sys_(read\(|newfstatat\(d)fd: {fd}, ", after[0])
    reads = [i for i, text in enumerate(after) if re.fullmatch(rf"sys_read\(fd: {fd}, buf: \w+, count: \w+\)", text)]
    assert reads and int(re.fullmatch(r"sys_read -> 0x(\w+)", after[reads[0] + 1])[1], 16) > 0
    assert after[reads[-1] + 1] == "sys_read -> 0x0"  # the end of the file
    assert f"sys_close(fd: {fd})" in after
    assert after.index(f"sys_close(fd: {fd})") > reads[-1]


def test_one_event_records_one_end_of_one_call(record):
    lines = record("syscalls:sys_exit_write", "cat /proc/uptime", "echo hello")  # which is a builtin
    assert lines and all(re.fullmatch(r"sys_write -> 0x\w+", text) for _, _, text in lines)
    assert ("sh", "sys_write -> 0x6") in [(comm, text) for comm, _, text in lines]


def test_names_and_numbers_count_the_same_calls(record, nop5):
    lines = [(comm, pid, text) for comm, pid, text in
             record("raw_syscalls:sys_enter syscalls", "ls /proc", "head /proc/uptime") if comm in ("ls", "head")]
    by_number = Counter(int(m[1]) for _, _, text in lines if (m := re.match(r"sys_enter: NR (\d+) ", text)))
    by_name = Counter(m[1] for _, _, text in lines if (m := re.match(r"sys_(\w+)\(", text)))
    assert {"openat", "read", "close", "getdents64"} <= set(by_name)
    named = {NUMBERS[name] for name in re.findall(r"sys_enter_(\w+)", nop5.check(f"ls -1 {TRACING}/events/syscalls"))}
    # The events of calls that the kernel does not have are only those of raw_syscalls.
    assert {NUMBERS[name]: count for name, count in by_name.items()} == {n: c for n, c in by_number.items() if n in named}


def test_the_option_verbose_shows_types(record):
    text = "\n".join(text for _, _, text in record("syscalls:sys_enter_write", "echo hello", verbose=True))
    assert re.search(r'^sys_write\(unsigned int fd: 1, const char \* buf: 0x\w+ \(68:65:6c:6c:6f:0a\) "hello.", size_t count: 6\)$', text, re.M)


def test_names_and_buffers_are_recorded_as_text_and_as_bytes(record):
    name = "n" * 63
    lines = [text for _, _, text in record("syscalls", f"mkdir /tmp/{name[5:]}", f"mv /tmp/{name[5:]} /tmp/{name[4:]}", f"rmdir /tmp/{name[4:]}",
                                           r"printf '\001\377' > /tmp/two", f"printf {name + 'n'} > /tmp/two", "echo > /tmp/two",
                                           r"rm $(printf '/tmp/two /tmp/\303\251'); hostname nop5; mount -t tmpfs none /mnt; umount /mnt")]
    text = "\n".join(lines)
    assert f'"/tmp/{name[5:]}", mode: 0x1ff)' in text  # 63 bytes are not cut
    assert f' "/tmp/{name[5:]}", newname: 0x' in text and f' "/tmp/{name[5:]}...")' in text  # 64 are
    assert re.search(r"buf: 0x\w+ \(01:ff\), count: 2\)", text)  # no byte is printable
    assert re.search(rf'\(6e(:6e){{62}}, \.\.\.\) "{name}"\.\.\., count: 0x40\)', text)
    assert re.search(r"buf: 0x\w+ \(0a\), count: 1\)", text)
    assert '"/tmp/..", ' in text  # the file é, which does not exist: bytes that are not ASCII are dots
    assert re.search(r'sys_sethostname\(name: 0x\w+ "nop5", len: 4\)', text)
    assert re.search(r'sys_mount\(dev_name: 0x\w+ "none", dir_name: 0x\w+ "/mnt", type: 0x\w+ "tmpfs", flags: ', text)
    assert re.search(r'flags: O_WRONLY\|O_CREAT\|O_TRUNC, mode: 0666\)', text)


def test_the_size_limits_what_is_recorded_in_each_instance(record, nop5):
    size, there = f"{TRACING}/syscall_user_buf_size", f"{TRACING}/instances/calls"
    nop5.check(f"mkdir {there}; echo 1 > {there}/events/syscalls/sys_enter_mkdir/enable; echo 7 > {there}/syscall_user_buf_size")
    try:
        assert nop5.check(f"cat {size} {there}/syscall_user_buf_size").split() == ["63", "7"]
        long = "/tmp/" + "m" * 200
        lines = [text for _, _, text in record("syscalls:sys_enter_mkdir syscalls:sys_enter_write", f"echo 1000 > {size}", f"mkdir {long}", f"echo 0 > {size}",
                                               f"rmdir {long}; mkdir {long}", "echo y", f"echo -1 > {size} || true", f"echo 63 > {size}; rmdir {long}")]
        theirs = nop5.check(f"grep -o 'sys_mkdir.*' {there}/trace").splitlines()
    finally:
        nop5.check(f"echo 63 > {size}; echo 0 > {there}/events/syscalls/sys_enter_mkdir/enable; rmdir {there}")
    made = [re.sub("0x[0-9a-f]+", "0x", text) for text in lines if text.startswith("sys_mkdir")]
    assert made == [f'sys_mkdir(pathname: 0x "{long[:165]}...", mode: 0x)', 'sys_mkdir(pathname: 0x "", mode: 0x)']
    assert any(re.search(r"buf: 0x\w+ \(, \.\.\.\), count: 2\)", text) for text in lines)
    assert [re.sub("0x[0-9a-f]+", "0x", text) for text in theirs] == ['sys_mkdir(pathname: 0x "/tmp/mm...", mode: 0x)'] * 2


def test_a_filter_and_a_histogram_read_the_text(record, nop5):
    event = f"{TRACING}/events/syscalls/sys_enter_openat"
    nop5.check(f"echo '__filename_val ~ \"/proc/up*\"' > {event}/filter; echo 'hist:keys=__filename_val if flags == 0' > {event}/trigger")
    try:
        lines = record("syscalls:sys_enter_openat", "cat /proc/uptime", "cat /proc/version", "cat /proc/version")
        counted = nop5.check(f"cat {event}/hist")
    finally:
        nop5.check(f"echo 0 > {event}/filter; echo '!hist:keys=__filename_val' > {event}/trigger")
    assert lines and all('"/proc/uptime"' in text for _, _, text in lines)
    assert re.search(r"\{ __filename_val: /proc/version +\} hitcount: +2$", counted, re.M)


def test_a_filter_reads_an_argument(record, nop5):
    event = f"{TRACING}/events/syscalls/sys_enter_write"
    nop5.check(f"echo 'count == 6' > {event}/filter")
    try:
        lines = record("syscalls:sys_enter_write", "echo hello", "echo hello, world")
    finally:
        nop5.check(f"echo 0 > {event}/filter")
    assert lines and all(text.endswith("count: 6)") for _, _, text in lines)


def test_an_instance_has_its_own_events(record, nop5):
    nop5.check(f"mkdir {TRACING}/instances/calls")
    try:
        nop5.check(f"echo 1 > {TRACING}/instances/calls/events/syscalls/sys_enter_openat/enable")
        lines = record("syscalls:sys_exit_openat", "cat /proc/uptime")
        theirs = nop5.check(f"cat {TRACING}/instances/calls/trace")
        nop5.check(f"echo 0 > {TRACING}/instances/calls/events/syscalls/sys_enter_openat/enable")
    finally:
        nop5.check(f"rmdir {TRACING}/instances/calls")
    assert lines and all(text.startswith("sys_openat -> ") for _, _, text in lines)
    assert "sys_openat(dfd: 0xffffff9c, filename: " in theirs and "->" not in theirs


@pytest.mark.soak
def test_all_events_of_calls_while_eight_cpus_work(boot):
    nop5 = boot(kernel="nop5-test", cpus=8)
    for _ in range(3):
        nop5.check(f"echo syscalls raw_syscalls > {TRACING}/set_event")
        nop5.check("hackbench -g 4 -l 20")
        nop5.check(f"echo > {TRACING}/set_event")
    lines = [m["text"] for m in LINE.finditer(nop5.check(f"head -500 {TRACING}/trace"))]
    assert len(lines) > 400
    for text in lines:
        assert re.fullmatch(r"sys_(enter|exit): NR \d+ .*|sys_\w+\(.*\)|sys_\w+ -> 0x[0-9a-f]+", text), text
