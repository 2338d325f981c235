#!/usr/bin/python3
"""Check the source text: layout, includes, and the rules of the house. Prints TAP.

    tests/tidy.py            check everything
    tests/tidy.py --fix      let clang-format rewrite what it does not like, then check
"""
import ast
import functools
import re
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import main_road

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("boot", "arch", "kernel", "fs", "net", "trace", "selftest")

# The headers that lie in kernel/ itself, and the machine's clock, are the room "base" of kernel/.
KERNEL_BASE = {"kernel/time/ktime.h"}
ARCHITECTURE = ROOT / "docs/architecture.md"
FREESTANDING = {"stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "limits.h"}
MAX_LINES = 600
MAX_COLUMNS = 100
CLANG_FORMAT = "14."  # other versions format differently


@functools.cache
def sources(*suffixes):
    # Sorted, so that every report has the same order.
    return sorted(p for room in ROOMS if (ROOT / room).is_dir()
                  for p in (ROOT / room).rglob("*") if p.suffix in suffixes)


# Headers of arch/ that no other machine would have (arch/README.md).
MACHINE_ONLY = {"apic.h", "descriptors.h", "extable.h", "paging.h", "smap.h", "smpboot.h", "special_insns.h",
                "syscall.h", "tsc.h", "vectors.h"}


def is_python(path):
    return path.suffix == ".py" or path.read_bytes().startswith(b"#!/usr/bin/python3")


@functools.cache
def text_of(path):
    """The text of a source, which most checks want."""
    return path.read_text()


@functools.cache
def lines_of(path):
    return list(enumerate(text_of(path).splitlines(), 1))


def name(path, number=None):
    text = str(path.relative_to(ROOT))
    return f"{text}:{number}" if number else text


def arrows(block="rooms"):
    """Return {room: the rooms that it may include headers of}, as docs/architecture.md draws them."""
    drawn = re.search(rf"^```{block}\n(.*?)^```", ARCHITECTURE.read_text(), re.M | re.S).group(1)
    return {room: {room, *others.split()} for room, others in (line.split(":") for line in drawn.splitlines())}


def room_of(path, rooms):
    """The innermost room that path lies in; None outside all of them."""
    return max((room for room in rooms if path.startswith(room + "/")), key=len, default=None)


def check_the_rooms_are_those_of_the_architecture_page():
    rooms = arrows()
    for room, others in rooms.items():
        if not any((ROOT / room).rglob("*.[ch]")) and not any((ROOT / room).rglob("*.asm")):
            yield f"{name(ARCHITECTURE)}: there is no room {room}"
        for other in others - set(rooms):
            yield f"{name(ARCHITECTURE)}: {room}: there is no room {other}"
    for path in sources(".c", ".h", ".asm"):
        if not room_of(name(path), rooms):
            yield f"{name(path)}: {name(ARCHITECTURE)} draws no room for it"


def check_each_include_follows_an_arrow_of_the_architecture_page():
    rooms = arrows()
    for path in sources(".c", ".h", ".asm"):
        room = room_of(name(path), rooms)
        for number, line in lines_of(path):
            match = re.match(r'\s*[#%]\s*include\s+"([^"]+)"', line)
            if match and match.group(1).startswith("generated/"):
                continue  # the Makefile writes it from the sources of the room
            if match and room_of(match.group(1), rooms) not in rooms.get(room, ()):
                yield f"{name(path, number)}: {room} may not include {match.group(1)}"


def tables_of_calls_up():
    """{name: (header, [file or folder that sets it])} of the tables of structs and hooks on the architecture page."""
    text = ARCHITECTURE.read_text().partition("## How a lower room calls a higher one")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| `([\w./]+)` \| ((?:`[\w./]+`(?:, )?)+) \|", text, re.M)
    return {what: (header, re.findall(r"`([\w./]+)`", setters)) for what, header, setters in rows}


def declared_calls_up():
    """Yields (name, header, type of its struct or "") of pointers to functions, of structs with functions of which there is one, and of
    operations to which a feature adds."""
    for path in sources(".h"):
        for match in re.finditer(r"^extern [^;()]*\(\*(\w+)\)\(|^extern (?:const )?struct (\w+_(?:ops|hooks?|handlers)) \*?(\w+);|"
                                 r"^extern struct \w+_operations (\w+);", text_of(path), re.M):
            if f"{match.group(2)}s" != match.group(3):  # a list of hooks
                yield match.group(1) or match.group(3) or match.group(4), name(path), match.group(2) or ""


def check_the_architecture_page_lists_hooks_and_who_sets_them():
    """Of pointers to functions those that a file of another folder sets, and all that are called a hook."""
    table, declared = tables_of_calls_up(), {}
    texts = {name(p): text_of(p) for p in sources(".c") if name(p).split("/")[0] != "selftest"}
    for what, header, struct in declared_calls_up():
        setting = re.compile(rf"\b{what}(?:\.\w+)? = |[(&]{what}(?:\.\w+)?, (?!NULL)" + (rf"|\bstruct {struct} \w+ = \{{" if struct else ""))
        # Few files have the name at all. To look for the pattern in all of them took 6 seconds.
        named = [path for path, text in texts.items() if what in text or struct and f"struct {struct} " in text]
        setters = [path for path in named if setting.search(texts[path])]
        declared[what] = header
        if what not in table:
            if struct or what.endswith(("_hook", "_operations")) or any(Path(p).parent != Path(header).parent for p in setters):
                yield f"{header}: {what}: {name(ARCHITECTURE)} does not say who sets it: {' '.join(setters)}"
            continue
        said = table[what][1]
        for path in setters if not struct else ():
            if path not in said:
                yield f"{name(ARCHITECTURE)}: {what} is also set by {path}"
        for place in said:
            if not any(path.startswith(place) for path in setters):
                yield f"{name(ARCHITECTURE)}: {what} is not set by {place}"
    for what, (header, _) in table.items():
        if declared.get(what) != header:
            yield f"{name(ARCHITECTURE)}: {header} does not declare {what}"


def check_only_freestanding_headers_are_included():
    for path in sources(".c", ".h"):
        host = path.stem.endswith("_host")  # the substitute for the kernel in the host tests
        for number, line in lines_of(path):
            # Between `#ifdef NOP5_HOST` and its end libc may be used.
            if re.match(r"#if(def|\s+defined)\W*NOP5_HOST", line):
                host = True
            elif re.match(r"#(else|endif)", line):
                host = path.stem.endswith("_host")
            match = re.match(r"\s*#\s*include\s+<([^>]+)>", line)
            if match and match.group(1) not in FREESTANDING and not host:
                yield f"{name(path, number)}: <{match.group(1)}> is not freestanding"


def check_only_the_machine_knows_its_own_headers():
    """A second machine is a folder beside arch/x86_64, so nothing outside names that folder or what it alone has."""
    for path in sources(".c", ".h"):
        if "arch" in path.relative_to(ROOT).parts[:2]:
            continue
        for number, line in lines_of(path):
            if "arch/x86_64" in line:
                yield f"{name(path, number)}: names arch/x86_64: say arch/"
            match = re.match(r'\s*#\s*include\s+"arch/([^"]+)"', line)
            if match and Path(match.group(1)).name in MACHINE_ONLY:
                yield f"{name(path, number)}: arch/{match.group(1)} is for arch/ only"


def check_the_page_about_machines_names_who_includes_each_header():
    page, used = (ROOT / "arch/README.md"), {}
    order = ("boot", "kernel", "fs", "net", "trace", "modules")
    for path in (p for room in order for p in (ROOT / room).rglob("*") if p.suffix in (".c", ".h", ".asm")):
        for header in re.findall(r'^\s*[#%]\s*include\s+"arch/([^"]+)"', text_of(path), re.M):
            used.setdefault(header, set()).add(path.relative_to(ROOT).parts[0])
    rows = dict(re.findall(r"^\| `([\w/]+\.(?:h|inc))` \|.*\| (.*) \|$", page.read_text(), re.M))
    for header in sorted(used.keys() | rows.keys()):
        rooms = ", ".join(f"`{room}`" for room in order if room in used.get(header, ()))
        if rows.get(header) != rooms:
            yield f"{name(page)}: {header} is used by {rooms or 'no other room'}, and the row says {rows.get(header)}"


def check_the_architecture_page_names_each_linker_table():
    headers = [path for path in sources(".h") if path.relative_to(ROOT).parts[0] != "selftest"]
    macros = [macro.group(1, 2) for path in headers for macro in re.finditer(r"^#define (\w+)((?:.*\\\n)*.*)", text_of(path), re.M)]
    for macro in (macro for macro, body in macros if "LINKER_TABLE_ENTRY(" in body):
        inner = macro.startswith("__") or any(re.search(rf"\b{macro}\b", other) for _, other in macros)
        if not inner and not re.search(rf"`{macro}\b", ARCHITECTURE.read_text()):
            yield f"{name(ARCHITECTURE)} does not name the linker table of {macro}()"


def check_no_source_includes_a_header_of_a_feature_that_it_does_not_need():
    features = SourceFileLoader("features", str(ROOT / "scripts/features"))
    module = module_from_spec(spec_from_loader("features", features))
    sys.modules["features"] = module
    features.exec_module(module)
    for source, header in module.inclusions():
        yield f"{source} includes {header}, which belongs to {' and '.join(module.features_of(header))}"


def kernel_room(text):
    """The room of a path below kernel/; None for a source that lies in kernel/ itself."""
    path = Path(text)
    if text in KERNEL_BASE:
        return "base"
    if len(path.parts) > 2:
        return path.parts[1]
    if path.stem in arrows("kernel-rooms"):
        return path.stem
    return "base" if path.suffix == ".h" else None


def check_rooms_of_the_kernel_include_only_rooms_below_them():
    rooms = arrows("kernel-rooms")
    for path in sources(".c", ".h"):
        room = kernel_room(name(path)) if path.is_relative_to(ROOT / "kernel") else None
        if room is None:
            continue
        if room not in rooms:
            yield f"{name(path)}: {name(ARCHITECTURE)} draws no room kernel/{room}"
            continue
        for number, line in lines_of(path):
            if match := re.match(r'\s*#\s*include\s+"(kernel/[^"]+)"', line):
                if kernel_room(match.group(1)) not in rooms[room]:
                    yield f"{name(path, number)}: kernel/{room} may not include {match.group(1)}"


def check_files_have_one_subject():
    tools = sorted(p for folder in ("scripts", "tests") for p in (ROOT / folder).rglob("*")
                   if p.is_file() and (p.suffix in (".c", ".h") or is_python(p)))
    for path in sources(".c", ".h", ".asm") + tools:
        count = len(text_of(path).splitlines())
        if count > MAX_LINES:
            yield f"{name(path)}: {count} lines, more than {MAX_LINES}"


def check_files_open_by_saying_what_they_are():
    for path in sources(".c", ".h", ".asm"):
        if not re.match(r"/\*|//|;", text_of(path)):
            yield f"{name(path)}: the first line is no comment"


def check_assembly_is_nasm_or_in_arch():
    for path in sources(".s", ".S"):
        yield f"{name(path)}: assembly files are NASM (.asm)"
    for path in sources(".c", ".h"):
        if path.relative_to(ROOT).parts[:1] == ("arch",) or path.relative_to(ROOT).parts[:2] == ("selftest", "arch"):
            continue
        for number, line in lines_of(path):
            # An empty one is a compiler barrier, and one behind a declaration names its symbol: no instruction.
            if re.search(r"\b(__asm__|asm)\s*(__volatile__|volatile)?\s*\(", line) and not re.search(r'\("" *:|\) __asm__\("\w+"\);$', line):
                yield f"{name(path, number)}: inline assembly outside arch/"


def check_notrace_gives_its_reason():
    for path in sources(".c", ".h"):
        for number, line in lines_of(path):
            code = re.sub(r'"[^"]*"|/\*.*?\*/|//.*', "", line)
            if re.search(r"\b(notrace|__kprobes)\b", code) and not re.match(r"\s*(#define|\*|/\*)", line) and \
                    not re.search(r"/\*.*\w|//.*\w", line):
                yield f"{name(path, number)}: notrace without its reason on that line"


def check_the_page_about_notrace_is_what_the_source_says():
    result = subprocess.run([ROOT / "scripts/notrace-doc", "--check"], text=True, stderr=subprocess.PIPE)
    return result.stderr.splitlines() if result.returncode else []


def check_the_main_road_is_short_and_its_page_true():
    return main_road.check()


def check_histograms_name_each_system_call_as_its_function():
    """The modifier .syscall has a table of its own, so that histograms need no programs."""
    table = (ROOT / "trace/hist/syscall.c").read_text()
    shown = {int(number): call for number, call in re.findall(r'\[(\d+)\] = "(\w+)"', table)}
    numbers = dict(re.findall(r"^#define __NR_(\w+) +(\d+)$", (ROOT / "kernel/syscalls/unistd.h").read_text(), re.M))
    for path in sources(".c"):
        for call in re.findall(r"^SYSCALL_DEFINE\d\((\w+)", text_of(path), re.M):
            if shown.get(int(numbers[call])) != call:
                yield f"{name(path)}: {call} is number {numbers[call]}, which trace/hist/syscall.c calls {shown.get(int(numbers[call]))}"


def check_nothing_is_left_unfinished():
    for path in sources(".c", ".h", ".asm"):
        for number, line in lines_of(path):
            if re.search(r"\b(TODO|FIXME|XXX|HACK)\b|^#if 0", line):
                yield f"{name(path, number)}: {line.strip()}"


def check_lines_fit_and_end_clean():
    for path in sources(".c", ".h", ".asm"):
        for number, line in lines_of(path):
            if len(line.expandtabs(8)) > MAX_COLUMNS:
                yield f"{name(path, number)}: longer than {MAX_COLUMNS} columns"
            if line != line.rstrip():
                yield f"{name(path, number)}: white space at the end"
        if not text_of(path).endswith("\n"):
            yield f"{name(path)}: no newline at the end"


def check_comments_keep_their_space():
    """clang-format drops the space behind the * when it moves words to the next line."""
    for path in sources(".c", ".h"):
        for number, line in lines_of(path):
            if re.match(r" \*[\w`(]", line):
                yield f"{name(path, number)}: no space behind the *"


def check_comments_end_on_their_line():
    """A comment begins and ends on one line, or its text begins and ends on lines of its own."""
    for path in sources(".c", ".h"):
        lines = text_of(path).splitlines()
        for number, (above, line) in enumerate(zip(lines, lines[1:]), 2):
            if re.match(r"\s*\*/$", line) and "/*" in above and not above.strip() == "/*":
                yield f"{name(path, number)}: the end of a comment alone on a line"


def check_and_keeps_its_spaces():
    """clang-format reads C as C++: it writes x &&new, because new is a keyword there."""
    for path in sources(".c", ".h"):
        for number, line in lines_of(path):
            code = re.sub(r'"(\\.|[^"\\])*"|/\*.*?(\*/|$)', '""', line)
            if re.search(r"[\w)\]] &&\w|\w&& \w", code):
                yield f"{name(path, number)}: no space beside &&: if clang-format insists, rename the variable (new is a keyword of C++)"


def check_headers_are_included_once():
    for path in sources(".h"):
        # X_events.h and the files that read it are read several times on purpose (kernel/tracepoint.h).
        if "#pragma once" not in text_of(path) and "TRACE_EVENTS_PASS" not in text_of(path):
            yield f"{name(path)}: no #pragma once"


def check_python_uses_what_it_imports():
    for path in sorted(p for room in ("scripts", "tests") for p in (ROOT / room).rglob("*") if p.is_file()):
        if not is_python(path):
            continue
        lines = text_of(path).splitlines()
        nodes = list(ast.walk(ast.parse("\n".join(lines))))
        used = {node.id for node in nodes if isinstance(node, ast.Name)}
        for node in nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)) and "F401" not in lines[node.end_lineno - 1]:
                for alias in node.names:
                    if (alias.asname or alias.name).split(".")[0] not in used:
                        yield f"{name(path, node.lineno)}: {alias.name} is imported and not used"


