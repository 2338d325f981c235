"""The tests of lab 1: the list of call sites that recordmcount writes, and the records of the sites."""
import re
import sys
from pathlib import Path

from lab_test import expect, quoted

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from elf import SHT_SYMTAB, Elf  # noqa: E402

STT_SECTION = 3

TRACING = "/sys/kernel/tracing"
COMPILE = ["gcc", "-O2", "-fno-pic", "-mcmodel=kernel", "-pg", "-mfentry", "-g0", "-fno-asynchronous-unwind-tables",
           "-fcf-protection=none"]
FENTRY = ".globl __fentry__; .text; __fentry__: ret\n"

SOURCE = """
int first(int x) { return x + 1; }
static __attribute__((noinline)) int second(int x) { return first(x) * 3; }
__attribute__((section(".init.text"))) int third(int x) { return second(x) + 2; }
__attribute__((no_instrument_function)) int fourth(int x) { return x; }
"""
IN_NASM = """
section .text
extern __fentry__
global fifth:function, sixth:function
fifth:	call __fentry__
	ret
sixth:	call __fentry__
	ret
"""
NO_CALLS = SOURCE + """
void __fentry__(void);
void (*pointer)(void) = __fentry__;
void *take(void) { return __fentry__; }
__asm__(".text; jmp __fentry__; .section .rodata; .byte 0xe8; .long __fentry__ - . - 4; .text");
"""
# The linker takes the other object's weak_one(): what counts from that symbol is then wrong.
WEAK = """
__attribute__((weak)) int weak_one(int x) { return x + 1; }
int strong_one(int x) { return weak_one(x) + 2; }
int strong_two(int x) { return strong_one(x) + weak_one(x); }
"""
OTHER = "int weak_one(int x) { return x - 1; }\n"


class Bench:
    """Compiles small sources, runs the student's recordmcount on them, links them, and reads the list."""

    def __init__(self, lab):
        self.lab = lab
        self.dir = lab.build / "lab01"
        self.dir.mkdir(parents=True, exist_ok=True)
        self.recordmcount = self.dir / "recordmcount"
        lab.run("cc", "-std=gnu11", "-g", "-fsanitize=address,undefined", "-Wall", "-Wextra", "-Werror", "-o", self.recordmcount,
                "scripts/recordmcount.c", "-lelf", check="scripts/recordmcount.c to compile without warnings")

    def compile(self, text, name, *options):
        source = self.dir / f"{name}{'.asm' if text is IN_NASM else '.c'}"
        source.write_text(text)
        target = self.dir / f"{name}.o"
        tool = ["nasm", "-f", "elf64"] if text is IN_NASM else [*COMPILE, *options, "-c"]
        self.lab.run(*tool, "-o", target, source, check=f"{source.name} to compile")
        return target

    def run(self, *objects, check=None):
        return self.lab.run(self.recordmcount, *objects, env={"ASAN_OPTIONS": "detect_leaks=0"}, check=check)

    def record(self, *objects):
        self.run(*objects, check="recordmcount to end with status 0")

    def link(self, *objects):
        """Link, with a __fentry__, and return (Elf, the sorted addresses in __mcount_loc)."""
        (self.dir / "fentry.s").write_text(FENTRY)
        self.lab.run("as", "-o", self.dir / "fentry.o", self.dir / "fentry.s", check="as to work")
        image = self.dir / "image"
        self.lab.run("ld", "-o", image, "-e", "0", "-Ttext=0x401000", *objects, self.dir / "fentry.o",
                     check="the objects to link after recordmcount")
        elf = Elf(image)
        return elf, sorted(address for section in elf.sections if section.name == "__mcount_loc"
                           for address in words(elf.data[section.offset:section.offset + section.size]))


def words(data):
    return [int.from_bytes(data[i:i + 8], "little") for i in range(0, len(data), 8)]


def calls_fentry(elf, address, fentry):
    code = elf.read(address, 5)
    return code[0] == 0xe8 and address + 5 + int.from_bytes(code[1:], "little", signed=True) == fentry


def remove_section_symbols(path):
    """Make an object such as some compilers write: no section has a symbol of its own."""
    data = bytearray(path.read_bytes())
    for section in Elf(path).sections:
        for at in range(section.offset, section.offset + section.size, 24) if section.type == SHT_SYMTAB else ():
            if data[at + 4] & 15 == STT_SECTION:
                data[at:at + 24] = bytes(24)
    path.write_bytes(data)


def sites_in(elf):
    """{address: name} of the functions that begin with a call of __fentry__."""
    fentry = next(s.value for s in elf.symbols() if s.name == "__fentry__")
    return {f.value: f.name for f in elf.functions() if f.name != "__fentry__" and calls_fentry(elf, f.value, fentry)}


def test_boots(lab):
    """A kernel without a single record boots, too."""
    version, = lab.boot("cat /proc/version")
    expect(version.text.startswith("nop5 "), "/proc/version to name nop5", version.text)


def test_calls(lab):
    bench = Bench(lab)
    objects = [bench.compile(SOURCE, "c"), bench.compile(IN_NASM, "asm")]
    bench.record(*objects)
    elf, listed = bench.link(*objects)
    for address, name in sites_in(elf).items():
        count = sum(address <= site < address + 5 for site in listed)
        expect(count == 1, f"one entry in __mcount_loc for {name}()", f"{count}")


