"""A trace as the grader reads it: calls, events, and the times in which a task sleeps.

The file comes from a student. scripts/trace-convert reads it, with a limit, and its rows (scripts/trace/out_rows.c) are read here.
"""
import json
import os
import re
import tempfile
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import lab_build
import lab_table

LIMIT = 60  # seconds for a program that reads the trace
LARGEST = 16 << 20
CALL, RETURN, END_OF_CALL, EVENT, FUNCTION, STACK, LOST = range(7)  # the kinds of rows


class Unreadable(Exception):
    """The trace, or a file beside it, is not what it must be."""


@dataclass
class Call:
    function: str
    task: str
    begin: int  # ns
    parent: object = None  # the Call that made it, if the trace has it
    end: int | None = None
    duration: int | None = None
    value: str = ""
    inside: list = field(default_factory=list)  # the calls that it made


@dataclass
class Event:
    name: str
    task: str
    at: int
    text: str

    @property
    def fields(self):
        return dict(re.findall(r"(\w+)=(\S+)", self.text))


@dataclass
class Sleep:
    begin: int
    end: int | None  # None: the trace ends first
    state: str  # S, D, R: as in sched_switch


def regular(path, most=LARGEST):
    """The path, if a plain file of at most so many bytes is there."""
    if path.is_symlink() or not path.is_file():
        raise Unreadable(f"no file {path.name}")
    if path.stat().st_size > most:
        raise Unreadable(f"{path.name} of more than {most >> 10} KB")
    return path


def output_of(command):
    """Runs a program that reads what a student has handed in."""
    text, status, late = lab_build.run([str(word) for word in command], lab_table.ROOT, dict(os.environ), LIMIT)
    if late:
        raise Unreadable(f"{Path(command[0]).name} did not end within {LIMIT} s")
    if status:
        raise Unreadable(f"{Path(command[0]).name}: {text.strip()[-200:]}")
    return text


class Trace:
    def __init__(self, rows):
        self.tasks, self.symbols = rows["tasks"], [plain(name) for name, *_ in rows["symbols"]]
        self.places = sorted((int(address, 16), plain(name)) for name, address, _ in rows["symbols"])
        self.start = rows["start"]
        self.all_calls, self.events, self.kinds = [], [], set()
        self.by_task = defaultdict(list)  # the open calls of each task, outermost first
        for row in rows["rows"]:
            self.add(*row)

    def comm(self, number):
        return self.tasks[number].rpartition("-")[0] or self.tasks[number]

    def add(self, kind, at, task, *rest):
        if kind in (CALL, FUNCTION):
            self.kinds.add("function")
            parent = self.by_task[task][-1] if kind == CALL and self.by_task[task] else None
            call = Call(self.symbols[rest[1]], self.comm(task), at, parent)
            self.all_calls.append(call)
            if parent:
                parent.inside.append(call)
            if kind == CALL:
                self.by_task[task].append(call)
        elif kind in (RETURN, END_OF_CALL) and self.by_task[task]:
            call = self.by_task[task].pop()
            if kind == RETURN:
                call.end, call.duration, call.value = at, rest[1], rest[2]
        elif kind == EVENT:
            self.kinds.add(rest[1])
            self.events.append(Event(rest[1], self.comm(task), at, rest[2]))

    def function_at(self, address):
        """The name of the function with an address; the event of a probe has addresses."""
        return self.places[bisect_right(self.places, (address, "~")) - 1][1]

    def calls(self, function, task=None):
        return [call for call in self.all_calls if call.function == function and task in (None, call.task)]

    def named(self, *names):
        return [event for event in self.events if event.name in names]

    def sleeps(self, task):
        """The times in which a task did not have the CPU, by sched_switch."""
        found = []
        for event in self.named("sched_switch"):
            fields = event.fields
            if fields.get("prev_comm") == task:
                found.append(Sleep(event.at, None, fields.get("prev_state", "")[:1]))
            elif fields.get("next_comm") == task and found:
                found[-1].end = event.at
        return found


def read(path):
    regular(path)
    with tempfile.TemporaryDirectory() as scratch:
        rows = Path(scratch) / "rows"
        output_of([lab_table.ROOT / "scripts/trace-convert", path.absolute(), "-f", "rows", "-o", rows])
        try:
            return Trace(json.loads(rows.read_text(errors="replace")))
        except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
            raise Unreadable(f"{path.name}: {error}") from error


def plain(name):
    """The name of a function in the source: gcc calls one load.isra.0 whose arguments it has changed."""
    return name.partition(".")[0] or name


def functions_in_trace(path, module):
    """{name: address} of the functions of a module, from the kallsyms in a trace.dat."""
    pattern = rb"^([0-9a-f]{16}) [tT] ([\w.]+)\t\[" + re.escape(module.encode()) + rb"\]$"
    return {plain(name.decode()): int(address, 16) for address, name in re.findall(pattern, path.read_bytes(), re.M)}


def functions_of_module(path):
    """{name: offset in .text} of the functions that a .ko has there."""
    lines = output_of(["readelf", "-sW", regular(path)]).splitlines()
    sections = output_of(["readelf", "-SW", path])
    text = re.search(r"\[ *(\d+)\] \.text ", sections)
    rows = [line.split() for line in lines]
    return {plain(row[7]): int(row[1], 16) for row in rows if len(row) == 8 and row[3] == "FUNC" and text and row[6] == text[1]}


def is_of_build(trace, module):
    """Tells whether a trace.dat was recorded with this .ko: each function is where it is in the file."""
    there, here = functions_of_module(module), functions_in_trace(trace, module.stem)
    return bool(there) and set(there) <= set(here) and len({here[name] - there[name] for name in there}) == 1
