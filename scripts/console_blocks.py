"""The command blocks of the manual: those that the tests type (tests/boot/test_docs.py), and the page in a browser (web/transcripts.py).
tests/README.md has the convention."""
import re

PROMPT_LINE = re.compile(r"(?:nop5:(/\S*)#|\(gdb\)) ?(.*)")


def blocks(page, language):
    """Returns (line number, rest of the info string, lines) for each fenced block of a language."""
    found, current = [], None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if current is None and (match := re.match(r"\s*```(\S+)\s*(.*)$", line)):
            current = (match.group(1), number, match.group(2), [])
        elif current is None and re.match(r"\s*```", line):
            current = ("", number, "", [])
        elif current is not None and re.match(r"\s*```\s*$", line):
            if current[0] == language:
                found.append(current[1:])
            current = None
        elif current is not None:
            current[3].append(line)
    return found


def steps(lines):
    """Returns (directory, command, [output line]) for each command of a console block, or of a gdb block. The directory of a command that
    gdb reads is None."""
    result = []
    for line in lines:
        if match := PROMPT_LINE.match(line):
            result.append((match.group(1), match.group(2), []))
        elif result:
            result[-1][2].append(line)
    return result
