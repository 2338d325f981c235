"""A hidden test of lab 12: first lines that are long, empty, or name nothing."""
from lab12 import CALLS, run
from lab_test import expect


def test_lines(lab):
    program = f"/lab/{CALLS}"
    files = {"empty": b"#!\n", "blank": b"#! \t \n", "missing": b"#!/lab/none\n", "loop": b"#!/lab/loop\n",
             "long": f"#!{program} ".encode() + b"a" * 400 + b"\n", "long_name": b"#!/" + b"b" * 400 + b"\n"}
    commands = [f"env ./{name}" for name in files]
    answers = dict(zip(files, run(lab, *commands, files=files)))
    room = 255 - len(f"#!{program} ")
    expect(answers["long"].lines == [f"[{program}]", f"[{'a' * room}]", "[./long]"], "a long argument to be cut at 255 bytes of the line",
           answers["long"].text)
    for name in ("missing", "loop"):
        expect(answers[name].status in (126, 127), f"an error for the script `{name}`", f"status {answers[name].status}: {answers[name].text}")
    for name in ("empty", "blank", "long_name"):  # ENOEXEC: the C library gives the file to the shell, for which it is a comment
        expect(answers[name].status == 0, f"ENOEXEC for the script `{name}`", f"status {answers[name].status}: {answers[name].text}")
