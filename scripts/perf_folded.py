#!/usr/bin/python3
"""Fold the samples of a perf.data: scripts/trace-convert PERF.DATA -f folded [-o FILE] [-- ARGUMENTS OF perf script]

Prints `TASK;OUTER;INNER NUMBER` for each stack, where the number is the sum of the samples' periods: nanoseconds for a clock,
hits for another event. Debian's perf (package linux-perf) reads the file. A machine that is not the one of the recording knows
its functions by arguments: `-k build/nop5.elf` for the kernel, `--symfs DIRECTORY` for programs.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

FIELDS = "comm,period,ip,sym,dso"
# Without a call chain the only frame is on the line of the task.
SAMPLE = re.compile(r" *(?P<task>.*?) +(?P<period>\d+) +(?P<frame>[0-9a-f]+ .*)?")
FRAME = re.compile(r"\s*[0-9a-f]+ (?P<name>.*) \((?P<file>.*)\)")


def name_of(frame):
    """A frame's function, or the file of a function without a name, in brackets."""
    match = FRAME.fullmatch(frame)
    if not match:
        return frame.strip()
    file = os.path.basename(match["file"]).strip("[]")
    return f"[{file}]" if match["name"] == "[unknown]" else match["name"].replace(";", ":")


def fold(lines):
    """Returns {stack: sum of the periods} from the lines of `perf script`."""
    samples = []  # task, period, and the frames, innermost first
    for line in lines:
        line = line.rstrip("\n")
        if line.startswith("\t") and samples:
            samples[-1][2].append(name_of(line))
        elif match := SAMPLE.fullmatch(line):
            frame = match["frame"]
            samples.append((match["task"].replace(";", ":"), int(match["period"]), [name_of(frame)] if frame else []))
    stacks = collections.Counter()
    for task, period, frames in samples:
        stacks[";".join([task, *reversed(frames)])] += period
    return stacks


def main():
    own, rest = sys.argv[1:], []
    if "--" in own:
        own, rest = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(prog="scripts/trace-convert", usage="%(prog)s PERF.DATA -f folded [-o FILE] [-- ARGUMENTS OF perf script]")
    parser.add_argument("data", metavar="PERF.DATA")
    parser.add_argument("-f", choices=["folded"], required=True)
    parser.add_argument("-o", type=argparse.FileType("w"), default=sys.stdout)
    arguments = parser.parse_args(own)
    try:
        script = subprocess.run(["perf", "script", "-i", arguments.data, "-F", FIELDS, "--no-inline", *rest], stdout=subprocess.PIPE, text=True, errors="replace")
    except FileNotFoundError:
        sys.exit("trace-convert: perf reads a perf.data: install linux-perf")
    if script.returncode:
        sys.exit(f"trace-convert: perf script: status {script.returncode}")
    for stack, number in sorted(fold(script.stdout.splitlines()).items()):
        print(stack, number, file=arguments.o)


if __name__ == "__main__":
    main()
