#!/usr/bin/python3
"""Run Linux's own ftrace test-suite, unmodified, in nop5: `make ftracetest`.

    tests/ftracetest/ftracetest.py [--cpus N] [PATTERN ...]   PATTERN: part of a test's name, as kprobe/ or func-filter
    tests/ftracetest/ftracetest.py --linux 6.12 [PATTERN ...]   the newer suite, of Debian's backports
    tests/ftracetest/ftracetest.py --record LINUX_REF [PATTERN ...]   renews linux-6.1.txt, with shared/tools/linux-ref;
                                                                      with --linux 6.12 suite-6.12-on-linux-6.1.txt

The suite is tools/testing/selftests/ftrace of Debian's package linux-source-6.1, which is downloaded. Each test has a boot
of its own, so one that hangs costs one test. The table shows the result of each test beside that of Debian's Linux; the
second result is that of the test in an instance. The exit status is 1 if a test is worse than there.

build/ftracetest/logs/ has the output of each test that did not pass; build/ftracetest/results.txt has all results, in the
form of linux-6.1.txt; build/test/ftracetest.xml is JUnit.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/boot"))

from nop5 import Died, Nop5  # noqa: E402

WORK = ROOT / "build/ftracetest"
LINUX = "6.1"
SOURCE = "tools/testing/selftests/ftrace"
RESULTS = WORK / "results.txt"
# What the tests call beside busybox: nice is coreutils', chrt is util-linux's, and one test wants a shell that executes ping.
PROGRAMS = ("coreutils", "util-linux", "dash")
# Tests ping 127.0.0.1. Four tests look for a PID anywhere in lines of a trace: one of two digits is part of many numbers.
PREPARE = "ip link set lo up; echo 20000 > /proc/sys/kernel/ns_last_pid"
# A test of the newer suite looks for a program whose name ends in "sh" behind /bin/sh: it is dash, as in Debian.
PREPARE_NEWER = PREPARE + "; ln -sf dash /bin/sh"
# The traced output of a test stands between its name and its result.
RESULT = re.compile(r"^\[\d+\] (\(instance\) )?.*?\t\[(\w+)\]$", re.M | re.S)
HANG = "HANG"
NONE = "-"


# Where newer versions come from. apt keeps what it knows about it apart from the rest of the host.
BACKPORTS = "deb http://deb.debian.org/debian bookworm-backports main\n"


def download(package, version):
    """Downloads a Debian package into WORK. Returns its path."""
    options = []
    if version != LINUX:
        lists = WORK / "lists"
        (lists / "partial").mkdir(parents=True, exist_ok=True)
        (WORK / "sources.list").write_text(BACKPORTS)
        options = ["-o", f"Dir::Etc::SourceList={WORK}/sources.list", "-o", "Dir::Etc::SourceParts=-", "-o", f"Dir::State::Lists={lists}",
                   "-o", f"Dir::Cache={WORK}"]
        subprocess.run(["apt-get", *options, "update"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["apt-get", *options, "download", package], cwd=WORK, check=True, stdout=subprocess.DEVNULL)
    path, = WORK.glob(f"{package}_*.deb")
    return path


def suite(version=LINUX):
    """The directory of the suite, unpacked from the package."""
    package = f"linux-source-{version}"
    directory = WORK / package / SOURCE
    if not directory.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        path = download(package, version)
        subprocess.run(f"dpkg-deb --fsys-tarfile {path} | tar -xO ./usr/src/{package}.tar.xz | "
                       f"tar -xJ --wildcards '{package}/{SOURCE}*'", shell=True, cwd=WORK, check=True)
        path.unlink()
    return directory


def tests_of(directory, patterns):
    names = sorted(str(path.relative_to(directory / "test.d"))[:-3] for path in directory.glob("test.d/**/*.tc"))
    return [name for name in names if not patterns or any(pattern in name for pattern in patterns)]


def image(directory):
    """A root file system with the suite in /ftrace."""
    result, root = WORK / "rootfs.cpio", WORK / "root"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    subprocess.run(["cp", "-r", "--no-target-directory", directory, root / "ftrace"], check=True)
    subprocess.run([ROOT / "scripts/rootfs", result, ROOT / "build/modroot", root, *PROGRAMS], check=True)
    return result


def results_of(output):
    """The results of a test: at the top of tracefs, and in an instance (NONE if it does not run there)."""
    found = {bool(instance): result for instance, result in RESULT.findall(output)}
    return found.get(False, HANG), found.get(True, NONE)


def prepare(version):
    return PREPARE if version == LINUX else PREPARE_NEWER


def run_test(name, version, initrd, cpus):
    with Nop5(cpus=cpus, mem="512M", initrd=str(initrd)) as machine:
        try:
            machine.wait_prompt()
            machine.command_output(f"cd /ftrace; mkdir /tmp/logs; {prepare(version)}")
            machine.command_output(f"dash ./ftracetest -vvv --logdir /tmp/logs test.d/{name}.tc > /tmp/output 2>&1")
            output = machine.command_output("cat /tmp/output")
        except Died as error:
            output = str(error)
    results = results_of(output)
    if any(result not in ("PASS", "XFAIL", NONE) for result in results):
        log = WORK / "logs" / f"{name.replace('/', '-')}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(output)
    return results


def load(path):
    """{name: (result, result in an instance)} of a file of results."""
    return {name: (first, second) for name, first, second in map(str.split, path.read_text().splitlines())} if path.exists() else {}


def save(path, results):
    path.write_text("".join(f"{name} {' '.join(result)}\n" for name, result in sorted(results.items())))


def record_of(version):
    """The results of Linux 6.1 in the suite of this version."""
    return Path(__file__).with_name(f"linux-{LINUX}.txt" if version == LINUX else f"suite-{version}-on-linux-{LINUX}.txt")


def as_good(ours, theirs):
    return ours in ("PASS", "XFAIL", NONE) or ours == theirs


def junit(rows):
    top = ElementTree.Element("testsuite", name="ftracetest", tests=str(len(rows)))
    for name, ours, theirs in rows:
        case = ElementTree.SubElement(top, "testcase", classname="ftracetest", name=name)
        if not all(map(as_good, ours, theirs)):
            ElementTree.SubElement(case, "failure", message=f"{' '.join(ours)}, Linux: {' '.join(theirs)}")
    report = ROOT / "build/test/ftracetest.xml"
    report.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(top).write(report)


def count(rows, which):
    """The tests that passed, failed as they expect to, and the rest: at the top, and in an instance."""
    columns = [[row[which][i] for row in rows if row[which][i] != NONE] for i in (0, 1)]
    return ", ".join(f"{len(column)} {where}: {column.count('PASS')} passed, {column.count('XFAIL')} expected failures, "
                     f"{len(column) - column.count('PASS') - column.count('XFAIL')} others"
                     for column, where in zip(columns, ("at the top", "in an instance")))


def run(args):
    directory = suite(args.linux)
    initrd, linux, rows = image(directory), load(record_of(args.linux)), []
    names = tests_of(directory, args.patterns)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, ours in zip(names, pool.map(lambda name: run_test(name, args.linux, initrd, args.cpus), names)):
            theirs = linux.get(name, (NONE, NONE))
            rows.append((name, ours, theirs))
            print(f"{name:52} {ours[0]:12}{ours[1]:8} Linux: {theirs[0]:12}{theirs[1]}", flush=True)
    if args.linux == LINUX:
        junit(rows)
        save(RESULTS, {**load(RESULTS), **{name: ours for name, ours, _ in rows}})
    print(f"nop5:  {count(rows, 1)}\nLinux: {count(rows, 2)}")
    return 0 if all(all(map(as_good, ours, theirs)) for _, ours, theirs in rows) else 1


# The commands that Linux runs: it unpacks the root file system of nop5, and runs the tests in it, one after the other.
ON_LINUX = """mkdir /r; mount -t tmpfs none /r; cd /r; cpio -id < /bin/{image} 2> /dev/null
for fs in proc sysfs devtmpfs; do d=${{fs%fs}}; d=${{d%tmp}}; mkdir -p /r/$d; mount -t $fs $fs /r/$d; done
mount -t tracefs none /r/sys/kernel/tracing; mount -t debugfs none /r/sys/kernel/debug
cat > /r/tests.sh << end
cd /ftrace; mkdir -p /tmp/logs; {prepare}
for name in {names}; do echo "\\$name"; timeout 200 dash ./ftracetest --logdir /tmp/logs test.d/\\$name.tc; done
end
chroot /r /bin/sh /tests.sh
"""


def merge(path, names, output):
    """Enters the results that Linux's output tells into a record. A test that has not begun keeps its line."""
    rows = load(path)
    parts = re.split(rf"^({'|'.join(map(re.escape, names))})$", output, flags=re.M)
    rows.update((name, results_of(text)) for name, text in zip(parts[1::2], parts[2::2]))
    save(path, rows)


def record(linux_ref, version, patterns):
    """Runs the tests in one boot of Linux, with the programs that nop5 has, too. There are no modules of the suite."""
    directory = suite(version)
    initrd, names = image(directory), tests_of(directory, patterns)
    script = ON_LINUX.format(image=initrd.name, prepare=prepare(version), names=" ".join(names))
    done = subprocess.run([linux_ref, "--timeout", "3600", "--add", initrd], input=script, text=True, stdout=subprocess.PIPE)
    merge(record_of(version), names, done.stdout)
    return done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--linux", default=LINUX, metavar="VERSION", help="whose suite (6.1)")
    parser.add_argument("--record", metavar="LINUX_REF")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    args = parser.parse_args()
    return record(args.record, args.linux, args.patterns) if args.record else run(args)


if __name__ == "__main__":
    sys.exit(main())
