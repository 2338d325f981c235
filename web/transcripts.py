#!/usr/bin/python3
"""Write transcripts.json: the transcripts that the page in a browser types, chapter by chapter, from the same blocks as the tests.

web/transcripts.py > transcripts.json
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts/book")]
from console_blocks import blocks, steps  # noqa: E402
from contents import DOCS, chapters  # noqa: E402

README = ROOT / "README.md"
# A block with another word behind `console` wants another machine: Debian packages, the test kernel, a lab.
TYPED = {"check"}
WRITES_A_FILE = re.compile(r"^```\w+ .*\bfile=", re.M)  # the reader builds a module on the host


def heading(lines, number):
    """The heading above a line of a page."""
    fenced, found = False, ""
    for line in lines[:number - 1]:
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and (match := re.match(r"#+ (.*)", line)):
            found = match.group(1)
    return found.replace("`", "")


def typed_blocks(page):
    """[{heading, line, steps}] of the blocks of a page that a machine without additions can run."""
    text = page.read_text()
    if WRITES_A_FILE.search(text):
        return []
    found = []
    for number, info, lines in blocks(page, "console"):
        commands = [step for step in steps(lines) if step[1]]
        if commands and set(info.split()) <= TYPED and all(directory for directory, _, _ in commands):
            found.append({"heading": heading(text.splitlines(), number), "line": number, "steps": commands})
    return found


def transcripts():
    """The chapters that have such blocks."""
    result = []
    for part, page in [("README", README), *((part, page) for part, _, page in chapters() if page.parent == DOCS)]:
        if found := typed_blocks(page):
            title = re.search(r"^# (.*)", page.read_text(), re.M)[1]
            book = "index.html" if page == README else page.stem + ".html"
            result.append({"file": page.name, "title": title.replace("`", ""), "part": part, "book": book, "blocks": found})
    return result


if __name__ == "__main__":
    json.dump(transcripts(), sys.stdout, ensure_ascii=False)
