"""Debian's bpftool, unmodified, inside nop5: what it prints of programs, maps, types and features, and what it changes.

All of it is in `make soak` only, because it downloads a package. Each line is a command, and regular expressions that its output
has in this order. Linux 6.1 prints the same, but for what FEATURES and ABSENT say.
"""
import re
import subprocess

import pytest

from conftest import machine_with
from nop5 import ROOT, has_in_order

pytestmark = pytest.mark.soak

MAPS = [
    ("bpftool map create /sys/fs/bpf/m type hash key 4 value 8 entries 3 name my_map", []),
    ("bpftool map show pinned /sys/fs/bpf/m", [r"^\d+: hash  name my_map  flags 0x0$", r"^\tkey 4B  value 8B  max_entries 3  memlock \d+B$"]),
    ("bpftool map update pinned /sys/fs/bpf/m key 1 0 0 0 value 1 2 3 4 5 6 7 8", []),
    ("bpftool map update pinned /sys/fs/bpf/m key 1 0 0 0 value 9 2 3 4 5 6 7 8 exist", []),
    ("bpftool map update pinned /sys/fs/bpf/m key 1 0 0 0 value 1 2 3 4 5 6 7 8 noexist", [r"^Error: update failed: File exists$"]),
    ("bpftool map lookup pinned /sys/fs/bpf/m key 1 0 0 0", [r"^key: 01 00 00 00  value: 09 02 03 04 05 06 07 08$"]),
    ("bpftool map lookup pinned /sys/fs/bpf/m key 7 0 0 0", [r"^key:$", r"^07 00 00 00 ?$", r"^Not found$"]),
    ("bpftool map dump pinned /sys/fs/bpf/m", [r"^key: 01 00 00 00  value: 09 ", r"^Found 1 element$"]),
    ("bpftool map getnext pinned /sys/fs/bpf/m", [r"^key: None$", r"^next key:$", r"^01 00 00 00 ?$"]),
    ("bpftool map delete pinned /sys/fs/bpf/m key 1 0 0 0", []),
    ("bpftool map delete pinned /sys/fs/bpf/m key 1 0 0 0", [r"^Error: delete failed: No such file or directory$"]),
    ("bpftool map freeze pinned /sys/fs/bpf/m", []),
    ("bpftool map show pinned /sys/fs/bpf/m", [r"^\tfrozen$|max_entries 3"]),
    ("bpftool map update pinned /sys/fs/bpf/m key 1 0 0 0 value 1 2 3 4 5 6 7 8", [r"^Error: update failed: Operation not permitted$"]),
    ("ls -l /sys/fs/bpf/m", [r"^-rw------- .* /sys/fs/bpf/m$"]),
    ("cat /sys/fs/bpf/m", [r"Input/output error$"]),
    ("rm /sys/fs/bpf/m; until [ -z \"$(bpftool map show name my_map 2> /dev/null)\" ]; do :; done", []),
    ("for t in array percpu_hash percpu_array lru_hash; do bpftool map create /sys/fs/bpf/$t type $t key 4 value 4 entries 2 name t; done; bpftool map show name t",
     [r": array  name t ", r": percpu_hash  name t ", r": percpu_array  name t ", r": lru_hash  name t "]),
    ("bpftool map update pinned /sys/fs/bpf/percpu_array key 0 0 0 0 value 1 0 0 0; bpftool map dump pinned /sys/fs/bpf/percpu_array",
     [r"^key:$", r"^value \(CPU 00\): 01 00 00 00$", r"^value \(CPU 01\): 01 00 00 00$", r"^Found 2 elements$"]),
    ("rm /sys/fs/bpf/array /sys/fs/bpf/percpu_hash /sys/fs/bpf/percpu_array /sys/fs/bpf/lru_hash", []),
    ("bpftool map create /sys/fs/bpf/q type queue key 0 value 4 entries 2 name q; bpftool map enqueue pinned /sys/fs/bpf/q value 7 0 0 0; bpftool map peek pinned /sys/fs/bpf/q; "
     "bpftool map dequeue pinned /sys/fs/bpf/q; bpftool map dequeue pinned /sys/fs/bpf/q; rm /sys/fs/bpf/q", [r"^value: 07 00 00 00$", r"^value: 07 00 00 00$", r"^Error: empty map$"]),
    ("mkdir /sys/fs/bpf/d; bpftool map create /sys/fs/bpf/d/x.y type array key 4 value 4 entries 1 name x", [r"^Error: can't pin the object \(/sys/fs/bpf/d/x\.y\): Operation not permitted$"]),
    ("bpftool -n map create /tmp/x type array key 4 value 4 entries 1 name x; rmdir /sys/fs/bpf/d; ls /sys/fs/bpf", [r"^Error: no BPF file system found, not mounting it due to --nomount option$"]),
]

