"""The system calls do what Linux 6.1's do: each program of tests/abi prints the same, with musl and, in `make soak`, with glibc.

A program in tests/abi/not_yet.txt must fail. One that passes has to leave the list.
"""
import re
import sys
from fnmatch import fnmatchcase
from functools import cache

import pytest

from conftest import Shared, build_in
from nop5 import BUILD, ROOT, STAMP, Died
from test_core import load_script

ABI = ROOT / "tests/abi"
NAMES = sorted(path.stem for path in (ABI / "programs").glob("*.c"))
# What these programs show depends on the C library: its start, threads, time, and position-independent programs.
OF_THE_LIBRARY = [name for name in NAMES if re.match("static_pie|vdso|exec_|clone|thread|pthread|robust|tls|auxv|signal_stack", name)]
# They start themselves so often that the dynamic linker takes most of their time. `make test` runs them with musl only.
DEAR_WITH_GLIBC = ("exec_sizes", "exec_window", "exec_race", "exec_shared_fs")
# They use up seconds of CPU time. In `make test` a second of their machine has 16 million instructions.
OF_CPU_TIME = ("rlimit_cpu", "rlimit_rttime", "sched_rr", "sched_rt_bandwidth", "timer_cpu", "itimer_virtual_prof")
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
KERNEL_MESSAGE = re.compile(STAMP.pattern.lstrip("^") + r"[^\n]*\n")

sys.path.insert(0, str(ABI))
from outputs import archive, outputs  # noqa: E402


def not_yet():
    """Returns {name of a program: why nop5 does not pass it}."""
    lines = (ABI / "not_yet.txt").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


@cache
def table_of_features():
    """Returns [(features, patterns of programs)] from tests/abi/features.txt."""
    lines = (line.split(": ", 1) for line in (ABI / "features.txt").read_text().splitlines() if not line.startswith("#"))
    return [(features.split(), patterns.split()) for features, patterns in lines]


def features_of(name):
    """The features that a program needs, in the order of tests/abi/features.txt."""
    named = [feature for features, patterns in table_of_features() if any(fnmatchcase(name, p) for p in patterns) for feature in features]
    return list(dict.fromkeys(named)) or ["threads"]


def programs(names=NAMES):
    """Their features are a part of their names, so T=abi/locks runs those of a feature."""
    reasons = not_yet()
    return [pytest.param(name, id="-".join([*features_of(name), name]),
                         marks=[pytest.mark.xfail(reason=reasons[name], strict=True)] if name in reasons else []) for name in names]


@pytest.fixture(scope="session")
def machines(images, request):
    """Machines whose root file system holds the programs that this run needs: {whether it counts its time in instructions: machine}.
    A machine boots again when a program has killed it."""
    needed = sorted({("glibc" if "glibc" in item.name else "musl", item.callspec.params["name"]) for item in request.session.items
                     if item.fspath.basename == "test_abi.py" and hasattr(item, "callspec")})
    initrd = build_programs(needed)
    shared = {icount: Shared(build=images, cpus=2, initrd=initrd, icount=icount, shift=6) for icount in (False, True)}
    yield shared
    for machine in shared.values():
        machine.close()


@pytest.mark.parametrize("name", programs())
def test_program_prints_the_same_as_on_linux(machines, name):
    compare(machines, name, "musl")


@pytest.mark.soak
@pytest.mark.parametrize("name", programs())
def test_program_prints_the_same_with_glibc(machines, name):
    compare(machines, name, "glibc", short=False)


@pytest.mark.parametrize("name", programs([name for name in OF_THE_LIBRARY if name not in DEAR_WITH_GLIBC]))
def test_program_about_the_library_prints_the_same_with_glibc(machines, name):
    compare(machines, name, "glibc")


def printed_by(machine, name, libc, short=True):
    """short: a tenth of the rounds of a program that waits for luck."""
    text = machine.command_output(f"{'SHORT=1 ' * short}sh /abi/run {libc} {name}")
    return outputs(KERNEL_MESSAGE.sub("", ESCAPE.sub("", text))).get(name, text)


def expected(name):
    return (ABI / f"expected/{name}.txt").read_text()


def compare(machines, name, libc, short=True):
    machine = machines[short and name in OF_CPU_TIME]
    try:
        printed = printed_by(machine.get(), name, libc, short)
        machine.rest()
    except Died:
        machine.close()
        raise
    assert printed == expected(name)


def build_programs(chosen):
    """Builds the programs, pairs of "musl" or "glibc" and a name. Returns a root file system with them."""
    directory = build_in(BUILD / "abi", "-C", "tests/abi", f"O={BUILD / 'abi'}", *(f"{BUILD}/abi/{libc}/{name}" for libc, name in chosen))
    return str(archive(directory, chosen))


@pytest.mark.variant
def test_a_kernel_of_few_features_passes_the_programs_of_its_features(boot):
    linked = load_script("features").with_needs("threads") | {"locks", "ftrace"}
    names = [name for name in NAMES if linked.issuperset(features_of(name)) and name not in not_yet()]
    assert "lock_model" in names and "unix_bind" not in names and len(NAMES) / 2 < len(names)
    directory = BUILD / "test/features/abi"
    build_in(directory, str(directory.relative_to(ROOT) / "nop5.elf"), "FEATURES=threads locks")
    machine = boot(build=directory, cpus=2, initrd=build_programs([("musl", name) for name in names]))
    assert {name: text for name in names if (text := printed_by(machine, name, "musl")) != expected(name)} == {}


def test_the_table_of_features_names_features_and_programs_that_exist():
    known = load_script("features").features().keys()
    for features, patterns in table_of_features():
        assert known >= set(features)
        assert [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in NAMES)] == []


def test_the_list_names_programs_that_exist():
    assert not_yet().keys() <= set(NAMES)


def test_each_program_has_an_expected_output():
    assert NAMES == sorted(path.stem for path in (ABI / "expected").glob("*.txt"))


def test_no_program_runs_until_it_is_killed():
    """tests/abi/record kills a program after a minute: then the recording proves only its beginning."""
    assert [path.stem for path in (ABI / "expected").glob("*.txt") if "## exit 137" in path.read_text()] == []
