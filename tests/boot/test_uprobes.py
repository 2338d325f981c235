"""Probes in programs: uprobe_events, and what programs compute while probes are in them.

The program is data/probed.c. Commands and entries are compared with those of Linux 6.1 (data/linux_uprobes.txt), which
`tests/boot/test_uprobes.py tools/linux-ref` records.
"""
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from nop5 import ROOT, Nop5, eventually  # noqa: E402
from probed import DATA, build, instructions  # noqa: E402

RECORDED = DATA / "linux_uprobes.txt"
BAD = re.compile(r"BUG|WARNING|Oops|Call Trace|(?<!trace_)uprobe: |preempt_count is")


def script(addresses, offsets):
    def number(match):
        return hex((addresses if match[1] == "ADDRESS" else offsets)[match[2]])
    return re.sub(r"(ADDRESS|OFFSET)_(\w+)", number, (DATA / "uprobes.sh").read_text())


def normal(output):
    """Without what differs from one compiler, shell or machine to the next."""
    output = re.sub(r"0x[0-9a-f]+", "0x?", output)
    return [line.rstrip() for line in output.splitlines() if line.strip() and "offset mismatch" not in line]


def without(lines, command):
    """Without what a command has printed."""
    result, skip = [], False
    for line in lines:
        skip = line.startswith(command) or (skip and not line.startswith("== "))
        if not skip:
            result.append(line)
    return result


class Probed:
    """A machine with the program."""

    def __init__(self, images, directory):
        self.program, self.addresses, self.offsets = build(directory)
        (directory / "uprobes.sh").write_text(script(self.addresses, self.offsets))
        archive = directory / "root.cpio"
        subprocess.run([ROOT / "scripts/rootfs", archive, self.program, f"{directory}/uprobes.sh:/uprobes.sh"], check=True)
        self.machine = Nop5(build=images, cpus=4, initrd=str(archive)).wait_prompt()
        self.machine.check("stty cols 4000; cd /sys/kernel/tracing")

    def at(self, name):
        return f"/bin/probed:{self.offsets[name]:#x}"

    def instructions(self, function, only=""):
        return instructions(self.program, function, self.addresses[function] - self.offsets[function], only)

    def define(self, *commands):
        self.machine.check("echo 0 > events/enable; echo > uprobe_events")
        for first in range(0, len(commands), 20):
            lines = "\\n".join(commands[first:first + 20])
            self.machine.check(f"printf '{lines}\\n' >> uprobe_events")

    def enable(self, on=True):
        self.machine.check(f"echo {int(on)} > events/uprobes/enable")

    def run(self, what):
        return self.machine.check(f"/bin/probed {what}").strip()

    def hits(self):
        """{name of the event: hits}"""
        found = {}
        for line in self.machine.check("cat uprobe_profile").splitlines():
            _, name, hits = line.split()
            found[name] = found.get(name, 0) + int(hits)
        return found


@pytest.fixture(scope="module")
def probed(images, tmp_path_factory):
    probed = Probed(images, tmp_path_factory.mktemp("probed"))
    yield probed
    probed.machine.check("echo 0 > events/enable; echo > uprobe_events")
    assert not BAD.search(probed.machine.text), probed.machine.says
    probed.machine.close()


def test_commands_errors_and_entries_are_those_of_linux(probed):
    found, recorded = normal(probed.machine.check("sh /uprobes.sh 2>&1")), RECORDED.read_text().splitlines()
    # symstr is for symbols of the kernel. Linux 6.1 takes it for uprobes, too; later Linux refuses it, and so do we.
    symstr = "== p /bin/probed:0x? a=%ax:symstr =>"
    assert f"{symstr} Invalid argument" in found and symstr in recorded
    assert without(found, symstr) == without(recorded, symstr)


def test_a_program_computes_the_same_with_probes_on_all_instructions_of_a_function(probed):
    sums = {n: probed.run(f"sum {n}") for n in (3, 500)}
    offsets = probed.instructions("checksum") + probed.instructions("down")
    assert len(offsets) > 80
    probed.define(*(f"p:all /bin/probed:{offset:#x}" for offset in offsets))
    probed.enable()
    assert {n: probed.run(f"sum {n}") for n in sums} == sums
    probed.enable(False)
    hits = probed.hits()["all"]
    assert hits > 20000
    assert probed.run("sum 500") == sums[500]
    assert probed.hits() == {"all": hits}


