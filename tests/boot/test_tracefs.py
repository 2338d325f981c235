"""The files of tracefs answer as those of Linux 6.1 do, and docs/tracefs.md lists all of them."""
import re

import pytest

from clones import machine_at_prompt
from nop5 import ROOT

TRACING = "/sys/kernel/tracing"
PAGE = ROOT / "docs/tracefs.md"
RECORDED = ROOT / "tests/boot/data/linux_tracefs.txt"  # by Linux 6.1, from a shell in its tracefs


@pytest.fixture(scope="module")
def machine(images):
    machine = machine_at_prompt(build=images, cpus=2, kernel="nop5-test", append="traceoff_after_boot ftrace_boot_snapshot")
    machine.check(f"cd {TRACING}")
    yield machine
    machine.close()


def test_the_boot_ends_with_a_snapshot_and_with_tracing_off(machine):
    assert "tracing: off after the boot" in machine.text
    assert machine.check("cat tracing_on") == "0\n"
    assert "* Snapshot is allocated *" in machine.check("cat snapshot")
    machine.check("echo 0 > snapshot; echo 1 > tracing_on")


def test_commands_answer_as_on_linux(machine):
    wrong = []
    for block in re.split(r"^\$ ", RECORDED.read_text(), flags=re.M)[1:]:
        command, _, expected = block.partition("\n")
        answer = machine.command_output(command)
        if answer != expected:
            wrong.append(f"{command}\n  Linux: {expected!r}\n  nop5:  {answer!r}")
    assert not wrong, "\n".join(wrong)


def test_mount_options_set_the_owner_of_what_is_there_and_new_files_inherit_it(machine):
    def owners(*names):
        return [machine.check(f"stat -c %u:%g:%a {name}").strip() for name in names]

    machine.check("ls /sys/kernel/debug/tracing/trace")  # it is mounted there at the first walk
    machine.check("mount -o remount,uid=1,gid=100,mode=750 .")
    assert owners(".", "trace", "events/sched/sched_switch/enable") == ["1:100:750", "1:100:640", "1:100:640"]
    assert machine.check("grep -c ,uid=1,gid=100,mode=750 /proc/mounts") == "2\n"
    machine.check("chgrp 5 instances; mkdir instances/a")
    assert owners("instances/a/events/sched", "instances/a/trace") == ["1:5:750", "1:5:640"]
    assert machine.run("mount -o remount,gid=x .").status and owners("trace") == ["1:100:640"]
    machine.check("rmdir instances/a; mount -o remount,unknown=1,uid=0,gid=0,mode=700 .")
    assert owners(".", "instances", "trace") == ["0:0:700", "0:0:750", "0:0:640"]
    assert not machine.run("grep -E 'tracefs.*(uid|gid|mode)=' /proc/mounts").output


def rows(heading):
    """Returns the names in the first column of the table below a heading of the page."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.M | re.S)[1]
    cells = re.findall(r"^\| (`.*?) \|", section, re.M)
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


@pytest.mark.parametrize("heading, directory", [
    ("The top level", "."), ("Each CPU", "per_cpu/cpu0"), ("Settings of hwlat", "hwlat_detector"), ("Settings of osnoise and timerlat", "osnoise"),
    ("Options", "options")])
def test_the_page_lists_the_files_of_a_directory(machine, heading, directory):
    assert rows(heading) == set(machine.check(f"ls {directory}").split())


# Tests of Linux's suites, 6.1 and 6.12, run only if README has these texts.
README_TEXTS = (
    "%pd/%pD", "' >> synthetic_events", "<argname>", "<var1>=<field|var_ref|numeric_literal>", "Create/append/", "[gid=<gid>]", "x8/16/32/64", "$arg<N>",
    "e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>]", "f[:[<group>/][<event>]] <func-name>[%return] [<args>]",
    "t[:[<group>/][<event>]] <tracepoint> [<args>]", "s:[synthetic/]", "r[maxactive]", "<symbol>[+<offset>]%return", "kernel return probes support:",
    "place (kretprobe): [<module>:]<symbol>", "place: [<module>:]<symbol>", "char name[]' >> synthetic_events", "long[] stack' >> synthetic_events",
    "onchange(var)", "snapshot()", "trace(<synthetic_event>", "can be any field, or the special string 'common_stacktrace'")


def test_the_readme_names_every_file_and_has_what_the_suites_require(machine):
    readme = machine.check("cat README")
    assert not [name for name in machine.check("ls").split() if not re.search(rf"\b{name}\b", readme) and name != "README"]
    assert not [text for text in README_TEXTS if text not in readme]


def test_an_instance_has_the_files_that_the_page_marks(machine):
    machine.check("mkdir instances/a")
    files = set(machine.check("ls instances/a").split())
    machine.check("rmdir instances/a")
    marked = set(re.findall(r"^\| `(\w+)` \| yes \|", PAGE.read_text(), re.M))
    assert marked == files


def test_the_tests_that_the_page_names_use_the_files():
    for line in re.findall(r"^\| `.*`test_\w+` \|$", PAGE.read_text(), re.M):
        test = (ROOT / f"tests/boot/{re.findall('`(test_[a-z_]+)`', line)[-1]}.py").read_text() + RECORDED.read_text()
        for name in re.findall("`([^`]+)`", line.split(" | ")[0]):
            assert name in test, line


def test_a_warning_turns_tracing_off_where_it_is_asked_for(machine):
    sysctl = "/proc/sys/kernel/traceoff_on_warning"
    provoke = "echo WARNING > /sys/kernel/debug/provoke-crash/DIRECT"
    assert machine.check(f"cat {sysctl}") == "0\n"
    machine.check(f"echo 1 > tracing_on; {provoke}")
    assert machine.check("cat tracing_on") == "1\n"
    machine.check(f"echo 1 > {sysctl}; echo > trace; {provoke}; echo 0 > {sysctl}")
    assert machine.check("cat tracing_on") == "0\n"
    assert "a warning turns tracing off" in machine.check("tail -n 1 trace")
    machine.check("echo 1 > tracing_on")
