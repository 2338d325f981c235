"""Debian's bpftrace and bpftool, unmodified, inside nop5, print what they print on Linux 6.1.

All of it is in `make soak` only, because it downloads some thirty packages. Each program runs beside a loop of small
commands, and its output must have lines as on Linux.
"""
import re

import pytest

from conftest import machine_with
from nop5 import has_in_order, said

pytestmark = pytest.mark.soak
BAR = r"\[\S+(?:, \S+\))? +\d+ \|@*"
LIBC = "/lib/x86_64-linux-gnu/libc.so.6"
# {name: (what bpftrace runs, regular expressions that its output has in this order)}
ONE_LINERS = {
    "begin": ('BEGIN { printf("hi\\n"); exit(); }', ["Attaching 1 probe...", "hi"]),
    "kprobe": ("kprobe:vfs_read { @[comm] = count(); } END2", [r"@\[wc\]: \d+"]),
    "kretprobe": ("kretprobe:vfs_read { @ = hist(retval); } END2", ["@:", BAR]),
    "kprobes": ("kprobe:vfs_* { @[func] = count(); } END2", [r"@\[vfs_read\]: \d+", r"@\[vfs_getattr\]: \d+"]),
    "tracepoint": ('tracepoint:syscalls:sys_enter_openat { printf("%s %s\\n", comm, str(args->filename)); } END2', ["wc /etc/passwd"]),
    "filter": ("tracepoint:raw_syscalls:sys_exit /args->ret < 0/ { @[comm, args->id] = count(); } END2", [r"@\[\w+, \d+\]: \d+"]),
    "switches": ("tracepoint:sched:sched_switch { @[kstack] = count(); @p[args->prev_comm, args->next_pid] = count(); } END2",
                 [r"@\[\n +__schedule\+\d+\n +schedule\+\d+", r"@p\[\S+, \d+\]: \d+"]),
    "profile": ("profile:hz:99 { @[kstack] = count(); } END2", [r"@\[\n +\w+\+\d+", r"do_idle\+\d+"]),
    "interval": ("kprobe:vfs_read { @ = count(); } interval:s:1 { print(@); clear(@); } interval:s:3 { exit(); }", [r"@: [1-9]\d*", r"@: [1-9]\d*"]),
    "uprobe": (f"uprobe:{LIBC}:malloc {{ @[comm] = hist(arg0); }} uretprobe:{LIBC}:malloc {{ @r = count(); }} END2", [r"@\[bpftrace\]:", BAR, r"@r: \d+"]),
    "kfunc": ("kfunc:vfs_read { @[args->count] = count(); } END2", [r"@\[\d+\]: \d+"]),
    "kretfunc": ("kretfunc:vfs_read { @h = hist(retval); @n[str(args->file->f_path.dentry->d_name.name)] = count(); } END2", ["@h:", BAR, r"@n\[passwd\]: \d+"]),
    # On Linux the function of a system call has the saved registers as its only argument.
    "syscall": ('kfunc:__x64_sys_openat { @f[args->flags & 3] = count(); } kretfunc:__x64_sys_openat /retval >= 0/ { @[str(uptr(args->filename))] = count(); } END2',
                [r"@\[/etc/passwd\]: \d+", r"@f\[0\]: \d+"]),
    "software": ("software:page-faults:1 { @[comm] = count(); } END2", [r"@\[(?:sh|wc|ls)\]: \d+"]),
    "stacks": ('kprobe:vfs_open { @[kstack(5), ustack(5), comm] = count(); @k[ksym(reg("ip"))] = count(); @u[usym(reg("sp"))] = count(); } END2',
               [r"@\[\n +vfs_open\+\d+\n", r"@k\[vfs_open\]: \d+", r"@u\[0x\w+\]: \d+"]),
    "builtins": ('kprobe:vfs_open { time("%H:%M:%S\\n"); printf("%d %d %d %d %s\\n", pid, tid, uid, gid, func); @c[cgroup] = count(); exit(); }',
                 [r"\d\d:\d\d:\d\d", r"\d+ \d+ 0 0 vfs_open", r"@c\[\d+\]: \d+"]),
    "latency": ("kprobe:vfs_read { @start[tid] = nsecs; } kretprobe:vfs_read /@start[tid]/ { @ns[comm] = hist(nsecs - @start[tid]); delete(@start[tid]); } END2",
                [r"@ns\[wc\]:", BAR]),
    "sums": ("kretprobe:vfs_read { @l = lhist(retval, 0, 1000, 100); @a = avg(retval); @mi = min(retval); @ma = max(retval); @s = sum(retval); @st = stats(retval); } END2",
             [r"@a: \d+", r"@l:", BAR, r"@ma: \d+", r"@mi: \d+", r"@s: \d+", r"@st: count \d+, average \d+, total \d+"]),
    "loops": ("kprobe:vfs_read { $i = 0; while ($i < 20) { @[$i] = count(); if ($i == 15) { break; } $i++; } unroll(4) { @u = count(); } } END2",
              [r"@\[\d+\]: \d+", r"@u: \d+"]),
    "structs": ('kprobe:vfs_open { printf("%s %d\\n", str(((struct path *)arg0)->dentry->d_name.name), ((struct task_struct *)curtask)->pid); exit(); }', [r"\S+ \d+"]),
    "join": ("tracepoint:syscalls:sys_enter_execve { join(args->argv); } END2", ["wc /etc/passwd"]),
    "buffers": ('tracepoint:syscalls:sys_enter_write /comm == "wc"/ { printf("%s|%r\\n", str(args->buf, 8), buf(args->buf, 2)); exit(); }', [r"^ *\d* *\|"]),
    "iter": ('iter:task { printf("%s:%d\\n", ctx->task->comm, ctx->task->pid); }', ["init:1", r"bpftrace:\d+"]),
    # bpftrace leaves out an object with a member that is 0: so descriptor 0.
    "iter_file": ('iter:task_file { printf("%s:%d\\n", ctx->task->comm, ctx->fd); }', ["init:1", "bpftrace:1"]),
    "unsafe": ('BEGIN { system("echo hello"); printf("%s\\n", ntop(0x0100007f)); exit(); }', ["hello", r"127\.0\.0\.1"]),
}
# {command: regular expressions}
REPORTS = {
    "bpftool prog list": [r"\d+: kprobe  name vfs_read  tag [0-9a-f]{16}  gpl\n\tloaded_at \S+  uid 0\n\txlated \d+B  (?:not )?jited.* memlock \d+B  map_ids \d+",
                          r"\d+: tracepoint  name sched_switch"],
    "bpftool map list": [r"\d+: percpu_array  name AT_  flags 0x0\n\tkey 4B  value 8B  max_entries 1  memlock \d+B", r"\d+: perf_event_array  name printf"],
    "bpftool perf": [r"pid \d+  fd \d+: prog_id \d+  tracepoint  sched_switch", r"prog_id \d+  kprobe  func vfs_read  offset 0"],
    "bpftool btf list": [r"1: name \[vmlinux\]  size \d+B"],
}
FEATURES = ["probe_read_kernel_str: yes", "dpath: yes", "Instruction limit: 1000000", "Loop support: yes", "btf: yes", "map batch: yes", "hash: yes",
            "percpu array: yes", "stack_trace: yes", "perf_event_array: yes", "kprobe: yes", "tracepoint: yes", "perf_event: yes", "kfunc: yes",
            "iter:task: yes", "iter:task_file: yes", "kprobe_multi: yes"]


