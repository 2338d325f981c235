#!/usr/bin/python3
"""`make bench`: what nop5 costs, in instructions, beside its targets and Linux.

QEMU runs with -icount shift=0,sleep=off and one CPU: each instruction advances the TSC by one, so the
figures are exact and the same on every host. Only the build time is a time. Writes build/bench.json.

The kernel measures itself (fs/bench.c). Linux's figures are kept in linux-6.1.json; LINUX=1 (or --linux)
measures them anew with linux-ref, whose path is in LINUX_REF.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/boot"))

from nop5 import Nop5  # noqa: E402

LINUX_FILE = HERE / "linux-6.1.json"
LINUX_REF = os.environ.get("LINUX_REF", "/work/shared/tools/linux-ref")
RESULT = ROOT / "build/bench.json"

# name: (what, unit, target)
FIGURES = {
    "boot": ("kernel entry to prompt, 1 CPU, 256 MiB", "instructions", 40_000_000),
    "pipe": ("context switch between two tasks through a pipe", "instructions", 600),
    "kmalloc": ("kmalloc + kfree of 64 bytes", "instructions", 60),
    "build": ("clean build on 2 cores", "seconds", 60),
}


def measure_kernel():
    """{figure: value} and the table of the boot's stages, from one boot."""
    with Nop5(cpus=1, mem="256M", icount=True) as machine:
        machine.wait_prompt()
        stages = {name: int(since) for name, _, since in
                  re.findall(r"^(\w+) +(\d+) +(\d+)$", machine.check("cat /sys/kernel/debug/boot_time"), re.M)}
        values = {"boot": stages["prompt"]}
        for name in ("pipe", "kmalloc"):
            text = machine.check(f"cat /sys/kernel/debug/bench/{name}")
            values[name] = int(re.search(r"(\d+) each", text).group(1))
        machine.poweroff()
    return values, stages


def measure_build():
    """Seconds of a build from nothing, in a directory of its own, on two cores."""
    directory = ROOT / "build/bench"
    shutil.rmtree(directory, ignore_errors=True)
    command = ["make", "-s", "-j2", f"O={directory.relative_to(ROOT)}"]
    if shutil.which("taskset") and os.cpu_count() > 2:
        command = ["taskset", "-c", "0,1", *command]
    start = time.monotonic()
    subprocess.run(command, cwd=ROOT, check=True)
    seconds = time.monotonic() - start
    shutil.rmtree(directory)
    return round(seconds, 1)


def measure_linux():
    """Run pingpong.c on Debian's kernel in the same machine."""
    program = ROOT / "build/pingpong"
    subprocess.run(["gcc", "-O2", "-static", "-Wall", "-o", program, HERE / "pingpong.c"], check=True)
    command = [LINUX_REF, "--icount", "--cpus", "1", "--add", program, "uname -r", "pingpong"]
    text = subprocess.run(command, text=True, check=True, stdout=subprocess.PIPE).stdout
    figures = json.loads(LINUX_FILE.read_text()) if LINUX_FILE.exists() else {}
    figures["kernel"] = text.split()[0]
    figures["pipe"] = int(re.search(r"pipe (\d+)", text).group(1))
    LINUX_FILE.write_text(json.dumps(figures, indent=2) + "\n")


def table(rows):
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [str(c).ljust(w) if i == 0 else str(c).rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())
        if number == 0:
            print("  ".join("-" * w for w in widths))


def number(value, unit):
    if value is None:
        return "-"
    return f"{value:,}" if unit == "instructions" else f"{value} s"


def main():
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):
        os.environ.pop(name, None)
    if "--linux" in sys.argv[1:] or os.environ.get("LINUX") == "1":
        if not os.access(LINUX_REF, os.X_OK):
            sys.exit(f"bench: no {LINUX_REF}; say where linux-ref is with LINUX_REF=")
        measure_linux()
    subprocess.run(["make", "-s", f"-j{os.cpu_count()}"], cwd=ROOT, check=True)
    linux = json.loads(LINUX_FILE.read_text())
    values, stages = measure_kernel()
    values["build"] = measure_build()

    rows = [("what", "target", "nop5", f"Linux {linux['kernel'].rpartition('.0-')[0]}")]
    for name, (what, unit, target) in FIGURES.items():
        rows.append((what, "<= " + number(target, unit), number(values[name], unit), number(linux.get(name), unit)))
    table(rows)
    print()
    table([("boot, instructions since entry", "nop5")] + [(name, f"{since:,}") for name, since in stages.items()])
    RESULT.write_text(json.dumps({
        "figures": {name: {"what": what, "unit": unit, "target": target, "nop5": values[name],
                           "linux": linux.get(name)} for name, (what, unit, target) in FIGURES.items()},
        "boot_stages": stages}, indent=2) + "\n")


if __name__ == "__main__":
    main()
