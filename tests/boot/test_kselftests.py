"""Linux's own tests of /proc, pidfds, mremap, ptrace, seccomp, breakpoints and x86's entry code, unmodified, inside nop5; of 6.12 those of mapped buffers and user events.

It is in `make soak` only, because it downloads Debian's packages linux-source-6.1 and linux-source-6.12. data/kselftests.txt names what fails on Linux 6.1
in QEMU, data/kselftests_absent.txt what fails here besides. Each line must be true: whoever makes another test pass takes its line away.
"""
from fnmatch import fnmatchcase

import pytest

import kselftests
from conftest import BAD, Shared, lend, root_with

pytestmark = pytest.mark.soak
SLOWEST = 900


@pytest.fixture(scope="module")
def shared(images):
    shared = Shared(build=images, cpus=2, mem="512M", initrd=root_with(images, "kselftests", [kselftests.tree()]))
    yield shared
    shared.close()


@pytest.fixture
def machine(shared, request):
    yield from lend(shared, request.node)


@pytest.mark.parametrize("name", [*kselftests.NAMES, *kselftests.NEWER])
def test_what_fails_here_and_not_on_linux_wants_what_is_absent(machine, name):
    machine.check("echo 1 > /sys/kernel/tracing/tracing_on")  # map_test leaves it off, on Linux too
    machine.send(f"kselftest {name}\n")
    status = int(machine.expect(rf"^STATUS {name} (\d+)\r?$", timeout=SLOWEST)[1])
    text = machine.before.decode("utf-8", "replace").replace("\r\n", "\n")
    machine.wait_prompt()
    fails = kselftests.failures(text, status)
    patterns = [what for program, what in kselftests.absent() if program == name]
    only_here = fails - kselftests.on_linux().get(name, set())
    assert all(any(fnmatchcase(what, pattern) for pattern in patterns) for what in only_here), text
    assert all(any(fnmatchcase(what, pattern) for what in only_here) for pattern in patterns), text
    assert not BAD.search(machine.text), machine.says
