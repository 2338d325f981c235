"""pstore with ramoops: the messages of the last boot in /sys/fs/pstore. The commands are those of docs/pstore.md.

All tests use one machine, which restarts again and again inside the same QEMU. They run in this order.
"""
import re

import pytest

from nop5 import ROOT, Nop5
from reboots import RESET, area, reset_with_flips, run_page, wait_for_restart, words_of
from seed import seed

PAGE = ROOT / "docs/pstore.md"
CRASH = "/sys/kernel/debug/provoke-crash/DIRECT"
RECORD, CONSOLE, FTRACE, PMSG = 16384, 65536, 65536, 4096  # the sizes of the page's command line


@pytest.fixture(scope="module")
def machine(images):
    """A machine after the commands of the page."""
    nop5 = Nop5(kernel="nop5-test", build=images, cpus=4, append=words_of(PAGE), extra=RESET)
    nop5.wait_prompt()
    # Each CPU has calls to record, also one that stands still or sleeps while the shell panics.
    run_page(nop5, PAGE, before_the_crash="for cpu in 0 1 2 3; do taskset -c $cpu ls / > /dev/null; done")
    yield nop5
    nop5.close()


def restart(nop5, command):
    """Restart the machine by a command, and stand in /sys/fs/pstore then."""
    nop5.check("cd /")
    nop5.send(command + "\n")
    wait_for_restart(nop5)
    nop5.check("cd /sys/fs/pstore")


def zones(nop5):
    """(start, size) of the first dump, and of the zones of the console, the calls and the programs."""
    start, size = area(nop5, "oops")
    logs = start + (size - CONSOLE - FTRACE - PMSG) // RECORD * RECORD
    return (start, RECORD), (logs, CONSOLE), (logs + CONSOLE, FTRACE), (logs + CONSOLE + FTRACE, PMSG)


def files(nop5):
    return set(nop5.check("ls").split())


def test_the_calls_of_all_cpus_are_there_in_their_order(machine):
    calls = [(int(cpu), int(ts)) for cpu, ts in re.findall(r"^CPU:(\d+) ts:(\d+) ", machine.check("cat ftrace-ramoops-0"), re.M)]
    assert len(calls) > 100 and {cpu for cpu, _ in calls} == {0, 1, 2, 3}
    assert calls == sorted(calls, key=lambda call: call[1])


def test_an_oops_and_the_panic_after_it_are_both_kept(machine):
    restart(machine, f"echo before > /dev/kmsg; echo EXCEPTION > {CRASH}")
    assert files(machine) == {"console-ramoops-0", "dmesg-ramoops-0", "dmesg-ramoops-1"}
    oops, panic = machine.check("cat dmesg-ramoops-0"), machine.check("cat dmesg-ramoops-1")
    assert oops.startswith("Oops#1 Part1\n<") and "BUG: kernel NULL pointer dereference" in oops
    assert "Kernel panic" not in oops and re.search(r"^<12>\[.*\] before$", oops, re.M)
    assert panic.startswith("Panic#2 Part1\n<") and "Kernel panic - not syncing: Fatal exception" in panic
    age = machine.check("echo $(($(date +%s) - $(stat -c %Y dmesg-ramoops-1)))")
    assert 0 <= int(age) < 3600, age


def test_dumps_stay_until_they_are_removed_and_a_reboot_is_no_crash(machine):
    machine.check("rm dmesg-ramoops-0")
    restart(machine, "echo '<6>shown' > /dev/kmsg; echo '<7>hidden' > /dev/kmsg; echo said > /dev/pmsg0; reboot -f")
    assert files(machine) == {"console-ramoops-0", "dmesg-ramoops-1", "pmsg-ramoops-0"}
    console = machine.check("tail -n 4 console-ramoops-0")
    assert "reboot: Restarting system" in console
    # Messages of programs have a facility, so their priority has two digits.
    assert re.search(r"^\[ *\d+\.\d+\] shown$", console, re.M) and "hidden" not in console
    assert machine.check("rm dmesg-ramoops-1; ls") == "console-ramoops-0  pmsg-ramoops-0\n"
    assert machine.run("touch new").status and machine.run("mkdir new").status


