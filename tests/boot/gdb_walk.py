"""For test_gdb.py, inside gdb: `walk LOW HIGH NAME...` steps through code, and looks at the backtrace at each instruction."""
import gdb

MASK = (1 << 64) - 1
FRAMES_MAX = 60


def frames():
    """The functions of the backtrace, without the local labels of the assembly. The last one is `end` if gdb has reached
    the outermost frame."""
    found, frame = [], gdb.newest_frame()
    while frame is not None and len(found) < FRAMES_MAX:
        pc = frame.pc()
        if pc < 1 << 47:  # a program, or the 0 in which the stack of a kernel task ends
            return [*found, "end"]
        found.append((frame.name() or f"{pc:#x}").partition(".")[0].partition("[")[0])
        if frame.unwind_stop_reason() == gdb.FRAME_UNWIND_OUTERMOST:
            return [*found, "end"]
        frame = frame.older()
    return found


def in_order(wanted, found):
    rest = iter(found)
    return all(name in rest for name in wanted)


class Walk(gdb.Command):
    """walk LOW HIGH NAME...: step until execution leaves [LOW, HIGH). Functions that the code calls run to their end. At each
    instruction the backtrace must contain the names in this order. Prints `walked N instructions`, and each bad backtrace."""

    def __init__(self):
        super().__init__("walk", gdb.COMMAND_USER)

    def invoke(self, argument, _from_tty):
        words = gdb.string_to_argv(argument)
        low, high = (int(gdb.parse_and_eval(f"(unsigned long){word}")) & MASK for word in words[:2])
        places = set()
        while self.stays(low, high):
            pc = gdb.newest_frame().pc()
            places.add(pc)
            found = frames()
            if not in_order(words[2:], found):
                print(f"bad backtrace at {pc:#x} {gdb.execute(f'info symbol {pc:#x}', to_string=True).strip()}: {found}")
            gdb.execute("set scheduler-locking on", to_string=True)
            gdb.execute("stepi", to_string=True)
            gdb.execute("set scheduler-locking off", to_string=True)
        print(f"walked {len(places)} instructions")

    def stays(self, low, high):
        """Whether execution is in the code; lets a function that it has called return. Meanwhile all CPUs run, and the task
        may come back on another one. Its stack pointer tells it from other tasks."""
        while not low <= gdb.newest_frame().pc() < high:
            sp = int(gdb.parse_and_eval("(unsigned long)$rsp")) & MASK
            back = int(gdb.parse_and_eval(f"*(unsigned long *){sp:#x}")) & MASK
            if not low <= back < high:
                return False
            gdb.execute(f"thbreak *{back:#x} if (unsigned long)$rsp == {sp + 8:#x}", to_string=True)
            gdb.execute("continue", to_string=True)
        return True


Walk()
