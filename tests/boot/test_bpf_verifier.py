"""test_verifier of Linux 6.1, unmodified, inside nop5: 1,364 programs that the verifier must accept or refuse.

It is in `make soak` only, because it downloads Debian's package linux-source-6.1 and builds the program. On Linux it says
1365 PASSED, 647 SKIPPED, 0 FAILED when unprivileged users may not load programs, as here. data/bpf_verifier_absent.txt names
the tests that fail or are not run for what nop5 does not have. Each line must be true: whoever makes another test pass takes
its line away.
"""
import fnmatch
import re
import shutil
import subprocess
from dataclasses import dataclass

import pytest

from conftest import BUILD, ROOT, machine_with

pytestmark = pytest.mark.soak
PACKAGE = "linux-source-6.1"
WORK = BUILD / "bpf-verifier"
TOOLS = WORK / PACKAGE / "tools"
SUITE = TOOLS / "testing/selftests/bpf"
SOURCES = ("lib", "include", "arch", "testing/selftests/bpf")
ABSENT = ROOT / "tests/boot/data/bpf_verifier_absent.txt"
RESULT = re.compile(r"^#\d+/(?P<user>[pu]) (?P<name>.*?) (?P<word>OK|SKIP|FAIL)\b(?P<rest>.*)$", re.M)
WRONGLY_ACCEPTED = "Unexpected success to load!"


def run(*command, cwd=WORK, **arguments):
    subprocess.run(command, check=True, cwd=cwd, **arguments)


def unpack():
    if SUITE.exists():
        return
    WORK.mkdir(parents=True, exist_ok=True)
    run("apt-get", "-qq", "download", PACKAGE)
    package, = WORK.glob(f"{PACKAGE}_*.deb")
    wanted = " ".join(f"{PACKAGE}/tools/{part}" for part in SOURCES)
    run("sh", "-c", f"dpkg-deb --fsys-tarfile {package} | tar -xO ./usr/src/{PACKAGE}.tar.xz | tar -xJ {wanted}")
    package.unlink()


def build():
    """Builds the program with the libbpf of the same tree, static. Returns a tree with it for the root file system."""
    program = WORK / "root/usr/bin/test_verifier"
    if not program.exists():
        unpack()
        tables = sorted(path.name for path in (SUITE / "verifier").glob("*.c"))
        (SUITE / "verifier/tests.h").write_text("".join(f'#include "{name}"\n' for name in tables))
        include = WORK / "include"
        shutil.rmtree(include, ignore_errors=True)
        include.mkdir()
        (include / "bpf").symlink_to(TOOLS / "lib/bpf")
        program.parent.mkdir(parents=True, exist_ok=True)
        flags = [f"-I{path}" for path in (include, TOOLS / "include", TOOLS / "include/uapi", SUITE, SUITE / "verifier", TOOLS / "lib", TOOLS / "lib/bpf")]
        sources = [SUITE / f"{name}.c" for name in ("test_verifier", "testing_helpers", "cap_helpers")] + sorted((TOOLS / "lib/bpf").glob("*.c"))
        run("gcc", "-O1", "-w", "-s", "-static", "-D_GNU_SOURCE", "-D_LARGEFILE64_SOURCE", "-D_FILE_OFFSET_BITS=64", *flags,
            "-o", program, *sources, "-lelf", "-lz")
    return WORK / "root"


def absent():
    """{pattern: what nop5 does not have}"""
    lines = ABSENT.read_text().splitlines()
    return dict(line.split(" -- ", 1) for line in lines if line and not line.startswith("#"))


@dataclass
class Result:
    name: str
    user: str  # u: without rights, p: with all
    word: str  # OK, SKIP, FAIL
    says: str

    def entry(self, patterns):
        """The pattern that names the test, or the type of program or map that it wants."""
        kind = re.search(r"unsupported ((program|map) type \d+)", self.says)
        return next((pattern for pattern in patterns if fnmatch.fnmatch(kind[1] if kind else self.name, pattern)), None)


@pytest.fixture(scope="module")
def results(images):
    with machine_with(images, "bpf-verifier", [build()], cpus=2, mem="1G") as machine:
        machine.run("test_verifier > /tmp/output 2> /tmp/errors")
        text = machine.fetch("cat /tmp/output")
    found = list(RESULT.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    assert len(found) > 2000
    return [Result(match["name"], match["user"], match["word"], match["rest"] + text[match.end():end]) for match, end in zip(found, ends)]


def test_no_program_that_must_be_refused_is_accepted(results):
    assert not [result.name for result in results if WRONGLY_ACCEPTED in result.says]


def test_a_program_is_accepted_or_refused_as_on_linux(results):
    patterns = absent()
    wrong = [result for result in results if result.user == "p" and (result.word == "OK") != (result.entry(patterns) is None)]
    assert not wrong, "\n".join(f"{result.name}: {result.word} {result.says}" for result in wrong)


def test_unprivileged_users_load_nothing(results):
    assert {result.word for result in results if result.user == "u"} == {"SKIP"}


def test_what_is_absent_is_in_the_suite(results):
    patterns = absent()
    assert not set(patterns) - {result.entry(patterns) for result in results}