@pytest.fixture(scope="module")
def machine(images):
    with machine_with(images, "bpftrace", ["bpftrace", "bpftool"], cpus=4, mem="2G") as machine:
        machine.check("(while :; do wc /etc/passwd; ls /; done) >/dev/null 2>&1 &")
        yield machine


@pytest.mark.parametrize("name", ONE_LINERS)
def test_one_liner_prints_what_it_prints_on_linux(machine, name):
    program, patterns = ONE_LINERS[name]
    program = program.replace("END2", "interval:s:2 { exit(); }")
    has_in_order(said(machine, f"bpftrace {'--unsafe ' * (name == 'unsafe')}-e '{program}'"), patterns)


def test_bpftool_lists_what_bpftrace_uses(machine):
    machine.check("bpftrace -e 'kprobe:vfs_read { @ = count(); } tracepoint:sched:sched_switch { @s = count(); }' >/dev/null & pid=$!")
    machine.check("until bpftool perf | grep -q vfs_read; do sleep 1; done")
    for command, patterns in REPORTS.items():
        text = said(machine, command)
        for pattern in patterns:
            assert re.search(pattern, text), f"{pattern} is not in\n{text}"
    machine.check("kill -INT $pid; wait $pid; true")
    assert said(machine, "bpftool prog list; bpftool map list; bpftool perf") == ""


def test_bpftrace_finds_the_features_of_linux(machine):
    text = said(machine, "bpftrace --info")
    assert [feature for feature in FEATURES if feature not in text] == []