@pytest.mark.soak
def test_a_program_computes_the_same_with_a_probe_on_each_instruction_in_turn(probed):
    expected = probed.run("sum 500")
    refused = 0
    for function in ("checksum", "down", "atoi", "strcmp", "strlen", "memcpy", "memchr", "vfprintf", "printf_core", "pop_arg", "__stdio_write"):
        for offset in probed.instructions(function):
            output = probed.machine.run(f"echo p:one /bin/probed:{offset:#x} > uprobe_events; echo 1 > events/uprobes/one/enable && "
                                        "/bin/probed sum 500; echo 0 > events/uprobes/one/enable; echo > uprobe_events").output.strip()
            refused += "Unknown error 524" in output  # syscall
            assert output == expected or "Unknown error 524" in output, f"{function}, {offset:#x}"
    assert refused == 1


def test_hits_are_counted_exactly_in_threads_on_four_cpus(probed):
    probed.define(f"p:add {probed.at('add')}", f"r:addret {probed.at('add')}")
    probed.enable()
    assert probed.run("threads 3000") == f"threads {4 * sum(i + 1 for i in range(3000))}"
    assert probed.hits() == {"add": 12000, "addret": 12000}
    probed.machine.check("for i in 1 2 3 4; do /bin/probed add 2000 > /tmp/$i & done; wait")
    probed.enable(False)
    assert probed.hits() == {"add": 20000, "addret": 20000}


def test_signals_and_longjmp_from_the_alternate_stack_leave_returns_right(probed):
    """Linux loses the returns below a handler on the alternate stack, and ends the program with SIGILL."""
    probed.define(*(f"r:{name} {probed.at(name)}" for name in ("add", "raises", "handler", "leaping_handler")))
    probed.enable()
    assert probed.run("signals 50") == "signals 600"
    probed.enable(False)
    assert probed.hits() == {"add": 100, "raises": 100, "handler": 50, "leaping_handler": 50}


def test_programs_that_are_killed_leave_nothing_behind(probed):
    probed.define(f"p:add {probed.at('add')}", f"r:addret {probed.at('add')}")
    probed.enable()
    probed.machine.check("pids=; for i in 1 2 3 4 5 6 7 8; do /bin/probed spin & pids=\"$pids $!\"; done; "
                         "until [ $(pidof probed | wc -w) = 8 ]; do :; done")
    eventually(lambda: probed.hits()["add"] > 100)
    probed.machine.check("kill -9 $pids; wait 2>/dev/null")
    before = probed.hits()
    assert probed.run("add 10") == "add 65"
    probed.enable(False)
    assert probed.hits()["add"] == before["add"] + 10


def test_probes_come_and_go_in_a_running_program(probed):
    probed.define(f"p:add {probed.at('add')}({probed.offsets['semaphore']:#x})")
    probed.machine.check("mkfifo /tmp/in; (/bin/probed watch > /tmp/out < /tmp/in) & exec 9>/tmp/in")
    for expected in (0, 1, 0, 1, 0):
        probed.enable(bool(expected))
        lines = int(probed.machine.check("wc -l < /tmp/out"))
        probed.machine.check("echo >&9")
        eventually(lambda: int(probed.machine.check("wc -l < /tmp/out")) == lines + 1)
        assert probed.machine.check("tail -n 1 /tmp/out").strip() == f"{expected} 2"
    assert probed.hits() == {"add": 2}
    maps = probed.machine.check("cat /proc/$(pidof probed)/maps")
    assert re.search(r"^[0-9a-f]+-[0-9a-f]+ --xp 00000000 00:00 0 +\[uprobes\]$", maps, re.M)
    probed.machine.check("exec 9>&-; wait; rm /tmp/in")


def test_a_breakpoint_of_the_program_itself_stays_a_sigtrap(probed):
    probed.define(f"p:add {probed.at('add')}")
    probed.enable()
    assert probed.machine.run("/bin/probed breakpoint").status == 128 + 5
    probed.enable(False)


def test_faults_and_single_steps_are_those_of_the_instruction_itself(probed):
    expected = probed.run("faults")
    assert expected.count("ip right") == 3
    probed.define(*(f"p:{name} {probed.at(name)}" for name in ("bad_load", "bad_push_here", "bad_call", "add")),
                  *(f"p:step /bin/probed:{offset:#x}" for offset in probed.instructions("step")))
    probed.enable()
    assert probed.run("faults") == expected
    probed.enable(False)
    hits = probed.hits()
    assert all(hits.values())
    assert hits["bad_load"] == hits["bad_push_here"] == hits["bad_call"] == 1


def test_areas_that_change_keep_their_breakpoints(probed):
    """Among them one that was writable when it was made, for which Linux has none."""
    probed.define(f"p:add {probed.at('add')}")
    probed.enable()
    assert probed.run("areas") == "areas 5"
    probed.enable(False)
    assert probed.hits() == {"add": 6}


