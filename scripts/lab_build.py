"""Build the tree of a grading, with a limit, and say how far it is.

A student's recordmcount or linker script can make the build endless. Each grading ends with a result, so the build has a
limit, and its message names the command that was still running.
"""
import os
import re
import select
import subprocess
import sys

import lab_cut
from session import session
from stopwatch import Stopwatch, family

LIMIT = 900  # seconds, without those in which it waits for a CPU of the host (stopwatch.py)
STEP = re.compile(r"^  [A-Z]+ +\[(\d+)/(\d+)\]")


class Progress:
    """A line that says how far the build is: over and over on a terminal, else once for each tenth."""

    def __init__(self):
        self.terminal, self.tenths, self.shown = sys.stdout.isatty(), 0, False

    def step(self, done, of):
        if self.terminal:
            print(f"\r  building {done} of {of}", end="", flush=True)
            self.shown = True
        elif done * 10 // of > self.tenths:
            self.tenths = done * 10 // of
            print(f"  building {done} of {of}", flush=True)

    def end(self):
        if self.shown:
            print("\r\x1b[K", end="", flush=True)


def running(pid):
    """The commands of the processes that a build waits for: those that have no child."""
    found = []
    for process in family(pid):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                command = file.read().replace(b"\0", b" ").decode("utf-8", "replace").strip()
            if family(process) == [process] and command:
                found.append(command)
        except OSError:  # it has just ended
            pass
    return found


def run(command, work, environment, limit=None):
    """Returns what the command says, its status, and the commands that were still running when the limit was over."""
    limit = limit or LIMIT
    progress, output, seen, late = Progress(), b"", 0, []
    with session(command, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                 env=environment) as process:
        stopwatch = Stopwatch(process.pid)
        try:
            while True:
                if select.select([process.stdout], [], [], 1)[0]:
                    data = os.read(process.stdout.fileno(), 65536)
                    if not data:
                        break
                    output += data
                    while (end := output.find(b"\n", seen)) >= 0:
                        if step := STEP.match(output[seen:end].decode("utf-8", "replace")):
                            progress.step(int(step[1]), int(step[2]))
                        seen = end + 1
                if stopwatch.exceeds(limit):
                    late = running(process.pid)
                    break
        finally:
            progress.end()
    return output.decode("utf-8", "replace"), process.returncode, late


# What programs of the host include (lab_test.TestedTree.host_program()).
FOR_THE_HOST = ["build/include/generated/tracepoints.h"]


def build(work, images=None):
    """Build these files, or the kernels and the root file system that the lab has. Returns the first complaints of the build, or ""."""
    images = images or ["build/nop5.elf", *(image for folder, image in (("selftest", "build/nop5-test.elf"), ("user", "build/rootfs.cpio"))
                                  if (work / folder).is_dir())]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    output, status, late = run(["make", f"-j{os.cpu_count()}", *lab_cut.settings_of(work), *images], work, environment)
    (work / "build").mkdir(exist_ok=True)
    (work / "build/build.log").write_text(output)
    output = output.replace(f"{work}/", "")
    if late:
        return f"no end after {LIMIT} s: {', '.join(late[:2]).replace(f'{work}/', '')[:300]} was still running"
    if not status and "warning:" not in output:
        return ""
    lines = [line for line in output.splitlines() if "error:" in line or "warning:" in line or "undefined reference" in line]
    return "\n".join(lines[:2]) or output[-300:]
