"""The tables of Linux's lib/test_bpf.c: programs of eBPF whose results are known, in the interpreter and compiled, on the host.

It is in `make soak` only, because it downloads Debian's package linux-source-6.1. Tests of classic BPF are left out, and those
of programs that Linux does not run.
"""
import re
import subprocess

import pytest

from conftest import BUILD, ROOT
from test_bpf_verifier import PACKAGE

pytestmark = pytest.mark.soak
WORK = BUILD / "bpf-instructions"
DATA = ROOT / "tests/boot/data"
ENGINES = ["arch/x86_64/bpf/jit.c", "arch/x86_64/bpf/jit_insn.c", "arch/x86_64/bpf/jit_helpers.c", "trace/bpf/core/interpreter.c"]
FILES = ("lib/test_bpf.c", "tools/include/linux/filter.h")
MACRO = re.compile(r"^#define (?:__)?BPF_\w+\((?:.*\\\n)*.*\n", re.M)


def unpack():
    if all((WORK / PACKAGE / file).exists() for file in FILES):
        return
    WORK.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "-qq", "download", PACKAGE], check=True, cwd=WORK)
    package, = WORK.glob(f"{PACKAGE}_*.deb")
    wanted = " ".join(f"{PACKAGE}/{file}" for file in FILES)
    subprocess.run(["sh", "-c", f"dpkg-deb --fsys-tarfile {package} | tar -xO ./usr/src/{PACKAGE}.tar.xz | tar -xJ {wanted}"],
                   check=True, cwd=WORK)
    package.unlink()


def tables():
    """The C source with the tables: the macros of filter.h, and test_bpf.c up to the end of tests[]."""
    test_bpf, filter_h = ((WORK / PACKAGE / file).read_text() for file in FILES)
    end = test_bpf.index("\n};\n", test_bpf.index("static struct bpf_test tests[]")) + len("\n};\n")
    body = re.sub(r"^#include.*\n", "", test_bpf[:end], flags=re.M)
    return (DATA / "linux_test_bpf.h").read_text() + "".join(MACRO.findall(filter_h)) + body + (DATA / "linux_test_bpf_end.h").read_text()


def build():
    unpack()
    (WORK / "tables.c").write_text(tables())
    subprocess.run(["gcc", "-O1", "-w", "-c", "-o", WORK / "tables.o", WORK / "tables.c"], check=True)
    host = ROOT / "tests/host"
    flags = ["-std=gnu11", "-O1", "-g", "-fno-strict-aliasing", "-DNOP5_HOST",
             *(f"-I{path}" for path in (host, host / "stubs", ROOT, ROOT / "arch/x86_64/include", BUILD / "host/include"))]
    program = WORK / "linux_test_bpf"
    subprocess.run(["gcc", *flags, "-o", program, DATA / "linux_test_bpf.c", *(ROOT / source for source in ENGINES), WORK / "tables.o"],
                   check=True)
    return program


def test_both_engines_give_the_results_of_linux():
    result = subprocess.run([build()], text=True, stdout=subprocess.PIPE, timeout=600)
    programs, right, wrong = map(int, re.search(r"(\d+) programs, (\d+) right, (\d+) wrong", result.stdout).groups())
    assert wrong == 0, result.stdout
    assert programs > 800 and right >= 2 * programs
