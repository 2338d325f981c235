"""nop5-trace: the trace, read from the ring buffers (trace/ring_buffer/internal.h), the oldest event first.

It reads what is published, as `cat trace` does, and takes nothing away. A page that writers overtake while the machine is
stopped does not exist, so no validation is necessary.
"""
import heapq
import struct

import gdb

from .kernel import Command, evaluate, name_of, objects, read, text

OFFSET_BITS, INDEX_BITS = 12, 20  # the words of tail, commit and slots
SEQ_SHIFT = OFFSET_BITS + INDEX_BITS
SPARE = 1
PAGE_HEADER = 16
PADDING, TIME_EXTEND, TIME_STAMP = 29, 30, 31  # enum ring_buffer_type
DELTA_BITS = 27
ENTRY = struct.Struct("<HBBi")  # struct trace_entry
ADDRESSES = ("ip", "parent_ip", "func", "caller", "function", "__probe_ip", "__probe_func", "__probe_ret_ip")


def seq_of(place):
    return place >> SEQ_SHIFT


def index_of(place):
    return place >> OFFSET_BITS & (1 << INDEX_BITS) - 1


def offset_in(place):
    return place & (1 << OFFSET_BITS) - 1


def pages_of(ring):
    """(address, bytes of data, bytes that are consumed) of each page with unread data, the oldest first."""
    commit = int(ring["commit"])
    last, count, pages = seq_of(commit), int(ring["nr_slots"]), ring["pages"]

    def page(index, seq):
        fields = pages[index]
        length = offset_in(commit) if seq == last else int(fields["final"])
        return int(fields["data"]), length

    after = -1
    if ring["reader_active"]:
        after = int(ring["reader_pos"]["seq"])
        yield (*page(int(ring["reader_index"]), after), int(ring["read"]))
    slots = struct.unpack(f"<{count}Q", read(int(ring["slots"]), 8 * count))
    limit = int(ring["seq_limit"])
    for age in range(count - 1, -1, -1):
        seq = (last - age) % limit
        word = slots[seq % count]
        if seq_of(word) == seq and not word & SPARE and not (ring["reader_active"] and seq == after):
            yield (*page(index_of(word), seq), 0)


def events_of_page(data, length, consumed):
    """(time, payload) of each event behind the consumed bytes."""
    stamp, = struct.unpack_from("<Q", data)
    at = 0
    while at < length:
        header, first = struct.unpack_from("<II", data + bytes(8), PAGE_HEADER + at)
        kind, delta = header & 31, header >> 5
        if kind in (TIME_EXTEND, TIME_STAMP):
            long_time = (first << DELTA_BITS) + delta
            stamp, size = (long_time if kind == TIME_STAMP else stamp + long_time), 8
        else:
            stamp += delta
            size = first + 4 if kind in (0, PADDING) else kind * 4 + 4
            begin = 8 if kind == 0 else 4
            if kind != PADDING and at >= consumed:
                yield stamp, data[PAGE_HEADER + at + begin:PAGE_HEADER + at + size]
        at += size


def events_of_cpu(ring, cpu):
    for where, length, consumed in pages_of(ring):
        for stamp, payload in events_of_page(read(where, PAGE_HEADER + length), length, consumed):
            yield stamp, cpu, payload


def events(buffer):
    """(time, CPU, payload) of all events, in the order of their time."""
    rings = [(buffer["cpus"][cpu], cpu) for cpu in range(int(buffer["nr_cpus"]))]
    return heapq.merge(*(events_of_cpu(ring, cpu) for ring, cpu in rings if int(ring)), key=lambda event: event[0])


# ---- one event as text ----

def find_event(number):
    """The struct trace_event of an entry's type, or None."""
    table = evaluate("'trace/core/event_types.c'::event_hash")
    event = table[number % (table.type.range()[1] + 1)]
    while int(event) and int(event["type"]) != number:
        event = event["hash_next"]
    return event if int(event) else None


