"""The labs in which students find a planted fault: that a variant has it, that its trace shows it, and what wrong answers earn.

`make test` records the traces of one lab, `make soak` those of all. Each trace is recorded as a student does it: with scripts/trace-record.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

from conftest import build_in
from nop5 import BUILD, ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import diagnose_cut  # noqa: E402
import diagnose_grade  # noqa: E402
import diagnose_trace  # noqa: E402
import lab_table  # noqa: E402

LABS = diagnose_cut.load()
WRONG = lab_table.tomllib.loads((diagnose_cut.FOLDER / "wrong.toml").read_text())["wrong"]
QUICK = 21
WORD, NEIGHBOUR = "judge", "neighbour"
COSTS, ANSWERS = diagnose_grade.costs(), ["at", "function", "task", "cause", "line"]


def slow(number):
    return () if number == QUICK else (pytest.mark.soak,)


EACH = [pytest.param(lab, id=lab.name, marks=slow(number)) for number, lab in LABS.items()]
EACH_WRONG = [pytest.param(LABS[row["lab"]], row, id=f"{LABS[row['lab']].name}-{number}", marks=slow(row["lab"]))
              for number, row in enumerate(WRONG)]


class Student:
    """A folder with the built module, and traces of it, each recorded once."""

    def __init__(self, lab, word, folder):
        self.lab, self.folder, self.traces = lab, folder / "work", {}
        self.variant = diagnose_cut.cut(lab.number, self.folder, word)
        build_in(BUILD, "modules", f"M={self.folder}")
        self.build = folder / "build"
        self.build.mkdir()
        (self.build / "nop5.elf").symlink_to(BUILD / "nop5.elf")
        module = self.variant.module
        subprocess.run([ROOT / "scripts/rootfs", self.build / "rootfs.cpio", *sorted((BUILD / "user").iterdir()),
                        f"{self.folder}/{module}.ko:root/{module}.ko", f"{self.folder}/run:root/run"], check=True)

    def record(self, options=None, command=None):
        """The file of the trace that these options make."""
        options = [self.variant.text(option) for option in options or self.lab.record]
        command = self.variant.text(command or self.lab.command)
        key = (*options, command)
        if key not in self.traces:
            path = self.build / f"{len(self.traces)}.dat"
            result = subprocess.run([ROOT / "scripts/trace-record", "--build", self.build, "--stopped", "--cpus", "2", *options, "-o", path,
                                     command], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            assert path.exists() and "0 events lost" in result.stderr, result.stderr
            self.traces[key] = path
        return self.traces[key]

    def answers(self, trace):
        """The right ones."""
        windows = list(diagnose_grade.evidence_of(self.lab)(trace, self.variant))
        assert windows, "the trace of the table does not show the fault"
        return {"at": seconds(trace.start + windows[0][0]), "function": self.variant.function, "task": self.variant.task,
                "cause": self.lab.cause, "line": str(min(self.variant.lines))}


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9 // 1000:06}"


@pytest.fixture(scope="session")
def student(images, tmp_path_factory):
    made = {}

    def student(lab, word=WORD):
        if (lab.number, word) not in made:
            made[lab.number, word] = Student(lab, word, tmp_path_factory.mktemp(lab.name))
        return made[lab.number, word]
    return student


def hand_in(folder, who, trace, answers):
    """A folder as it is handed in."""
    folder.mkdir()
    for name in (f"{who.variant.module}.ko", diagnose_cut.ABOUT):
        shutil.copy(who.folder / name, folder)
    shutil.copy(trace, folder / diagnose_grade.TRACE)
    (folder / diagnose_grade.ANSWERS).write_text("".join(f"{name}: {answer}\n" for name, answer in answers.items()))
    return folder


def graded(lab, folder, variant):
    return {outcome.test.name: outcome for outcome in diagnose_grade.grade(lab, folder, variant)}


def points(outcomes):
    return {name: outcome.points for name, outcome in outcomes.items()}


@pytest.mark.parametrize("lab", LABS.values(), ids=lambda lab: lab.name)
def test_each_lab_has_a_page_six_wrong_answers_and_answers_that_stand_in_its_source(lab):
    text = (ROOT / lab.handout).read_text()
    for part in ("## Goal", "## Before you begin", "## Step 1", "<details>", "## Questions", "## Challenge", "## If you are stuck",
                 f"N={lab.number}"):
        assert part in text, f"{lab.handout} has no {part}"
    assert all((ROOT / chapter).exists() for chapter in lab.chapters)
    rows = [row for row in WRONG if row["lab"] == lab.number]
    assert len(rows) >= 6 and any("record" in row or "command" in row for row in rows)
    source = (diagnose_cut.FOLDER / f"{lab.name}.c").read_text()
    variant = diagnose_cut.variant_of(lab, WORD)
    assert f"{lab.function}(void)" in source and f'"{lab.task}"' in source and variant.lines
    assert lab.cause in diagnose_cut.table()["causes"]
    for row in rows:
        assert row.get("cause", lab.cause) in diagnose_cut.table()["causes"] and row.get("function", lab.function) in source
        assert row.get("line_of", "") in source and set(row["loses"]) <= set(COSTS)
    assert callable(diagnose_grade.evidence_of(lab))


@pytest.mark.parametrize("lab", LABS.values(), ids=lambda lab: lab.name)
def test_variants_differ_in_function_task_and_line_and_have_no_marker(lab):
    variants = [diagnose_cut.variant_of(lab, f"student {number}") for number in range(100)]
    assert all(diagnose_cut.variant_of(lab, f"student {number}").source == variants[number].source for number in range(3))
    for variant in variants:
        assert not re.search(r"FAULT|SHUFFLE|NEXT", variant.source)
        lines = variant.source.splitlines()
        assert {variant.function, *variant.functions} == set(variant.functions)
        assert all(begin_of(lines, line) == variant.function for line in variant.lines)
    assert len({(v.function, v.task, min(v.lines)) for v in variants}) > 90
    assert len({v.module for v in variants}) == len(lab.modules)
    # Nothing in the source tells the place by its order.
    rows = [re.findall(r'\{ \.name = "(\w+)"', variant.source).index(variant.task) for variant in variants]
    blocks = [variant.functions.index(variant.function) for variant in variants]
    assert len(set(rows)) == 6 and len(set(blocks)) == 6


def begin_of(lines, number):
    """The function that a line is in."""
    for line in reversed(lines[:number]):
        if match := re.match(r"static noinline [^(]*?\b(\w+)\(", line):
            return match[1]
    return None


@pytest.mark.parametrize("lab", EACH)
def test_the_trace_of_the_table_and_the_right_answers_get_all_points(student, tmp_path, lab):
    who = student(lab)
    path = who.record()
    folder = hand_in(tmp_path / "in", who, path, who.answers(diagnose_trace.read(path)))
    outcomes = graded(lab, folder, who.variant)
    assert all(outcome.passed for outcome in outcomes.values()), [outcome.sentence for outcome in outcomes.values()]
    assert sum(points(outcomes).values()) == 100
    checked = subprocess.run([ROOT / "scripts/diagnose", "check", folder], text=True, stdout=subprocess.PIPE)
    assert checked.returncode == 0 and "trace.dat: this is a trace of your module" in checked.stdout, checked.stdout


@pytest.mark.parametrize("lab, row", EACH_WRONG)
def test_a_wrong_answer_costs_points(student, tmp_path, lab, row):
    who = student(lab)
    answers = who.answers(diagnose_trace.read(who.record()))
    path = who.record(row.get("record"), row.get("command"))
    for name in ("function", "task", "cause"):
        if name in row:
            answers[name] = who.variant.word(row[name])
    if "line_of" in row:
        before, found, _ = who.variant.source.partition(who.variant.word(row["line_of"]))
        assert found
        answers["line"] = str(before.count("\n") + 1)
    if row.get("at") == "start":
        answers["at"] = seconds(diagnose_trace.read(path).start)
    outcomes = graded(lab, hand_in(tmp_path / "in", who, path, answers), who.variant)
    lost = [name for name, outcome in outcomes.items() if not outcome.passed]
    assert sorted(lost) == sorted(row["loses"]), [outcome.sentence for outcome in outcomes.values()]
    if "record" not in row and "command" not in row:
        wrong = {name for name in ("function", "task", "cause", "at") if name in row} | ({"line"} if "line_of" in row else set())
        assert all(outcomes[name].points == (-COSTS[name] if name in wrong else 0) for name in lost)


@pytest.mark.parametrize("lab", EACH)
def test_what_another_student_hands_in_earns_nothing(student, tmp_path, lab):
    """Neither the whole folder, nor its trace beside one's own module, nor its answers beside one's own trace."""
    me, other = student(lab), student(lab, NEIGHBOUR)
    mine, theirs = me.record(), other.record()
    their_answers = other.answers(diagnose_trace.read(theirs))
    my_answers = me.answers(diagnose_trace.read(mine))
    folder = hand_in(tmp_path / "folder", other, theirs, their_answers)
    if me.variant.module != other.variant.module:
        shutil.copy(folder / f"{other.variant.module}.ko", folder / f"{me.variant.module}.ko")
    outcomes = graded(lab, folder, me.variant)
    assert outcomes["trace"].points == 0 and sum(points(outcomes).values()) < 0
    outcomes = graded(lab, hand_in(tmp_path / "trace", me, theirs, my_answers), me.variant)
    assert outcomes["trace"].points == 0 and not any(outcome.points > 0 for outcome in outcomes.values())
    assert "are not where" in outcomes["trace"].sentence
    outcomes = graded(lab, hand_in(tmp_path / "answers", me, mine, {**their_answers, "at": my_answers["at"]}), me.variant)
    assert (outcomes["function"].points, outcomes["line"].points, outcomes["cause"].passed) == (-COSTS["function"], -COSTS["line"], True)


def test_an_empty_answer_costs_nothing_and_a_guess_does(student, tmp_path):
    lab = LABS[QUICK]
    who = student(lab)
    path = who.record()
    right = who.answers(diagnose_trace.read(path))
    for name in ANSWERS:
        rest = {key: value for key, value in right.items() if key != name}
        outcomes = graded(lab, hand_in(tmp_path / f"without-{name}", who, path, rest), who.variant)
        assert outcomes[name].points == 0
        assert all(outcome.points == (0 if name == "at" and key in ANSWERS else outcome.test.points)
                   for key, outcome in outcomes.items() if key != name)
    guesses = {"at": "0.000001", "function": "main", "task": "sh", "cause": "leak", "line": "1"}
    assert points(graded(lab, hand_in(tmp_path / "guess", who, path, guesses), who.variant)) == {
        "trace": 10, **{name: -COSTS[name] for name in ANSWERS}}


def test_several_values_for_one_answer_are_no_answer(student, tmp_path):
    lab = LABS[QUICK]
    who = student(lab)
    path = who.record()
    folder = hand_in(tmp_path / "in", who, path, who.answers(diagnose_trace.read(path)))
    answers = folder / diagnose_grade.ANSWERS
    text = answers.read_text()
    for added, complaint in (("task: other\n", "two lines 'task'"), ("notes: I think\n", "a line 'notes: I think'"), ("hello\n", "a line 'hello'")):
        answers.write_text(text + added)
        outcomes = graded(lab, folder, who.variant)
        assert sum(points(outcomes).values()) == 10 and complaint in outcomes["task"].sentence
    answers.write_text("# My answers\n\n" + text.replace(who.variant.function, f"{who.variant.function}()"))
    assert sum(points(graded(lab, folder, who.variant)).values()) == 100


def broken_traces(folder):
    trace = folder / diagnose_grade.TRACE
    good = trace.read_bytes()
    trace.unlink()
    yield "no file trace.dat"
    trace.symlink_to("/dev/zero")
    yield "no file trace.dat"
    trace.unlink()
    os.mkfifo(trace)
    yield "no file trace.dat"
    trace.unlink()
    trace.write_bytes(b"")
    yield "trace-convert"
    trace.write_bytes(good[:len(good) // 2])
    yield "trace"
    trace.write_bytes(bytes(diagnose_trace.LARGEST + 1))
    yield "trace.dat of more than 16384 KB"


def test_whatever_is_handed_in_ends_with_points_and_results(student, tmp_path):
    lab = LABS[QUICK]
    who = student(lab)
    path = who.record()
    folder = hand_in(tmp_path / "in", who, path, who.answers(diagnose_trace.read(path)))
    for number, complaint in enumerate(broken_traces(folder)):
        results = tmp_path / f"results{number}"
        result = subprocess.run([ROOT / "scripts/diagnose", "grade", str(lab.number), folder, "--variant", WORD, "--results", results],
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert result.returncode == 0 and "  points   0/100" in result.stdout, result.stdout + result.stderr
        report = json.loads((results / "results.json").read_text())
        assert report["score"] == 0 and len(report["tests"]) == len(COSTS)
        assert complaint in report["tests"][0]["output"]
    shutil.rmtree(folder)
    folder.mkdir()
    outcomes = graded(lab, folder, who.variant)
    assert not any(points(outcomes).values()) and "no file answer.txt" in outcomes["task"].sentence


def test_a_program_that_reads_a_trace_has_a_limit(monkeypatch):
    monkeypatch.setattr(diagnose_trace, "LIMIT", 1)
    with pytest.raises(diagnose_trace.Unreadable, match="sh did not end within 1 s"):
        diagnose_trace.output_of(["sh", "-c", "cat /dev/zero > /dev/null; :"])


def test_check_says_what_cannot_be_graded_and_nothing_about_the_truth(student, tmp_path):
    lab = LABS[QUICK]
    who = student(lab)
    folder = hand_in(tmp_path / "in", who, who.record(), {"at": "soon", "function": "main", "line": "ten", "cause": "bad luck"})
    result = subprocess.run([ROOT / "scripts/diagnose", "check", folder], text=True, stdout=subprocess.PIPE)
    assert result.returncode == 1
    for text in ("`soon` is no time", "function:  main", "task:      no answer, which costs nothing", "`ten` is no number", "`bad luck` is no cause"):
        assert text in result.stdout
    assert who.variant.function not in result.stdout and who.variant.task not in result.stdout


def test_a_folder_is_made_for_one_student_and_never_over_another_one(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old/answer.txt").write_text("function: mine\n")
    for arguments, complaint in ((("cut", "21", tmp_path / "old", "--variant", "x"), "is not empty"),
                                 (("cut", "21", tmp_path / "new", "--variant", ""), "a variant is missing"),
                                 (("cut", "99", tmp_path / "new", "--variant", "x"), "has no lab 99"),
                                 (("grade", "21", tmp_path / "none", "--variant", "x"), "is no folder"),
                                 (("check", tmp_path), "No such file")):
        result = subprocess.run([ROOT / "scripts/diagnose", *arguments], text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        assert (result.returncode, complaint in result.stderr) == (2, True), result.stderr
    assert not (tmp_path / "new").exists()
    made = subprocess.run(["make", "-s", "diagnose", "N=21", f"DIR={tmp_path / 'new'}", "VARIANT=anna-7fq2"], cwd=ROOT, text=True, stdout=subprocess.PIPE)
    assert "Begin with" in made.stdout
    texts = "".join(path.read_text() for path in (tmp_path / "new").iterdir())
    assert "anna" not in texts and "FAULT" not in texts
    assert (tmp_path / "new/answer.txt").read_text() == "at:\nfunction:\ntask:\nline:\ncause:\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_grading_that_is_ended_writes_its_results(tmp_path, number):
    code = ("import importlib.machinery, os, sys; sys.path.insert(0, 'scripts')\n"
            "lab = importlib.machinery.SourceFileLoader('diagnose', 'scripts/diagnose').load_module()\n"
            f"lab.diagnose_grade.grade = lambda *_: os.kill(os.getpid(), {int(number)}) or iter(())\n"
            "sys.exit(lab.main(sys.argv[1:]))")
    result = subprocess.run([sys.executable, "-c", code, "grade", "21", tmp_path, "--variant", "x", "--results", tmp_path / "results"], cwd=ROOT)
    assert result.returncode == 128 + number
    report = json.loads((tmp_path / "results/results.json").read_text())
    assert report["score"] == 0 and "its end before this" in report["tests"][-1]["output"]
