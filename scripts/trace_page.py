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
SCRIPTS = ("model.js", "list.js", "tree.js", "lanes.js", "flame.js", "panel.js", "questions.js", "page.js")
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


@functools.cache
def symbols_of(elf):
    """{(name, address)} of the functions of a kernel."""
    text = subprocess.run(["nm", elf], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {(name, int(address, 16)) for address, kind, name in (line.split() for line in text.splitlines() if line[0] != " ")
            if kind in "tTwW"}


def modules_of(build):
    """{"[NAME]": file} of the modules that a build has, with their debug information."""
    return {f"[{file.stem.replace('-', '_')}]": file for file in sorted((build / "modules/modules").glob("*.ko"))}


def functions_of(module):
    """{name: offset in .text} of a module that is not loaded."""
    text = subprocess.run(["objdump", "-t", module], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {name: int(offset, 16) for offset, name in re.findall(r"^(\w+) .{6}F \.text\s+\w+ (?:\.hidden )?(\S+)$", text, re.M)}


def lines_of(file, addresses):
    """The source lines of addresses of a kernel, or of offsets in the .text of a module: "FILE:LINE", and "" where there is none."""
    section = ["-j", ".text"] if Path(file).suffix == ".ko" else []
    with tempfile.NamedTemporaryFile("w") as arguments:
        arguments.write("\n".join(map(hex, addresses)))
        arguments.flush()
        text = subprocess.run(["addr2line", *section, "-e", file, f"@{arguments.name}"], check=True, stdout=subprocess.PIPE, text=True).stdout
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
    if int(number or 0) > len(lines):  # of generated code, to which the compiler gives the name of the file that includes it
        return ""
    for at in range(int(number or 0), max(int(number or 0) - 8, 0), -1):
        if re.search(rf"\b{re.escape(name)}\b", lines[at - 1]):
            return f"{path}:{at}"
    return line


@functools.cache
def text_of(path):
    return (ROOT / path).read_text(errors="replace")


def number_callers(trace):
    """Replaces the return address of each row by a number of trace["places"], and returns the addresses. Number 0 is unknown."""
    callers = {}
    for row in trace["rows"]:
        at = 5 if row[0] == CALL else 6
        if row[0] in (CALL, FUNCTION):
            row[at] = callers.setdefault(row[at], len(callers) + 1) if row[at] else 0
    return [int(address, 16) for address in callers]


def add_kernel(trace, callers, elf):
    """Sets the lines of the kernel's functions and of the calls in them, if the trace is one of this kernel."""
    kernel = symbols_of(elf) if elf.exists() else set()
    known = [not module and (name, int(start, 16)) in kernel for name, start, module in trace["symbols"]]
    names = {name for name, _ in kernel}
    if all(module for *_, module in trace["symbols"]):
        return
    if not any(known) or any(name in names and not module and not there for (name, _, module), there in zip(trace["symbols"], known)):
        print(f"trace-convert: {elf} is not the kernel of this trace: the page has no links to sources", file=sys.stderr)
        return
    lines = lines_of(elf, [int(start, 16) for _, start, _ in trace["symbols"]])
    trace["where"] = [definition(line, name) if there else "" for line, there, (name, *_) in zip(lines, known, trace["symbols"])]
    # A return address is behind the call.
    trace["places"][1:] = lines_of(elf, [address - 1 for address in callers])


def add_module(trace, callers, name, file):
    """The same for a module. All its functions must be as far from each other as in the file."""
    offsets = functions_of(file)
    ours = [(number, symbol, int(start, 16)) for number, (symbol, start, module) in enumerate(trace["symbols"]) if module == name and symbol in offsets]
    bases = {start - offsets[symbol] for _, symbol, start in ours}
    if len(bases) != 1:
        return
    base, = bases
    for (number, symbol, _), line in zip(ours, lines_of(file, [offsets[symbol] for _, symbol, _ in ours])):
        trace["where"][number] = definition(line, symbol)
    inside = [(number, address) for number, address in enumerate(callers, 1) if base < address <= base + text_size(file)]
    for (number, _), line in zip(inside, lines_of(file, [address - base - 1 for _, address in inside])):
        trace["places"][number] = line


def text_size(module):
    text = subprocess.run(["size", "-A", module], check=True, stdout=subprocess.PIPE, text=True).stdout
    return int(re.search(r"^\.text\s+(\d+)", text, re.M)[1])


def add_sources(trace, build):
    """Sets trace["where"], the line of each symbol, and trace["places"], the lines of the calls, from the kernel and the modules of a
    build. A symbol becomes its name."""
    callers = number_callers(trace)
    trace["where"], trace["places"] = [""] * len(trace["symbols"]), [""] * (len(callers) + 1)
    add_kernel(trace, callers, build / "nop5.elf")
    used = {module for *_, module in trace["symbols"]}
    for name, file in modules_of(build).items():
        if name in used:
            add_module(trace, callers, name, file)
    trace["symbols"] = [name for name, *_ in trace["symbols"]]


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
    values = {"TITLE": title.replace("&", "&amp;").replace("<", "&lt;"), "DATA": text}
    return re.sub("@(TITLE|DATA)@", lambda match: values[match[1]], template())


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
    add_sources(trace, args.build)
    trace["book"] = book_address(args.book, args.o)
    page = page_of(trace, f"nop5: {Path(args.trace).name}")
    if args.o:
        Path(args.o).write_text(page)
    else:
        sys.stdout.write(page)
    return status


if __name__ == "__main__":
    sys.exit(main())
