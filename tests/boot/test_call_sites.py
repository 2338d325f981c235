"""The tables of call sites that the compiler and scripts/recordmcount write."""
import re
import subprocess
import sys

import pytest

from nop5 import ROOT

sys.path.insert(0, str(ROOT / "tests"))
from elf import Elf  # noqa: E402


def sites_of(build):
    """Return the sorted names of the functions in the table of a build. Each site must be a call of __fentry__."""
    elf = Elf(build / "nop5.elf")
    functions = {}
    for symbol in elf.functions():
        functions.setdefault(symbol.value, symbol.name)
    fentry = next(s.value for s in elf.symbols() if s.name == "__fentry__")
    sites = elf.call_sites()
    assert len(set(sites)) == len(sites)
    for site in sites:
        code = elf.read(site, 5)
        assert code[0] == 0xe8, f"{functions.get(site)} {site:#x}: {code.hex()}"
        assert site + 5 + int.from_bytes(code[1:], "little", signed=True) == fentry
    return sorted(functions[site] for site in sites)


@pytest.mark.soak
@pytest.mark.variant
def test_a_build_has_the_same_table_by_the_compiler_and_by_recordmcount(images, variant):
    assert sites_of(variant("MCOUNT=script")) == sites_of(images)


def calls_of(build):
    """Return {function: set of the functions that it calls directly} of a build."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", build / "nop5.elf"], text=True, stdout=subprocess.PIPE,
                          check=True).stdout
    calls, caller = {}, None
    for line in text.splitlines():
        if match := re.match(r"[0-9a-f]+ <(.+)>:$", line):
            caller = calls.setdefault(match[1], set())
        elif match := re.search(r"\t(?:call|jmp) +[0-9a-f]+ <([^>+]+)>", line):
            caller.add(match[1])
    return calls


ROOTS_OF_BREAKPOINTS = ("do_int3", "text_patch_int3")


def elf_of(build, image):
    return Elf(build / image)


def reached_from(build, roots):
    """Return the functions that the roots call, directly or through others, with the roots themselves."""
    calls = calls_of(build)
    reached, waiting = {}, list(roots)
    while waiting:
        name = waiting.pop()
        if name in reached or name == "die":  # die() does not return
            continue
        reached[name] = calls.get(name, set())
        waiting.extend(reached[name])
    return reached


@pytest.mark.variant
@pytest.mark.parametrize("how", ["", "CC=clang", "DEBUG=1", pytest.param("CC=clang DEBUG=1", marks=pytest.mark.soak)])
@pytest.mark.parametrize("roots", [ROOTS_OF_BREAKPOINTS, ("ftrace_oops_enter",)])
def test_handlers_of_a_breakpoint_in_a_trampoline_call_no_traced_function(images, variant, roots, how):
    """A handler that called a traced function would run into the breakpoint that it is handling."""
    reached = reached_from(variant(*how.split()) if how else images, roots)
    for name, called in reached.items():
        assert "__fentry__" not in called, f"{roots} call {name}, which may be traced"
    assert len(reached) > 3


@pytest.mark.variant
def test_recordmcount_finds_the_sites_of_a_clang_build(variant):
    names = sites_of(variant("CC=clang"))
    assert len(names) > 500
    assert {"schedule", "vfs_read", "__kmalloc"} <= set(names)


@pytest.fixture(scope="module")
def recordmcount(tmp_path_factory):
    """Return a function that runs recordmcount, built with sanitizers, on an object: (status, messages)."""
    program = tmp_path_factory.mktemp("recordmcount") / "recordmcount"
    subprocess.run(["cc", "-std=gnu11", "-g", "-fsanitize=address,undefined", "-Wall", "-Wextra", "-Werror",
                    "-o", program, ROOT / "scripts/recordmcount.c", "-lelf"], check=True)

    def run(*paths):
        result = subprocess.run([program, *paths], text=True, stderr=subprocess.PIPE,
                                env={"ASAN_OPTIONS": "detect_leaks=0"}, timeout=60)
        assert result.returncode in (0, 1), result.stderr
        return result.returncode, result.stderr

    return run


@pytest.fixture
def an_object(tmp_path):
    """Return compile(C text, options…), which returns the path of an object with calls of __fentry__."""
    def compile(text, *options, compiler="gcc"):
        source, target = tmp_path / "source.c", tmp_path / "source.o"
        source.write_text(text)
        subprocess.run([compiler, "-O2", "-fno-pic", "-mcmodel=kernel", "-pg", "-mfentry", *options, "-c",
                        "-o", target, source], check=True)
        return target
    return compile


SOURCE = """
int first(int x) { return x + 1; }
static __attribute__((noinline)) int second(int x) { return first(x) * 3; }
__attribute__((section(".init.text"))) int third(int x) { return second(x) + 2; }
__attribute__((no_instrument_function)) int fourth(int x) { return x; }
"""


def table_of(path):
    """Return (section, offset) of each site of an object, from the relocations of __mcount_loc."""
    elf = Elf(path)
    sites = []
    symbols = list(elf.symbols())
    for section in elf.sections:
        if section.name == ".rela__mcount_loc":
            for offset in range(section.offset, section.offset + section.size, 24):
                entry = elf.data[offset:offset + 24]
                assert int.from_bytes(entry[8:12], "little") == 1  # R_X86_64_64
                symbol = symbols[int.from_bytes(entry[12:16], "little")]
                sites.append((elf.sections[symbol.shndx].name,
                              symbol.value + int.from_bytes(entry[16:24], "little", signed=True)))
    return sites


def test_recordmcount_gives_each_object_of_the_kernel_the_table_that_the_compiler_gave(images, recordmcount, tmp_path):
    by_compiler, copies = {}, {}
    for path in sorted((images / "obj").rglob("*.o")):
        if table := table_of(path):
            copy = copies[path] = tmp_path / f"{len(copies)}.o"
            by_compiler[path] = sorted(table)
            subprocess.run(["objcopy", "-R", "__mcount_loc", "-R", ".rela__mcount_loc", path, copy], check=True)
            assert table_of(copy) == []
    assert recordmcount(*copies.values()) == (0, "")
    assert sum(map(len, by_compiler.values())) > 2000
    for path, copy in copies.items():
        assert sorted(table_of(copy)) == by_compiler[path], path


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_recordmcount_lists_the_functions_of_every_section_once(recordmcount, an_object, compiler):
    path = an_object(SOURCE, compiler=compiler)
    assert table_of(path) == []
    assert recordmcount(path) == (0, "")
    elf = Elf(path)
    wanted = {(elf.sections[f.shndx].name, f.value) for f in elf.functions() if f.name != "fourth"}
    assert sorted(table_of(path)) == sorted(wanted)
    assert len(wanted) == 3


def test_recordmcount_leaves_an_object_that_has_the_table(recordmcount, an_object):
    path = an_object(SOURCE)
    recordmcount(path)
    once = path.read_bytes()
    assert recordmcount(path) == (0, "") and path.read_bytes() == once
    path = an_object(SOURCE, "-mrecord-mcount")
    before = path.read_bytes()
    assert recordmcount(path) == (0, "") and path.read_bytes() == before


def test_recordmcount_leaves_an_object_without_calls(recordmcount, an_object):
    path = an_object("int value = 5;")
    before = path.read_bytes()
    assert recordmcount(path) == (0, "") and path.read_bytes() == before


@pytest.mark.parametrize("damage, message", [
    (lambda b: b"not an object", "not an ELF file"),
    (lambda b: b[:4] + b"\x01" + b[5:], "not for x86_64"),
    (lambda b: b[:16] + b"\x02" + b[17:], "not a relocatable object"),
    (lambda b: b[:18] + b"\xb7" + b[19:], "not for x86_64"),
    (lambda b: b[:len(b) // 2], "recordmcount: "),
], ids=["no ELF", "32 bits", "executable", "other machine", "cut off"])
def test_recordmcount_refuses_a_damaged_object(recordmcount, an_object, damage, message):
    path = an_object(SOURCE)
    path.write_bytes(damage(path.read_bytes()))
    status, error = recordmcount(path)
    assert status == 1 and message in error and str(path) in error


def test_recordmcount_does_not_take_an_address_for_a_call(recordmcount, an_object):
    path = an_object("""
        extern void __fentry__(void);
        void (*pointer)(void) = __fentry__;
        void *take(void) { return __fentry__; }
        __asm__(".text; jmp __fentry__");
    """)
    assert recordmcount(path) == (0, "")
    assert len(table_of(path)) == 1


def test_recordmcount_refuses_calls_through_the_got(recordmcount, an_object):
    path = an_object("int f(int x) { return x; }", "-fPIC", "-fno-plt", "-mcmodel=small")
    before = path.read_bytes()
    status, error = recordmcount(path)
    assert status == 1 and "through the GOT" in error
    assert path.read_bytes() == before


def test_a_section_may_begin_without_a_symbol_of_its_own(recordmcount, an_object):
    """clang omits section symbols without a reference. recordmcount then uses another symbol of the section."""
    path = an_object(SOURCE, "-g0", "-fno-asynchronous-unwind-tables", compiler="clang")
    assert recordmcount(path) == (0, "")
    elf = Elf(path)
    assert ("init" in str(table_of(path))) and len(table_of(path)) == 3
    assert {s for s, _ in table_of(path)} == {".text", ".init.text"}
    assert elf.data[:4] == b"\x7fELF"
