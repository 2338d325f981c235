"""Writes trace.dat, version 6 (trace-cmd.dat.v6(5)), from the journal of a transfer (scripts/trace_link.py)."""
import re
import struct

from trace_link import HELLO, PAGES, Scanner, fields, files

OPTION_CPUSTAT, OPTION_TRACECLOCK, OPTION_UNAME, OPTION_CPUCOUNT = 2, 4, 5, 8


class Transfer:
    """The contents of a journal: files by name, and the places of each CPU's pages."""

    def __init__(self, journal):
        self.journal = journal
        self.hello = {}
        self.files = {}
        self.pages = {}  # CPU: [(offset in the journal, size of the frame)]
        journal.seek(0)
        scanner, offset = Scanner(), 0
        while data := journal.read(1 << 20):
            for frame in scanner.feed(data):
                self.add(frame, offset)
                offset += len(frame.wire)

    def add(self, frame, offset):
        if frame.type == HELLO:
            self.hello = fields(frame.payload)
        elif frame.type == PAGES:
            self.pages.setdefault(frame.cpu, []).append((offset, len(frame.wire)))
        for name, first, data in files(frame):
            self.files[name] = (b"" if first else self.files.get(name, b"")) + data

    def cpu_data(self, cpu):
        """Yields the CPU's pages, one frame at a time."""
        for offset, size in self.pages.get(cpu, ()):
            self.journal.seek(offset)
            for frame in Scanner().feed(self.journal.read(size)):
                yield frame.payload

    @property
    def cpus(self):
        return int(self.hello.get("cpus", "0"))

    def text(self, name):
        return self.files.get(name, b"")


def sized(data, form="<Q"):
    return struct.pack(form, len(data)) + data


def formats(transfer):
    """Yields (system, format) of each event, in the order of arrival."""
    for name, data in transfer.files.items():
        if match := re.fullmatch(r"events/([^/]+)/[^/]+/format", name):
            yield match.group(1), data


# The linker script's names for the ends of sections.
SECTION_MARK = re.compile(rb"__\w+_(?:start|end|begin)|_[se]text")


def functions(kallsyms):
    """kallsyms without names of section ends that have the same address as a function. Readers may choose any name of an
    address, but the kernel chooses the function's."""
    lines = [(line, line.split()) for line in kallsyms.splitlines(keepends=True)]
    named = {words[0] for _, words in lines if len(words) > 2 and not SECTION_MARK.fullmatch(words[2])}
    return b"".join(line for line, words in lines
                    if len(words) < 3 or words[0] not in named or not SECTION_MARK.fullmatch(words[2]))


def header(transfer, page_size):
    """The file's contents before the options."""
    out = [b"\x17\x08\x44tracing6\0", struct.pack("<BBI", 0, 8, page_size),
           b"header_page\0", sized(transfer.text("events/header_page")),
           b"header_event\0", sized(transfer.text("events/header_event"))]
    by_system = {}
    for system, data in formats(transfer):
        by_system.setdefault(system, []).append(data)
    ours = by_system.pop("ftrace", [])
    out += [struct.pack("<I", len(ours)), *map(sized, ours), struct.pack("<I", len(by_system))]
    for system, events in by_system.items():
        out += [system.encode() + b"\0", struct.pack("<I", len(events)), *map(sized, events)]
    out += [sized(functions(transfer.text("proc/kallsyms")), "<I"), sized(transfer.text("printk_formats"), "<I"),
            sized(transfer.text("saved_cmdlines")), struct.pack("<I", transfer.cpus)]
    return b"".join(out)


def options(transfer):
    def option(number, data):
        return struct.pack("<HI", number, len(data)) + data

    out = [b"options  \0", option(OPTION_TRACECLOCK, transfer.text("trace_clock").strip() + b"\0"),
           option(OPTION_UNAME, transfer.hello.get("uname", "nop5").encode() + b"\0"),
           option(OPTION_CPUCOUNT, struct.pack("<I", transfer.cpus))]
    for cpu in range(transfer.cpus):
        if stats := transfer.text(f"per_cpu/cpu{cpu}/stats"):
            out.append(option(OPTION_CPUSTAT, b"CPU: %d\n" % cpu + stats + b"\0"))
    return b"".join(out) + struct.pack("<H", 0)


def write(transfer, out):
    """Writes the trace.dat of a transfer to the file `out`. Returns the size of its pages."""
    page_size = int(transfer.hello.get("page_size", "4096"))
    head = header(transfer, page_size) + options(transfer) + b"flyrecord\0"
    start = len(head) + 16 * transfer.cpus
    padding = -start % page_size
    offset, table, total = start + padding, [], 0
    out.write(head)
    table_at = out.tell()
    out.write(b"\0" * (16 * transfer.cpus + padding))
    for cpu in range(transfer.cpus):
        size = 0
        for data in transfer.cpu_data(cpu):
            out.write(data)
            size += len(data)
        table.append(struct.pack("<QQ", offset, size))
        offset += size
        total += size
    out.seek(table_at)
    out.write(b"".join(table))
    return total
