"""nop5-dmesg: the log of the kernel, read from its ring (kernel/printk/printk_ringbuffer.h)."""
import struct

import gdb

from .kernel import Command, evaluate, read

SLOT = struct.Struct("<QQHHHH104s")  # struct prb_slot


def records():
    """(time in ns, priority, text) of each record that is complete, the oldest first."""
    ring = evaluate("'kernel/printk/printk.c'::prb")
    slots = ring["slots"]
    count = slots.type.sizeof // SLOT.size
    data = read(int(slots.address), count * SLOT.size)
    end = int(ring["next"])
    seq = max(0, end - count)
    while seq < end:
        slot = SLOT.unpack_from(data, seq % count * SLOT.size)
        _, stamp, length, part, prio, _cpu, _ = slot
        parts = max(1, -(-length // 104))
        if not holds(data, count, seq) or part:
            seq += 1
            continue
        pieces = [SLOT.unpack_from(data, (seq + i) % count * SLOT.size)[6] for i in range(parts)]
        if all(holds(data, count, seq + i) for i in range(parts)):
            yield stamp, prio, b"".join(pieces)[:length].decode("utf-8", "replace")
        seq += parts


def holds(data, count, seq):
    """Whether the slot of a number has been written by its owner, and not by a later one."""
    state, = struct.unpack_from("<Q", data, seq % count * SLOT.size)
    return state == (seq + 1) * 2 + 1


class Dmesg(Command):
    """nop5-dmesg [COUNT]: print the log of the kernel, or its last COUNT lines, as dmesg(1) does."""

    def __init__(self):
        super().__init__("nop5-dmesg")

    def run(self, words):
        if len(words) > 1 or words and not words[0].isdigit():
            raise gdb.GdbError("nop5-dmesg [COUNT]")
        lines = [f"[{stamp // 10**9:5}.{stamp // 1000 % 10**6:06}] {text}" for stamp, _prio, text in records()]
        for line in lines[-int(words[0]):] if words else lines:
            print(line)


def register():
    Dmesg()
