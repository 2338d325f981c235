#!/usr/bin/python3
"""Record the traces of docs/twelve-traces.md, and make a page with questions of each: web/traces.py [--build DIR] [-o DIR]

The chapter has the commands of each trace, web/traces.toml its questions. The machine counts time in instructions, so a busy host does
not show in the figures. The recordings are kept in traces/ of the build until the kernel, the root file system or the commands change.
"""
import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHAPTER = ROOT / "docs/twelve-traces.md"
QUESTIONS = ROOT / "web/traces.toml"
sys.path.append(str(ROOT / "scripts"))
import trace_dat  # noqa: E402
import trace_link  # noqa: E402
import trace_page  # noqa: E402
from console_blocks import blocks, steps  # noqa: E402

CPUS = 2
CALL, RETURN, UNRETURNED, EVENT, FUNCTION, STACK = range(6)  # rows of scripts/trace/out_rows.c


class TraceError(Exception):
    """A trace was not recorded, or a question has no answer in it."""


def load(name):
    """A script of scripts/ as a module."""
    loader = SourceFileLoader(name.replace("-", "_"), str(ROOT / "scripts" / name))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def sections():
    """{heading: [(directory, command)]} of the console blocks of the chapter. The block above the first section has the heading ""."""
    headings = [(number, line[3:]) for number, line in enumerate(CHAPTER.read_text().splitlines(), 1) if line.startswith("## ")]
    found = {}
    for number, _, lines in blocks(CHAPTER, "console"):
        heading = next((text for at, text in reversed(headings) if at < number), "")
        found.setdefault(heading, []).extend((directory, command) for directory, command, _ in steps(lines))
    return found


def exercises():
    """The traces: {name, title, question: [...]} of traces.toml, with the heading in the chapter and the commands below it."""
    traces, recipes = tomllib.loads(QUESTIONS.read_text())["trace"], sections()
    for number, trace in enumerate(traces, 1):
        trace["heading"] = f"{number}. {trace['title']}"
        trace["commands"] = recipes[trace["heading"]]
    return traces


# ---- recording ----

def type_all(machine, commands):
    for directory, command in commands:
        for text in (f"cd {directory}", command):
            output, status = machine.run(text)
            if b"write error" in output or status == 127:
                raise TraceError(f"{text}: {output.decode(errors='replace')}")


def receive(machine, tool, line, out):
    """Writes what is in the ring buffer to out."""
    with tempfile.TemporaryFile() as journal:
        receiver = trace_link.Receiver(journal)
        pump = tool.Pump(line, receiver)
        pump.start()
        machine.run("trace-export")
        pump.join()
        if not receiver.end or receiver.end.get("status") != "complete":
            raise TraceError(f"{out.name}: the trace did not arrive")
        with open(out, "wb") as file:
            trace_dat.write(trace_dat.Transfer(journal), file)


def record(build, directory):
    """Boots the kernel, and writes NAME.dat to directory for each trace."""
    tool = load("trace-record")
    boot = tool.boot
    with tempfile.TemporaryDirectory(prefix="nop5-traces-") as place:
        path = f"{place}/port"
        os.mkfifo(path + ".in")
        os.mkfifo(path + ".out")
        options = boot.parse_args(["--elf", "--icount", "--cpus", str(CPUS), "--build", str(build), "--qemu", boot.export_port(f"pipe,path={path}")])
        boot.check_images(options)
        machine = boot.Machine(boot.start(options), timeout=options.timeout)
        line = trace_link.Line.pipe(path)
        try:
            machine.wait_for_prompt()
            machine.prepare()
            type_all(machine, sections()[""])
            for trace in exercises():
                type_all(machine, trace["commands"])
                receive(machine, tool, line, directory / f"{trace['name']}.dat")
        except (boot.TimedOut, boot.Ended) as error:
            raise TraceError(f"{error!r}: {boot.last_lines(machine).decode(errors='replace')}") from error
        finally:
            machine.stop()
            line.close()


def recorded(build):
    """The directory with the recordings of the kernel in build."""
    parts = [(build / name).read_bytes() for name in ("nop5.elf", "rootfs.cpio")] + [json.dumps(sections()).encode(), Path(__file__).read_bytes()]
    key = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
    directory = build / "traces"
    stamp = directory / "recorded"
    if not stamp.exists() or stamp.read_text() != key:
        directory.mkdir(exist_ok=True)
        stamp.unlink(missing_ok=True)
        record(build, directory)
        stamp.write_text(key)
    return directory


