"""Find the report of an oops or a panic in the output of nop5. scripts/boot and the tests use it."""
import re

# The first line of a report. die() in kernel/panic.c ends that line with the number of the oops.
FIRST_LINE = re.compile(
    rb"^(?:<\d>)?\[ *\d+\.\d{6}\] (?:\S+: )?(?:BUG: |Oops: |Kernel panic|kernel BUG at|Watchdog detected"
    rb"|[^\r\n]*: [0-9a-f]{4,} \[#\d+\] PREEMPT)", re.MULTILINE)


def report(log):
    """The first report in log (bytes), from its first line to the end of the last report, or b""."""
    text = log.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    match = FIRST_LINE.search(text)
    if not match:
        return b""
    end = text.rfind(b"---[ end ")
    end = text.find(b"\n", end) + 1 if end > match.start() else 0
    return text[match.start():end or len(text)]
