"""Backtraces through code that no debug information describes, because the kernel makes it: trampolines of ftrace and detours
of kprobes; and through the return addresses that fgraph has replaced. The entry stubs need nothing here: arch/x86_64/cpu/cfi.inc.
"""
import struct

import gdb
from gdb.FrameDecorator import FrameDecorator
from gdb.unwinder import Unwinder, register_unwinder

from . import cfi
from .kernel import address, current, evaluate, name_of, number, objects, pointer_to, read, this_cpu

THREAD_SIZE = 16384  # kernel/mm/thread_size.h
GRANULE = 64  # text_area.c: generated code begins at a multiple of it
USER_END = 1 << 47
TEXT_AREA_START, TEXT_AREA_END = 0xffffffffa0000000, 0xffffffffc0000000  # arch/x86_64/mm/pgtable.h
FGRAPH_STACK_SIZE = 4096 << 2  # trace/fgraph/stack.h
DETOUR_ENTRY_AT, CALL_SIZE = 8, 5  # kprobe_detour.h
REGISTERS = (*cfi.REGISTERS, "eflags", "cs", "ss", "fs_base", "gs_base", "k_gs_base")


class FrameId:
    """What makes a frame different from others: where its stack begins, and an address in its code."""

    def __init__(self, sp, pc):
        self.sp, self.pc = number(sp), number(pc)


def integer(frame, register):
    return int(frame.read_register(register)) & (1 << 64) - 1


def caller(frame, sp, start, changed):
    """The registers of the caller: those of this frame, but for some that have other values."""
    unwound = frame.create_unwind_info(FrameId(sp, start))
    for name in REGISTERS:
        value = frame.read_register(name)
        if name in changed:
            value = number(changed[name]).cast(value.type)
        unwound.add_saved_register(name, value)
    return unwound


def word(where):
    return struct.unpack("<Q", read(where, 8))[0]


def templates():
    """[(start, end, the first instruction that depends on its place)] of the code of which trampolines are copies."""
    table = evaluate("(unsigned long *)&ftrace_templates")
    return [(int(table[i]), int(table[i + 3]), int(table[i + 1])) for i in (0, 4, 8)]


def is_copy(start, template):
    """Whether a trampoline begins there."""
    try:
        return read(start, template[2] - template[0]) == read(template[0], template[2] - template[0])
    except gdb.MemoryError:  # no page is there
        return False


def find_trampoline(pc):
    """(its start, the start of its template), or None."""
    for template in templates():
        start = pc & ~(GRANULE - 1)
        while pc - start < template[1] - template[0]:
            if is_copy(start, template):
                return start, template[0]
            start -= GRANULE
    return None


class TrampolineUnwinder(Unwinder):
    """A trampoline is a copy of ftrace_caller or its like: what is true for an instruction of the template is
    true for its copy."""

    def __init__(self):
        super().__init__("nop5-trampoline")

    def __call__(self, frame):
        pc = integer(frame, "rip")
        if not in_text_area(pc):
            return None
        try:
            found = find_trampoline(pc)
            rules = found and cfi.rules(pc - found[0] + found[1])
            if not rules:
                return None
            base, distance, saved = rules
            cfa = integer(frame, base) + distance
            registers = {name: word(cfa - below) for name, below in saved.items()}
            registers["rsp"] = cfa
            return caller(frame, cfa, found[0], registers)
        except gdb.MemoryError:
            return None


def in_text_area(pc):
    return TEXT_AREA_START <= pc < TEXT_AREA_END


def probed_address(pc):
    """(start of the detour, the address of the instruction whose copy pc is), or None."""
    for detour in objects(evaluate("'trace/kprobes/optimize.c'::detours"), "struct kprobe_detour", "list"):
        arch = detour["arch"]
        start = int(arch["code"])
        copies = start + DETOUR_ENTRY_AT + CALL_SIZE
        if start <= pc < copies:
            return start, int(arch["addr"])
        if copies <= pc <= copies + int(arch["length"]):  # the last one is the jump back
            return start, int(arch["addr"]) + pc - copies
    return None