def field_text(field, payload):
    """The value of a field of an entry (struct trace_event_field)."""
    kind, name = text(field["type"]), text(field["name"])
    offset, size = int(field["offset"]), int(field["size"])
    data = payload[offset:offset + size]
    if kind.startswith(("__data_loc", "__rel_loc")):
        place, length = struct.unpack("<HH", data)
        place += offset + size if kind.startswith("__rel_loc") else 0
        data = payload[place:place + length]
    if "char[" in kind or "char []" in kind:
        return repr(data.partition(b"\0")[0].decode("utf-8", "replace"))[1:-1]
    if name in ADDRESSES and size == 8:
        return name_of(struct.unpack("<Q", data)[0])
    if size in (1, 2, 4, 8) and "[" not in kind:
        return str(int.from_bytes(data, "little", signed=bool(field["is_signed"])))
    return data.hex(" ")


def fields_text(event, payload):
    """`name=value` of each field, in the order of the format file."""
    parts, field = [], event["fields"]
    while int(field) and int(field["name"]):
        if int(field["offset"]) + int(field["size"]) <= len(payload):
            parts.append(f"{text(field['name'])}={field_text(field, payload)}")
        field += 1
    return " ".join(parts)


def function_text(payload):
    ip, parent = struct.unpack_from("<QQ", payload, ENTRY.size)
    return f"{name_of(ip).partition('+')[0]} <-{name_of(parent).partition('+')[0]}"


def stack_text(payload):
    count, = struct.unpack_from("<i", payload, ENTRY.size)
    callers = struct.unpack_from(f"<{min(count, (len(payload) - 16) // 8)}Q", payload, 16)
    return "<stack trace>" + "".join(f"\n => {name_of(caller).partition('+')[0]}" for caller in callers)


def string_text(payload):
    return payload[ENTRY.size + 8:].partition(b"\0")[0].decode("utf-8", "replace").rstrip("\n")


TEXTS = {1: function_text, 4: stack_text, 5: string_text}  # TRACE_FN, TRACE_STACK, TRACE_PRINT


def entry_text(payload):
    number = ENTRY.unpack_from(payload)[0]
    if number in TEXTS:
        return TEXTS[number](payload)
    event = find_event(number)
    if not event:
        return f"entry of type {number}: {payload[ENTRY.size:].hex(' ')}"
    name = text(event["name"]) if int(event["name"]) else str(number)
    return f"{name}: {fields_text(event, payload)}"


class Names:
    """The names of tasks, as the trace has saved them (trace/core/cmdlines.c)."""

    def __init__(self):
        self.saved = evaluate("'trace/core/cmdlines.c'::savedcmd")
        self.known = {0: "<idle>"}

    def of(self, pid):
        if pid not in self.known:
            slot = int(self.saved["slot_of"][pid]) if int(self.saved) else 0xffff
            self.known[pid] = text(self.saved["slots"][slot]["comm"]) if slot != 0xffff else "<...>"
        return self.known[pid]


def instance(name):
    """The trace_array of instances/NAME, or the top level."""
    if not name:
        return evaluate("(struct trace_array *)&global_trace").dereference()
    for tr in objects(evaluate("trace_arrays"), "struct trace_array", "list"):
        if int(tr["name"]) and text(tr["name"]) == name:
            return tr.dereference()
    raise gdb.GdbError(f"there is no instance {name}")


class Trace(Command):
    """nop5-trace [-n COUNT] [INSTANCE]: print the trace, or its last COUNT entries: task-PID, CPU, time, and the entry.
    Entries of events have the fields of their format file."""

    def __init__(self):
        super().__init__("nop5-trace")

    def run(self, words):
        count = None
        if len(words) >= 2 and words[0] == "-n" and words[1].isdigit():
            count, words = int(words[1]), words[2:]
        if len(words) > 1:
            raise gdb.GdbError("nop5-trace [-n COUNT] [INSTANCE]")
        buffer = instance(words[0] if words else None)["buffer"]
        if not int(buffer):
            raise gdb.GdbError("the kernel has not made the ring buffer yet")
        found = list(events(buffer))
        names = Names()
        print(f"# {len(found)} entries")
        for stamp, cpu, payload in found if count is None else found[max(0, len(found) - count):]:
            pid = ENTRY.unpack_from(payload)[3]
            micro = (stamp + 500) // 1000  # rounded, as the trace file does
            print(f"{names.of(pid) + '-' + str(pid):>22} [{cpu:03}] {micro // 10**6:5}.{micro % 10**6:06}: {entry_text(payload)}")


def register():
    Trace()
