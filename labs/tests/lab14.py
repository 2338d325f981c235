"""The tests of lab 14: the decoder, copies of instructions, single steps and emulation."""
import re
import subprocess

from lab_test import expect

TEXT_LINES = 60000
# bytes: length, size of the displacement, relative to rip, size of the immediate, displacement
PARTS = {
    "4889c3": (3, 0, 0, 0, 0), "4889c4": (3, 0, 0, 0, 0), "488b03": (3, 0, 0, 0, 0), "488b4308": (4, 1, 0, 0, 8), "488b43f8": (4, 1, 0, 0, -8),
    "488b8300010000": (7, 4, 0, 0, 256), "488b8500010000": (7, 4, 0, 0, 256), "488b0510000000": (7, 4, 1, 0, 16), "8305f0ffffff05": (7, 4, 1, 1, -16),
    "488b0424": (4, 0, 0, 0, 0), "488b442408": (5, 1, 0, 0, 8), "488b842400010000": (8, 4, 0, 0, 256),
    "488b04c580000000": (8, 4, 0, 0, 128), "488b042580000000": (8, 4, 0, 0, 128), "488b440508": (5, 1, 0, 0, 8), "67488b442408": (6, 1, 0, 0, 8),
    "678b8300010000": (7, 4, 0, 0, 256), "678b0510000000": (7, 4, 1, 0, 16), "8b4500": (3, 1, 0, 0, 0), "418b4500": (4, 1, 0, 0, 0),
    "418b0424": (4, 0, 0, 0, 0), "418b0510000000": (7, 4, 1, 0, 16), "428b04a5f0ffffff": (8, 4, 0, 0, -16), "438b042d80000000": (8, 4, 0, 0, 128), "c7450801000000": (7, 1, 0, 4, 8),
    "c70424785634129090": (7, 0, 0, 4, 0), "8d65f8": (3, 1, 0, 0, -8), "0f20c0": (3, 0, 0, 0, 0), "0f2004": (3, 0, 0, 0, 0), "48": None,
    "488b": None, "488b05100000": None, "488b8424000100": None, "488b04": None,
}


def decoded(lab, codes):
    program = lab.host_program("lab14_decode.c")
    answer = subprocess.run([program], input="".join(f"{code}\n" for code in codes), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(answer.returncode == 0, "the decoder to end without a fault", answer.stdout[-300:])
    return answer.stdout.splitlines()


def test_boots(lab):
    release, = lab.boot("uname -s")
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def places(code, parts):
    """Where ModRM is, ModRM and SIB, and where the displacement is, of an instruction with these parts."""
    code = bytes.fromhex(code)
    at = code[0] == 0x67  # addresses of 32 bits
    at += code[at] >> 4 == 4  # a REX prefix
    registers_only = code[at:at + 2] == b"\x0f\x20"
    at += 2 if code[at] == 0x0f else 1
    has_sib = code[at] < 0xc0 and code[at] & 7 == 4 and not registers_only
    length, disp_size, _, imm_size, _ = parts
    return f"{at} {code[at]:x} {code[at + 1] if has_sib else 0:x} {length - imm_size - disp_size if disp_size else 0}"


def test_parts(lab):
    for (code, parts), seen in zip(PARTS.items(), decoded(lab, PARTS)):
        wanted = " ".join([*map(str, parts), places(code, parts)]) if parts else "error -61"
        expect(seen == wanted, f"`{wanted}` (length, displacement's size, rip, immediate's size, displacement; place of ModRM, ModRM, SIB, place of the displacement) for {code}",
               seen)


def test_kernel(lab):
    """Each instruction of the kernel, as objdump divides it."""
    lab.need_kernel()
    listing = lab.run("objdump", "-d", "--insn-width=16", "-j", ".text", lab.build / "nop5.elf", check="objdump to read the kernel").stdout
    lines = re.findall(r"^\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*\t(\S.*)$", listing, re.M)
    start = lab.random.randrange(max(len(lines) - TEXT_LINES, 1))
    chosen = [line for line in lines[start:start + TEXT_LINES] if "(bad)" not in line[2]]
    expect(len(chosen) > TEXT_LINES // 2, "instructions in .text", len(chosen))
    codes = [line[1].replace(" ", "") for line in chosen]
    for (address, _, text), code, seen in zip(chosen, codes, decoded(lab, codes)):
        length = seen.split()[0]
        expect(length == str(len(code) // 2), f"{len(code) // 2} bytes for {code}, {' '.join(text.split())} at {address}",
               f"{length} bytes" if length.isdigit() else seen)


def test_copy(lab):
    lab.selftest("kprobes_insn.a_copy_has_the_operand_of_the_original_or_is_refused")


def test_emulate(lab):
    lab.selftest("kprobes_insn.jumps_calls_and_returns_are_emulated")
    lab.selftest("kprobes_insn.a_target_in_memory_is_read_before_anything_changes")


def test_step(lab):
    lab.selftest("kprobes_insn.a_slot_has_two_copies_and_is_left_behind_each")
    lab.selftest("kprobes_insn.a_slot_that_cannot_reach_the_operand_is_freed")
    lab.selftest("kprobes_context.handlers_and_code_see_the_interrupt_flag_as_it_was")


def test_all(lab):
    lab.selftest("kprobes.a_probe_at_any_instruction_changes_no_result")
    lab.selftest("kprobes_context.operands_of_the_cpu_and_without_a_base_are_emulated")
    lab.selftest("kprobes_context.an_emulated_call_through_a_bad_pointer_faults_at_the_call")
    lab.selftest("kprobes_context.a_probe_at_an_instruction_that_faults_changes_no_copy")