def formatted_sources():
    """All but the declarations of events, which clang-format takes for expressions."""
    return [path for path in sources(".c", ".h") if not path.name.endswith("_events.h")]


def clang_format():
    tool = shutil.which("clang-format-14") or shutil.which("clang-format")
    if tool:
        version = subprocess.run([tool, "--version"], text=True, stdout=subprocess.PIPE, check=True).stdout
        if f"version {CLANG_FORMAT}" in version:
            return tool
    return None


@functools.cache
def format_check():
    """The process of clang-format, which takes as long as all other checks: main() starts it first. None: there is no clang-format 14."""
    tool = clang_format()
    return tool and subprocess.Popen([tool, "--dry-run", "-ferror-limit=0", *map(str, formatted_sources())], cwd=ROOT,
                                     text=True, stderr=subprocess.PIPE)


def check_clang_format_has_nothing_to_change():
    if not format_check():
        return ["no clang-format 14: scripts/install-deps test installs it"]
    hits = re.findall(r"^(\S+?):(\d+):\d+: (?:warning|error): code should be", format_check().communicate()[1], re.M)
    return [f"{Path(f).relative_to(ROOT) if f.startswith('/') else f}:{line}: clang-format would change this"
            for f, line in hits]


CHECKS = [value for key, value in globals().items() if key.startswith("check_")]


def main():
    if "--fix" in sys.argv[1:]:
        subprocess.run([clang_format() or sys.exit("no clang-format 14"), "-i", *map(str, formatted_sources())],
                       check=True)
    failed = 0
    format_check()
    print(f"1..{len(CHECKS)}")
    for number, check in enumerate(CHECKS, 1):
        title = check.__name__[len("check_"):]
        complaints = list(check())
        print(f"{'not ok' if complaints else 'ok'} {number} - {title}")
        for complaint in complaints[:200]:
            print(f"# {complaint}")
        failed += bool(complaints)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
