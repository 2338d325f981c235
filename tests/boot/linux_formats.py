#!/usr/bin/env python3
"""The recording of Linux's event formats (data/linux_formats.txt), which test_event_formats.py compares with ours.

To record again: run `tar cf formats.tar -C /sys/kernel/tracing events` on Linux 6.1 as root, unpack the archive, and run

    tests/boot/linux_formats.py DIRECTORY/events > tests/boot/data/linux_formats.txt

The events osnoise:* are only in Debian's kernel of the package linux-image-rt-amd64. Their recording, which the option --rt writes, is
beside it (data/linux_rt_formats.txt). That kernel's common fields have 4 bytes more; the recording has the offsets that the fields have without them.

The recording leaves out what is the same in all formats: the name, the number, and the common fields.
"""
import re
import sys
from pathlib import Path

RT_SYSTEMS = ("osnoise",)
SYSTEMS = ("bpf_trace", "exceptions", "ftrace", "initcall", "ipi", "irq", "irq_vectors", "kmem", "lock", "module", "nmi", "oom", "printk",
           "raw_syscalls", "rcu", "sched", "signal", "syscalls", "task", "timer", "tlb", "workqueue")
RECORDING = Path(__file__).parent / "data" / "linux_formats.txt"
RT_RECORDING = RECORDING.with_name("linux_rt_formats.txt")
COMMON = """\
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

"""
LAZY = "\tfield:unsigned char common_preempt_lazy_count;\toffset:8;\tsize:1;\tsigned:0;\n"
FIELD = re.compile(r"(\tfield:(.*)\b\w+(\[\d*\])?;\toffset:)(\d+)(;\tsize:(\d+);.*\n)")
FORMAT = re.compile(rf"name: (\S+)\nID: (\d+)\nformat:\n{re.escape(COMMON)}(.*\n)\Z", re.S)


def body(text):
    """A format file from its own fields on. AssertionError: the file does not begin as all formats do."""
    match = FORMAT.match(text)
    assert match, text
    return match.group(3)


def without_lazy_count(text):
    """The format of an RT kernel as it would be without its common field. The compiler puts each field at the first place that fits."""
    assert LAZY in text
    head, fields = text.replace(LAZY, "").split("\n\n", 1)
    end = 8

    def move(match):
        nonlocal end
        size = int(match[6])
        end = -(-end // (alignment := 1 if match[3] else size)) * alignment + size
        return f"{match[1]}{end - size}{match[5]}"
    return f"{head}\n\n{FIELD.sub(move, fields)}"


def record(events, systems, convert=str):
    lines = []
    for system in systems:
        for path in sorted((events / system).glob("*/format")):
            lines += [f"{system}:{path.parent.name}\n", body(convert(path.read_text())).replace("\n\n", "\n")]
    return "".join(lines)


def load():
    """{"SYSTEM:NAME": the format from the event's own fields on}"""
    formats = {}
    for line in (RECORDING.read_text() + RT_RECORDING.read_text()).splitlines(keepends=True):
        if not line.startswith(("\t", "print fmt:")):
            name = line.strip()
            formats[name] = ""
        elif line.startswith("print fmt:"):
            formats[name] += "\n" + line
        else:
            formats[name] += line
    return formats


if __name__ == "__main__":
    if len(sys.argv) == 2:
        sys.stdout.write(record(Path(sys.argv[1]), SYSTEMS))
    elif len(sys.argv) == 3 and sys.argv[1] == "--rt":
        sys.stdout.write(record(Path(sys.argv[2]), RT_SYSTEMS, without_lazy_count))
    else:
        sys.exit(__doc__)
