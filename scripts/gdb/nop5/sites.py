"""nop5-sites: the call sites of functions, their bytes, and what ftrace has written down about them."""
import fnmatch
import struct

import gdb

from .kernel import Command, evaluate, name_of, objects, read

KERNEL_IMAGE_BASE = 0xffffffff80000000  # arch/x86_64/machine.ld: KERNEL_BASE
SIZE = 5
NOP, CALL, JMP, INT3 = bytes.fromhex("0f1f440000"), 0xe8, 0xe9, 0xcc
# Flags of dyn_ftrace (trace/ftrace/ftrace.h); below them is the count of users.
FLAGS = {31: "ENABLED", 30: "REGS", 29: "REGS_EN", 28: "TRAMP", 27: "TRAMP_EN", 26: "IPMODIFY", 25: "DIRECT",
         24: "MODIFIED", 23: "TOUCHED"}
USERS = (1 << 23) - 1


def records():
    """(address, flags) of each site of the image."""
    pages, count = evaluate("'trace/ftrace/records.c'::pages"), int(evaluate("'trace/ftrace/records.c'::nr_records"))
    a_page = 4096 // 8
    for first in range(0, count, a_page):
        data = read(int(pages[first // a_page]), 8 * min(a_page, count - first))
        for offset, flags in struct.iter_unpack("<II", data):
            yield KERNEL_IMAGE_BASE + offset, flags


def registered_ops():
    """Pointers to the ops that are registered."""
    return list(objects(evaluate("ftrace_ops_list"), "struct ftrace_ops", "list"))


def ops_name(ops):
    """The name of the variable that the ops is, or of the one that contains it; or its address."""
    return name_of(int(ops))


def function_name(where):
    return name_of(where).partition("+")[0]


def target(place, code):
    displacement, = struct.unpack("<i", code[1:])
    return (place + SIZE + displacement) & (1 << 64) - 1


def describe_target(where):
    """What a site calls: the trampoline of an ops, or a function."""
    for ops in registered_ops():
        trampoline = ops["trampoline"]
        if int(trampoline) and int(trampoline["address"]) == where:
            return f"the trampoline of {ops_name(ops)}, which calls {function_name(int(trampoline['target']))}"
    return name_of(where)


def meaning(place, code):
    if code == NOP:
        return "nop"
    if code[0] in (CALL, JMP):
        where = target(place, code)
        return f"{'call' if code[0] == CALL else 'jmp'} {where:#x}: {describe_target(where)}"
    if code[0] == INT3:
        return "int3: a batch of patches is under way, or a kprobe"
    return "no instruction of ftrace"


def flag_names(flags):
    return " ".join(name for bit, name in FLAGS.items() if flags >> bit & 1)


class Sites(Command):
    """nop5-sites NAME: show the call site of a function: its bytes, what they mean, and its record (struct dyn_ftrace).
    NAME may be a pattern with * and ?. `nop5-sites -e` shows the sites that are enabled."""

    def __init__(self):
        super().__init__("nop5-sites", gdb.COMPLETE_SYMBOL)

    def run(self, words):
        if len(words) != 1:
            raise gdb.GdbError("nop5-sites NAME, or nop5-sites -e")
        found = 0
        for place, flags in records():
            if words[0] == "-e" and not flags >> 31:
                continue
            name = function_name(place)
            if words[0] != "-e" and not fnmatch.fnmatchcase(name, words[0]):
                continue
            found += 1
            code = read(place, SIZE)
            print(f"{name} at {place:#x}")
            print(f"  bytes   {code.hex(' ')}")
            print(f"  means   {meaning(place, code)}")
            print(f"  record  users {flags & USERS} {flag_names(flags)}".rstrip())
        if not found:
            raise gdb.GdbError("no site is enabled" if words[0] == "-e" else f"no function {words[0]} has a call site")


def register():
    Sites()
