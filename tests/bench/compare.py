#!/usr/bin/python3
"""`make compare`: nop5 and Linux 6.1 side by side. The same commands (compare.sh) run on both, in the same QEMU.

QEMU runs with -icount shift=0,sleep=off, one CPU and 256 MB, so a guest instruction is a nanosecond, and costs are exact.
Prints the table, writes build/compare.md, and with --readme puts it into README.md. LINUX_REF is the program linux-ref.
The scores are those of `make ftracetest`, run it before, and of tests/ftracetest/linux-6.1.txt; the lines of Linux are in
linux-6.1.json.
"""
import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/boot"))
sys.path.insert(0, str(ROOT / "tests/ftracetest"))

import ftracetest  # noqa: E402
import programs  # noqa: E402
from nop5 import BUILD, Nop5  # noqa: E402

LINUX_REF = os.environ.get("LINUX_REF", "/work/shared/tools/linux-ref")
SCRIPT = HERE / "compare.sh"
ROOMS = ("boot", "arch", "kernel", "fs", "net", "trace")
BEGIN, END = "<!-- make compare: begin -->", "<!-- make compare: end -->"
TRACED = ("function", "graph", "event", "events", "filtered", "hist", "kprobe", "kretprobe")
# name: (what, unit)
ROWS = {
    "since_reset": ("from reset to the first command", "million instructions"),
    "memory": ("memory in use then", "MB"),
    "function": ("a traced call", "instructions"),
    "graph": ("a call and its return in the graph tracer", "instructions"),
    "event": ("an event (`sys_enter`)", "instructions"),
    "filtered": ("an event that its filter drops", "instructions"),
    "hist": ("an event counted in a histogram", "instructions"),
    "kprobe": ("a kprobe event at a function's entry", "instructions"),
    "kretprobe": ("a kretprobe event", "instructions"),
    "getppid": ("the system call `getppid`", "instructions"),
    "open_close": ("`open` and `close`", "instructions"),
    "fault": ("a page fault", "instructions"),
    "pipe_program": ("a switch to another program through a pipe", "instructions"),
    "fork": ("`fork`, `exit` and `wait`", "instructions"),
    "exec": ("`vfork`, `exec` and `wait`", "instructions"),
    "lines": ("lines of source (Linux: with all drivers and machines)", "thousands"),
    "passed": ("Linux's ftrace test-suite, 95 tests: passed", ""),
    "expected_failures": ("failed as the test expects (XFAIL)", ""),
    "other_results": ("failed, unresolved or unsupported", ""),
    "instances": ("the same in instances, 22 tests: passed", ""),
}


def figures_of(text):
    values = {name: int(value) for name, value in re.findall(r"^(\w+) (\d+)\r?$", text, re.M)}
    values["memory"] = round((values["MemTotal"] - values["MemFree"]) / 1024)
    values["since_reset"] = round(values["since_reset"] / 1e6)
    for name in TRACED:
        values[name] -= values["untraced"]
    return values


# The first program, as linux-ref has it: nobody types, because the time of waiting would count.
INIT = """#!/bin/sh
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev
mount -t tracefs tracefs /sys/kernel/tracing; mount -t debugfs debugfs /sys/kernel/debug
sh /root/compare.sh
poweroff -f
"""


def measure_nop5(program):
    image, init = BUILD / "compare.cpio", BUILD / "compare-init"
    init.write_text(INIT)
    init.chmod(0o755)
    subprocess.run([ROOT / "scripts/rootfs", image, program, f"{SCRIPT}:/root/compare.sh", f"{init}:/compare"], check=True)
    with Nop5(cpus=1, mem="256M", icount=True, initrd=str(image), append="rdinit=/compare") as machine:
        machine.wait_exit()
        return figures_of(machine.text)


def measure_linux(program):
    command = [LINUX_REF, "--icount", "--cpus", "1", "--mem", "256M", "--timeout", "900", "--add", program]
    return figures_of(subprocess.run(command, text=True, check=True, stdin=SCRIPT.open(), stdout=subprocess.PIPE).stdout)


def lines_of_nop5():
    files = [path for room in ROOMS for suffix in ("c", "h", "asm", "inc") for path in (ROOT / room).rglob(f"*.{suffix}")]
    return sum(path.read_text().count("\n") for path in files)


def scores(path):
    """The results of the suite in a file, counted: at the top, and those that passed in an instance."""
    top, instance = [[results[column] for results in ftracetest.load(path).values() if results[column] != ftracetest.NONE] for column in (0, 1)]
    passed, expected = top.count("PASS"), top.count("XFAIL")
    return {"passed": passed, "expected_failures": expected, "other_results": len(top) - passed - expected,
            "instances": instance.count("PASS")} if top else {}


def table(ours, linux):
    lines = ["| what | unit | nop5 | Linux 6.1 |", "|---|---|---|---|"]
    for name, (what, unit) in ROWS.items():
        show = ["–" if values.get(name) is None else f"{values[name]:,}" for values in (ours, linux)]
        lines.append(f"| {what} | {unit} | {show[0]} | {show[1]} |")
    return "\n".join(lines) + "\n"


def main():
    subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "all"], cwd=ROOT, check=True)
    program = programs.build(BUILD / "bench-programs")
    ours, linux = measure_nop5(program), measure_linux(program)
    ours["lines"] = round(lines_of_nop5() / 1000)
    linux["lines"] = round(json.loads((HERE / "linux-6.1.json").read_text())["lines"] / 1000)
    ours.update(scores(ftracetest.RESULTS))
    linux.update(scores(ftracetest.record_of(ftracetest.LINUX)))
    text = table(ours, linux)
    (ROOT / "build/compare.md").write_text(text)
    print(text, end="")
    if "--readme" in sys.argv[1:]:
        readme = ROOT / "README.md"
        before, _, rest = readme.read_text().partition(BEGIN)
        said = f"Measured on {datetime.date.today()} by `make compare`: the same commands on one CPU with 256 MB, in QEMU with `-icount`.\n"
        readme.write_text(before + BEGIN + "\n" + said + "\n" + text + END + rest.partition(END)[2])


if __name__ == "__main__":
    main()
