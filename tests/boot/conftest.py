"""Fixtures of the boot tests: a shared machine for harmless tests, and machines for single tests.

Several workers of pytest run the files of tests side by side (tests/run). Each worker has its own fixtures, and its own
shared machines. All of them build into the same directories: a worker holds the lock of a directory while it builds there.
"""
import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import time

import pytest

import clones
import perf_commands
from exporting import Port
from limits import pytest_runtest_protocol, pytest_sessionstart  # noqa: F401
from nop5 import BUILD, ROOT, Nop5
from order import pytest_collection_modifyitems, pytest_xdist_make_scheduler  # noqa: F401

def make(*arguments):
    """Run make. A failure or a warning fails the test."""
    result = subprocess.run(["make", "-s", f"-j{os.cpu_count()}", *arguments], cwd=ROOT, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            env={k: v for k, v in os.environ.items() if not k.startswith("MAKE")})
    assert result.returncode == 0, result.stdout[-4000:]
    assert "warning:" not in result.stdout, result.stdout[-4000:]


def each_once(rows, columns):
    """Parameters: `make test` has each row once, with the columns in turn, and `make soak` the other pairs. A row may be a tuple."""
    columns = list(columns)
    return [pytest.param(*(row if isinstance(row, tuple) else (row,)), column, marks=[pytest.mark.soak] * (place != number % len(columns)))
            for number, row in enumerate(rows) for place, column in enumerate(columns)]


def take_objects(built, directory):
    """Begin a build of other features with those objects of `built` that the compiler would make again: the ones without a generated header,
    whose text depends on the features. make compiles all of them again if the flags differ."""
    before, after = (str(each.relative_to(ROOT)) for each in (built, directory))
    for needs in (built / "obj").rglob("*.d"):
        text, target = needs.read_text(), directory / needs.relative_to(built)
        if f" {before}/include/" not in text and needs.with_suffix(".o").exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text.replace(f"{before}/obj/", f"{after}/obj/"))
            shutil.copy2(needs.with_suffix(".o"), target.with_suffix(".o"))
    (directory / "flags").write_text((built / "flags").read_text().replace(f"-I{before}/include", f"-I{after}/include"))
    shutil.copystat(built / "flags", directory / "flags")


def build_in(directory, *arguments, like=None):
    """Run make for a directory. Another worker may want the same: it waits, and then finds everything built. like: a complete build with the
    same flags (take_objects())."""
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / "tests.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if like and not (directory / "flags").exists():
            take_objects(like, directory)
        make(f"O={directory.relative_to(ROOT)}", *arguments)
    return directory


@pytest.fixture(scope="session")
def images():
    """The default build: the kernel, the test kernel, and trace-convert."""
    return build_in(BUILD, "all", "test-kernel", str(BUILD.relative_to(ROOT) / "scripts/trace-convert"))


@pytest.fixture(scope="session")
def core(images):
    """The directory with nop5.elf and nop5.iso of core and ftrace alone."""
    return build_in(BUILD / "core", "all", "FEATURES=core ftrace", like=images)


# The field's own tools, and what their scripts call.
TOOLS = ("perf-tools-unstable", "trace-cmd", "rt-tests", "gawk", "bash", "coreutils", "procps", "util-linux", "less", "vim-tiny",
         "python3-minimal", "python3.11-minimal", "libpython3.11-minimal", "perl-base", "binutils", "binutils-x86-64-linux-gnu",
         "libc-bin", "file", "libmagic-mgc", "ncurses-base")


def root_with(images, name, packages):
    """Makes a root file system with nop5's own programs and Debian packages. build/ keeps the packages, which are downloaded once."""
    image = BUILD / f"{name}.cpio"
    subprocess.run([ROOT / "scripts/rootfs", image, *sorted((images / "user").iterdir()), *packages], check=True)
    return str(image)


# What the kernel prints when something is wrong.
BAD = re.compile(r"BUG:|WARNING: CPU|Oops|lockup|LOCKUP|Call Trace")


@contextlib.contextmanager
def machine_with(images, name, packages, **arguments):
    """A machine at its prompt, with Debian packages, for many tests. It has no random addresses: QEMU keeps what it has translated for each
    address, so a second start of bpftrace, with LLVM, costs the host a fifth of the first one."""
    with Nop5(build=images, initrd=root_with(images, name, packages), append="norandmaps", **arguments) as machine:
        yield machine.wait_prompt()
        assert not BAD.search(machine.text), machine.says


@pytest.fixture(scope="session")
def tools(images):
    """A root file system with Debian's tracing tools, bash and more."""
    return root_with(images, "tools", TOOLS)


@pytest.fixture(scope="session")
def perf_small(images):
    """A root file system with Debian's perf and what it depends on: 130 MB, for a machine with 1 GB."""
    return root_with(images, "perf_small", perf_commands.PERF)


