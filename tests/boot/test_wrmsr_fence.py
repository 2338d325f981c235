"""The fences that the Intel SDM asks for before a WRMSR that is not serializing.

QEMU does not show a missing fence, because its CPUs do not reorder. The test reads the disassembly.
"""
import re
import subprocess

import pytest


@pytest.mark.parametrize("function, order", [
    pytest.param("apic_send_ipi", ["mfence", "lfence", "wrmsr"], id="x2APIC ICR (Intel SDM 3A 10.12.3)"),
    pytest.param("local_apic_timer_setup", ["call apic_write", "mfence", "lfence"],
                 id="LVT timer mode before the first TSC deadline (10.5.4.1)"),
])
def test_mfence_and_lfence_stand_before_a_wrmsr_that_is_not_serializing(images, function, order):
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--disassemble={function}", images / "nop5.elf"],
                          text=True, stdout=subprocess.PIPE, check=True).stdout
    found = [f"call {callee}" if callee else fence
             for fence, callee in re.findall(r"\t(?:(mfence|lfence|wrmsr)\b|call +[0-9a-f]+ <(\w+)>)", text)]
    at = found.index("mfence")
    first = at - order.index("mfence")
    assert found[first:first + len(order)] == order, text
    assert found.count("mfence") == 1
