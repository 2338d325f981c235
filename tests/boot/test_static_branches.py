"""Static branches and tracepoints: the table that the assembler writes, and what a branch costs while it is off."""
import re
import subprocess

import pytest

from test_call_sites import ROOTS_OF_BREAKPOINTS, elf_of, reached_from

NOP5 = bytes.fromhex("0f1f440000")
# cli and sti with four prefixes; inc and dec of the preempt count
INSTRUCTIONS = {bytes.fromhex(code) for code in ("2e2e2e2efa", "2e2e2e2efb", "65ff05", "65ff0d")}


def is_on(elf, key):
    """The initial value of a key. A key in the bss is false."""
    try:
        return elf.read(key, 4) != bytes(4)
    except KeyError:
        return False


@pytest.mark.variant
@pytest.mark.parametrize("how", ["", "CC=clang", "DEBUG=1", "WITHOUT=ftrace"])
def test_each_site_is_a_nop_or_a_jmp_as_its_key_says(images, variant, how):
    elf = elf_of(variant(how, kernel="nop5-test") if how else images, "nop5-test.elf")
    addresses = {s.name: s.value for s in elf.symbols()}
    sites = elf.static_branches()
    assert len(sites) > 150
    assert len({site for site, *_ in sites}) == len(sites)
    for site, target, key, bits in sites:
        code = elf.read(site, 5)
        if bits & 2:  # an instruction that turns interrupts or preemption off or on
            assert code in INSTRUCTIONS or code[:3] in INSTRUCTIONS, f"{site:#x}: {code.hex()}"
        elif is_on(elf, key) == bool(bits & 1):
            assert code == NOP5, f"{site:#x}: {code.hex()}"
        else:
            assert code[0] == 0xe9 and site + 5 + int.from_bytes(code[1:], "little", signed=True) == target
    assert len({site for site, _, _, bits in sites if bits & 2}) > 500
    keys = {key for _, _, key, _ in sites}
    assert {addresses["true_key"], addresses["false_key"], addresses["sched_switch_hooks_key"]} <= keys


def instructions_of(build, function):
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--disassemble={function}", build / "nop5-test.elf"],
                          text=True, stdout=subprocess.PIPE, check=True).stdout
    return [match[1].strip() for match in re.finditer(r"^ffff[0-9a-f]+:\t(.*)$", text, re.M)]


@pytest.mark.variant
@pytest.mark.parametrize("how", ["", "CC=clang"])
def test_a_tracepoint_that_is_off_costs_its_nop_and_loads_no_argument(images, variant, how):
    """The sample passes two members of a struct. Up to its return the function only makes its frame."""
    code = instructions_of(variant(how, kernel="nop5-test") if how else images, "selftest_trace_sample")
    before_return = code[:next(i for i, line in enumerate(code) if line.startswith("ret"))]
    frame = re.compile(r"call +[0-9a-f]+ <__fentry__>|push +%rbp|mov +%rsp,%rbp|pop +%rbp|leave")
    rest = [line for line in before_return if not frame.match(line)]
    assert len(rest) == 1 and rest[0].startswith("nopl"), before_return
    assert any("__traceiter_selftest_fn" in line for line in code[len(before_return):])


@pytest.mark.variant
@pytest.mark.parametrize("how", ["", "CC=clang", "DEBUG=1", pytest.param("CC=clang DEBUG=1", marks=pytest.mark.soak)])
def test_handlers_of_a_breakpoint_hold_no_static_branch(images, variant, how):
    """A site holds a breakpoint while it changes. A handler with such a site would hit it, and so would its handler."""
    build = variant(*how.split()) if how else images
    elf = elf_of(build, "nop5.elf")
    reached = reached_from(build, ROOTS_OF_BREAKPOINTS)
    parts = [s for s in elf.symbols() if s.name.removesuffix(".cold") in reached and s.size]
    assert len(parts) > 3
    for site, *_ in elf.static_branches():
        assert not [p.name for p in parts if p.value <= site < p.value + p.size]


def test_dis_shows_both_states_of_a_branch(nop5):
    off = nop5.check("dis put_task_struct")
    assert re.search(r"^  \+0x[0-9a-f]+: 0f 1f 44 00 00  nop  __tracepoint_sched_process_free", off, re.M)
    nop5.check("echo 1 > /sys/kernel/tracing/events/sched/sched_process_free/enable")
    on = nop5.check("dis put_task_struct")
    nop5.check("echo 0 > /sys/kernel/tracing/events/sched/sched_process_free/enable")
    assert re.search(r"^  \+0x[0-9a-f]+: e9 .*  jmp put_task_struct\+0x", on, re.M)
    assert nop5.check("dis put_task_struct") == off
