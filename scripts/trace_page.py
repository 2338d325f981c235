#!/usr/bin/python3
"""A trace as a page: scripts/trace-convert TRACE.DAT -f html [-o FILE] [--book URL] [--build DIR]

One HTML file with all of the trace in it: a tree, lanes, a flame graph and a table of functions. It loads nothing. The names of
functions are links to their sources in the book (`make book`): in build/book, or at URL.
"""
import argparse
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = ROOT / "scripts/trace/page"
SCRIPTS = ("model.js", "list.js", "tree.js", "lanes.js", "flame.js", "panel.js", "page.js")
CALL, FUNCTION, STACK = 0, 4, 5  # rows of scripts/trace/out_rows.c that have symbols


def keep_used_symbols(trace):
    """Numbers the symbols that the rows use from 0 on, and drops the others: most functions are in no row."""
    numbers = {}

    def number(symbol):
        return numbers.setdefault(symbol, len(numbers))

    for row in trace["rows"]:
        if row[0] == CALL:
            row[4] = number(row[4])
        elif row[0] == FUNCTION:
            row[4:6] = number(row[4]), number(row[5])
        elif row[0] == STACK:
            row[4] = [number(symbol) for symbol in row[4]]
    trace["symbols"] = [trace["symbols"][symbol] for symbol in numbers]


def symbols_of(elf):
    """{(name, address)} of the functions of a kernel."""
    text = subprocess.run(["nm", elf], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {(name, int(address, 16)) for address, kind, name in (line.split() for line in text.splitlines() if line[0] != " ")
            if kind in "tTwW"}


def lines_of(elf, addresses):
    """The source lines of addresses, "FILE:LINE", and "" where there is none."""
    with tempfile.NamedTemporaryFile("w") as arguments:
        arguments.write("\n".join(map(hex, addresses)))
        arguments.flush()
        text = subprocess.run(["addr2line", "-e", elf, f"@{arguments.name}"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [source_line(line) for line in text.splitlines()]


def source_line(line):
    """A line of addr2line as FILE:LINE, with the file's path from the root of the repository."""
    path, _, number = line.split(" ")[0].rpartition(":")
    parts = path.strip("/").split("/")
    # The compiler has noted where the kernel was built, which may be another place. The book has no generated sources.
    for start in range(len(parts)):
        name = "/".join(parts[start:])
        if not name.startswith("build/") and (ROOT / name).is_file():
            return f"{name}:{number}" if number.isdigit() and number != "0" else ""
    return ""


def definition(line, symbol):
    """The line that names a function. The compiler notes the line of its brace, which is below."""
    path, _, number = line.partition(":")
    name = symbol.partition(".")[0]
    lines = text_of(path).splitlines() if line else []
    for at in range(int(number or 0), max(int(number or 0) - 8, 0), -1):
        if re.search(rf"\b{re.escape(name)}\b", lines[at - 1]):
            return f"{path}:{at}"
    return line


@functools.cache
def text_of(path):
    return (ROOT / path).read_text(errors="replace")


def add_sources(trace, elf):
    """Sets trace["where"], the line of each symbol, and trace["places"], the lines of the calls. A row's return address becomes a
    number of places; number 0 is unknown. Without the kernel of the trace there are no lines."""
    kernel = symbols_of(elf) if elf.exists() else set()
    known = [(name, int(start, 16)) in kernel for name, start in trace["symbols"]]
    same = any(known)
    for number, ((name, start), there) in enumerate(zip(trace["symbols"], known)):
        if not there and any(name == other for other, _ in kernel):
            same = False
    callers = {}
    for row in trace["rows"]:
        at = 5 if row[0] == CALL else 6
        if row[0] in (CALL, FUNCTION):
            row[at] = callers.setdefault(row[at], len(callers) + 1) if row[at] else 0
    trace["where"], trace["places"] = [""] * len(known), [""] * (len(callers) + 1)
    if not same:
        print(f"trace-convert: {elf} is not the kernel of this trace: the page has no links to sources", file=sys.stderr)
    else:
        lines = lines_of(elf, [int(start, 16) for _, start in trace["symbols"]])
        trace["where"] = [definition(line, name) if there else "" for line, there, (name, _) in zip(lines, known, trace["symbols"])]
        # A return address is behind the call.
        trace["places"][1:] = lines_of(elf, [int(address, 16) - 1 for address in callers])
    trace["symbols"] = [name for name, _ in trace["symbols"]]


def convert(trace):
    """(status, rows) of the converter."""
    result = subprocess.run([ROOT / "build/scripts/trace-convert", trace, "-f", "rows"], stdout=subprocess.PIPE, check=False)
    if result.returncode > 1:
        sys.exit(result.returncode)
    return result.returncode, json.loads(result.stdout)


def template():
    """The page without its trace: with @TITLE@ and @DATA@."""
    script = "".join((PARTS / name).read_text().replace('"use strict";\n\n', "") for name in SCRIPTS)
    return (PARTS / "page.html").read_text().replace("@STYLE@", (PARTS / "style.css").read_text()).replace("@SCRIPT@", script)


def page_of(data, title):
    # "</script>" and "<!--" in a text would end the script or hide the rest of it.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return template().replace("@TITLE@", title.replace("&", "&amp;").replace("<", "&lt;")).replace("@DATA@", text)


def book_address(book, out):
    """Where the page finds the book. A path is relative to the page, so that both can be moved together."""
    if "://" in book:
        return book.rstrip("/") + "/"
    if not Path(book, "index.html").exists():
        print(f"trace-convert: the links to sources need {book}: `make book` makes it", file=sys.stderr)
    if out:
        return os.path.relpath(book, Path(out).resolve().parent) + "/"
    return Path(book).resolve().as_uri() + "/"


def main():
    parser = argparse.ArgumentParser(prog="trace-convert", description="Make a page of a trace.")
    parser.add_argument("trace")
    parser.add_argument("-f", choices=["html"], required=True)
    parser.add_argument("-o", metavar="FILE")
    parser.add_argument("--book", metavar="URL", default=str(ROOT / "build/book"), help="where the book is")
    parser.add_argument("--build", metavar="DIR", type=Path, default=ROOT / "build", help="where nop5.elf is")
    args = parser.parse_args()
    status, trace = convert(args.trace)
    keep_used_symbols(trace)
    add_sources(trace, args.build / "nop5.elf")
    trace["book"] = book_address(args.book, args.o)
    page = page_of(trace, f"nop5: {Path(args.trace).name}")
    if args.o:
        Path(args.o).write_text(page)
    else:
        sys.stdout.write(page)
    return status


if __name__ == "__main__":
    sys.exit(main())