def test_an_oops_that_ends_only_a_task_is_kept(machine):
    machine.check("echo 'provoke_* vpanic' > /sys/kernel/tracing/set_ftrace_filter; echo 0 > /proc/sys/kernel/panic_on_oops")
    machine.check("echo 1 > /sys/kernel/debug/pstore/record_ftrace; cat /sys/kernel/debug/pstore/record_ftrace")
    machine.run(f"sh -c 'echo EXCEPTION > {CRASH}'")
    assert machine.check("echo 0 > /sys/kernel/debug/pstore/record_ftrace; cat /sys/kernel/debug/pstore/record_ftrace") == "0\n"
    restart(machine, f"echo TRIPLE_FAULT > {CRASH}")
    assert files(machine) == {"console-ramoops-0", "dmesg-ramoops-0", "ftrace-ramoops-0"}
    assert machine.check("head -n 1 dmesg-ramoops-0") == "Oops#1 Part1\n"
    assert "TRIPLE_FAULT" in machine.check("tail -n 4 console-ramoops-0")
    calls = machine.check("cat ftrace-ramoops-0")
    assert re.fullmatch(r"CPU:\d ts:\d+ ffffffff8\w+  ffffffff8\w+  provoke_exception <- direct_write\+0x\w+/0x\w+\n", calls), calls


def test_text_with_flipped_bits_is_shown_and_such_calls_are_left_out(machine, tmp_path):
    machine.check("rm *; for i in $(seq 1000); do echo 'the same line again, so that a wrong letter shows'; done > /dev/pmsg0")
    machine.check("echo 1 > /sys/kernel/debug/pstore/record_ftrace; ls / > /dev/null; echo 0 > /sys/kernel/debug/pstore/record_ftrace")
    _, _, calls, (pmsg, size) = zones(machine)
    reset_with_flips(machine, tmp_path, [calls, (pmsg + 64, size - 64)], 90, seed=1)  # 64: behind the header
    machine.check("cd /sys/fs/pstore")
    right = int(machine.check("grep -c '^the same line again, so that a wrong letter shows$' pmsg-ramoops-0"))
    assert 20 < right < size // 49 - 20
    left_out = re.search(r"^# (\d+) damaged records are left out$", machine.check("tail -n 1 ftrace-ramoops-0"))
    assert 0 < int(left_out[1]) <= 90


@pytest.mark.parametrize("numbers", [(2, 3), pytest.param(range(100, 200), marks=pytest.mark.soak)])
def test_nothing_that_is_damaged_crashes_the_next_boot(machine, tmp_path, numbers):
    first = seed(0)
    for number in numbers:
        machine.check("cd /; echo 0 > /proc/sys/kernel/panic_on_oops")
        machine.run(f"sh -c 'echo EXCEPTION > {CRASH}'")
        reset_with_flips(machine, tmp_path, [*zones(machine), *((start, 64) for start, _ in zones(machine))], 300, first + number)
        machine.check("cat /sys/fs/pstore/* > /dev/null; rm -f /sys/fs/pstore/*; echo lives > /dev/pmsg0")
    restart(machine, "reboot -f")
    assert machine.check("cat pmsg-ramoops-0").startswith("lives\n")


def test_the_area_may_have_an_address_and_reasons_are_chosen(boot):
    machine = boot(kernel="nop5-test", cpus=1, extra=RESET, append="panic=1 ramoops.mem_address=0x8000000 ramoops.mem_size=64K "
                   "ramoops.max_reason=4 ramoops.pmsg_size=0 ramoops.ftrace_size=0 pstore.record_ftrace=1")
    assert machine.run("ls /dev/pmsg0").status and machine.run("ls /sys/kernel/debug/pstore").status
    machine.check("mount -o remount,kmsg_bytes=500 /sys/fs/pstore")
    assert "pstore /sys/fs/pstore pstore rw,relatime,kmsg_bytes=500 0 0\n" in machine.check("cat /proc/mounts")
    restart(machine, "reboot -f")
    assert files(machine) == {"console-ramoops-0", "dmesg-ramoops-0"}
    dump = machine.check("cat dmesg-ramoops-0")
    assert dump.startswith("Shutdown#1 Part1\n") and dump.endswith("reboot: Restarting system\n") and len(dump) <= 500


def test_a_zone_may_be_too_small_for_a_dump(boot):
    machine = boot(kernel="nop5-test", cpus=1, extra=RESET, append="panic=1 reserve_mem=32K:4096:oops ramoops.mem_name=oops ramoops.record_size=32")
    machine.check("for i in $(seq 200); do echo line $i of a log that is longer than a page > /dev/kmsg; done")
    restart(machine, f"echo EXCEPTION > {CRASH}")
    assert files(machine) == {"console-ramoops-0"}
    assert machine.text.count("Oops: ") == 1, machine.text
