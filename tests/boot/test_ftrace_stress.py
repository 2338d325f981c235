"""Tracing that changes under load, on 8 CPUs: the workloads give right results, and every site matches its record."""
import random
import re
import select
import threading

import pytest

from seed import seed

GLOBS = ["*", "*sched*", "*lock*", "vfs_*", "*_read*", "[a-f]*", "*e?t*", "*irq*", "__x64_sys_* ksys_*", "*page*", "__*", "k*"]
TRACING = "/sys/kernel/tracing"
BAD = re.compile(r"BUG|WARNING|Oops|lockup|LOCKUP|mismatch at|blocked for more")


def change(chance):
    """Return a line of commands that change the tracer."""
    glob = chance.choice(GLOBS)
    return chance.choice([
        "echo function > current_tracer",
        "echo nop > current_tracer",
        f"echo '{glob}' > set_ftrace_filter",
        f"echo '{glob}' >> set_ftrace_filter",
        f"echo '!{glob}' >> set_ftrace_filter",
        f"echo '{glob}' > set_ftrace_notrace",
        "echo > set_ftrace_filter; echo > set_ftrace_notrace",
        "echo 1 > options/func_stack_trace",
        "echo 0 > options/func_stack_trace",
        f"echo {chance.choice([8, 64, 500, 1024])} > buffer_size_kb",
        "head -n 40 trace > /tmp/head",
        "cat per_cpu/cpu3/stats > /tmp/stats",
        "echo 0 > tracing_on; echo > trace; echo 1 > tracing_on",
    ])


def storm(machine, rounds, fixed=3):
    """Switch the tracer on and off this many times, with other changes in between, while the workloads run."""
    chance = random.Random(seed(fixed))
    machine.check(f"cd {TRACING}")
    for number in range(rounds):
        if number % 10 == 0:
            machine.send("stress -c 8 -m 4 -t 2 &\n")
            machine.wait_prompt()
            machine.send("hackbench -g 2 -l 40 &\n")
            machine.wait_prompt()
        commands = ["echo function > current_tracer", *(change(chance) for _ in range(2)), "echo nop > current_tracer"]
        machine.command_output("; ".join(commands))
        if number % 10 == 9:
            assert not re.search("mismatch|fail", machine.check("wait"))
            verify(machine)
    machine.check("wait")
    machine.check("echo nop > current_tracer; echo > set_ftrace_filter; echo > set_ftrace_notrace")


def verify(machine):
    text = machine.check("cat /sys/kernel/debug/ftrace_verify")
    assert re.fullmatch(r"\d+ sites, 0 mismatches\n", text), text


def sound(machine):
    """Check that all sites are nops, that the workloads still run, and that the kernel has printed no complaint."""
    verify(machine)
    assert machine.check(f"cat {TRACING}/enabled_functions") == ""
    assert machine.check("hackbench -g 2 -l 20")
    assert not re.search("mismatch|fail", machine.check("stress -c 8 -m 8 -t 1"))
    assert not BAD.search(machine.text), BAD.search(machine.text)
    assert machine.check("tail -n 1 /sys/kernel/debug/page_tables").strip() == "W+X pages: 0"


def figure(machine, name):
    return int(re.search(rf"{name}: (\d+)", machine.check("cat /sys/kernel/debug/text_patch")).group(1))


@pytest.mark.soak
def test_switching_the_tracer_under_load_leaves_every_site_matching_its_record(boot):
    machine = boot(cpus=8, mem="512M")
    storm(machine, 20)
    assert figure(machine, "breakpoints") > 0, "no CPU ran into a half-patched site"
    sound(machine)


@pytest.mark.soak
def test_nmis_while_sites_are_patched_and_events_are_written_lose_nothing(boot):
    machine = boot(cpus=4)

    def nmis():
        line = re.search(r"^ *NMI: +(.*?)  +Non-maskable interrupts$", machine.check("cat /proc/interrupts"), re.M)
        return sum(map(int, line.group(1).split()))

    before, stop = nmis(), threading.Event()

    def fire():
        while not stop.wait(0.002):
            machine.qemu_command("nmi")

    def read_echo():
        # QEMU echoes the commands to its monitor, and blocks if the echo is not read.
        while threads[0].is_alive():
            if select.select([machine.monitor], [], [], 0.1)[0]:
                machine.monitor.recv(65536)

    threads = [threading.Thread(target=t, daemon=True) for t in (fire, read_echo)]
    for thread in threads:
        thread.start()
    try:
        machine.check(f"cd {TRACING}")
        while nmis() - before < 2000:
            machine.check("echo function > current_tracer")
            machine.check("hackbench -g 1 -l 5")
            machine.check("echo nop > current_tracer")
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    machine.check("echo 0 > tracing_on")
    total = {"entries": 0, "overrun": 0, "dropped events": 0, "read events": 0}
    for cpu in range(4):
        stats = machine.check(f"cat per_cpu/cpu{cpu}/stats")
        for key in total:
            total[key] += int(re.search(rf"^{key}: (\d+)$", stats, re.M).group(1))
        assert "commit overrun: 0\n" in stats
    kept, written = map(int, re.search(r"entries-written: (\d+)/(\d+)", machine.check("head -n 3 trace")).groups())
    assert (kept, written) == (total["entries"], total["entries"] + total["overrun"])
    sound(machine)


@pytest.mark.soak
def test_a_thousand_switches_under_load(boot):
    machine = boot(cpus=8, mem="512M")
    storm(machine, 1000, fixed=7)
    sound(machine)
