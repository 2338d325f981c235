"""Grade a diagnosis: compare a student's answers with the variant, and with what the student's own trace shows.

An answer earns its points only if it is right, the trace is one of the student's own module, and `at` is a moment at which this
trace shows the fault. A wrong answer costs points, so a guess does not pay. An empty one costs nothing.
"""
import importlib.util
import re

import diagnose_cut
import diagnose_trace
import lab_table
import lab_test
from lab_grade import Outcome

ANSWERS = "answer.txt"
TRACE = "trace.dat"
NEAR = 2_000  # ns: readers round times to microseconds


def tests_of():
    return [lab_table.Test(row["name"], row["title"], row["points"], diagnose_trace.LIMIT, "docs/diagnose.md#hand-in")
            for row in diagnose_cut.table()["answer"]]


def costs():
    return {row["name"]: row["costs"] for row in diagnose_cut.table()["answer"]}


def read_answers(path):
    """{name: answer} of the file; an answer that is not given is missing."""
    answers, known = {}, [row["name"] for row in diagnose_cut.table()["answer"][1:]]
    for line in diagnose_trace.regular(path, 1 << 16).read_text(errors="replace").splitlines():
        name, colon, value = line.partition(":")
        name, value = name.strip(), value.strip()
        if not line.strip() or line.startswith("#"):
            continue
        if not colon or name not in known:
            raise diagnose_trace.Unreadable(f"a line {line[:60]!r} in {ANSWERS}")
        if name in answers:
            raise diagnose_trace.Unreadable(f"two lines {name!r} in {ANSWERS}")
        answers[name] = value
    return {name: value for name, value in answers.items() if value}


def nanoseconds(text):
    """A time of a trace in seconds, as ns; None if it is none."""
    match = re.fullmatch(r"(\d{1,9})\.(\d{1,9})", text)
    return match and int(match[1]) * 10**9 + int(match[2].ljust(9, "0"))


def complaint(name, answer):
    """What is wrong with the form of an answer; "" if nothing is."""
    if not answer:
        return ""
    if name == "at" and nanoseconds(answer) is None:
        return f"`{answer[:60]}` is no time as 12.345678"
    if name == "line" and not answer.isdigit():
        return f"`{answer[:60]}` is no number"
    if name == "cause" and answer not in diagnose_cut.table()["causes"]:
        return f"`{answer[:60]}` is no cause of the table"
    return ""


def evidence_of(lab):
    """The function of labs/diagnose/evidence.py."""
    spec = importlib.util.spec_from_file_location("evidence", diagnose_cut.FOLDER / "evidence.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, lab.name)


def is_shown(at, windows, start):
    """Whether a time, from the clock's start or from that of the trace on, is in a window."""
    return any(begin - NEAR <= time <= end + NEAR for time in (at, at - start) for begin, end in windows)


def own_trace(lab, directory, module, variant):
    """The Trace. Without a variant anybody's module will do that lies beside it."""
    ko = diagnose_trace.regular(directory / f"{module}.ko")
    path = diagnose_trace.regular(directory / TRACE)
    trace = diagnose_trace.read(path)
    if variant and not set(variant.functions) <= set(diagnose_trace.functions_of_module(ko)):
        raise diagnose_trace.Unreadable(f"{ko.name} of another source")
    if not diagnose_trace.is_of_build(path, ko):
        raise diagnose_trace.Unreadable(f"a trace in which the functions of `{module}` are not where {ko.name} has them")
    if missing := [name for name in lab.needs if name not in trace.kinds]:
        raise diagnose_trace.Unreadable(f"no {lab_test.quoted(missing)} in it")
    return trace


def look_at_trace(lab, directory, module, variant):
    """(the Outcome of the trace, the Trace or None)"""
    test = tests_of()[0]
    try:
        trace = own_trace(lab, directory, module, variant)
        return Outcome(test, test.points), trace
    except diagnose_trace.Unreadable as error:
        return Outcome(test, 0, test.title, str(error)), None


def grade(lab, directory, variant):
    """Yield the Outcomes."""
    tests = {test.name: test for test in tests_of()}
    outcome, trace = look_at_trace(lab, directory, variant.module, variant)
    yield outcome
    try:
        answers = read_answers(directory / ANSWERS)
    except diagnose_trace.Unreadable as error:
        yield from (Outcome(test, 0, f"{ANSWERS} with one line for each answer", str(error)) for test in list(tests.values())[1:])
        return
    windows = list(evidence_of(lab)(trace, variant)) if trace else []
    at = nanoseconds(answers.get("at", ""))
    shown = at is not None and is_shown(at, windows, trace.start if trace else 0)
    right = {"at": shown, "function": answers.get("function", "").removesuffix("()") == variant.function,
             "task": answers.get("task") == variant.task, "cause": answers.get("cause") == lab.cause,
             "line": answers.get("line") in map(str, variant.lines)}
    for name, is_right in right.items():
        test, answer = tests[name], answers.get(name)
        if not answer:
            yield Outcome(test, 0, test.title, "no answer")
        elif not windows and name == "at":
            yield Outcome(test, 0, test.title, "a trace that does not show the fault")
        elif not is_right:
            yield Outcome(test, -costs()[name], test.title, f"`{answer[:60]}`, which is wrong and costs points")
        elif not shown:
            yield Outcome(test, 0, f"{test.title}, and its evidence in your trace (`at`)", "an answer without evidence")
        else:
            yield Outcome(test, test.points)
