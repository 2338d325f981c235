"""What of the source the tree of a lab has: what its features need, and of the manual what speaks of these.

make tells which sources the features of a lab are linked from (features.mk); the tree has these, and the headers that they include.
"""
import functools
import os
import re
import subprocess
from pathlib import Path

import lab_table
from built import ROOMS

# The second way is that of a file which makes the events of a header: trace/events/define.h includes what it names.
INCLUDE = re.compile(r'^[ \t]*[#%][ \t]*(?:include|define[ \t]+TRACE_EVENTS_HEADER)[ \t]+["<]([^">\n]+)[">]', re.M)
# A row of features.mk: ` \` at the end of a line goes on in the next one.
ROW = re.compile(r"^\$\(call (feature|together|without),([^,]*),(?:[^\n]*\\\n)*[^\n]*\n", re.M)
LINK = re.compile(r"(!?)\[((?:[^][]|\[[^][]*\])*)\]\(([^()\s]+)\)")
MACHINE = "arch/x86_64"


class LabTree:
    """The tree of one lab. has(name) tells whether it has a file of the source, text(name, text) what stands in it."""

    def __init__(self, lab, names, root):
        self.lab, self.root, self.source = lab, Path(root), set(names)
        self.features = None if lab.features is None else tuple(lab.features)
        self.linked, sources = linked(self.features, self.root)
        tests = [name for name in names if re.match(rf"labs/tests/lab{lab.number:02}\w*\.", name)]
        texts = [(self.root / name).read_text() for name in [*tests, lab.handout]]
        self.has_selftests = any(re.search(r"\blab\.selftests?\(|\bselftest=|nop5-test|make test-kernel", text) for text in texts)
        sources = [name for name in sources if self.has_selftests or not name.startswith("selftest/")]
        self.names = {name for name in names if not self.is_chosen(name)}
        self.names |= self.with_includes({*sources, *tests, *self.test_modules(tests), *lab.files})
        self.names |= {name for name in names if name.endswith(".ld") and self.has_source_beside(name)}
        self.names |= self.pages(names)
        self.folders = {str(folder) for name in self.names for folder in Path(name).parents}

    @staticmethod
    def is_chosen(name):
        """Whether a file is in the tree only if something else in the tree needs it."""
        in_rooms = name.startswith(tuple(f"{room}/" for room in (*ROOMS, "selftest")))
        return (in_rooms and not name.endswith(("README.md", "/arch"))
                or name.startswith(("docs/", "labs/tests/", "tests/host/bpf_", "tests/host/host_", "tests/fuzz/bpf_", "user/", "modules/")) or name in ("CHANGELOG.md", "CONTRIBUTING.md"))

    def has_source_beside(self, name):
        return any(other.endswith((".c", ".asm")) and other.startswith(f"{os.path.dirname(name)}/") for other in self.names) or name == "linker.ld"

    def test_modules(self, tests):
        """The tests of other labs that those of this lab import."""
        todo, found = list(tests), set()
        while todo:
            text = (self.root / todo.pop()).read_text()
            new = {f"labs/tests/{name}.py" for name in re.findall(r"^(?:from|import) (lab\d+\w*)", text, re.M)} - found
            found |= new
            todo += new
        return found

    def with_includes(self, names):
        """These sources, and all that they include or, in a program of a test, name as `sources:`."""
        todo, found = [name for name in names if name in self.source], set()
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                text = (self.root / name).read_text(errors="replace")
                todo += filter(None, (self.included(name, other) for other in INCLUDE.findall(text)))
                if name.startswith("labs/"):
                    patterns = " ".join(re.findall(r"\bsources: *(.*)", text)).split()
                    todo += [str(path.relative_to(self.root)) for pattern in patterns for path in self.root.glob(pattern)]
        return found

    def included(self, name, other):
        """The file that `#include "other"` in a file names; None for one of the compiler, and for a generated one."""
        places = (other, re.sub("^arch/", f"{MACHINE}/", other), f"{MACHINE}/include/{other}", os.path.join(os.path.dirname(name), other))
        return next((place for place in map(os.path.normpath, places) if place in self.source), None)

    def pages(self, names):
        """What there is of docs/, user/ and modules/."""
        rows = lab_table.features_of_pages(self.root)
        pages = {name for name in names if re.fullmatch(r"docs/[\w-]+\.md", name) and set(rows.get(name, ())) <= self.linked}
        pages |= {self.lab.handout, *self.lab.chapters}
        texts = [(self.root / page).read_text() for page in pages]
        pages |= {os.path.normpath(f"docs/{target}") for text in texts for _, _, target in LINK.findall(text) if target.endswith(".svg")}
        folders = {"programs": "user/", "modules": "modules/"}
        kept = tuple(folder for feature, folder in folders.items() if feature in self.linked)
        return pages & set(names) | {name for name in names if kept and name.startswith(kept)}

    def has(self, name):
        return name in self.names

    def text(self, name, text):
        if name == "features.mk":
            return "\n\n".join(filter(None, map(self.rows, text.split("\n\n"))))
        if name == "README.md":
            return self.readme()
        if name.endswith(".md"):
            return self.page(name, text)
        return text

    def rows(self, paragraph):
        """A paragraph of features.mk with the rows that are linked; "" if it has no row left."""
        def is_here(row):
            return set(row[2].split()) <= self.linked and (self.has_selftests or "selftest/" not in row[0])

        left = ROW.sub(lambda row: row[0] if is_here(row) else "", paragraph + "\n").rstrip("\n")
        return left if ROW.search(left + "\n") or not ROW.search(paragraph + "\n") else ""

    def page(self, name, text):
        """A page of the manual. A link to what the tree does not have is text; its row in the table of chapters is gone."""
        def is_here(target):
            path = os.path.normpath(os.path.join(os.path.dirname(name), target.partition("#")[0]))
            return re.match(r"\w+:|#", target) or path in self.names or path in self.folders

        if name == "docs/README.md":
            rows = re.compile(r"^\| \[[^]]+\]\(([^)]+)\) \|.*\n", re.M)
            text = rows.sub(lambda row: row[0] if is_here(row[1]) else "", text)
            text = re.sub(r"^\| \*\*.*\n(?=\| \*\*|\n|\Z)", "", text, flags=re.M)  # the heading of no row
        return LINK.sub(lambda link: link[0] if is_here(link[3]) else link[2], text)

    def readme(self):
        """What a student reads first."""
        lab, features = self.lab, feature_table(self.root)
        template = (self.root / "labs/tree.md").read_text()
        rows = {here: "".join(f"| `{name}` | {what} |\n" for name, what in features.items() if (name in self.linked) == here and name != "debug")
                for here in (True, False)}
        rest = re.sub(r"(?ms)^<!-- if left out -->\n(.*?)^<!-- end -->\n", r"\1" if rows[False] else "", template)
        prompt = "programs" if "programs" in self.linked else "monitor"
        rest = re.sub(r"(?ms)^<!-- if (programs|monitor) -->\n(.*?)^<!-- end -->\n", lambda m: m[2] if m[1] == prompt else "", rest)
        return rest.format(number=lab.number, title=lab.title, handout=lab.handout, here=rows[True], rest=rows[False])


@functools.cache
def linked(features, root):
    """(the features that these need, with core and ftrace; the sources that they are linked from)"""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    result = subprocess.run(["make", "-s", "--no-print-directory", "print-sources", "DEBUG=1", "WITHOUT=",
                             *([f"FEATURES={' '.join(features)}"] if features is not None else [])], cwd=root, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    if result.returncode:
        raise lab_table.TableError(f"labs/labs.toml: features = {features}: {result.stderr.strip()}")
    names, sources = result.stdout.split("\n")[:2]
    return set(names.split()), sources.split()


def feature_table(root):
    """{feature: its sentence in features.mk}"""
    text = (root / "features.mk").read_text()
    rows = [row[0] for row in ROW.finditer(text) if row[1] == "feature"]
    return {re.match(r"\$\(call feature,([^,]+)", row)[1]: re.search(r"([^,]+)\)\n$", row)[1].strip("\\\n\t ") for row in rows}
