#!/usr/bin/python3
"""Run Linux's own ftrace test-suite, unmodified, in nop5: `make ftracetest`.

    tests/ftracetest/ftracetest.py [--cpus N] [PATTERN ...]   PATTERN: part of a test's name, as kprobe/ or func-filter
    tests/ftracetest/ftracetest.py --record LINUX_REF         writes linux-6.1.txt, with shared/tools/linux-ref

The suite is tools/testing/selftests/ftrace of Debian's package linux-source-6.1, which is downloaded. Each test has a boot
of its own, so one that hangs costs one test. The table shows the result of each test beside that of Debian's Linux; the
second result is that of the test in an instance. The exit status is 1 if a test is worse than there.

build/ftracetest/logs/ has the output of each test that did not pass; build/test/ftracetest.xml is JUnit.
"""
import argparse
import base64
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/boot"))

from nop5 import Died, Nop5  # noqa: E402

WORK = ROOT / "build/ftracetest"
PACKAGE = "linux-source-6.1"
SOURCE = "tools/testing/selftests/ftrace"
RECORD = Path(__file__).with_name("linux-6.1.txt")
# What the tests call beside busybox: nice is coreutils', chrt is util-linux's, and one test wants a shell that executes ping.
PROGRAMS = ("coreutils", "util-linux", "dash")
# The traced output of a test stands between its name and its result.
RESULT = re.compile(r"^\[\d+\] (\(instance\) )?.*?\t\[(\w+)\]$", re.M | re.S)
HANG = "HANG"
NONE = "-"


def suite():
    """The directory of the suite, unpacked from the package."""
    directory = WORK / PACKAGE / SOURCE
    if not directory.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", PACKAGE], cwd=WORK, check=True, stdout=subprocess.DEVNULL)
        package, = WORK.glob(f"{PACKAGE}_*.deb")
        subprocess.run(f"dpkg-deb --fsys-tarfile {package} | tar -xO ./usr/src/{PACKAGE}.tar.xz | "
                       f"tar -xJ --wildcards '{PACKAGE}/{SOURCE}*'", shell=True, cwd=WORK, check=True)
        package.unlink()
    return directory


def tests_of(directory, patterns):
    names = sorted(str(path.relative_to(directory / "test.d"))[:-3] for path in directory.glob("test.d/**/*.tc"))
    return [name for name in names if not patterns or any(pattern in name for pattern in patterns)]


def image(directory):
    """A root file system with the suite in /ftrace."""
    result, root = WORK / "rootfs.cpio", WORK / "root"
    root.mkdir(exist_ok=True)
    subprocess.run(["cp", "-r", "--no-target-directory", directory, root / "ftrace"], check=True)
    subprocess.run([ROOT / "scripts/rootfs", result, ROOT / "build/modroot", root, *PROGRAMS], check=True)
    return result


def results_of(output):
    """The results of a test: at the top of tracefs, and in an instance (NONE if it does not run there)."""
    found = {bool(instance): result for instance, result in RESULT.findall(output)}
    return found.get(False, HANG), found.get(True, NONE)


def run_test(name, initrd, cpus):
    with Nop5(cpus=cpus, mem="512M", initrd=str(initrd)) as machine:
        try:
            machine.wait_prompt()
            machine.command_output("cd /ftrace; mkdir /tmp/logs")
            machine.command_output(f"sh ./ftracetest -vvv --logdir /tmp/logs test.d/{name}.tc > /tmp/output 2>&1")
            output = machine.command_output("cat /tmp/output")
        except Died as error:
            output = str(error)
    results = results_of(output)
    if any(result not in ("PASS", "XFAIL", NONE) for result in results):
        log = WORK / "logs" / f"{name.replace('/', '-')}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(output)
    return results


def recorded():
    """{name: (result, result in an instance)} of Linux."""
    return {name: (first, second) for name, first, second in map(str.split, RECORD.read_text().splitlines())}


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
    """The number of tests that do as they should, of all that there are: at the top, and in an instance."""
    columns = [[row[which][i] for row in rows if row[which][i] != NONE] for i in (0, 1)]
    return ", ".join(f"{sum(result in ('PASS', 'XFAIL') for result in column)} of {len(column)} {where}"
                     for column, where in zip(columns, ("at the top", "in an instance")))


def run(args):
    directory = suite()
    initrd, linux, rows = image(directory), recorded(), []
    names = tests_of(directory, args.patterns)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, ours in zip(names, pool.map(lambda name: run_test(name, initrd, args.cpus), names)):
            theirs = linux.get(name, (NONE, NONE))
            rows.append((name, ours, theirs))
            print(f"{name:52} {ours[0]:12}{ours[1]:8} Linux: {theirs[0]:12}{theirs[1]}", flush=True)
    junit(rows)
    print(f"nop5:  {count(rows, 1)}\nLinux: {count(rows, 2)}")
    return 0 if all(all(map(as_good, ours, theirs)) for _, ours, theirs in rows) else 1


def record(linux_ref):
    """Runs all tests in one boot of Linux, with the loopback interface up. It has no modules, and no programs but busybox."""
    directory = suite()
    archive = subprocess.run(["tar", "-cz", "-C", directory, "."], check=True, stdout=subprocess.PIPE).stdout
    names = tests_of(directory, ())
    script = f"mkdir /ftrace; base64 -d << end | tar -xz -C /ftrace\n{base64.encodebytes(archive).decode()}end\n"
    script += "ip link set lo up; cd /ftrace; mkdir /tmp/logs\n"
    script += "".join(f"echo '{name}'; timeout 200 sh ./ftracetest --logdir /tmp/logs test.d/{name}.tc\n" for name in names)
    output = subprocess.run([linux_ref, "--timeout", "3600"], input=script, text=True, check=True,
                            stdout=subprocess.PIPE).stdout
    parts = re.split(rf"^({'|'.join(map(re.escape, names))})$", output, flags=re.M)
    RECORD.write_text("".join(f"{name} {' '.join(results_of(text))}\n" for name, text in zip(parts[1::2], parts[2::2])))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--record", metavar="LINUX_REF")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    args = parser.parse_args()
    return record(args.record) if args.record else run(args)


if __name__ == "__main__":
    sys.exit(main())