# ---- answers ----

def lines_of(trace):
    """The rows of a trace as text, as its page shows them: (nanoseconds, text). A call has a line at its beginning, and one at its
    return, with its value and its duration."""
    symbols, tasks, opened, lines = trace["symbols"], trace["tasks"], {}, []

    def name(symbol):
        return symbols[symbol][0] if isinstance(symbols[symbol], list) else symbols[symbol]

    for row in trace["rows"]:
        kind, time, task = row[:3]
        head = f"{tasks[task]} [{row[3]}] " if kind in (CALL, RETURN, EVENT, FUNCTION) else ""
        if kind == CALL:
            opened.setdefault(task, []).append(name(row[4]))
            lines.append((time, f"{head}{name(row[4])}()"))
        elif kind == RETURN:
            value = f" = {row[5]}" if row[5] else ""
            lines.append((time, f"{head}{opened[task].pop()}{value}, {row[4]} ns"))
        elif kind == UNRETURNED:
            opened[task].pop()
        elif kind == EVENT:
            lines.append((time, f"{head}{row[4]}: {row[5].removeprefix(row[4] + ': ')}"))
        elif kind == FUNCTION:
            lines.append((time, f"{head}{name(row[4])} <- {name(row[5])}"))
        elif kind == STACK:
            lines.append((time, "stack: " + " > ".join(map(name, row[4]))))
    return lines


def matches(lines, pattern):
    return [(time, match) for time, text in lines if (match := re.search(pattern, text))]


def answer(question, lines):
    """What is right: the first group of `find`, how many lines `count` matches, the first group where the second group of `most` is
    largest, or the microseconds from the first match of `from` to the next match of `to`. A question has one of these."""
    if "find" in question:
        if found := matches(lines, question["find"]):
            return found[0][1][1]
    elif "count" in question:
        if found := matches(lines, question["count"]):
            return str(len(found))
    elif "most" in question:
        if found := matches(lines, question["most"]):
            return max(found, key=lambda each: int(each[1][2]))[1][1]
    else:
        begins = matches(lines, question["from"])
        ends = [time for time, _ in matches(lines, question["to"]) if begins and time >= begins[0][0]]
        if ends:
            return f"{(ends[0] - begins[0][0]) / 1000:.3f}"
    raise TraceError(f"no answer in the trace: {question['ask']}")


def exercise(trace, lines):
    """What the page shows of a trace's questions."""
    questions = []
    for question in trace["question"]:
        value = answer(question, lines)
        questions.append({"ask": question["ask"], "value": value, "unit": "us" if "from" in question else "", "why": question["why"].replace("{}", value)})
    return {"title": trace["heading"], "about": trace["about"], "commands": [command for _, command in trace["commands"]], "questions": questions}


# ---- pages ----

def write_pages(build, out):
    """Writes NAME.html to out for each trace. Returns the traces."""
    subprocess.run(["make", "-s", "-C", ROOT, "O=build", "build/scripts/trace-convert"], check=True, env={**os.environ, "MAKEFLAGS": ""})
    directory, traces = recorded(build), exercises()
    out.mkdir(parents=True, exist_ok=True)
    for number, trace in enumerate(traces):
        _, data = trace_page.convert(directory / f"{trace['name']}.dat")
        data["exercise"] = exercise(trace, lines_of(data))
        data["exercise"]["next"] = f"{traces[number + 1]['name']}.html" if number + 1 < len(traces) else ""
        trace_page.keep_used_symbols(data)
        trace_page.add_sources(data, build)
        data["book"] = "../../book/"
        (out / f"{trace['name']}.html").write_text(trace_page.page_of(data, f"nop5: {trace['heading']}"))
    return traces


def main():
    parser = argparse.ArgumentParser(description="Record the traces of docs/twelve-traces.md, and make a page of each.")
    parser.add_argument("--build", metavar="DIR", type=Path, default=ROOT / "build")
    parser.add_argument("-o", metavar="DIR", type=Path, default=ROOT / "build/web/traces")
    options = parser.parse_args()
    try:
        traces = write_pages(options.build.resolve(), options.o)
    except TraceError as error:
        sys.exit(f"web/traces.py: {error}")
    print(f"{options.o}: {len(traces)} traces")


if __name__ == "__main__":
    main()
