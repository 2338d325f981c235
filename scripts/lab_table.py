"""The table of the course, labs/labs.toml: what each lab is, and how it is graded. labs/README.md describes the keys."""
import random
import re
from dataclasses import dataclass, field
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python before 3.11
    import tomli as tomllib

from built import ROOMS  # what a student may change; all other files are restored before grading

ROOT = Path(__file__).resolve().parents[1]



class TableError(Exception):
    """labs/labs.toml, a marker or a mutant contradicts the rest."""


@dataclass
class Test:
    """One graded step: the function test_NAME() of labs/tests/labNN.py, or of labNN_hidden.py."""
    name: str
    title: str
    points: int
    timeout: int
    read: str
    hidden: bool = False


@dataclass
class Lab:
    number: int
    title: str
    handout: str
    hours: int
    files: list[str]
    tests: list[Test]
    floor: int = 0
    needs: list[int] = field(default_factory=list)
    chapters: list[str] = field(default_factory=list)
    features: list[str] | None = None  # beside core and ftrace; None: all
    make: list[str] = field(default_factory=list)
    rename: dict[str, list[str]] = field(default_factory=dict)

    def test(self, name):
        for test in self.tests:
            if test.name == name:
                return test
        raise TableError(f"lab {self.number} has no test {name}")

    @property
    def points(self):
        return sum(test.points for test in self.tests)

    def may_change(self, path):
        """Tells if a student's version of this file counts."""
        return path.split("/")[0] in ROOMS or any(
            path == name or path.startswith(name.rstrip("/") + "/") for name in self.files)

    def names_of(self, variant):
        """{name in the source: name in this variant}."""
        chosen = random.Random(f"{self.number} {variant}")
        return {old: chosen.choice(new) for old, new in self.rename.items()} if variant else {}


def read(root):
    with open(Path(root) / "labs/labs.toml", "rb") as file:
        return tomllib.load(file)


def load(root=ROOT):
    """Return {number: Lab} of the tree."""
    try:
        rows = read(root).get("lab", [])
        labs = [Lab(**{**row, "tests": [Test(**test) for test in row["tests"]]}) for row in rows]
    except (TypeError, KeyError, tomllib.TOMLDecodeError) as error:
        raise TableError(f"labs/labs.toml: {error}") from error
    if len({lab.number for lab in labs}) != len(labs):
        raise TableError("labs/labs.toml: two labs have the same number")
    return {lab.number: lab for lab in labs}


def features_of_pages(root=ROOT):
    """{page of the manual: the features without which it is of no use}"""
    return read(root).get("manual", {})


def lab_of(number, root=ROOT):
    try:
        return load(root)[number]
    except KeyError:
        raise TableError(f"labs/labs.toml has no lab {number}") from None


def test_file(lab, hidden=False):
    return f"labs/tests/lab{lab.number:02}{'_hidden' if hidden else ''}.py"


@dataclass
class Mutant:
    """A wrong solution: a patch, and above it lines of text, one of them `Loses: TEST ...`."""
    path: Path
    loses: list[str]
    why: str


def mutants_of(lab, root=ROOT):
    found = []
    for path in sorted((Path(root) / "labs/mutants" / str(lab.number)).glob("*.patch")):
        head = re.split(r"^(?:diff|---) ", path.read_text(), maxsplit=1, flags=re.M)[0]
        loses = re.search(r"^Loses: (.+)$", head, re.M)
        if not loses:
            raise TableError(f"{path}: no line `Loses: TEST`")
        found.append(Mutant(path, loses[1].split(), head.replace(loses[0], "").strip()))
    return found


def contradictions(lab, root=ROOT):
    """What is wrong with a row of the table, as a list of sentences."""
    root = Path(root)
    where = f"labs/labs.toml: lab {lab.number}"
    wrong = []
    if lab.points != 100:
        wrong.append(f"{where}: the points add up to {lab.points}, not to 100")
    if len({test.name for test in lab.tests}) != len(lab.tests):
        wrong.append(f"{where}: two tests have the same name")
    for name in [lab.handout, *lab.chapters, *lab.files]:
        if not (root / name).exists():
            wrong.append(f"{where}: there is no {name}")
    for test in lab.tests:
        path, _, heading = test.read.partition("#")
        if not (root / path).exists():
            wrong.append(f"{where}: {test.name}: there is no {path}")
        elif heading and heading not in headings(root / path):
            wrong.append(f"{where}: {test.name}: {path} has no heading #{heading}")
        code = root / test_file(lab, test.hidden)
        if not code.exists() or f"def test_{test.name}(" not in code.read_text():
            wrong.append(f"{where}: {code.name} has no function test_{test.name}()")
    for mutant in mutants_of(lab, root):
        for name in mutant.loses:
            if name not in {test.name for test in lab.tests}:
                wrong.append(f"{mutant.path.name}: lab {lab.number} has no test {name}")
    return wrong


def headings(path):
    """The anchors of a page's headings, as GitHub makes them."""
    return {re.sub(r"[^\w -]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            for line in path.read_text().splitlines() if line.startswith("#")}
