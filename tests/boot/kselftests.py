#!/usr/bin/python3
"""Linux's own tests of system calls (test_kselftests.py): their programs, and what Linux says to them.

    tests/boot/kselftests.py LINUX-REF     runs them on Linux 6.1

That writes data/kselftests.txt: what fails there. The programs are tools/testing/selftests of Debian's package linux-source-6.1,
unmodified, about parts that nop5 has: /proc, pidfds, mremap, ptrace, filters of system calls, breakpoints, and x86's entry code.
Those of NEWER are of linux-source-6.12: Linux 6.1 has nothing that they test, so all of them must pass here.
"""
import re
import subprocess
import sys
from pathlib import Path

import perf_commands

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/boot/data"
FAILS = DATA / "kselftests.txt"
ABSENT = DATA / "kselftests_absent.txt"

PACKAGE = "linux-source-6.1"
WORK = ROOT / "build/kselftests"
SELFTESTS = "tools/testing/selftests"
# Programs that need namespaces, 32-bit calls, a local descriptor table or 2 GB of memory are not among them.
PROGRAMS = {
    "breakpoints": ("breakpoint_test",),
    "pidfd": ("pidfd_fdinfo_test", "pidfd_getfd_test", "pidfd_open_test", "pidfd_poll_test", "pidfd_wait"),
    "proc": ("fd-001-lookup", "fd-002-posix-eq", "fd-003-kthread", "proc-empty-vm", "proc-fsconfig-hidepid", "proc-multiple-procfs",
             "proc-self-map-files-001", "proc-self-map-files-002", "proc-self-syscall", "proc-self-wchan", "proc-tid0", "proc-uptime-001",
             "proc-uptime-002", "read", "self", "thread-self"),
    "ptrace": ("get_syscall_info", "peeksiginfo", "vmaccess"),
    "seccomp": ("seccomp_bpf",),
    "vm": ("mremap_dontunmap",),
    "x86": ("corrupt_xstate_header", "ioperm", "iopl", "mov_ss_trap", "sigaltstack", "sigtrap_loop", "single_step_syscall", "syscall_arg_fault", "syscall_nt",
            "syscall_numbering", "sysret_rip", "test_mremap_vdso", "test_vsyscall"),
}
NEWER_PACKAGE = "linux-source-6.12"
NEWER = ("ring-buffer/map_test", *(f"user_events/{name}_test" for name in ("abi", "dyn", "ftrace", "perf")))
NEWER_HEADERS = ("trace_mmap.h", "user_events.h")
NAMES = [f"{folder}/{program}" for folder, programs in PROGRAMS.items() for program in programs]
# What each folder's Makefile says, and static.
FLAGS = {"breakpoints": ["-O0"]}
PASSED, SKIPPED = 0, 4

# kselftest NAME: the output, and the status.
SCRIPT = """#!/bin/sh
cd /tmp
/kselftests/$1 < /dev/null 2>&1
echo "STATUS $1 $?"
"""
RESULT = re.compile(r"^STATUS (\S+) (\d+)$", re.M)


def run(*command):
    subprocess.run(command, check=True, cwd=WORK)


def suite(name):
    """The selftests of a package, unpacked, with its headers for programs."""
    directory = WORK / name
    if not directory.exists():
        run("apt-get", "-qq", "download", name)
        package, = WORK.glob(f"{name}_*.deb")
        wanted = f"{name}/{SELFTESTS} {name}/include/uapi/linux"
        run("sh", "-c", f"dpkg-deb --fsys-tarfile {package} | tar -xO ./usr/src/{name}.tar.xz | tar -xJ {wanted}")
        package.unlink()
    return directory / SELFTESTS


def build(root, name, selftests, *flags):
    program = root / "kselftests" / name
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        run("gcc", "-static", "-s", "-w", "-D_GNU_SOURCE", *flags, f"-I{selftests}", "-o", program, selftests / f"{name}.c", "-lpthread", "-lcap")


def newer_headers():
    """A directory with those headers of NEWER_PACKAGE that the host lacks."""
    directory = WORK / "headers/linux"
    directory.mkdir(parents=True, exist_ok=True)
    for name in NEWER_HEADERS:
        (directory / name).write_text((suite(NEWER_PACKAGE).parents[2] / "include/uapi/linux" / name).read_text())
    return directory.parent


def tree():
    """The directory /kselftests of the root file system, and what runs a program of it."""
    root = WORK / "root"
    WORK.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        build(root, name, suite(PACKAGE), *FLAGS.get(name.split("/")[0], ["-O2"]))
    for name in NEWER:
        build(root, name, suite(NEWER_PACKAGE), "-O2", f"-I{newer_headers()}")
    script = root / "usr/bin/kselftest"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(SCRIPT)
    script.chmod(0o755)
    return root


def failures(text, status):
    """What of a program fails: the names of its tests, or "all of it"."""
    tests = set(re.findall(r"^not ok \d+ (.*?) *$", text, re.M))
    return tests or (set() if status in (PASSED, SKIPPED) else {"all of it"})


def on_linux():
    """{program: what of it fails on Linux}"""
    failing = {}
    for line in FAILS.read_text().splitlines():
        if not line.startswith("#"):
            name, _, what = line.partition(": ")
            failing.setdefault(name, set()).add(what)
    return failing


def absent():
    """{(program, pattern of what fails): why} from data/kselftests_absent.txt."""
    lines = (re.fullmatch(r"(\S+): (.*) -- (.*)", line) for line in ABSENT.read_text().splitlines() if not line.startswith("#"))
    return {(match[1], match[2]): match[3] for match in lines}


def main():
    text = perf_commands.on_linux(sys.argv[1], [tree()], [f"kselftest {name}" for name in NAMES], "--timeout", "86400")
    head = [line for line in FAILS.read_text().splitlines() if line.startswith("#")]
    lines, at = [], 0
    for match in RESULT.finditer(text):
        lines += sorted(f"{match[1]}: {what}" for what in failures(text[at:match.start()], int(match[2])))
        at = match.end()
    FAILS.write_text("\n".join(head + lines) + "\n")


if __name__ == "__main__":
    main()
