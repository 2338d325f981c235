"""Where a trace shows the fault of a lab: one function for each, with the name of the lab.

Each yields (begin, end) in nanoseconds for each time that the trace shows the fault. A student's answer `at` must be in one of
them, so somebody who has not seen the fault cannot answer.
"""
import re
from statistics import median

MS = 1_000_000
SHORT = 50_000  # a moment, in which a reader takes the first or the last line of what happens


def queue(trace, variant):
    """The task falls asleep in its function, and nobody wakes it until its patience is over."""
    for call in trace.calls(variant.function, variant.task):
        for sleep in trace.sleeps(variant.task):
            if call.begin < sleep.begin and sleep.end and sleep.end - sleep.begin > 300 * MS and (call.end is None or sleep.end <= call.end):
                yield call.begin, sleep.begin
                yield sleep.end, sleep.end + SHORT


def order(trace, variant):
    """The task and the one that has the other lock sleep until the trace ends, each in its function."""
    for last in (trace.calls(variant.function, variant.task)[-1:], trace.calls(variant.word("move_oak"))[-1:]):
        if not last or last[0].end is not None:
            return
    mine, other = trace.sleeps(variant.task)[-1:], trace.sleeps(variant.word("flo"))[-1:]
    if mine and other and mine[0].end is other[0].end is None:
        yield trace.calls(variant.function, variant.task)[-1].begin, max(mine[0].begin, other[0].begin)


def leak(trace, variant):
    """Memory that the function gets, and nobody gives back before the trace ends."""
    held = {}
    for event in trace.named("kmalloc", "kfree"):
        fields = event.fields
        held.pop(fields.get("ptr"), None)
        if event.name == "kmalloc" and fields.get("call_site", "").partition("+")[0] == variant.function and event.task == variant.task:
            held[fields["ptr"]] = event
    if len(held) > 1:  # the last call may not have ended
        yield from ((event.at, event.at) for event in held.values())


def late(trace, variant):
    """The clock waits for the lock of the task, which tells the news and has not slept since, and the archive has the CPU."""
    tells, own = trace.calls("tell", variant.task), trace.sleeps(variant.task)
    runs = [event.at for event in trace.named("sched_switch") if event.fields.get("next_comm") == "archive"]
    for sleep in trace.sleeps("clock"):
        last = [call for call in tells if call.begin < sleep.begin][-1:]
        if (sleep.state == "D" and sleep.end and sleep.end - sleep.begin > 10 * MS and last and any(sleep.begin <= at <= sleep.end for at in runs)
                and not any(last[0].begin < pause.begin < sleep.begin and pause.state != "R" for pause in own)):
            yield last[0].begin, sleep.begin
            yield sleep.end - SHORT, sleep.end + SHORT


def slow(trace, variant):
    """Each hundredth call of the function is slow."""
    calls = [call for call in trace.calls(variant.function, variant.task) if call.duration]
    if not calls:
        return
    usual = median(call.duration for call in calls)
    for first in range(100):
        hundredths = calls[first::100]
        if len(hundredths) > 2 and all(call.duration > 5 * usual for call in hundredths):
            yield from ((call.begin, call.end) for call in hundredths)


def field(trace, variant):
    """A watchpoint shows the function's write; or a probe at the function is the first that sees another limit."""
    before = None
    for event in trace.events:
        seen = re.search(r"\(([0-9a-f]{16})\b.*\blimit=(-?\d+)", event.text)
        if not seen:
            continue
        if before in (None, "1000") and seen[2] != "1000" and event.task == variant.task and trace.function_at(int(seen[1], 16)) == variant.function:
            yield event.at, event.at
        before = seen[2]


def error(trace, variant):
    """A function that was called has failed, and the function says 0."""
    for call in trace.calls(variant.function, variant.task):
        if call.end and call.value == "0x0" and any(inner.value.startswith("-") for inner in call.inside):
            yield call.begin, call.end


def load(trace, variant):
    """The function returns a tool that another task has, and has not put back."""
    taken = {}  # task: its tool
    ends = [(call.end, call) for call in trace.all_calls if call.end and (call.function.startswith("grab_") or call.function == "put_back")]
    for _, call in sorted(ends, key=lambda pair: pair[0]):
        if call.function == "put_back":
            taken.pop(call.task, None)
            continue
        if call.function == variant.function and call.task == variant.task and call.value in taken.values() and call.value != "0x0":
            yield call.begin, call.end
        taken[call.task] = call.value