def test_opcode(lab):
    bench = Bench(lab)
    path = bench.compile(SOURCE, "c")
    bench.record(path)
    elf, listed = bench.link(path)
    expect(listed, "entries in __mcount_loc", "none")
    for site in listed:
        expect(elf.read(site, 1) == b"\xe8", "each entry to point at the byte e8 of a call",
               f"{site:#x}, where the bytes are {elf.read(site, 5).hex(' ')}")


def test_only_calls(lab):
    bench = Bench(lab)
    path = bench.compile(NO_CALLS, "no_calls")
    bench.record(path)
    elf, listed = bench.link(path)
    sites = sites_in(elf)
    for address, name in sites.items():
        expect(address in listed, f"an entry at {address:#x}, where {name}() begins",
               "entries at " + (", ".join(f"{site:#x}" for site in listed) or "no address"))
    wrong = [elf.read(site, 5).hex(" ") for site in listed if site not in sites]
    expect(not wrong, "only calls of __fentry__ to be listed", f"an entry for the bytes {quoted(wrong)}")
    result = bench.run(bench.compile(SOURCE, "got", "-fpic", "-mcmodel=small"))
    expect(result.returncode and "recordmcount: " in result.stdout, "fail() for calls of __fentry__ through the GOT (gcc -fpic)",
           f"status {result.returncode}")


def test_base(lab):
    bench = Bench(lab)
    path = bench.compile(WEAK, "weak", "-fno-toplevel-reorder")
    remove_section_symbols(path)
    other = bench.compile(OTHER, "other", "-mrecord-mcount")
    bench.record(path)
    elf, listed = bench.link(path, other)
    sites = sites_in(elf)
    expect(len(listed) == 4, "4 entries for two objects with 4 functions", f"{len(listed)}")
    fentry = next(s.value for s in elf.symbols() if s.name == "__fentry__")
    for name in ("strong_one", "strong_two"):
        address = next(s.value for s in elf.symbols() if s.name == name)
        expect(address in listed, f"an entry for {name}(), whose section has no symbol of its own, and begins with a weak function that another object overrides",
               "entries at " + ", ".join(f"{site:#x}" for site in listed) + f", and {name} is at {address:#x}")
    expect(len(set(listed)) == 4, "4 different entries", "the same one twice: that of the function which overrides the weak one")
    expect(all(site in sites or calls_fentry(elf, site, fentry) for site in listed), "calls at all entries", "something else")


def kernel_sites(lab, init=False):
    """The names of the kernel's functions with a call; of those in init text only with init."""
    lab.need_kernel()
    elf = Elf(lab.build / "nop5.elf")
    end = next(s.value for s in elf.symbols() if s.name == "_etext")
    return [name for address, name in sorted(sites_in(elf).items()) if init or address < end]


def test_records(lab):
    every = len(kernel_sites(lab, init=True))
    made = re.search(r"ftrace: allocating (\d+) entries", lab.boot_log())
    expect(made and int(made[1]) == every, f"a record for each of {every} sites at boot, those of init functions, too", made[0] if made else "no record")
    wanted = kernel_sites(lab)
    functions, = lab.boot(f"cat {TRACING}/available_filter_functions")
    seen = functions.text.split("\n")[:-1]
    missing = [name for name in wanted if name not in set(seen)]
    expect(not missing, f"{len(wanted)} functions in available_filter_functions",
           f"{len(seen)}, without {quoted(missing[:3])}" + (f"; the first one is `{seen[0]}`" if seen else ""))
    expect(len(seen) == len(wanted), f"{len(wanted)} functions in available_filter_functions", f"{len(seen)}")


def test_lookup(lab):
    program = lab.host_program("lab01_lookup.c", options=["-no-pie", "-Wl,--unresolved-symbols=ignore-all"])
    result = lab.run("timeout", str(lab.timeout), program)
    expect(result.returncode == 0, "ftrace_location() to find each record, and nothing else, after a look at few records",
           result.stdout or f"no end within {lab.timeout} s")
    names = [name for name in kernel_sites(lab) if "." not in name]
    unique = [name for name in names if names.count(name) == 1]
    chosen = [unique[0], unique[-1], *lab.random.sample(unique[1:-1], 6)]
    commands = [f"cat {TRACING}/available_filter_functions", f"cd {TRACING}"]
    commands += [f"echo {name} > set_ftrace_filter; echo function > current_tracer; cat enabled_functions; echo nop > current_tracer"
                 for name in chosen]
    functions, _, *answers = lab.boot(*commands)
    for name, answer in zip(chosen, answers):
        expect(answer.text.startswith(name + " (1)"), f"`{name} (1)` in enabled_functions while {name} is traced, the function of record {names.index(name) + 1} of {len(names)}",
               answer.text or "nothing")
    expect(functions.lines, "functions in available_filter_functions", "none")
    last = functions.lines[-1]
    answer, = lab.boot(f"cd {TRACING}; echo {last} > set_ftrace_filter; echo function > current_tracer; cat enabled_functions")
    expect(last in answer.text, f"the last record, {last}, in enabled_functions", answer.text or "nothing")


def test_traced(lab):
    *_, answer = lab.boot(f"cd {TRACING}", "echo vfs_open > set_ftrace_filter", "echo function > current_tracer", "cat /proc/uptime",
                         "echo 0 > tracing_on", "cat trace")
    calls = [line for line in answer.lines if not line.startswith("#")]
    expect(any("vfs_open <-" in line for line in calls), "calls of vfs_open in the trace", calls[:1] or "none")
    others = [line for line in calls if "vfs_open <-" not in line]
    expect(not others, "no other function in the trace", f"{len(others)} lines of others")
