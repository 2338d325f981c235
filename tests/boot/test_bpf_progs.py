"""test_progs of Linux 6.1, the tests of eBPF with libbpf, inside nop5: 270 tests with 500 objects that clang makes.

It is in `make soak` only, because it downloads Debian's package linux-source-6.1 and builds for minutes. The objects are built with
the types of Debian's Linux, and libbpf fits them to nop5's. data/bpf_progs.txt names the 203 tests that pass on Linux
6.1.192 in QEMU; the others want bpf_testmod, ip(8), hardware counters or more than a minute. Each passes on nop5, too, or
data/bpf_progs_absent.txt says what nop5 does not have. Each line there must be true.

The runner keeps a descriptor of the namespace of its network. nop5 has no namespaces, so it gets /dev/null: the only change.
"""
import fnmatch
import os
import re
import subprocess

import pytest

from conftest import BUILD, ROOT, machine_with
from test_bpf_verifier import PACKAGE, run

pytestmark = pytest.mark.soak
WORK = BUILD / "bpf-progs"
TREE = WORK / PACKAGE
SUITE = TREE / "tools/testing/selftests/bpf"
SOURCES = ("tools", "scripts", "include/uapi", "kernel/bpf")
DATA = ROOT / "tests/boot/data"
LZ4 = b"\x02\x21\x4c\x18"
SECONDS = 120


def unpack():
    WORK.mkdir(parents=True, exist_ok=True)
    run("apt-get", "-qq", "download", PACKAGE, cwd=WORK)
    package, = WORK.glob(f"{PACKAGE}_*.deb")
    wanted = " ".join(f"{PACKAGE}/{part}" for part in SOURCES)
    run("sh", "-c", f"dpkg-deb --fsys-tarfile {package} | tar -xO ./usr/src/{PACKAGE}.tar.xz | tar -xJ {wanted}", cwd=WORK)
    package.unlink()


def types_of_linux():
    """Debian's kernel for clouds as an ELF file. It lies in a file for boot loaders, compressed with lz4; it has the types."""
    depends = subprocess.run(["apt-cache", "depends", "linux-image-cloud-amd64"], check=True, text=True, stdout=subprocess.PIPE).stdout
    run("apt-get", "-qq", "download", re.search(r"Depends: (linux-image-6\.1\S+)", depends)[1], cwd=WORK)
    package, = WORK.glob("linux-image-*.deb")
    run("sh", "-c", f"dpkg-deb --fsys-tarfile {package} | tar -xO --wildcards './boot/vmlinuz-*' > vmlinuz", cwd=WORK)
    package.unlink()
    image = (WORK / "vmlinuz").read_bytes()
    elf = subprocess.run(["lz4", "-dc"], input=image[image.index(LZ4):], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    assert elf.startswith(b"\x7fELF")
    (WORK / "vmlinux").write_bytes(elf)
    return WORK / "vmlinux"


def build():
    """Builds test_progs, static, with the Makefile of the tree. Returns a tree with it for the root file system."""
    suite = WORK / "root/suite"
    if not (suite / "test_progs").exists():
        unpack()
        runner = SUITE / "test_progs.c"
        text = runner.read_text()
        assert '"/proc/self/ns/net"' in text
        runner.write_text(text.replace('"/proc/self/ns/net"', '"/dev/null"').replace("setns(env.saved_netns_fd, CLONE_NEWNET)", "0"))
        module = SUITE / "bpf_testmod.ko"
        module.touch()
        run("make", "-s", f"-j{os.cpu_count()}", "-o", module, f"VMLINUX_BTF={types_of_linux()}", "test_progs", cwd=SUITE,
            env=os.environ | {"LDLIBS": "-static", "SAN_CFLAGS": "-w"}, stdout=subprocess.DEVNULL)
        (suite / "progs").mkdir(parents=True, exist_ok=True)
        run("sh", "-c", f"cp *.bpf.o liburandom_read.so urandom_read {suite}; cp progs/btf_dump_test_case_*.c {suite}/progs", cwd=SUITE)
        run("strip", "--strip-debug", "-o", suite / "test_progs", SUITE / "test_progs", cwd=SUITE)
    return WORK / "root"


def passing_on_linux():
    return (DATA / "bpf_progs.txt").read_text().split()


def absent():
    """The patterns of what nop5 does not have."""
    lines = (DATA / "bpf_progs_absent.txt").read_text().splitlines()
    return [line.split(" -- ")[0] for line in lines if line and not line.startswith("#")]


@pytest.fixture(scope="module")
def failures(images):
    """{test that fails or is skipped: what it says}"""
    found = {}
    with machine_with(images, "bpf-progs", [build(), "libelf1"], cpus=2, mem="3G") as machine:
        machine.check("mkdir -p /sys/fs/bpf; mount -t bpf bpf /sys/fs/bpf; cd /suite")
        for test in passing_on_linux():
            machine.run(f"timeout -s KILL {SECONDS} ./test_progs -a {test} > /tmp/output 2>&1")
            says = machine.check("cat /tmp/output")
            if not re.search(rf"^#\d+ +{test}:OK", says, re.M):
                found[test] = says
    return found


def test_what_passes_on_linux_passes_or_is_absent(failures):
    tests = {test for test in passing_on_linux() if not any(fnmatch.fnmatch(test, pattern) for pattern in absent())}
    assert not tests & set(failures), "\n".join(f"{test}: {failures[test]}" for test in sorted(tests & set(failures)))
    assert len(tests) >= 69


def test_what_is_absent_fails(failures):
    passing = set(passing_on_linux()) - set(failures)
    assert not [pattern for pattern in absent() if fnmatch.filter(passing, pattern) or not fnmatch.filter(failures, pattern)]
