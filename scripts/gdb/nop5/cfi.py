"""The call frame information of the kernel's assembly, which arch/x86_64/cpu/cfi.inc has written to .debug_frame.

gdb uses this section itself. But gdb cannot apply it to a copy of the code at another address, such as a trampoline.
"""
import functools
import struct

import gdb

REGISTERS = ("rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rip")
CIE = 0xffffffff
# The instructions that cfi.inc writes for code that is copied.
ADVANCE_LOC4, OFFSET_EXTENDED, SAME_VALUE, DEF_CFA, NOP = 0x04, 0x05, 0x08, 0x0c, 0x00


def debug_frame(path):
    """The section .debug_frame of an ELF file."""
    with open(path, "rb") as file:
        header = file.read(64)
        at, = struct.unpack_from("<Q", header, 40)
        size, count, names = struct.unpack_from("<HHH", header, 58)
        file.seek(at)
        sections = [struct.unpack("<IIQQQQIIQQ", file.read(64)) for _ in range(count)]

        def content(section):
            file.seek(section[4])
            return file.read(section[5])

        strings = content(sections[names])
        return next(content(s) for s in sections if strings.startswith(b".debug_frame\0", s[0]))


@functools.lru_cache(None)
def descriptions(path):
    """[(start, end, instructions)] of all code that the section describes."""
    data, found, at = debug_frame(path), [], 0
    while at < len(data):
        length, kind = struct.unpack_from("<II", data, at)
        if kind != CIE:
            start, size = struct.unpack_from("<QQ", data, at + 8)
            found.append((start, start + size, data[at + 24:at + 4 + length]))
        at += 4 + length
    return found


def leb(data, at):
    """A number in unsigned LEB128, and the place behind it."""
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if not data[at - 1] & 0x80:
            return value, at


def rules(pc):
    """How to unwind from an address in the kernel's assembly: (register, distance of the CFA from it,
    {register: how far below the CFA its value is saved}), or None."""
    path = gdb.objfiles()[0].filename
    for start, end, program in descriptions(path):
        if start <= pc < end:
            return execute(program, start, pc)
    return None


def execute(program, location, pc):
    base, distance, saved, at = "rsp", 0, {}, 0
    while at < len(program):
        instruction, at = program[at], at + 1
        if instruction == ADVANCE_LOC4:
            location, at = location + struct.unpack_from("<I", program, at)[0], at + 4
            if location > pc:
                break
        elif instruction == DEF_CFA:
            number, at = leb(program, at)
            distance, at = leb(program, at)
            base = REGISTERS[number]
        elif instruction == OFFSET_EXTENDED:
            number, at = leb(program, at)
            words, at = leb(program, at)
            saved[REGISTERS[number]] = words * 8
        elif instruction == SAME_VALUE:
            number, at = leb(program, at)
            saved.pop(REGISTERS[number], None)
        elif instruction != NOP:
            return None
    return base, distance, saved
