"""Wrong ACPI tables: the kernel checks them, reports each error, and boots."""
import re
import struct

import pytest

from firmware import boot_with_tables, io_apic, local_apic, override

CPUS = 4
ALL_CPUS = [local_apic(i) for i in range(CPUS)]
RAM = 0x7000000
COPY_OF_HPET = struct.pack("<II", 0x8086a201, 10000000)  # capabilities for 100 MHz; a counter in RAM does not change


def hpet_at(address):
    return lambda tables: tables.write("HPET", 44, struct.pack("<Q", address))


def hpet_that_stands_still(tables):
    tables.memory.write(RAM, COPY_OF_HPET)
    hpet_at(RAM)(tables)


def broken_checksum(tables):
    tables.memory.write(tables.address["APIC"] + 9, bytes([tables.bytes("APIC")[9] ^ 0xff]))


def broken_root_pointer(tables):
    tables.memory.write(tables.rsdp + 8, bytes([tables.memory.read(tables.rsdp + 8, 1)[0] ^ 0xff]))


def madt(*entries, **header):
    return lambda tables: tables.set_madt(*entries, **header)


@pytest.mark.parametrize("change, cpus, report", [
    pytest.param(broken_root_pointer, 1, "ACPI: there is no sound root pointer", id="root pointer's checksum"),
    pytest.param(broken_checksum, 1, "ACPI: a table's checksum is wrong", id="MADT's checksum"),
    pytest.param(lambda tables: tables.write("APIC", 45, b"\0"), 1, "ACPI: the MADT's entries do not fit in it",
                 id="entry without length"),
    pytest.param(lambda tables: tables.memory.write(tables.address["APIC"] + 4, b"\xff" * 4), 1,
                 "ACPI: a table's length makes no sense", id="endless MADT"),
    pytest.param(madt(*(local_apic(i // 2) for i in range(CPUS)), io_apic()), 2, "ACPI: the MADT names an APIC ID twice",
                 id="same CPU twice"),
    pytest.param(madt(*ALL_CPUS, io_apic(RAM)), CPUS, f"IOAPIC: nothing answers at {RAM:#x}", id="I/O APIC in RAM"),
    pytest.param(madt(*ALL_CPUS, io_apic(0xfee00000)), CPUS, "IOAPIC: nothing answers at 0xfee00000",
                 id="I/O APIC where the local one is"),
    pytest.param(madt(*ALL_CPUS, io_apic(0xd0000000)), CPUS, "IOAPIC: nothing answers at 0xd0000000",
                 id="I/O APIC where nothing is"),
    pytest.param(madt(*ALL_CPUS, io_apic(0xfffffffc)), CPUS, "IOAPIC: nothing answers at 0xfffffffc",
                 id="I/O APIC across the end of a page"),
    pytest.param(madt(*ALL_CPUS), CPUS, "IOAPIC: none is named that answers", id="no I/O APIC"),
    pytest.param(madt(*ALL_CPUS, io_apic(gsi_base=1 << 24)), CPUS, "IOAPIC: none has GSI 0", id="no first pin"),
    pytest.param(madt(*ALL_CPUS, io_apic(), override(4, 999)), CPUS, "IOAPIC: no pin for GSI 999", id="no such pin"),
    pytest.param(madt(*ALL_CPUS, io_apic(), local_apic=0x200000), CPUS, "ACPI: the MADT has the local APIC at 0x200000",
                 id="local APIC in RAM"),
    pytest.param(hpet_at(RAM + 1), CPUS, f"tsc: no HPET counts at {RAM + 1:#x}", id="HPET at an odd address"),
    pytest.param(hpet_at(1 << 51), CPUS, f"tsc: no HPET counts at {1 << 51:#x}", id="HPET beyond the CPU's addresses"),
    pytest.param(hpet_that_stands_still, CPUS, f"tsc: no HPET counts at {RAM:#x}", id="HPET that stands still"),
])
def test_nonsense_is_reported_and_survived(boot, tmp_path, images, change, cpus, report):
    machine = boot_with_tables(boot, tmp_path, images, change, cpus=CPUS).wait_prompt()
    assert report in machine.text
    assert len(re.findall(r"^cpu\d+ ", machine.check("cat /proc/stat"), re.M)) == cpus
    assert machine.check("sleep 1; hackbench -g 1 -l 5")


def test_cpus_that_do_not_exist_are_reported_and_left_out(boot, tmp_path, images):
    change = madt(*ALL_CPUS, *(local_apic(i) for i in (9, 77)), io_apic())
    machine = boot_with_tables(boot, tmp_path, images, change, cpus=CPUS, icount=True, shift=6).wait_prompt()
    for cpu, apic_id in ((4, 9), (5, 77)):
        assert f"smp: CPU {cpu} (APIC ID {apic_id}) does not answer and is left out" in machine.text
    assert len(re.findall(r"^cpu\d+ ", machine.check("cat /proc/stat"), re.M)) == CPUS
    assert machine.run("taskset -c 4 echo").status == 1
    assert machine.check("hackbench -g 1 -l 5")


def test_a_cpu_without_local_apic_is_refused_by_name(boot):
    machine = boot(wait=False, cpus=1, cpu="qemu64,-apic")
    machine.wait_exit(33)
    assert "nop5 needs a CPU with a local APIC (APIC)" in machine.text
