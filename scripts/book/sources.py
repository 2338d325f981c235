"""The source files that the chapters of the book name: links to them, and a page for each."""
import html
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))
import lab_cut  # noqa: E402
import lab_table  # noqa: E402

ROOMS = ("boot", "arch", "kernel", "fs", "net", "trace", "selftest", "scripts", "tests", "user", "modules", "iso", "docs", "labs")
FAULTS = ROOT / "labs/diagnose"  # its sources mark the faults that students look for
KERNEL_ROOMS = ("boot", "arch", "kernel", "fs", "net", "trace", "modules", "selftest")
CODE = r"<code>([\w./-]+)</code>"
# The functions behind a file: `file`: `one()`, `two` and `three()`
NAMED = re.compile(CODE + r"(:\s)((?:<code>\w+(?:\(\))?</code>(?:,\s| and )?)+)")
# A definition begins in the first column. In assembly it is a label or an entry macro.
DEFINITION = r"^(?!\s|#|\*|/)[^;=]*\b(?:sys_)?{0}\b[^;]*$|^\w*DEFINE\w*\({1}\b|^{0}:|^\s*(?:struct|union|enum) {0} \{{|^#define {0}\b"


class Sources:
    """Collects the files that the chapters name. With as_starter they are those of a student: no lab is solved."""

    def __init__(self, as_starter=False):
        self.blank = set(lab_table.load()) if as_starter else None
        self.named = set()
        self.lines = {}     # {path: [line]}
        self.by_name = {}   # {file name: [path]}
        self.definitions = {}  # {function: [(path, line)]}
        for room in ROOMS:
            for path in (ROOT / room).rglob("*"):
                if path.is_file() and not (as_starter and FAULTS in path.parents):
                    self.by_name.setdefault(path.name, []).append(str(path.relative_to(ROOT)))
        self.by_name["linker.ld"] = ["linker.ld"]
        for path in (path for paths in self.by_name.values() for path in paths if path.endswith(".c")):
            for number, line in enumerate(self.text(path), 1):
                # A function: its name is the last one in front of the first bracket.
                if line[:1].isalpha() and not line.endswith(";") and (match := re.match(r"[\w\s*]*?\b(\w+)\(", line)):
                    self.definitions.setdefault(match.group(1), []).append((path, number))

    def text(self, path):
        if path not in self.lines:
            text = (ROOT / path).read_text(errors="replace")
            if self.blank is not None:
                text = lab_cut.as_in_starter(path, text, self.blank)
            self.lines[path] = text.splitlines()
        return self.lines[path]

    def page_of(self, path):
        """The page of a source file in the book."""
        self.named.add(path)
        return f"src/{path}.html"

    def find(self, name):
        """The path of a file that a chapter names with or without its folder, or None if the name is not unique."""
        if "/" in name:
            return name if name.split("/")[0] in ROOMS and (ROOT / name).is_file() else None
        paths = self.by_name.get(name, []) if re.search(r"\.(c|h|asm|inc|py|ld)$", name) else []
        return paths[0] if len(paths) == 1 else None

    def line_of(self, path, name):
        """The line of a file that defines a name, or the first line that contains it, or None."""
        lines = self.text(path)
        call = name.removeprefix("__x64_sys_")
        for pattern in (DEFINITION.format(name, call), rf"\b{name}\b"):
            for number, line in enumerate(lines, 1):
                if re.search(pattern, line):
                    return number
        return None

    def link_names(self, page):
        """The page's HTML, where file names and functions in the text are links to the sources."""
        parts = re.split(r"(<pre.*?</pre>|<a\b.*?</a>|<h\d.*?</h\d>)", page.body, flags=re.S)
        return "".join(part if re.match(r"<(pre|a|h\d)\b", part) else self.link_part(page, part) for part in parts)

    def link_part(self, page, text):
        text = NAMED.sub(lambda m: self.link_functions(page, m), text)
        # What has become a link stays one.
        parts = re.split(r"(<a\b.*?</a>)", text, flags=re.S)
        return "".join(part if part.startswith("<a") else self.link_words(page, part) for part in parts)

    def link_functions(self, page, match):
        path = self.find(match.group(1))
        if not path:
            return match.group(0)

        def link(code):
            name = code.group(1)
            number = self.line_of(path, name.removesuffix("()"))
            return self.anchor(page, path, number, code.group(0)) if number else code.group(0)

        names = re.sub(r"<code>(\w+(?:\(\))?)</code>", link, match.group(3))
        return self.anchor(page, path, None, f"<code>{match.group(1)}</code>") + match.group(2) + names

    def link_words(self, page, text):
        def link(match):
            if path := self.find(match.group(1)):
                return self.anchor(page, path, None, match.group(0))
            return match.group(0)

        def link_function(match):
            places = self.definitions.get(match.group(1), [])
            # The tests define functions of the kernel again, as substitutes.
            places = [place for place in places if not place[0].startswith(("tests/", "labs/"))] or places
            if len(places) == 1:
                return self.anchor(page, *places[0], match.group(0))
            return match.group(0)

        return re.sub(r"<code>(\w+)\(\)</code>", link_function, re.sub(CODE, link, text))

    def anchor(self, page, path, number, text):
        where = page.href(self.page_of(path)) + (f"#L{number}" if number else "")
        return f'<a class="source" href="{where}">{text}</a>'

    def html_pages(self, head):
        """Yields (name, HTML) for each file that a chapter names, and for each file that can have a function of the kernel: the page
        of a trace leads to it."""
        kernel = {path for paths in self.by_name.values() for path in paths if path.split("/")[0] in KERNEL_ROOMS and path.endswith((".c", ".h", ".asm", ".inc"))}
        for path in sorted(self.named | kernel):
            name = self.page_of(path)
            base = "../" * name.count("/")
            lines = "\n".join(f'<a id="L{number}" href="#L{number}">{number:5}</a> {html.escape(line)}'
                              for number, line in enumerate(self.text(path), 1))
            yield name, f'{head(path, base)}\n<header><a href="{base}index.html">nop5</a> {path}</header>\n' \
                        f'<pre class="listing">{lines}</pre>\n'
