#!/usr/bin/python3
"""strace's own tests (test_strace_suite.py): their programs, a root file system with them, and what Linux says to them.

    tests/boot/strace_suite.py LINUX-REF [PATTERN ...]   runs them, or those that match a pattern, on Linux 6.1

That writes data/strace_suite.txt: each test's result there. The suite is that of Debian's source package strace, unmodified. It
is downloaded and built once, in build/strace-suite. A test is a script that runs a program under the strace of the package,
and compares what strace prints with what the program says that it has done.
"""
import fnmatch
import re
import shutil
import subprocess
import sys
from pathlib import Path

import perf_commands

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/boot/data"
TABLE = DATA / "strace_suite.txt"
ABSENT = DATA / "strace_suite_absent.txt"

WORK = ROOT / "build/strace-suite"
SOURCE = WORK / "strace-6.1"
SOURCES = "deb-src http://deb.debian.org/debian bookworm main\n"
# What the scripts call.
PACKAGES = ("bash", "coreutils", "sed", "gawk", "grep", "diffutils", "findutils", "util-linux", "procps", "kmod")
KINDS = ("MISC_TESTS", "STACKTRACE_TESTS", "DECODER_TESTS", "GEN_TESTS")
LOT = 20
RESULT = re.compile(r"^RESULT (\S+) (\d+)\r?$", re.M)
# What the table says of a status; a test that passes has its name only. All but these have failed.
OUTCOMES = {"0": "", "77": " skipped"}
# A slow host must not judge Linux. With icount its time is that of its instructions; otherwise its check of the timer at boot may
# end in a panic. The limit of a day ends only what hangs.
# These tests measure a sleep of a second. Both kernels are asked with icount.
TIMED = "strace--relative-timestamps*"
ON_LINUX = ("--icount", "--cpus", "1", "--timeout", "86400")

# suite NAME...: the output of each test that does not pass, and its status: 0 passed, 77 skipped. It works in the directory of
# the programs, as `make check` does. A limit of time would judge the host: who waits for a test decides when it hangs. But
# looping_threads goes on for a sixteenth of the limit: it gets the one that strace's tests have by themselves.
SUITE = """#!/usr/bin/bash
cd /suite/build/tests
export STRACE_ARCH=x86_64 STRACE_NATIVE_ARCH=x86_64 SIZEOF_KERNEL_LONG_T=8 SIZEOF_LONG=8 MIPS_ABI= srcdir=../../strace-6.1/tests
export TIMEOUT_DURATION LC_ALL=C HOME=/root TERM=dumb
for name; do
	TIMEOUT_DURATION=86400
	[ $name != looping_threads.test ] || TIMEOUT_DURATION=1500
	bash $srcdir/run.sh bash $srcdir/$name > /tmp/output 2>&1 < /dev/null
	status=$?
	[ $status = 0 ] || head -c 4000 /tmp/output | head -n 40
	echo "RESULT $name $status"
	rm -rf ${name%%.*}.dir
done
"""


def run(*command, **arguments):
    subprocess.run(command, check=True, cwd=WORK, **arguments)


def download():
    """Unpacks the source package. apt keeps what it knows about source packages apart from the rest of the host."""
    (WORK / "lists/partial").mkdir(parents=True, exist_ok=True)
    (WORK / "sources.list").write_text(SOURCES)
    options = ["-qq", "-o", f"Dir::Etc::SourceList={WORK}/sources.list", "-o", "Dir::Etc::SourceParts=-", "-o", f"Dir::State::Lists={WORK}/lists"]
    run("apt-get", *options, "update")
    run("apt-get", *options, "source", "--download-only", "strace")
    archive, = WORK.glob("strace_*.orig.tar.xz")
    run("tar", "-xf", archive)


