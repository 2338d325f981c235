"""Debian's perf, unmodified, inside nop5: its commands, and its own tests, beside what they give on Linux 6.1.

All of it is in `make soak` only, because it downloads some packages. Two tables say what nop5 cannot do yet, and each of
their lines must be true: data/perf_not_yet.txt names the commands that fail, and data/perf_test.txt has the result of each
of perf's own tests on Linux and on nop5. Whoever makes a line better changes the table.
"""
import re
import shutil
import subprocess

import pytest

import perf_commands
from conftest import BAD
from nop5 import ROOT, Nop5, host

pytestmark = pytest.mark.soak


def booted(images, root, mem):
    machine = Nop5(build=images, cpus=2, mem=mem, initrd=root).wait_prompt()
    machine.check("cd /root; export HOME=/root TERM=dumb")
    return machine


@pytest.fixture(scope="module")
def machine(images, perf_small):
    machine = booted(images, perf_small, "1G")
    yield machine
    assert not BAD.search(machine.text), machine.says
    machine.close()


@pytest.fixture(scope="module")
def results(images, perf_root):
    """{number: result} of perf's own tests on nop5, and the whole output."""
    text = ""
    with booted(images, perf_root, "2G") as machine:
        for lot in perf_commands.lots():
            machine.run(f"perf test {lot} > /tmp/out 2>&1")
            text += machine.fetch("cat /tmp/out")
        assert not BAD.search(machine.text), machine.says
    return perf_commands.results_of(text), text


def commands():
    reasons = perf_commands.not_yet()
    return [pytest.param(name, marks=[pytest.mark.xfail(reason=reasons[name], strict=True)] if name in reasons else [])
            for name in perf_commands.COMMANDS]


@pytest.mark.parametrize("name", commands())
def test_command_prints_what_it_prints_on_linux(machine, name):
    command, pattern = perf_commands.COMMANDS[name]
    machine.run(f"({command}) > /tmp/out 2>&1")
    output = machine.fetch("cat /tmp/out")
    assert re.search(pattern, perf_commands.ESCAPE.sub("", output), re.M), output


def test_list_has_each_event_of_tracefs(machine):
    listed = set(re.findall(r"^  (\S+:\S+) +\[Tracepoint event\]$", machine.fetch("perf list tracepoint"), re.M))
    assert set(machine.fetch("cat /sys/kernel/tracing/available_events").split()) - listed == set()


def test_a_probe_that_perf_adds_gives_events(machine):
    machine.check("echo 1 > /sys/kernel/tracing/tracing_on")  # perf ftrace leaves it at 0, as on Linux
    machine.check("perf probe -q --add 'vfs_read%return ret=$retval'; echo 1 > /sys/kernel/tracing/events/probe/enable")
    machine.check("md5sum /etc/passwd > /dev/null; echo 0 > /sys/kernel/tracing/events/probe/enable")
    assert re.search(r"md5sum-\d+ .* vfs_read__return: \(\w+\+0x\w+/0x\w+ <- vfs_read\) ret=0x\w+", machine.fetch("cat /sys/kernel/tracing/trace"))
    machine.check("perf probe -q -d '*'; echo > /sys/kernel/tracing/trace")
    assert machine.check("cat /sys/kernel/tracing/kprobe_events") == ""


def test_ftrace_of_perf_leaves_the_tracer_off(machine):
    machine.check("perf ftrace trace -T vfs_open -- true > /tmp/out 2>&1; perf ftrace latency -T vfs_open -- true > /tmp/out 2>&1")
    assert machine.check("cat /sys/kernel/tracing/current_tracer") == "nop\n"
    assert machine.check("cat /sys/kernel/tracing/set_ftrace_filter") == "#### all functions enabled ####\n"


@pytest.fixture(scope="module")
def recording(machine, images, tmp_path_factory):
    """A perf.data of hackbench that was recorded inside, and the arguments by which a perf of the host knows its functions."""
    directory = tmp_path_factory.mktemp("perf")
    programs = directory / "root/usr/bin"
    programs.mkdir(parents=True)
    shutil.copy(images / "user/hackbench", programs)
    machine.check("perf record -q -o d -e cpu-clock -g hackbench -g 1 -l 100 > /tmp/out 2>&1")
    (directory / "perf.data").write_bytes(machine.fetch_bytes("cat d"))
    return directory / "perf.data", ["-k", images / "nop5.elf", "--symfs", directory / "root"]


def test_perf_of_the_host_names_functions_of_the_kernel_and_of_programs(recording):
    data, where = recording
    script, report = (host(["perf", command, "-i", data, *where], stdout=subprocess.PIPE, text=True, check=True).stdout
                      for command in ("script", "report"))
    # nop5.elf has symbols inside of assembly functions, which /proc/kallsyms has not: entry_SYSCALL_64_after_hwframe.return.
    assert re.search(r"^hackbench-send +\d+ +[\d.]+: +\d+ cpu-clock: *\n(?:\t.*\n)*\t[0-9a-f]{16} vfs_write\+0x\w+ \(\[kernel\.kallsyms\]\)\n(?:\t.*\n)*"
                     r"\t[0-9a-f]{16} entry_SYSCALL_64_after_hwframe\S* \(\[kernel\.kallsyms\]\)\n\t +[0-9a-f]+ \w+\+0x\w+ \(/usr/bin/hackbench\)", script, re.M), script
    assert re.search(r"^ +[\d.]+% +[\d.]+% +hackbench-send +\[kernel\.kallsyms\] +\[k\] vfs_write", report, re.M), report
    assert re.search(r"^ +[\d.]+% +[\d.]+% +hackbench-send +hackbench +\[\.\] [a-z_]\w+", report, re.M), report


def test_stacks_of_a_recording_are_folded_for_a_flame_graph(recording, tmp_path):
    data, where = recording
    folded = tmp_path / "folded"
    host([ROOT / "scripts/trace-convert", data, "-f", "folded", "-o", folded, "--", *where], check=True)
    stacks = dict(line.rsplit(" ", 1) for line in folded.read_text().splitlines())
    samples = len(re.findall(r"^\S", host(["perf", "script", "-i", data, "-F", "comm,period,ip"], stdout=subprocess.PIPE, text=True, check=True).stdout, re.M))
    assert sum(map(int, stacks.values())) == samples * 250000  # the period of cpu-clock at 4 kHz
    assert any(re.fullmatch(r"hackbench-send;.*;entry_SYSCALL_64_after_hwframe[^;]*;.*;vfs_write;.*", stack) for stack in stacks), stacks
    picture = host([ROOT / "scripts/flamegraph", folded], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "vfs_write" in picture
    refused = host([ROOT / "scripts/trace-convert", data, "-f", "json"], stderr=subprocess.PIPE, text=True)
    assert refused.returncode == 2 and "invalid choice: 'json'" in refused.stderr


@pytest.mark.parametrize("number", perf_commands.table())
def test_test_of_perf_has_the_result_of_the_table(results, number):
    found, text = results
    linux, nop5, what = perf_commands.table()[number]
    now = found.get(number, "none")
    assert now == nop5, f"{number:<5} {linux:<7} {now:<7} {what}\nis the line that is true now in {perf_commands.TABLE}\n{text}"


def test_the_table_has_each_test_of_perf(results):
    assert results[0].keys() == perf_commands.table().keys()


def test_the_list_names_commands_that_exist():
    assert perf_commands.not_yet().keys() <= perf_commands.COMMANDS.keys()