class DetourUnwinder(Unwinder):
    """A detour executes instructions of the probed function in another place. So its caller is that function, at the
    instruction, with the same registers."""

    def __init__(self):
        super().__init__("nop5-detour")

    def __call__(self, frame):
        pc = integer(frame, "rip")
        if not in_text_area(pc):
            return None
        try:
            found = probed_address(pc)
        except gdb.error:
            return None
        # gdb takes rip for a return address, and looks one byte before it for the call.
        return found and caller(frame, integer(frame, "rsp"), found[0], {"rip": found[1] + 1})


def is_on_stack(task, where):
    low = int(task["stack"])
    return low <= where < low + THREAD_SIZE


def task_of_stack(where, cpu):
    """The task whose stack has the address: most often the one that the CPU runs."""
    task = current(cpu)
    if is_on_stack(task, where):
        return task
    for task in objects(evaluate("task_list"), "struct task_struct", "tasks"):
        if is_on_stack(task, where):
            return task
    return None


def real_return_address(task, slot):
    """The return address that fgraph has replaced in this place: from the shadow stack of the task. None: not found."""
    if not task or not int(task["trace"]):
        return None
    frame = int(pointer_to("struct fgraph_stack", int(task["trace"]))["top"])
    while frame & FGRAPH_STACK_SIZE - 1:
        fields = pointer_to("struct fgraph_frame", frame)
        if int(fields["slot"]) == slot:
            return int(fields["ret"])
        if not int(fields["prev"]):
            return None
        frame = (frame & ~(FGRAPH_STACK_SIZE - 1)) + int(fields["prev"])
    return None


class ReturnUnwinder(Unwinder):
    """A function that fgraph traces returns to return_to_handler. Below that frame is the true caller, with the same
    stack pointer."""

    def __init__(self):
        super().__init__("nop5-return-to-handler")

    def __call__(self, frame):
        pc = integer(frame, "rip")
        try:
            if pc != address("return_to_handler"):
                return None
            sp = integer(frame, "rsp")
            ret = real_return_address(task_of_stack(sp - 8, this_cpu(frame)), sp - 8)
            return ret and caller(frame, sp, ret, {"rip": ret})
        except gdb.error:
            return None


class Named(FrameDecorator):
    """A frame with a name that gdb does not know."""

    def __init__(self, base, name):
        super().__init__(base)
        self.name = name

    def function(self):
        return self.name

    def line(self):
        return self.inferior_frame().find_sal().line or None


class Replaced(Named):
    """The frame of a replaced return address. The code in front of return_to_handler is not its place."""

    def filename(self):
        return None

    def line(self):
        return None


def assembly_name(pc):
    """The function of an address in the kernel's assembly: without the offset, and without the local label."""
    return name_of(pc).partition("+")[0].partition(".")[0]


def generated_name(pc):
    """What the kernel has made at an address, or None."""
    if not in_text_area(pc):
        return None
    found = find_trampoline(pc)
    if found:
        return f"<trampoline, a copy of {assembly_name(found[1])}>"
    found = probed_address(pc)
    return f"<detour of the kprobe at {name_of(found[1])}>" if found else None


class Names:
    """A frame filter, which gives names to frames of code that is not C, and ends a backtrace at the first frame of a
    program without symbols."""

    def __init__(self):
        self.name, self.priority, self.enabled = "nop5", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        handler = address("return_to_handler")
        for decorator in frames:
            frame = decorator.inferior_frame()
            pc = frame.pc()
            if not pc:
                return
            if pc == handler:
                yield Replaced(decorator, "return_to_handler")
            elif in_text_area(pc):
                yield Named(decorator, generated_name(pc))
            elif pc < USER_END and not frame.name():
                yield Named(decorator, "<ring 3>")
                return
            elif pc >= USER_END and not frame.function():
                yield Named(decorator, assembly_name(pc))
            else:
                yield decorator


def register():
    for unwinder in (TrampolineUnwinder(), DetourUnwinder(), ReturnUnwinder()):
        register_unwinder(None, unwinder, replace=True)
    Names()
