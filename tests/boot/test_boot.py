"""The kernel boots: with each loader, number of CPUs, memory size and build."""
import functools
import re

import pytest

from nop5 import EXIT_POWEROFF, Nop5, eventually


@pytest.fixture
def boot(boot):
    """Machines that have booted: no clones."""
    return functools.partial(boot, fresh=True)


def online_cpus(machine):
    return len(re.findall(r"^cpu\d+ ", machine.check("cat /proc/stat"), re.M))


def works(machine, cpus):
    """Check that the machine answers, has all CPUs online, runs tasks on them, is W^X, and powers off."""
    assert online_cpus(machine) == cpus
    assert machine.check("cat /proc/cpuinfo").count("processor\t:") == cpus
    for cpu in {0, cpus - 1}:
        assert machine.check(f"taskset -c {cpu} echo on {cpu}").strip() == f"on {cpu}"
    assert machine.check("tail -n 1 /sys/kernel/debug/page_tables").strip() == "W+X pages: 0"
    assert machine.check("hackbench -g 1 -l 20")
    machine.poweroff()


@pytest.fixture(scope="module")
def uefi(images, tmp_path_factory):
    """A machine that UEFI has booted, at its first prompt: the firmware alone takes the host four seconds."""
    with Nop5(boot="uefi", cpus=2, build=images, directory=tmp_path_factory.mktemp("uefi")) as machine:
        yield machine.wait_prompt()


def test_grub_on_uefi_reports_no_error_and_resets_the_colours_of_the_terminal(uefi):
    text = uefi.text
    loader_text = text[:text.index("nop5 version")]
    assert loader_text.count("Booting `nop5'") == 1
    assert not re.search(r"error|warning", loader_text, re.I), loader_text
    assert re.findall("\x1b\\[([0-9;]*)m", text)[-1] == "0"


def test_uefi_boots_to_a_working_prompt(uefi):
    works(uefi, 2)


def test_both_loaders_boot_to_a_working_prompt_with_the_same_boot_information(boot):
    """Both report the same RAM and the same ACPI tables."""
    totals = []
    for loader in ("bios", "elf"):
        machine = boot(boot=loader, cpus=2)
        totals.append(int(re.search(r"MemTotal: +(\d+)", machine.check("cat /proc/meminfo")).group(1)) >> 10)
        works(machine, 2)
    assert abs(totals[0] - totals[1]) <= 2  # MiB


@pytest.mark.parametrize("loader", ["bios", "elf"])
def test_each_loader_hands_over_the_command_line(boot, loader):
    machine = boot(boot=loader, cpus=1, append="hello=world loglevel=6")
    assert "hello=world loglevel=6" in machine.check("cat /proc/cmdline")
    assert machine.check("cat /proc/sys/kernel/printk").split()[0] == "6"


@pytest.mark.parametrize("cpus", [1, 2, 4, 8, 16, pytest.param(255, marks=pytest.mark.soak)])
def test_every_cpu_comes_up(boot, cpus):
    works(boot(cpus=cpus), cpus)


@pytest.mark.parametrize("mem", ["32M", "4G", "8G"])
def test_all_memory_of_the_map_is_used(boot, mem):
    size = int(mem[:-1]) << {"M": 20, "G": 30}[mem[-1]]
    machine = boot(cpus=2, mem=mem)
    total = int(re.search(r"^MemTotal: +(\d+) kB$", machine.check("cat /proc/meminfo"), re.M).group(1)) << 10
    # The image, struct page (40 of 4096 bytes) and memory of the firmware are not in the total.
    assert size * 0.96 - (12 << 20) < total < size
    works(machine, 2)


def test_the_smallest_cpu_model_will_do(boot):
    machine = boot(cpu="qemu64", cpus=2)
    flags = re.search(r"^flags\t\t: (.*)$", machine.check("cat /proc/cpuinfo"), re.M).group(1).split()
    assert "smep" not in flags and "nx" in flags
    works(machine, 2)


@pytest.mark.parametrize("append, cpus", [("maxcpus=2", 2), ("maxcpus=1", 1), ("nosmp", 1), ("maxcpus=0", 1)])
def test_the_command_line_limits_the_cpus(boot, append, cpus):
    assert online_cpus(boot(cpus=4, append=append)) == cpus


def test_quiet_keeps_the_boot_messages_off_the_console(boot):
    machine = boot(cpus=1, append="quiet")
    assert "nop5 version" not in machine.text
    assert "Command line" in machine.check("dmesg")


@pytest.mark.variant
@pytest.mark.parametrize("how", ["CC=clang", "DEBUG=1", "WITHOUT=ftrace", "CC=clang DEBUG=1"])
def test_each_build_boots_to_a_working_prompt(boot, variant, how):
    works(boot(build=variant(*how.split()), cpus=4), 4)


def test_reboot_resets_the_machine(boot):
    machine = boot(cpus=1)
    machine.send("reboot\n")
    machine.wait_exit(EXIT_POWEROFF)  # -no-reboot makes QEMU end at a reset
    assert "Power down" not in machine.text


def test_power_off_where_there_is_none_halts_all_cpus(boot):
    """A microvm's tables name no PM1 control register. All CPUs must halt: a running one would report a lockup."""
    machine = boot(cpus=4, extra=["-machine", "microvm"])
    machine.run("stress -c 8 -t 3600 &")
    machine.send("poweroff\n")
    machine.expect(r"reboot: Power off not available: System halted")
    eventually(lambda: machine.ask_qemu("info registers -a").count(" HLT=1") == 4)


def test_an_unexpected_nmi_is_counted_and_survived(boot):
    machine = boot(cpus=2)

    def nmis():
        line = re.search(r"^ *NMI: +(.*?)  +Non-maskable interrupts$",
                         machine.check("cat /proc/interrupts"), re.M)
        return sum(map(int, line.group(1).split()))

    before = nmis()
    machine.qemu_command("nmi")
    eventually(lambda: nmis() > before)
    works(machine, 2)
