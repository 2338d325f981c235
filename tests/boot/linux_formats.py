#!/usr/bin/env python3
"""The recording of Linux's event formats (data/linux_formats.txt), which test_event_formats.py compares with ours.

To record again: run `tar cf formats.tar -C /sys/kernel/tracing events` on Linux 6.1 as root, unpack the archive, and run

    tests/boot/linux_formats.py DIRECTORY/events > tests/boot/data/linux_formats.txt

The recording leaves out what is the same in all formats: the name, the number, and the common fields.
"""
import re
import sys
from pathlib import Path

SYSTEMS = ("exceptions", "ftrace", "initcall", "ipi", "irq", "irq_vectors", "kmem", "module", "nmi", "oom", "printk", "raw_syscalls",
           "rcu", "sched", "signal", "syscalls", "task", "timer", "tlb", "workqueue")
RECORDING = Path(__file__).parent / "data" / "linux_formats.txt"
COMMON = """\
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

"""
FORMAT = re.compile(rf"name: (\S+)\nID: (\d+)\nformat:\n{re.escape(COMMON)}(.*\n)\Z", re.S)


def body(text):
    """A format file from its own fields on. AssertionError: the file does not begin as all formats do."""
    match = FORMAT.match(text)
    assert match, text
    return match.group(3)


def record(events):
    lines = []
    for system in SYSTEMS:
        for path in sorted((events / system).glob("*/format")):
            lines += [f"{system}:{path.parent.name}\n", body(path.read_text()).replace("\n\n", "\n")]
    return "".join(lines)


def load():
    """{"SYSTEM:NAME": the format from the event's own fields on}"""
    formats = {}
    for line in RECORDING.read_text().splitlines(keepends=True):
        if not line.startswith(("\t", "print fmt:")):
            name = line.strip()
            formats[name] = ""
        elif line.startswith("print fmt:"):
            formats[name] += "\n" + line
        else:
            formats[name] += line
    return formats


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.stdout.write(record(Path(sys.argv[1])))