def test_no_other_memory_comes_to_the_place_of_the_slots(probed):
    """Signals wait while a task is in a slot: a program that ran its own code there could not be stopped."""
    probed.define(*(f"p:all /bin/probed:{offset:#x}" for offset in probed.instructions("checksum")))
    probed.enable()
    before = probed.run("sum 3").replace("sum", "")
    assert probed.run("sealed").splitlines() == [
        "munmap: Operation not permitted", "munmap of all: Operation not permitted", "mmap: Operation not permitted",
        "mremap from: Operation not permitted", "mremap to: Operation not permitted", "mprotect: Permission denied",
        "sealed 0"]
    assert probed.run("sum 3").replace("sum", "") == before
    probed.enable(False)


def test_backtraces_of_programs_show_no_trampolines(probed):
    """At the calls that down() makes of itself. Linux 6.1 shows addresses in [uprobes]."""
    def stacks(*more):
        probed.define(f"p:inner /bin/probed:{probed.instructions('down', 'call')[0]:#x}", *more)
        probed.machine.check("echo > trace; echo 1 > options/userstacktrace")
        probed.enable()
        assert probed.run("down 3") == "down 4"
        probed.machine.check("echo 0 > events/enable; echo 0 > options/userstacktrace")
        trace = "\n".join(line.rstrip() for line in probed.machine.check("cat trace").splitlines())
        return [stack.split() for stack in re.findall(r"inner: .*\n.*<user stack trace>\n((?: =>  <\w+>\n?)+)", trace)]
    expected = stacks()
    assert len(expected) == 3 and len(expected[0]) < len(expected[1]) < len(expected[2])
    assert stacks(f"r:down {probed.at('down')}") == expected


def storm(probed, seconds):
    """Four shells run programs that fork, while probes come and go. Afterwards the program is as before."""
    add = f"{probed.at('add')}({probed.offsets['semaphore']:#x})"
    probed.define(f"p:add {add}", f"r:ret {add}", f"r:forks {probed.at('forks')}",
                  *(f"p:down /bin/probed:{offset:#x}" for offset in probed.instructions("down")))
    loop = "; ".join(f"[ \"$(/bin/probed {what})\" = \"{probed.run(what)}\" ] || echo BAD {what} >> /tmp/bad"
                     for what in ("fork 3", "down 20", "leap 5", "signals 3", "threads 20"))
    probed.machine.check(f"rm -f /tmp/bad /tmp/stop; for i in 1 2 3 4; do (until [ -e /tmp/stop ]; do {loop}; done) & done")
    probed.machine.check(f"end=$(($(date +%s) + {seconds})); while [ $(date +%s) -lt $end ] || grep -q 'add  *0$' uprobe_profile || ! grep -q 'down  *[1-9]' uprobe_profile; do "
                         "echo 1 > events/uprobes/enable; usleep 3000; echo 0 > events/uprobes/enable; done; touch /tmp/stop; wait")
    assert probed.machine.run("cat /tmp/bad").status
    hits = probed.hits()
    assert hits["add"] and hits["down"]
    assert probed.run("semaphore") == "semaphore 0"
    assert probed.run("down 20") == "down 21"
    assert probed.hits() == hits


def test_programs_fork_and_die_while_probes_come_and_go(probed):
    storm(probed, 3)


@pytest.mark.soak
def test_programs_fork_and_die_while_probes_come_and_go_for_two_minutes(probed):
    storm(probed, 120)


if __name__ == "__main__":
    out, names, places = build(Path("/tmp/probed"))
    reference = subprocess.run([sys.argv[1], "--add", out], input=script(names, places), capture_output=True, text=True, check=True)
    RECORDED.write_text("\n".join(normal(reference.stdout)) + "\n")


def test_a_uprobe_is_not_stepped_in_a_32_bit_segment(boot, tmp_path):
    """IRET to such a segment takes the lower half of the address of the slot, and there a program may have a page of its own."""
    program, archive = tmp_path / "segment32", tmp_path / "rootfs.cpio"
    subprocess.run(["musl-gcc", "-static", "-no-pie", "-Wall", "-Wextra", "-Werror", "-o", program, ROOT / "tests/boot/data/segment32.c"], check=True)
    subprocess.run([ROOT / "scripts/rootfs", archive, program], check=True)
    machine = boot(cpus=1, initrd=str(archive))
    offset = machine.check("segment32 offset").strip()
    machine.check(f"cd /sys/kernel/tracing; echo 'p:seg/x /bin/segment32:{offset}' > uprobe_events; echo 1 > events/seg/x/enable")
    assert machine.check("segment32") == "64 bits: 7\nsignal 5, probed+1\n"
    assert len(re.findall(r": x: ", machine.check("cat trace"))) == 1
