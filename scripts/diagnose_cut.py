"""The labs in which a student finds a planted fault: their table, and the module of one variant.

The source of a module is labs/diagnose/NAME.c. A variant gives its functions, tasks and files other names, and another order:
the blocks between SHUFFLE, NEXT and END SHUFFLE change places, and the lines behind SHUFFLE LINES. So the function, the task and the line of the fault differ. The
lines with FAULT are the right answers; these comments are not in the students' source.
"""
import json
import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import lab_table

ROOT = lab_table.ROOT
FOLDER = ROOT / "labs/diagnose"
ABOUT = "lab.json"
BLOCKS = re.compile(r"^\t*/\* SHUFFLE( LINES)? \*/\n(.*?)^\t*/\* END SHUFFLE \*/\n", re.M | re.S)
NEXT = re.compile(r"^/\* NEXT \*/\n", re.M)
FAULT = re.compile(r"[ \t]*/\* FAULT \*/$")
CHOSEN = 6  # words of each list that stand in a source


@dataclass
class Diagnosis:
    """A row of the table."""
    number: int
    name: str
    handout: str
    title: str
    hours: int
    chapters: list[str]
    modules: list[str]  # the names that the module can have
    function: str  # the right answers, in the words of the source
    task: str
    cause: str
    needs: list[str]  # what the trace must have: "function", and names of events
    run: str  # what the program of the lab types
    record: list[str]  # options of scripts/trace-record with which the fault is seen
    command: str = "sh /root/run"  # what it records


@dataclass
class Variant:
    """What one student gets, and the right answers."""
    lab: Diagnosis
    module: str
    source: str
    names: dict[str, str]  # of the words of the source
    lines: set[int]

    def word(self, text):
        """A text of the table or of the source, with the words of this variant."""
        return rename(text, self.names)

    def text(self, text):
        """A text of the table for this variant."""
        return self.word(text).format(module=self.module)

    @property
    def function(self):
        return self.word(self.lab.function)

    @property
    def task(self):
        return self.word(self.lab.task)

    @property
    def functions(self):
        """The functions that the tracer can see."""
        return re.findall(r"^static noinline [^(]*?\b(\w+)\(", self.source, re.M)


@cache
def table():
    with open(FOLDER / "diagnose.toml", "rb") as file:
        return lab_table.tomllib.load(file)


def load():
    """{number: Diagnosis}"""
    return {row["number"]: Diagnosis(**row) for row in table()["lab"]}


def lab_of(number):
    try:
        return load()[number]
    except KeyError:
        raise lab_table.TableError(f"labs/diagnose/diagnose.toml has no lab {number}") from None


def rename(text, names):
    """Also a part of a name, as the tree in take_birch."""
    return re.sub(rf"(?<![A-Za-z])(?:{'|'.join(names)})(?![A-Za-z])", lambda match: names[match[0]], text)


def variant_of(lab, word):
    """The variant that a word chooses."""
    chosen = random.Random(f"{lab.number} {word}")
    names = {}
    for words in table()["words"].values():
        names.update(zip(words[:CHOSEN], chosen.sample(words, CHOSEN)))

    def shuffled(match):
        blocks = match[2].splitlines(keepends=True) if match[1] else NEXT.split(match[2])
        chosen.shuffle(blocks)
        return "".join(blocks)

    lines = rename(BLOCKS.sub(shuffled, (FOLDER / f"{lab.name}.c").read_text()), names).splitlines()
    return Variant(lab, chosen.choice(lab.modules), "\n".join(FAULT.sub("", line) for line in lines) + "\n", names,
                   {number for number, line in enumerate(lines, 1) if FAULT.search(line)})


def answer_form():
    return "".join(f"{answer['name']}:\n" for answer in table()["answer"][1:])


def cut(number, directory, variant):
    """Make the folder of a student."""
    lab = lab_of(number)
    directory = Path(directory)
    if not variant:
        raise lab_table.TableError("a variant is missing: a word for this student, which nobody can guess")
    if directory.exists() and any(directory.iterdir()):
        raise lab_table.TableError(f"{directory} is not empty")
    made = variant_of(lab, variant)
    readme = (FOLDER / "README.md").read_text()
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in {
            f"{made.module}.c": made.source,
            "workers.h": (FOLDER / "workers.h").read_text(),
            "Kbuild": f"obj-m += {made.module}.o\n",
            "run": f"[ -d /sys/module/{made.module} ] || insmod /root/{made.module}.ko\n{made.text(lab.run)}\n",
            "answer.txt": answer_form(),
            "README.md": readme.format(title=lab.title, module=made.module, handout=lab.handout),
            ABOUT: json.dumps({"number": number, "module": made.module}) + "\n"}.items():
        (directory / name).write_text(text)
    return made
