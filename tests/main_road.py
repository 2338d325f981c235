#!/usr/bin/python3
"""Count the lines of the main road (docs/main-road.md).

    tests/main_road.py           print each row of the page with its lines of source, and their sum
    tests/main_road.py --fix     write these numbers into the page

A row of the page names a file, or functions and structures of a file, and says how many lines they have. All lines count,
comments too; a definition has its comment. tests/tidy.py calls check().
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/main-road.md"
BUDGET = 9000  # lines that a reader of the whole road reads
ROW = re.compile(r"^\| `([\w./-]+)`(?:: ((?:`\w+(?:\(\))?`(?:, | and )?)+))? \| (\d+) \|", re.M)


def blank_comments(text):
    """The text with spaces for the characters of comments and strings."""
    return re.sub(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def first_line(lines, line):
    """The first line of the definition that line is in: behind the last empty line, or the end of another definition."""
    while line and lines[line - 1].strip() and not re.match(r"\}|.*;( /\*.*\*/)?$|#|\w+_initcall\(", lines[line - 1]):
        line -= 1
    return line


def definition_in_c(text, name):
    """The range of lines that define a function, a system call, a structure, a variable with braces, or a macro."""
    lines, code = text.splitlines(), blank_comments(text)
    call = name.removeprefix("__x64_sys_")
    patterns = (rf"\b{name}\((?:[^;{{}}]*?)\)\s*\{{", rf"^SYSCALL_DEFINE\d\({call}\b[^{{]*\{{",
                rf"^(?:struct|union|enum) {name} \{{", rf"^(?:static )?(?:const )?struct \w+ {name}(?:\[\w*\])? = \{{")
    for pattern in patterns:
        if match := re.search(pattern, code, re.M):
            last = code.index("\n}", match.end())
            return range(first_line(lines, code.count("\n", 0, match.start())), code.count("\n", 0, last) + 2)
    if match := re.search(rf"^#define {name}\b", code, re.M):
        first = last = code.count("\n", 0, match.start())
        while lines[last].endswith("\\"):
            last += 1
        while first and re.match(r" ?(/\*|\*)", lines[first - 1]):
            first -= 1
        return range(first, last + 1)
    return None


def definition_in_asm(text, name):
    """The range of lines from the comment of a label to the next global one."""
    lines = text.splitlines()
    if f"{name}:" not in lines:
        return None
    at = lines.index(f"{name}:")
    last = next((n for n in range(at + 1, len(lines)) if re.match(r"global |section ", lines[n])), len(lines))
    while not lines[last - 1].strip() or lines[last - 1].startswith(";"):
        last -= 1
    return range(first_line(lines, at), last)


def definition_in_makefile(text, name):
    """The range of lines from the comment of a variable to the next empty line behind its first value."""
    lines = text.splitlines()
    at = next((n for n, line in enumerate(lines) if re.match(rf"{name} [:+]?=", line)), None)
    if at is None:
        return None
    first = last = at
    while lines[first - 1].strip():
        first -= 1
    while lines[last].strip():
        last += 1
    return range(first, last)


def definition(path, name):
    text = (ROOT / path).read_text()
    find = definition_in_asm if path.endswith(".asm") else definition_in_makefile if path == "Makefile" else definition_in_c
    return find(text, name)


def rows():
    """Yields (line of the page, path, {numbers of lines}, number on the page, [name that path does not define])."""
    text = PAGE.read_text()
    for match in ROW.finditer(text):
        path, names, said = match.groups()
        numbers, missing = set(), []
        if not (ROOT / path).is_file():
            missing.append(path)
        elif not names:
            numbers.update(range(len((ROOT / path).read_text().splitlines())))
        for name in re.findall(r"\w+", names or "") if not missing else ():
            found = definition(path, name)
            numbers.update(found or ())
            missing += [] if found else [name]
        yield text.count("\n", 0, match.start()) + 1, path, numbers, int(match.group(3)), missing


def total():
    """The lines of all rows together; a line that two rows name counts once."""
    return len({(path, number) for _, path, numbers, _, _ in rows() for number in numbers})


def check():
    """Yields a complaint for each row that is not true, and if the road is too long."""
    for line, path, numbers, said, missing in rows():
        for name in missing:
            yield f"docs/main-road.md:{line}: {path} does not define {name}"
        # The page need not follow each small change.
        if not missing and abs(len(numbers) - said) > max(5, len(numbers) // 10):
            yield f"docs/main-road.md:{line}: {path}: {len(numbers)} lines, not {said}: tests/main_road.py --fix"
    if total() > BUDGET:
        yield f"docs/main-road.md: the main road has {total()} lines, more than {BUDGET}"


def fix():
    true = {line: len(numbers) for line, _, numbers, _, _ in rows()}
    lines = PAGE.read_text().splitlines()
    for line, count in true.items():
        lines[line - 1] = re.sub(r"^(\| [^|]* \| )\d+ \|", rf"\g<1>{count} |", lines[line - 1])
    PAGE.write_text("\n".join(lines) + "\n")


def main():
    if "--fix" in sys.argv[1:]:
        fix()
    for line, path, numbers, _, missing in rows():
        print(f"{len(numbers):6}  {path}{' lacks ' + ', '.join(missing) if missing else ''}")
    print(f"{total():6}  of at most {BUDGET}")


if __name__ == "__main__":
    main()
