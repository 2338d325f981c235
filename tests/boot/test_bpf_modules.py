"""eBPF programs at functions and tracepoints of modules: one of ours, Debian's unmodified bpftrace and bpftool, as on Linux 6.1.

All of it is in `make soak` only, because it downloads some thirty packages. Each read of sample-count's file calls the module's function
that shows it; the thread of trace-events-sample calls its tracepoints once a second.
"""
import re

import pytest

from conftest import machine_with
from nop5 import has_in_order

pytestmark = pytest.mark.soak
SHOW = "sample_count_show"
READ = "cat /sys/kernel/debug/sample-count"
# {what bpftrace runs beside a loop of reads: regular expressions that its output has in this order}
PROGRAMS = {
    f"kfunc:{SHOW} {{ @[comm, args->m->size] = count(); }}": [r"@\[cat, 4096\]: [1-9]\d*"],
    f"kretfunc:sample_count:{SHOW} {{ @[retval] = count(); @m[args->m->count > 0] = count(); }}": [r"@\[0\]: [1-9]\d*", r"@m\[1\]: [1-9]\d*"],
    f"kprobe:{SHOW} {{ @[func] = count(); }}": [rf"@\[{SHOW}\]: [1-9]\d*"],
    f"kretprobe:{SHOW} {{ @[retval] = count(); }}": [r"@\[0\]: [1-9]\d*"],
}


@pytest.fixture(scope="module")
def machine(images, bpf_programs):
    program = bpf_programs("tests/boot/data/module-programs") / "at-modules"
    with machine_with(images, "bpf_modules", [images / "modroot", program, "bpftrace", "bpftool"], cpus=2, mem="2G") as machine:
        machine.check("mkfifo /tmp/in")
        yield machine


@pytest.fixture
def modules(machine):
    machine.check("modprobe sample-count; modprobe trace-events-sample")
    yield machine
    machine.check("rmmod sample-count; rmmod trace-events-sample")
    assert machine.run("ls /sys/kernel/btf; bpftool prog; bpftool link").lines == ["vmlinux"]


def start(machine, command):
    """Start our program, whose standard input is the shell's descriptor 5, and wait until it is ready."""
    machine.check(f"{command} < /tmp/in > /tmp/out 2> /dev/null & exec 5> /tmp/in; until grep -q ready /tmp/out; do sleep 0.1; done")


def end(machine):
    machine.check("exec 5>&-; wait $!; true")
    return machine.fetch("cat /tmp/out")


def ids(machine):
    """{name: id} of the types of the kernel and its modules."""
    return {name: int(number) for number, name in re.findall(r"^(\d+): name \[(\w+)\]", machine.run("bpftool btf list").output, re.M)}


def test_types_of_a_module_continue_those_of_the_kernel(modules):
    kernel = modules.run("bpftool btf dump file /sys/kernel/btf/vmlinux | grep -c '^\\['").output
    text = modules.run("bpftool btf dump -B /sys/kernel/btf/vmlinux file /sys/kernel/btf/sample_count").output
    types = re.findall(r"^\[(\d+)\] (\w+) '(.*?)'", text, re.M)
    assert [int(number) for number, _, _ in types] == list(range(int(kernel) + 1, int(kernel) + 1 + len(types)))
    assert {"FUNC " + SHOW, "FUNC count_call"} <= {f"{kind} {name}" for _, kind, name in types}


def test_each_load_of_a_module_gives_new_ids(modules):
    first = ids(modules)
    assert sorted(first) == ["sample_count", "trace_events_sample", "vmlinux"] and first["vmlinux"] == 1
    modules.check("rmmod sample-count")
    assert sorted(ids(modules)) == ["trace_events_sample", "vmlinux"]
    modules.check("modprobe sample-count")
    assert ids(modules)["sample_count"] > max(first.values())


def test_an_open_file_of_types_that_have_gone_says_enodev(modules):
    modules.check("exec 6< /sys/kernel/btf/sample_count; rmmod sample-count; modprobe sample-count")
    assert "No such device" in modules.run("cat <&6").output
    modules.check("exec 6<&-")


def test_programs_at_a_module_count_what_it_does_and_keep_it(modules):
    start(modules, "at-modules")
    sample = ids(modules)["sample_count"]
    assert f"target_obj_id:\t{sample}\n" in modules.run("cat /proc/$!/fdinfo/*").output + "\n"
    for name in ("sample-count", "trace-events-sample"):
        assert modules.run(f"rmmod {name}").status == 1
    for _ in range(5):
        modules.check(f"{READ} > /dev/null")
    modules.check("sleep 3")
    counts = dict(re.findall(r"(\w+) (\d+)", end(modules)))
    assert [counts[name] for name in ("entries", "files", "returns")] == ["5"] * 3
    times = int(counts["typed"])
    assert int(counts["raw"]) == times >= 2
    assert (int(counts["sum"]) - times * (times - 1) // 2) % times == 0  # the numbers of the tracepoint follow each other


def test_a_program_for_a_module_that_has_gone_cannot_be_attached(modules):
    start(modules, "at-modules later")
    modules.check("rmmod sample-count; rmmod trace-events-sample; modprobe sample-count; modprobe trace-events-sample")
    modules.check("echo >&5")
    # The raw tracepoint has a name only.
    assert end(modules).split()[1:] == "show_begins 2 show_ends 2 raw_foo_bar 0 typed_foo_bar 2".split()


def test_bpftrace_lists_the_functions_of_a_module_with_their_arguments(modules):
    text = modules.run("bpftrace -lv 'kfunc:sample_count:*'").output
    assert f"kfunc:sample_count:{SHOW}\n    struct seq_file * m\n    void * unused\n    int retval" in text


@pytest.mark.parametrize("program", PROGRAMS)
def test_bpftrace_sees_the_calls_of_a_function_of_a_module(modules, program):
    modules.check(f"(while :; do {READ}; done) > /dev/null & reader=$!")
    modules.run(f"bpftrace -e '{program} interval:s:2 {{ exit(); }}' > /tmp/out 2>&1")
    modules.check("kill $reader; wait $reader; true")
    has_in_order(modules.fetch("cat /tmp/out"), PROGRAMS[program])


def test_a_module_of_another_kernel_has_no_types(images, boot):
    """The kernel with the self-tests has other types. The module works without its own."""
    machine = boot(kernel="nop5-test", build=images, initrd=str(images / "rootfs.cpio"))
    machine.check("modprobe sample-count")
    assert machine.run("ls /sys/kernel/btf").lines == ["vmlinux"]
    assert machine.run(READ).lines[0].endswith(" calls")
