"""The timeline of a live patch, drawn from a trace of it. scripts/trace-view --patch uses it.

The trace is of the function tracer on two CPUs. CPU 0 adds vfs_write() to the functions that the tracer records, and so patches its
call site, while a task on CPU 1 calls vfs_write() all the time. In the trace are

	text_sync_all			on CPU 0: a sync begins, and the bytes of a step are written
	do_interrupt, irq_exit		on CPU 1: an interrupt, which answers the sync
	vfs_write			on CPU 1: a call that the site has reported

The opcode of the new call is written just before the third sync. So calls that are recorded before it went through the int3.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts/book"))

from drawing import Drawing  # noqa: E402

FUNCTION = "vfs_write"
COMMANDS = [
    "cd /sys/kernel/tracing",
    "echo 'text_sync_all do_interrupt irq_exit' > set_ftrace_filter",
    "taskset 2 dd if=/dev/zero of=/dev/null bs=1 2> /dev/null & until grep -q 'wchar: [1-9]' /proc/$!/io; do :; done",
    "taskset -p 1 $$ > /dev/null; echo function > current_tracer",
    # A full buffer keeps the patch: CPU 1 may make many calls before CPU 0 stops the tracer.
    "echo 0 > options/overwrite",
    f"echo > trace; echo {FUNCTION} >> set_ftrace_filter; echo 0 > tracing_on; kill $!",
    "cat trace",
]
LINE = re.compile(r"^ *(?:\S.*)-\d+ +\[(\d+)\] \S+ +(\d+)\.(\d{6}): (\w+) <-\w+$", re.M)
STATES = [("0f 1f 44 00 00", "nop"), ("cc 1f 44 00 00", "int3"), ("cc, new tail", "int3"), ("e8, new tail", "call")]
WIDTH, LEFT = 900, 90


class NoPatch(Exception):
    """The trace does not show a patch."""


def record(build):
    """Boots two CPUs, and returns the trace as text."""
    result = subprocess.run([ROOT / "scripts/boot", "--build", build, "--cpus", "2", "--initrd", Path(build) / "rootfs.cpio", *COMMANDS],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    return result.stdout


class Patch:
    """What a trace tells, in microseconds since the first sync: syncs, a list of three times; interrupts, [(begin, end)] of CPU 1;
    calls, the times at which CPU 1 called the function."""

    def __init__(self, text):
        events = [(int(cpu), int(seconds) * 10**6 + int(micro), function)
                  for cpu, seconds, micro, function in LINE.findall(text)]
        calls = [at for cpu, at, function in events if (cpu, function) == (1, FUNCTION)]
        begins = [at for cpu, at, function in events if (cpu, function) == (0, "text_sync_all")]
        if not calls:
            raise NoPatch(f"CPU 1 has not called {FUNCTION}")
        if len(begins) < 3:
            raise NoPatch(f"CPU 0 has made {len(begins)} syncs, not 3")
        # Nothing is patched after the function, until the trace ends.
        self.start = begins[-3]
        self.syncs = [at - self.start for at in begins[-3:]]
        self.calls = [at - self.start for at in calls]
        self.interrupts = self.find_interrupts(events)
        self.end = self.answers()[-1][1]

    def find_interrupts(self, events):
        found, begin = [], None
        for cpu, at, function in events:
            if cpu == 1 and function == "do_interrupt":
                begin = at - self.start
            elif cpu == 1 and function == "irq_exit" and begin is not None:
                found.append((begin, at - self.start))
                begin = None
        return found

    def answers(self):
        """The first interrupt of CPU 1 behind each sync."""
        found = []
        for sync in self.syncs:
            later = [interrupt for interrupt in self.interrupts if interrupt[0] >= sync]
            if not later:
                raise NoPatch(f"CPU 1 has no interrupt behind the sync at {sync} us")
            found.append(later[0])
        return found

    def through_int3(self):
        """The calls that the handler of the breakpoint has emulated."""
        return [at for at in self.calls if at < self.syncs[2]]


def draw(patch):
    """The timeline as a Drawing."""
    margin = max(patch.end, 1) * 0.06
    scale = WIDTH / (patch.end + 2 * margin)

    def x(at):
        return LEFT + (at + margin) * scale

    edges = [x(-margin), *map(x, patch.syncs), x(patch.end + margin)]
    d = Drawing(f"A live patch of {FUNCTION}, from a trace")
    d.title_text(0, 14, f"the site of {FUNCTION}() while it is patched, from a trace of two CPUs")
    for (code, name), left, right, color in zip(STATES, edges, edges[1:], ("gray", "yellow", "yellow", "green")):
        words = f"{code}\n{name}" if right - left > 8 * len(code) else name if right - left > 8 * len(name) else ""
        d.box(left, 32, right - left, 44, words, color)
    d.text(0, 58, "the site")
    d.text(0, 122, "CPU 0")
    d.line((LEFT, 118), (edges[-1], 118))
    d.text(0, 182, "CPU 1")
    d.line((LEFT, 178), (edges[-1], 178))
    for number, (sync, answer) in enumerate(zip(patch.syncs, patch.answers()), 1):
        d.line((x(sync), 76), (x(sync), 118), dashed=True)
        d.arrow((x(sync), 118), (x(answer[0]), 168))
        d.text(x(sync) + 4, 108, f"sync {number}")
    for begin, end in patch.interrupts:
        if -margin <= begin <= patch.end + margin:
            d.box(x(begin), 168, max(2, (min(end, patch.end + margin) - begin) * scale), 20, "", "blue")
    draw_calls(d, patch, x, patch.end + margin)
    d.note(LEFT, 262, f"0 us: the first sync. {' '.join(f'Sync {n}: {at} us.' for n, at in enumerate(patch.syncs[1:], 2))} Blue: interrupts of CPU 1")
    d.note(LEFT, 280, f"lines: calls of {FUNCTION}(), {len(patch.through_int3())} through the int3 (red); green: after the opcode was written")
    return d


def draw_calls(d, patch, x, end):
    """A line for each pixel in which CPU 1 has called the function."""
    d.text(0, 218, "calls")
    drawn = set()
    for at in patch.calls:
        place = round(x(at))
        if at <= end and place not in drawn:
            drawn.add(place)
            d.line((place, 200), (place, 226), color="#38761d" if at >= patch.syncs[2] else "#cc0000")
