"""The chapters of the manual, in the order of docs/README.md."""
import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
CONTENTS = DOCS / "README.md"


def chapters():
    """Yields (part, name, Markdown file)."""
    part = ""
    for line in CONTENTS.read_text().splitlines():
        if match := re.match(r"\| \*\*(.+)\*\* \|", line):
            part = match.group(1)
        elif match := re.match(r"\| \[([^]]+)\]\(([^)#]+\.md)\) \|", line):
            yield part, match.group(1), (DOCS / match.group(2)).resolve()