PROGRAMS = [
    ("mkdir /sys/fs/bpf/p; bpftool prog loadall bpftool_prog.o /sys/fs/bpf/p pinmaps /sys/fs/bpf/p; ls /sys/fs/bpf/p", [r"\bcount\b", r"\bcounts\b", r"\bfilter\b"]),
    ("bpftool prog show pinned /sys/fs/bpf/p/count", [r"^\d+: raw_tracepoint  name count  tag [0-9a-f]{16}  gpl$", r"^\tloaded_at \d{4}-\S+  uid 0$",
                                                      r"^\txlated \d+B  jited \d+B  memlock \d+B  map_ids \d+$", r"^\tbtf_id \d+$"]),
    ("bpftool prog show name filter", [r"^\d+: socket_filter  name filter  tag f7b20f7af67e4318  gpl$", r"^\txlated 16B  jited \d+B"]),
    ("bpftool prog dump xlated pinned /sys/fs/bpf/p/count", [
        r"^int count\(void \* ctx\):$", r"^; return add\(bpf_map_lookup_elem\(&counts, &key\), 5\);$", r"\(18\) r1 = map\[id:\d+\]$",
        r"\(85\) call pc\+\d+#bpf_prog_[0-9a-f]{16}_add$", r"\(95\) exit$", r"^int add\(u64 \* value, int by\):$", r"\(db\) lock \*\(u64 \*\)\(r1 \+0\) \+= r\d$", r"\(95\) exit$"]),
    ("bpftool prog dump xlated pinned /sys/fs/bpf/p/filter opcodes", [r"^   0: \(b7\) r0 = 42$", r"^       b7 00 00 00 2a 00 00 00$", r"^   1: \(95\) exit$"]),
    ("bpftool -j prog show name filter", [r'"type":"socket_filter","name":"filter","tag":"f7b20f7af67e4318","gpl_compatible":true', r'"bytes_xlated":16,"jited":true']),
    ("head -c 64 /dev/zero > z; bpftool prog run pinned /sys/fs/bpf/p/filter data_in z data_out - repeat 100", [r"^0000030\t0000", r"^Return value: 42, duration \(average\): \d+ns$"]),
    ("bpftool prog run pinned /sys/fs/bpf/p/filter data_in /dev/null", [r"^Error: failed to (run program|read)"]),
    ("bpftool map dump pinned /sys/fs/bpf/p/counts", [r'"key": 0,', r'"value": 0$', r'"key": 1,', r'"value": 0$', r'"key": 3,']),
    ("sysctl -w kernel.bpf_stats_enabled=1; bpftool prog run pinned /sys/fs/bpf/p/filter data_in z repeat 10; bpftool prog show name filter; sysctl -w kernel.bpf_stats_enabled=0",
     [r"gpl run_time_ns \d+ run_cnt 10$"]),
    ("bpftool btf show", [r"^1: name \[vmlinux\]  size \d+B$", r"^\d+: name <anon>  size \d+B  prog_ids \d+,\d+  map_ids \d+$"]),
    ("bpftool btf dump prog name filter", [r"FUNC 'filter' type_id=\d+ linkage=global$"]),
    ("bpftool btf dump map pinned /sys/fs/bpf/p/counts key", [r"TYPEDEF 'u32' type_id=\d+$"]),
    ("bpftool prog pin name filter /sys/fs/bpf/again; rm -r /sys/fs/bpf/p; bpftool prog show name filter; rm /sys/fs/bpf/again", [r"^\d+: socket_filter  name filter "]),
    ("until [ -z \"$(bpftool prog show; bpftool map show)\" ]; do :; done; bpftool btf show", [r"\A1: name \[vmlinux\]  size \d+B\Z"]),
    ("bpftool -n prog load bpftool_prog.o /tmp/x", [r"^Error: no BPF file system found, not mounting it due to --nomount option$"]),
]