@pytest.fixture(scope="session")
def perf_root(images):
    """The same with python and coreutils, which some of perf's own tests need: 150 MB, for a machine with 2 GB."""
    return root_with(images, "perf", perf_commands.PERF + perf_commands.FOR_TESTS)


@pytest.fixture(scope="session")
def bpf_programs(images):
    """bpf_programs(DIRECTORY) builds the eBPF programs of a directory, or those of user/bpf/, and returns the directory of the results."""
    def build(source="user/bpf"):
        return build_in(images, "bpf-programs", f"B={source}") / "bpf"
    return build


@pytest.fixture(scope="session")
def variant():
    """
    variant("CC=clang", kernel="nop5-test") builds NAME.elf into a separate directory and returns that directory. modules:
    builds its own root file system, too: its kernel refuses the modules of another build.
    """
    built = {}

    def build(*variables, kernel="nop5", modules=False):
        if (variables, kernel, modules) not in built:
            name = "-".join(v.lower().replace("=", "") for v in variables)
            directory = BUILD / "test" / name
            targets = [f"{kernel}.elf"] + ["rootfs.cpio"] * modules
            built[variables, kernel, modules] = build_in(
                directory, *(str(directory.relative_to(ROOT) / target) for target in targets), *variables)
        return built[variables, kernel, modules]
    return build


@pytest.fixture
def boot(images, tmp_path):
    """boot(cpus=8, append="…") returns a machine at its prompt, as the first one of its kind had it (clones.py); with wait=False one that begins
    to boot, and with fresh=True one that has booted. The machine ends with the test."""
    machines = []

    def start(wait=True, fresh=False, **arguments):
        arguments = dict(build=images, directory=tmp_path) | arguments
        if wait and not fresh:
            machines.append(clones.machine_at_prompt(**arguments))
            return machines[-1]
        machine = Nop5(**arguments)
        machines.append(machine)
        return machine.wait_prompt() if wait else machine

    yield start
    for machine in machines:
        machine.close()


class Shared:
    """A machine that many tests use. It boots again when a test has killed it.

    Where time is a count of instructions, QEMU computes as fast as it can also while the machine idles. Such a machine
    stands still between rest() and the next get().
    """

    def __init__(self, **arguments):
        self.arguments = arguments
        self.machine = None
        self.rests = False

    def get(self):
        if self.machine is None or not self.machine.alive:
            self.close()
            self.machine = clones.machine_at_prompt(**self.arguments)
        elif self.rests:
            self.machine.ask_qemu("cont")
        self.rests = False
        return self.machine

    def rest(self):
        self.rests = bool(self.machine and self.machine.alive and self.arguments.get("icount"))
        if self.rests:
            self.machine.ask_qemu("stop")

    def close(self):
        if self.machine:
            self.machine.close()
            self.machine = None


@pytest.fixture(scope="session")
def shared_machines(images):
    """The shared machines, by the name of their kernel."""
    shared = {kernel: Shared(build=images, cpus=4, kernel=kernel) for kernel in ("nop5", "nop5-test")}
    yield shared
    for machine in shared.values():
        machine.close()


def lend(shared, node):
    machine = shared.get()
    yield machine
    if getattr(node, "failed", False):
        shared.close()
        return
    assert machine.alive, "this test has ended the shared machine"
    machine.check("cd /")


@pytest.fixture
def nop5(shared_machines, request):
    """The shared machine, with 4 CPUs, for tests that leave it unchanged."""
    yield from lend(shared_machines["nop5"], request.node)


@pytest.fixture
def nop5_test(shared_machines, request):
    """The shared machine with the test kernel, which has the self-tests, benches and fault provokers."""
    yield from lend(shared_machines["nop5-test"], request.node)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if outcome.get_result().failed:
        item.failed = True


def pytest_runtest_setup(item):
    if SOAK_END and time.monotonic() > SOAK_END:
        pytest.skip("the time of SOAK is up")


# `make soak` with a budget starts no test after its end.
SOAK_END = os.environ.get("NOP5_SOAK_SECONDS") and time.monotonic() + int(os.environ["NOP5_SOAK_SECONDS"])


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        clones.make_directory()
    config.addinivalue_line("markers", "variant: builds the kernel in another way first; a part of `make soak`")
    config.addinivalue_line("markers", "tools: needs programs that show traces; a part of `make soak`")
    config.addinivalue_line("markers", "soak: runs for long; `make soak`")


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        clones.remove_directory()


@pytest.fixture
def traced(boot, tmp_path):
    """traced(cpus=4) returns a machine in the tracing directory, and its export port."""
    def start(cpus=4, port=Port, **arguments):
        port = port(tmp_path)
        machine = boot(cpus=cpus, extra=port.arguments, **arguments)
        machine.check("cd /sys/kernel/tracing")
        return machine, port
    return start
