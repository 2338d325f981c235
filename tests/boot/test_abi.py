"""The system calls do what Linux 6.1's do: each program of tests/abi prints the same, with musl and, in `make soak`, with glibc.

A program in tests/abi/not_yet.txt must fail. One that passes has to leave the list.
"""
import re
import sys

import pytest

from conftest import Shared, build_in
from nop5 import BUILD, ROOT, STAMP, Died

ABI = ROOT / "tests/abi"
NAMES = sorted(path.stem for path in (ABI / "programs").glob("*.c"))
# What these programs show depends on the C library: its start, threads, time, and position-independent programs.
OF_THE_LIBRARY = [name for name in NAMES if re.match("static_pie|vdso|exec_|clone|thread|pthread|robust|tls|auxv|signal_stack", name)]
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
KERNEL_MESSAGE = re.compile(STAMP.pattern.lstrip("^") + r"[^\n]*\n")

sys.path.insert(0, str(ABI))
from outputs import archive, outputs  # noqa: E402


def not_yet():
    """Returns {name of a program: why nop5 does not pass it}."""
    lines = (ABI / "not_yet.txt").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def programs():
    reasons = not_yet()
    return [pytest.param(name, marks=[pytest.mark.xfail(reason=reasons[name], strict=True)] if name in reasons else [])
            for name in NAMES]


@pytest.fixture(scope="session")
def machine(images, request):
    """A machine whose root file system holds the programs that this run needs. It boots again when a program has killed it."""
    needed = sorted({("glibc" if "glibc" in item.name else "musl", item.callspec.params["name"]) for item in request.session.items
                     if item.fspath.basename == "test_abi.py" and hasattr(item, "callspec")})
    directory = build_in(BUILD / "abi", "-C", "tests/abi", f"O={BUILD / 'abi'}", *(f"{BUILD}/abi/{libc}/{name}" for libc, name in needed))
    shared = Shared(build=images, cpus=2, initrd=str(archive(directory, needed)))
    yield shared
    shared.close()


@pytest.mark.parametrize("name", programs())
def test_program_prints_the_same_as_on_linux(machine, name):
    compare(machine, name, "musl")


@pytest.mark.soak
@pytest.mark.parametrize("name", programs())
def test_program_prints_the_same_with_glibc(machine, name):
    compare(machine, name, "glibc")


@pytest.mark.parametrize("name", OF_THE_LIBRARY)
def test_program_about_the_library_prints_the_same_with_glibc(machine, name):
    compare(machine, name, "glibc")


def compare(machine, name, libc):
    try:
        text = machine.get().command_output(f"sh /abi/run {libc} {name}")
    except Died:
        machine.close()
        raise
    printed = outputs(KERNEL_MESSAGE.sub("", ESCAPE.sub("", text)))
    assert printed.get(name, text) == (ABI / f"expected/{name}.txt").read_text()


def test_the_list_names_programs_that_exist():
    assert not_yet().keys() <= set(NAMES)


def test_each_program_has_an_expected_output():
    assert NAMES == sorted(path.stem for path in (ABI / "expected").glob("*.txt"))


def test_no_program_runs_until_it_is_killed():
    """tests/abi/run kills a program after a minute, on Linux too: then the recording proves only its beginning."""
    assert [path.stem for path in (ABI / "expected").glob("*.txt") if "## exit 137" in path.read_text()] == []
