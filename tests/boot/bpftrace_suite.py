#!/usr/bin/python3
"""bpftrace's own runtime tests (test_bpftrace_suite.py): their programs, a root file system with them, and what Linux says to them.

    tests/boot/bpftrace_suite.py LINUX-REF [PATTERN ...]   runs the tests of the table, or those that match a pattern, on Linux 6.1

That writes Linux's column of data/bpftrace_suite.txt. The suites are those of Debian's source package bpftrace, unmodified. It is
downloaded once, and its small programs are built, in build/bpftrace-suite. A test is a program for the package's bpftrace, a command
that gives it something to see, and a pattern that its output must have. The suite's engine gives each of them some seconds. So time is a
count of instructions, in nop5 and in Linux: then a slow host makes no test late.
"""
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import perf_commands

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests/boot/data/bpftrace_suite.txt"

WORK = ROOT / "build/bpftrace-suite"
SOURCE = WORK / "bpftrace-0.17.0/tests"
SOURCES = "deb http://deb.debian.org/debian bookworm main\ndeb-src http://deb.debian.org/debian bookworm main\n"
# What the engine and the commands of the tests call.
PACKAGES = ("bpftrace", "bpftool", "bash", "coreutils", "grep", "python3-minimal", "python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib",
            "python3-distutils", "python-is-python3", "linux-libc-dev", "libc6-dev", "binutils", "binutils-x86-64-linux-gnu")
RESULT = re.compile(r"^\[ +(OK|FAILED|TIMEOUT|SKIP) +\] +(\w[\w-]*\..*?)\r?$", re.M)
# The end of each run of the engine says again what did not pass.
SUMMARY = re.compile(r"^\[=+\] +\d+ tests from \d+ test cases ran.*?(?=^\[=+\] +Running|\Z)", re.M | re.S)

# bpftrace-suite PATTERN...: runs the tests that match a pattern.
SUITE = """#!/usr/bin/bash
cd /suite
export BPFTRACE_RUNTIME_TEST_EXECUTABLE=/usr/bin PATH=/usr/sbin:/usr/bin LC_ALL=C HOME=/root TERM=dumb
for pattern; do
	python3 -B -u runtime/engine/main.py --filter "$pattern" < /dev/null 2>&1
done
"""


def run(*command):
    subprocess.run(command, check=True, cwd=WORK)


def download():
    """Unpacks the source package, and sdt.h. apt keeps what it knows about source packages apart from the rest of the host."""
    (WORK / "lists/partial").mkdir(parents=True, exist_ok=True)
    (WORK / "sources.list").write_text(SOURCES)
    options = ["-qq", "-o", f"Dir::Etc::SourceList={WORK}/sources.list", "-o", "Dir::Etc::SourceParts=-", "-o", f"Dir::State::Lists={WORK}/lists",
               "-o", "APT::Sandbox::User=root"]
    run("apt-get", *options, "update")
    run("apt-get", *options, "source", "--download-only", "bpftrace")
    run("apt-get", *options, "download", "systemtap-sdt-dev")
    package, = WORK.glob("systemtap-sdt-dev_*.deb")
    run("dpkg", "-x", package, WORK / "sdt")
    archive, = WORK.glob("bpftrace_*.orig.tar.gz")
    run("tar", "-xf", archive)


def build(suite):
    """Builds the programs and the libraries that the tests watch, as the suite's CMakeLists.txt says."""
    headers = [f"-I{WORK}/sdt/usr/include{machine}" for machine in ("", "/x86_64-linux-gnu")]
    compile_one = ["gcc", "-g", "-O0", "-w", "-DHAVE_SYSTEMTAP_SYS_SDT_H", *headers, f"-I{SOURCE}/testlibs"]
    for directory in ("testlibs", "testprogs"):
        (suite / directory).mkdir()
    for source in sorted(SOURCE.glob("testlibs/*.c")):
        run(*compile_one, "-fPIC", "-shared", "-o", suite / f"testlibs/lib{source.stem}.so", source)
    for source in sorted(SOURCE.glob("testprogs/*.c")):
        library = ["-L", suite / "testlibs", "-lusdt_tp", "-Wl,-rpath,/suite/testlibs"] if source.stem == "usdt_lib" else []
        run(*compile_one, "-no-pie", "-o", suite / "testprogs" / source.stem, source, *library)


def leave_out(runtime):
    """Takes the tests with a `-` in the table away: the engine ends with an error when the command before one of them fails."""
    for name in (name for name, (_, nop5, _) in table().items() if nop5 == "-"):
        suite, _, test = name.partition(".")
        parts = (runtime / suite).read_text().split("\n\n")
        (runtime / suite).write_text("\n\n".join(part for part in parts if f"NAME {test}" not in part.splitlines()))


def tree():
    """The directory /suite of the root file system, and what it holds. The names of programs are parts of their output."""
    root = WORK / "root"
    if not (WORK / "built").exists():
        WORK.mkdir(parents=True, exist_ok=True)
        if not SOURCE.exists():
            download()
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(SOURCE / "runtime", root / "suite/runtime")
        leave_out(root / "suite/runtime")
        settings = root / "suite/runtime/engine/cmake_vars.py"
        settings.write_text(re.sub(r"@\w+@", "0", settings.read_text()))
        build(root / "suite")
        (WORK / "built").touch()
    script = root / "usr/bin/bpftrace-suite"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(SUITE)
    script.chmod(0o755)
    return root


def results(text):
    """{test: OK, FAILED, TIMEOUT or SKIP}. A few tests have the same name: one that does not pass decides."""
    found = {}
    for result, name in RESULT.findall(SUMMARY.sub("", text)):
        found[name] = result if found.get(name, "OK") == "OK" else found[name]
    return found


def table():
    """{test: (Linux's result, nop5's, the reason)}: the tests that do not pass on both."""
    rows = (line.split(None, 2) for line in TABLE.read_text().splitlines() if not line.startswith("#"))
    return {test.partition(": ")[0]: (linux, nop5, test.partition(": ")[2]) for linux, nop5, test in rows}


def main():
    rows = table()
    patterns = sys.argv[2:] or list(rows)
    commands = ["bpftrace-suite " + " ".join(map(shlex.quote, patterns))]
    text = perf_commands.on_linux(sys.argv[1], [tree(), *PACKAGES], commands, "--icount", "--cpus", "1", "--mem", "3G", "--timeout", "30000")
    print(text, flush=True)
    for name, linux in results(text).items():
        if name in rows or linux != "OK":
            rows[name] = (linux, *rows.get(name, ("OK", "?"))[1:])
    head = [line for line in TABLE.read_text().splitlines() if line.startswith("#")]
    TABLE.write_text("\n".join(head + [f"{linux:<7} {nop5:<7} {name}: {reason}" for name, (linux, nop5, reason) in sorted(rows.items())]) + "\n")


if __name__ == "__main__":
    main()
