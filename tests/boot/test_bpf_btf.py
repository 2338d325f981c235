"""The types that Linux 6.1 accepts and refuses, by the table raw_tests[] of its selftests prog_tests/btf.c, inside nop5.

It is in `make soak` only, because it downloads Debian's package linux-source-6.1. The table says for each of its 167 tests whether
the types must be loaded, whether a map of them must be made, and which words must be in the log. On Linux 6.1 all are so.

The same file has tests that read pinned maps as text. Linux 6.1 passes them although its text is another one, because they only
print what is wrong.
"""
import re

import pytest

from conftest import BUILD, ROOT, machine_with
from test_bpf_verifier import SUITE, TOOLS, run, unpack

pytestmark = pytest.mark.soak
DIRECTORY = BUILD / "bpf-btf"
READER = "refused: Invalid type or string section"


def build():
    """Compiles data/btf_raw.c with the table. Returns a tree with it for the root file system."""
    unpack()
    program = DIRECTORY / "root/usr/bin/btf_raw"
    program.parent.mkdir(parents=True, exist_ok=True)
    text = (SUITE / "prog_tests/btf.c").read_text()
    table = text[text.index("#define NAME_TBD"):text.index("}; /* struct btf_raw_test raw_tests[] */")]
    (DIRECTORY / "raw_tests.h").write_text(table + "};\n")
    pinned = text[text.index("const char *pprint_enum_str[]"):text.index("#define BPF_LINE_INFO_ENC(insn_off")]
    (DIRECTORY / "pinned.h").write_text(pinned)
    include = [f"-I{path}" for path in (DIRECTORY, SUITE, TOOLS / "include/uapi", TOOLS / "include")]
    run("gcc", "-O1", "-w", "-s", "-static", *include, "-o", program, ROOT / "tests/boot/data/btf_raw.c", cwd=DIRECTORY)
    return DIRECTORY / "root"


def is_right(happened, expected):
    """Whether the verdict is the expected one, with its words. The reader of BTF, which comes first, has words of its own."""
    verdict, _, words = expected.partition("refused: ")
    if verdict:
        return happened == verdict
    return happened == READER or (happened.startswith("refused: ") and words in happened)


@pytest.fixture(scope="module")
def machine(images):
    with machine_with(images, "bpf-btf", [build()], cpus=2, mem="256M") as machine:
        yield machine


def test_types_are_accepted_and_refused_as_on_linux(machine):
    text = machine.check("btf_raw")
    found = re.findall(r"^(.*?) \| (.*?) \| (.*?)\r?$", text, re.M)
    assert len(found) > 160
    assert not [line for line in found if not is_right(*line[1:])]
    assert sum(line[1] == READER for line in found) == 5


def test_pinned_maps_are_text(machine):
    found = re.findall(r"^BTF pretty print (.*?): (.*)$", machine.check("mount -t bpf bpf /sys/fs/bpf; btf_raw text 2>&1"), re.M)
    assert [says.strip() for _, says in found] == 9 * ["OK"], found
    assert {name for name, _ in found} == {"array", "hash", "lru hash", "percpu array", "percpu hash", "lru percpu hash"}


def test_a_map_that_is_too_large_to_print_is_an_error(machine):
    assert "made 1, pinned 0\nread: Cannot allocate memory\n" in machine.check("btf_raw endless; rm /sys/fs/bpf/endless")