TYPES = [
    ("bpftool btf dump id 1 | head -2", [r"^\[1\] \w+ '", r"^\[2\] \w+ "]),
    ("bpftool btf dump id 1 format c | grep -A3 '^struct list_head {'", [r"^struct list_head \{$", r"^\tstruct list_head \*next;$", r"^\tstruct list_head \*prev;$", r"^\};$"]),
    ("bpftool btf dump id 77", [r"^Error: get btf by id \(77\): No such file or directory$"]),
    ("bpftool btf dump file /sys/kernel/btf/vmlinux format c | wc -l", [r"^[1-9]\d{3,}$"]),
    ("bpftool link show; bpftool perf show", []),
    ("bpftool prog help 2>&1 | head -1", [r"^Usage: bpftool prog "]),
]

# Linux has these, too.
FEATURES = ["bpf() syscall is available", "JIT compiler is enabled", "bpf() syscall restricted to privileged users (admin can change)"] + [
    f"eBPF program_type {name} is available" for name in ("socket_filter", "kprobe", "tracepoint", "perf_event", "raw_tracepoint", "tracing", "syscall")] + [
    f"eBPF map_type {name} is available" for name in (
        "hash", "array", "prog_array", "perf_event_array", "percpu_hash", "percpu_array", "stack_trace", "cgroup_array", "lru_hash", "lru_percpu_hash",
        "lpm_trie", "array_of_maps", "hash_of_maps", "queue", "stack", "ringbuf", "bloom_filter")]
# Debian's Linux has them; docs/architecture.md says why nop5 has not.
ABSENT = [f"eBPF program_type {name} is NOT available" for name in ("xdp", "sched_cls", "cgroup_skb", "sk_lookup", "struct_ops", "ext")] + [
    f"eBPF map_type {name} is NOT available" for name in ("devmap", "sockmap", "cpumap", "sk_storage", "struct_ops", "user_ringbuf")]


@pytest.fixture(scope="module")
def machine(images, tmp_path_factory):
    program = tmp_path_factory.mktemp("bpftool") / "bpftool_prog.o"
    subprocess.run(["clang", "-g", "-O2", "-target", "bpf", "-c", ROOT / "tests/boot/data/bpftool_prog.c", "-o", program], check=True)
    with machine_with(images, "bpftool", ["bpftool", f"{program}:root/bpftool_prog.o"], cpus=2, mem="512M") as machine:
        machine.check("cd /root")
        yield machine


@pytest.mark.parametrize("session", [MAPS, PROGRAMS, TYPES], ids=["maps", "programs", "types"])
def test_bpftool_prints_what_it_prints_on_linux(machine, session):
    for command, patterns in session:
        text = machine.run(f"({command}) 2>&1").output.strip("\n")
        has_in_order(text, patterns)
        if not patterns:
            assert "rror" not in text, f"{command}: {text}"


def test_bpftool_finds_the_features_that_there_are(machine):
    lines = machine.fetch("bpftool feature probe kernel 2> /dev/null").splitlines()
    assert [line for line in FEATURES + ABSENT if line not in lines] == []
    helpers = {}
    for line in lines:
        if match := re.match(r"eBPF helpers supported for program type (\w+):", line):
            names = helpers.setdefault(match.group(1), [])
        elif match := re.match(r"\t- bpf_(\w+)$", line):
            names.append(match.group(1))
    assert {"map_lookup_elem", "probe_read_kernel", "get_current_comm", "perf_event_output", "get_stackid", "get_attach_cookie", "ringbuf_reserve", "loop"} <= set(helpers["kprobe"])
    assert {"skb_load_bytes", "tail_call"} <= set(helpers["socket_filter"]) and "get_current_comm" not in helpers["socket_filter"]


def test_a_user_sees_and_makes_nothing(machine):
    for command in ("bpftool prog show", "bpftool map create /sys/fs/bpf/u type array key 4 value 4 entries 1 name u"):
        assert "Operation not permitted" in machine.run(f"su -s /bin/sh nobody -c '{command}' 2>&1").output
