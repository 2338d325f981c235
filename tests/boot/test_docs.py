"""The manual is correct: these tests run every command block of README.md and docs/*.md.

The convention is in tests/README.md.
"""
import functools
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from clones import machine_at_prompt
from conftest import make, root_with
from exporting import SocketPort
from gdb_prompts import HostGdb, type_at_gdb
from nop5 import ROOT, Result, host

sys.path.append(str(ROOT / "scripts"))
import lab_table  # noqa: E402
from console_blocks import blocks, steps  # noqa: E402

PAGES = [p for p in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/labs").glob("*.md")), *sorted((ROOT / "docs/answers").glob("*.md"))] if p.exists()]
REFERENCE = {"README.md", "bpf-helpers.md", "cheat-sheet.md", "exam.md", "glossary.md", "nop5-and-linux.md"}  # to look things up, not to learn from
CHAPTERS = [p for p in PAGES if p.parent.name == "docs" and p.name not in REFERENCE]
HANDOUTS = [p for p in PAGES if p.parent.name == "labs"]
ROOMS = ("boot", "arch", "kernel", "fs", "net", "trace", "selftest", "scripts", "tests", "iso", "user", "modules", "labs", "web")
SOURCE = r"[\w./-]+\.(?:c|h|asm|inc|py|ld|cfg)"
NAMES = r"`\w+(?:\(\))?`(?:(?:, | and )`\w+(?:\(\))?`)*"
THROTTLED = re.compile(r"^\[.*\] sched: RT throttling activated$")
CHEAP = re.compile(r"^(scripts/boot|make (help|-s help)?$)")
# The word behind `console` of a block that needs Debian packages in the root file system, and the fixture with them.
ROOTS = {"tools": "tools", "perf": "perf_small", "debuggers": "debuggers", "bpf": "bpf_page"}
# Variables that make gives to a script as they are: any value is as good as another one.
PASSED_ON = re.compile(r"^(ADD|CARRY|DIR|MEM|N|OUT|ROOTFS|VARIANT)=.+")
DEBUGGERS = ROOT / "docs/debuggers.md"
BPF_PAGE = ROOT / "docs/your-own-bpf-program.md"


def pattern(lines):
    """Returns a regular expression for output in the manual: `…` is any text, alone on a line any lines.

    Spaces beside it are any number of spaces: where the host is slow, a time stamp of two digits more takes their place.
    """
    parts = []
    for line in lines:
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(re.sub(r"(\\ )+(?=\.\*)|(?<=\.\*)(\\ )+", " +", ".*".join(re.escape(p) for p in line.rstrip().split("…"))) + r"\s*?\n")
    return "".join(parts)


def files_of(page, word="file"):
    """{name: text} of the page's ```c file=NAME and ```make file=NAME blocks, or of those with another word. Blocks of one name are one file."""
    files = {}
    for language in ("c", "make"):
        for _, info, lines in blocks(page, language):
            if match := re.search(rf"\b{word}=(\S+)", info):
                files[match.group(1)] = files.get(match.group(1), "") + "".join(l + "\n" for l in lines) + "\n"
    return {name: text.rstrip("\n") + "\n" for name, text in files.items()}


@pytest.fixture(scope="module")
def squares(tmp_path_factory):
    """The program of docs/debuggers.md, compiled as the page says. Its source is beside it."""
    directory = tmp_path_factory.mktemp("squares")
    (_, _, source), = [block for block in blocks(DEBUGGERS, "c") if "program=squares.c" in block[1]]
    (directory / "squares.c").write_text("\n".join(source) + "\n")
    compiler, = re.findall(r"^gcc .*$", DEBUGGERS.read_text(), re.M)
    subprocess.run(compiler, shell=True, cwd=directory, check=True)
    return directory / "squares"


@pytest.fixture(scope="module")
def debuggers(images, squares):
    """The root file system of docs/debuggers.md."""
    added, = re.findall(r'^make rootfs ADD="(.*)"$', DEBUGGERS.read_text(), re.M)
    return root_with(images, "debuggers_page", added.replace("/path/to", str(squares.parent)).split())


@pytest.fixture(scope="module")
def bpf_page(images, bpf_programs, tmp_path_factory):
    """The root file system of docs/your-own-bpf-program.md."""
    directory = tmp_path_factory.mktemp("reads")
    for name, text in files_of(BPF_PAGE, "bpf").items():
        (directory / name).write_text(text)
    built = bpf_programs(directory)
    bpf_programs()
    return root_with(images, "bpf_page", [*(built / name for name in ("reads", "execs", "opens", "wakers")),
                                          f"{built}/careless.bpf.o:root/careless.bpf.o", "bpftool"])


@pytest.fixture
def initrd_of(images, tmp_path):
    """initrd_of(page): the default root file system (None), or one with the module of the page's files in /root."""
    def build(page):
        outside = tmp_path / "outside"
        outside.mkdir()
        for name, text in files_of(page).items():
            (outside / name).write_text(text)
        if not any(outside.iterdir()):
            return None
        make("modules", f"M={outside}")
        root = tmp_path / "rootfs.cpio"
        added = [f"{module}:root/{module.name}" for module in outside.glob("*.ko")]
        subprocess.run([ROOT / "scripts/rootfs", root, *sorted((images / "user").iterdir()), images / "modroot", *added], check=True)
        return str(root)

    return build


def type_step(machine, where, directory, command, output):
    """Type one command of a console block in its directory, and compare what it prints with output, unless that is None."""
    if directory and directory != machine.directory:
        machine.check(f"cd {directory}")
    if directory is None or re.match(r"gdb\b", command):
        result = Result(type_at_gdb(machine, command), 0)
    else:
        result = machine.run(command)
    assert result.status != 127, f"{where}: {result.output}"
    if output is not None:
        # A host that stops a CPU in a real-time task for a second makes the kernel say so.
        lines = [l for l in result.lines if not THROTTLED.search(l) or any(map(THROTTLED.search, output))]
        said = "".join(l + "\n" for l in lines)
        assert re.fullmatch(pattern(output), said), f"{where} printed:\n{said}"


def handout_blocks(page, starter):
    """[(line number, lines)] of a handout's console blocks: those that show the starter, or those that show the solved lab."""
    return [(number, lines) for number, info, lines in blocks(page, "console") if ("starter" in info.split()) == starter]


def type_handout(machine, page, starter):
    """Type the commands of a handout's console blocks, and compare what they print."""
    for number, lines in handout_blocks(page, starter):
        for directory, command, output in steps(lines):
            type_step(machine, f"{page.name}:{number}: {command}", directory, command, output)


def root_of(info):
    """The word of ROOTS in the info string of a block, or None: the default root file system."""
    return next((word for word in info.split() if word in ROOTS), None)


def type_at_host_gdb(program, socket, where, lines):
    """Type the commands of a gdb block at a gdb of the host, and compare what they print. socket is the second serial port of the machine; the
    page has that of `make run`."""
    gdb = HostGdb(program)
    try:
        for _, command, output in steps(lines):
            said = gdb.ask(command.replace("build/nop5.export.sock", str(socket)))
            assert re.fullmatch(pattern(output), said), f"{where}: {command} printed:\n{said}"
    finally:
        gdb.close()


def run_console_blocks(page, root, type_outside=None, **arguments):
    """Type the commands of those console blocks of a page that want this root file system (root_of()), and compare the
    output of those with `check`. type_outside(WHERE, LINES) types the gdb blocks between them."""
    machine, kernel = None, None
    languages = ("console", "gdb") if type_outside else ("console",)
    try:
        for number, info, lines, language in sorted((*block, language) for language in languages for block in blocks(page, language)):
            if root_of(info) != root:
                continue
            if language == "gdb":
                type_outside(f"{page.name}:{number}", lines)
                continue
            for directory, command, output in steps(lines):
                where = f"{page.name}:{number}: {command}"
                wanted = "nop5-test" if "test-kernel" in info.split() else "nop5"
                if machine and kernel != wanted:
                    machine.poweroff()
                    machine.close()
                    machine = None
                if machine is None:
                    kernel = wanted
                    machine = machine_at_prompt(cpus=4, kernel=kernel, **arguments)
                if not command:
                    continue
                if command in ("poweroff", "reboot") or "sysrq-trigger" in command and re.search(r"echo [bco]\b", command):
                    machine.send(command + "\n")
                    machine.wait_exit()
                    machine.close()
                    machine = None
                    continue
                type_step(machine, where, directory, command, output if "check" in info.split() else None)
        if machine:
            machine.poweroff()
    finally:
        if machine:
            machine.close()


@pytest.mark.parametrize("page", [p for p in PAGES if p not in HANDOUTS], ids=lambda p: str(p.relative_to(ROOT)))
def test_console_blocks_run_and_print_what_the_page_shows(images, initrd_of, page):
    run_console_blocks(page, None, build=images, initrd=initrd_of(page))


@pytest.mark.parametrize("page", [p for p in HANDOUTS if handout_blocks(p, starter=False)], ids=lambda p: p.name)
def test_console_blocks_of_a_handout_print_on_the_finished_kernel_what_a_solved_lab_prints(request, page):
    lab = next(lab for lab in lab_table.load().values() if ROOT / lab.handout == page)
    if lab.features == []:  # the prompt is that of the monitor
        machine = request.getfixturevalue("boot")(build=request.getfixturevalue("core"), initrd="")
    else:
        machine = request.getfixturevalue("nop5")
    type_handout(machine, page, starter=False)


PAGES_WITH_PACKAGES = [(page, root) for page in PAGES for root in ROOTS if any(root_of(info) == root for _, info, _ in blocks(page, "console"))]


@pytest.mark.soak
@pytest.mark.parametrize("page, root", PAGES_WITH_PACKAGES, ids=lambda value: getattr(value, "name", value))
def test_console_blocks_with_packages_of_debian_print_what_the_page_shows(images, request, page, root, tmp_path):
    arguments = {"build": images, "initrd": request.getfixturevalue(ROOTS[root]), "mem": "1G"}
    if root == "debuggers":
        port, squares = SocketPort(tmp_path), request.getfixturevalue("squares")
        arguments.update(extra=port.arguments, type_outside=functools.partial(type_at_host_gdb, squares, port.path))
    run_console_blocks(page, root, **arguments)


@functools.cache
def make_would(*arguments):
    """What make would do: its status, and what it says. Many pages have the same commands."""
    result = host(["make", "-n", *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return result.returncode, result.stdout


def check_host_command(words, where):
    words = [w for w in words if not re.fullmatch(r"[A-Z_]+=.*", w)] if "=" in words[0] else words
    program = words[0]
    if program == "make":
        status, says = make_would(*(PASSED_ON.sub(r"\1=1", word) for word in words[1:]))
        assert status == 0, f"{where}: {says[-500:]}"
    elif "/" in program and not program.startswith("/"):
        path = ROOT / program
        assert path.exists() and os.access(path, os.X_OK), f"{where}: no {program}"
        source = path.read_text()
        for option in words[1:]:
            if option.startswith("--") and option != "--":
                assert option.split("=")[0] in source, f"{where}: {program} knows no {option}"
    else:
        known = {"git", "sudo", "apt", "apt-get", "dnf", "brew", "pacman", "cd", "gdb", "qemu-system-x86_64"}
        assert program in known or shutil.which(program), f"{where}: no {program}"


def host_commands(info, lines):
    """[(command, [output line] or None)] of a sh block. With `check` the commands begin with "$ ", other lines are output."""
    commands = []
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        if "check" not in info.split():
            commands.append((re.sub(r"^\$ ", "", line.strip()), None))
        elif line.startswith("$ "):
            commands.append((line[2:], []))
        else:
            commands[-1][1].append(line)
    return [(command, output) for command, output in commands if shlex.split(command, comments=True)]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_sh_blocks_name_targets_scripts_and_options_that_exist(images, page):
    for number, info, lines in blocks(page, "sh"):
        for command, output in host_commands(info, lines):
            where = f"{page.name}:{number}: {command}"
            check_host_command(shlex.split(command, comments=True), where)
            if CHEAP.match(command) and "no-run" not in info.split():
                result = host(command, shell=True, cwd=ROOT, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                assert result.returncode == 0, f"{where}: {result.stdout[-2000:]}"
                assert output is None or re.fullmatch(pattern(output), result.stdout), f"{where} printed:\n{result.stdout}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_to_files_that_exist(page):
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


def section(page, title):
    """The lines of a page below a heading, up to the next one."""
    match = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", page.read_text(), re.M | re.S)
    return match.group(1).strip().splitlines() if match else []


def prose(page):
    """A page without its blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)


@functools.cache
def source_files():
    return [ROOT / "linker.ld", *(p for room in ROOMS for p in (ROOT / room).rglob("*") if p.is_file() and not p.suffix == ".pyc")]


@functools.cache
def source_words():
    words = set()
    for path in source_files():
        if path.suffix in (".c", ".h", ".asm", ".py") or path.parent.name == "scripts":
            text = path.read_text()
            words.update(re.findall(r"\w+", text))
            words.update("__x64_sys_" + name for name in re.findall(r"^SYSCALL_DEFINE\d\((\w+)", text, re.M))
    return words


def added_files(page):
    """The files that the page has its reader write."""
    return {*files_of(page), *files_of(page, "bpf")}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_that_the_manual_names_exist(page):
    names = {p.name for p in source_files()}
    for name in set(re.findall(rf"`({SOURCE})`", prose(page))) - added_files(page):
        exists = (ROOT / name).exists() if "/" in name else name in names
        assert exists, f"{page.name}: no {name}"
    for name in set(re.findall(rf"`((?:{'|'.join(ROOMS)})/[\w./-]*)`", prose(page))) - added_files(page):
        assert (ROOT / name).exists(), f"{page.name}: no {name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_functions_that_the_manual_names_are_in_the_files_that_it_names(page):
    """`path`: `function()` names a function of that file; `function()` alone one of any file."""
    for path, names in re.findall(rf"`({SOURCE})`: ({NAMES})", prose(page)):
        text = (ROOT / path).read_text()
        for name in re.findall(r"\w+", names):
            call = re.sub("^__x64_sys_", "", name)
            assert re.search(rf"\b{name}\b|\bSYSCALL_DEFINE\d\({call}\b", text), f"{page.name}: no {name} in {path}"
    own = set(re.findall(r"\w+", " ".join(line for _, _, lines in blocks(page, "c") for line in lines)))
    for name in re.findall(r"`(\w+)\(\)`", prose(page)):
        assert name in source_words() or name in own, f"{page.name}: no {name}()"


def test_the_page_about_notrace_names_functions_that_their_files_define():
    """scripts/notrace-doc finds the function behind a mark, past attributes such as __section("name")."""
    rows = re.findall(r"^\| `(\w+)` \| `([\w./-]+)` \|", (ROOT / "docs/notrace.md").read_text(), re.M)
    for name, path in rows:
        text = re.sub(r"/\*.*?\*/", " ", (ROOT / path).read_text(), flags=re.S)
        assert re.search(rf"\b{name}\([^;{{}}]*\)\s*[{{;]", text), f"{path} does not define {name}"
    assert len(rows) > 30


def test_functions_of_linux_that_the_manual_names_are_those_of_linux():
    """tests/linux-names has looked them up in Linux's source."""
    known = (ROOT / "tests/boot/data/linux_names.txt").read_text().splitlines()
    text = (ROOT / "docs/nop5-and-linux.md").read_text()
    rows = [line for line in text.splitlines() if re.match(r"\| .* \| .* \| .* \|$", line)]
    for row in rows:
        match = re.search(r"\*([\w./-]+\.[chS]): ([\w, ]+)\* \|$", row)
        assert match or "| nop5 |" in row, f"no function of Linux: {row}"
        for name in match.group(2).split(", ") if match else ():
            assert f"{match.group(1)} {name}" in known, f"run tests/linux-names: {row}"
    assert len(rows) > 80


def test_the_glossary_is_sorted_and_leads_to_chapters_that_use_the_word():
    entries = re.findall(r"^\| (.+?) \| .+ \| \[.+\]\((.+)\) \|$", (ROOT / "docs/glossary.md").read_text(), re.M)
    words = [word for word, _ in entries]
    assert words == sorted(words, key=lambda w: re.sub(r"\W", "", w.lower())) and len(words) > 60
    for word, chapter in entries:
        text = re.sub(r"\s+", " ", (ROOT / "docs" / chapter).read_text().lower())
        assert word.lower().rstrip("e") in text, f"{chapter} does not say {word}"


@pytest.mark.parametrize("page", sorted((ROOT / "docs/answers").glob("*.md")), ids=lambda p: p.name)
def test_answers_are_as_many_as_the_questions_of_their_chapter(page):
    chapter, handout = ROOT / "docs" / page.name, ROOT / "docs/labs" / page.name
    text = section(chapter, "Questions to try") if chapter.exists() else section(handout, "Questions")
    numbers = re.findall(r"^(\d)\. \S", page.read_text(), re.M)
    questions = re.findall(r"^(\d)\. ", "\n".join(text), re.M)
    assert numbers == questions and numbers, f"{page.name}: answers {numbers}, questions {questions}"


@pytest.mark.parametrize("page", CHAPTERS + HANDOUTS, ids=lambda p: p.name)
def test_a_page_with_questions_has_answers(page):
    assert (ROOT / "docs/answers" / page.name).exists(), f"docs/answers has no {page.name}"


def test_functions_that_the_questions_want_traced_can_be_traced(nop5):
    """A function that the compiler inlines or splits has no call site of its name."""
    asked = {}
    for page in CHAPTERS:
        questions = "\n".join(section(page, "Questions to try"))
        for names in re.findall(r"(?:Trace|Graph|Profile) ((?:`\w+`(?:, | and )?)+)", questions):
            asked.update((name, page.name) for name in re.findall(r"`(\w+)`", names))
    missing = nop5.check(f"for f in {' '.join(sorted(asked))}; do grep -qx $f /sys/kernel/tracing/available_filter_functions || echo $f; done")
    assert len(asked) >= 10 and not missing.split(), [(name, asked[name]) for name in missing.split()]


def explained_letters():
    """{folder or file: its letters} of the table in docs/locking.md. "" stands for all."""
    letters = {}
    for line in section(ROOT / "docs/locking.md", "The letter behind a field"):
        if match := re.match(r"\| (.+?) \| (.+) \|$", line):
            for place in re.findall(r"`([\w./]+)`", match.group(1)) or [""]:
                letters[place] = set(re.findall(r"`\[([A-Z])\]`", match.group(2)))
    return letters


def test_each_letter_behind_a_field_is_explained_in_its_file_or_on_the_page_about_locking():
    table = explained_letters()
    for path in (p for p in source_files() if p.suffix in (".c", ".h") and p.parts[len(ROOT.parts)] in ("kernel", "fs", "net", "trace")):
        comments = "\n".join(re.findall(r"/\*.*?\*/", path.read_text(), re.S))
        used = set(re.findall(r"(?<![\w\"])\[([A-Z])\]", comments))
        # The legend: in a comment of its own, the letter and a lock or an explanation.
        comment_lines = "\n".join(re.findall(r"^ ?/?\*.*$", path.read_text(), re.M))
        own = set(re.findall(r"(?<!\w)\[([A-Z])\](?! to (?:write|read)) ?[\w&]", comment_lines))
        name = str(path.relative_to(ROOT))
        known = own.union(*(letters for place, letters in table.items() if name.startswith(place)))
        assert used <= known, f"{name}: docs/locking.md does not explain {used - known}"


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda p: p.name)
def test_a_chapter_says_what_it_teaches_where_to_read_on_and_what_to_try(page):
    opening = re.search(r"\A# .*\n\n((?:.+\n)+)", page.read_text()).group(1)
    assert opening.startswith("After this chapter you can "), f"{page.name} does not say what it teaches"
    places = [line for line in section(page, "Read on in the code") if line.startswith("- ")]
    assert places, f"{page.name} does not say where to read on"
    for line in places:
        assert re.match(rf"- `{SOURCE}`: {NAMES}", line), f"{page.name}: {line}"
    questions = [line for line in section(page, "Questions to try") if re.match(r"\d\. ", line)]
    assert len(questions) in (2, 3), f"{page.name} has {len(questions)} questions to try"