def build():
    """Builds strace and the programs of its tests. Returns the directory."""
    directory = WORK / "build"
    if not (WORK / "built").exists():
        WORK.mkdir(parents=True, exist_ok=True)
        if not SOURCE.exists():
            download()
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        with open(WORK / "log", "w", encoding="ascii") as log:
            for command in ([SOURCE / "configure", "--enable-mpers=no", "--enable-bundled=yes", "--disable-dependency-tracking", "CFLAGS=-O1 -g0"],
                            ["make", "-s", "-j2"], ["make", "-s", "-j2", "-C", "tests", "check", "TESTS="]):
                subprocess.run(command, check=True, cwd=directory, stdout=log, stderr=log)
        (WORK / "built").touch()
    return directory


def names():
    """All tests of the suite."""
    done = subprocess.run(["make", "-s", "-p", "-n", "-C", build() / "tests", "check", "TESTS="], text=True, stdout=subprocess.PIPE, check=False)
    lists = dict(re.findall(r"^(\w+) :?= (.*)$", done.stdout, re.M))
    return sorted({name for kind in KINDS for name in lists[kind].split() if name.endswith(".test")})


def tree():
    """The directory /suite of the root file system, and what it holds. The names of programs are parts of their output."""
    built, root = build(), WORK / "root"
    shutil.rmtree(root, ignore_errors=True)
    for directory in ("build/src", "build/tests", "strace-6.1/src"):
        (root / "suite" / directory).mkdir(parents=True)
    shutil.copy(built / "src/config.h", root / "suite/build/src")
    shutil.copy(SOURCE / "src/strace-log-merge", root / "suite/strace-6.1/src")
    shutil.copytree(SOURCE / "tests", root / "suite/strace-6.1/tests", ignore=shutil.ignore_patterns("*.c", "*.am", "Makefile*"))
    programs = [built / "src/strace", *(path for path in (built / "tests").iterdir() if path.is_file() and path.stat().st_mode & 0o111)]
    for path in programs:
        run("strip", "-o", root / "suite" / path.relative_to(WORK), path)
    script = root / "usr/bin/suite"
    script.parent.mkdir(parents=True)
    script.write_text(SUITE)
    script.chmod(0o755)
    return root


def table():
    """{test: what Linux says to it}: "", "skipped", "failed"."""
    lines = (line.partition(" ") for line in TABLE.read_text().splitlines() if not line.startswith("#"))
    return {name: outcome for name, _, outcome in lines}


def passed():
    """The tests that pass on Linux."""
    return [name for name, outcome in table().items() if not outcome]


def absent():
    """{pattern: what nop5 does not have} from data/strace_suite_absent.txt."""
    lines = ABSENT.read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def expected(name):
    """The status with which a test that passes on Linux must end on nop5. A test asks first for what it wants, and skips itself."""
    reasons = [reason for pattern, reason in absent().items() if fnmatch.fnmatch(name, pattern)]
    if not reasons:
        return "0"
    return "1" if reasons[0].startswith("fails: ") else "77"


def lots(tests):
    return [tests[first:first + LOT] for first in range(0, len(tests), LOT)]


def note(text):
    """Writes the results of a lot into the table."""
    head = [line for line in TABLE.read_text().splitlines() if line.startswith("#")]
    lines = {name: f"{name} {outcome}".rstrip() for name, outcome in table().items()}
    lines |= {name: name + OUTCOMES.get(status, " failed") for name, status in RESULT.findall(text)}
    TABLE.write_text("\n".join(head + [lines[name] for name in sorted(lines)]) + "\n")


def main():
    patterns = sys.argv[2:] or ["*"]
    chosen = [name for name in names() if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
    root = tree()
    for lot in lots(chosen):
        commands = ["mkdir -p /dev/pts /dev/shm; mount -t devpts devpts /dev/pts; mount -t tmpfs tmpfs /dev/shm", f"setsid suite {' '.join(lot)}"]
        text = perf_commands.on_linux(sys.argv[1], [root, *PACKAGES], commands, *ON_LINUX)
        print(text, flush=True)
        note(text)


if __name__ == "__main__":
    main()
