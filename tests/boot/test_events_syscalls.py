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
        return [m.group("comm", "pid", "text") for m in LINE.finditer(nop5.check("cat trace"))]
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
              if re.fullmatch(r"sys_openat\(dfd: ffffff9c, filename: [0-9a-f]{1,12}, flags: 0, mode: 0\)", text))
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
    assert re.search(r"^sys_write\(unsigned int fd: 1, const char \* buf: \w+, size_t count: 6\)$", text, re.M)


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
    assert "sys_openat(dfd: ffffff9c, filename: " in theirs and "->" not in theirs


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
