"""The tests of lab 18: a program that gets in where a rule of the verifier is missing, and the rule."""
import json
import re

from lab_test import expect

# The reasons with which a whole verifier refuses the programs that the missing rule lets in.
REASONS = {
    1: r"max value is outside of the allowed memory range", 2: r"invalid mem access 'scalar'|type=scalar expected",
    3: r"invalid mem access 'scalar'|type=scalar expected|must be referenced", 4: r"outside of the allowed memory range|invalid .*stack",
    5: r"!read_ok|invalid mem access|outside of the allowed|invalid .*stack|unknown scalar value",
    6: r"invalid indirect access to stack|outside of the allowed memory range",
}
# Fields of an instruction: code, dst and src registers, offset, constant.
VALUE = ("62 a 0 -4 0", "18 1 1 0 10", "0 0 0 0 0", "bf 2 a 0 0", "7 2 0 0 -4", "85 0 0 0 1", "55 0 0 1 0", "95 0 0 0 0", "79 6 0 0 0")
RETURN_0 = ("b7 0 0 0 0", "95 0 0 0 0")
HARMLESS = {
    "R0 + (R6 & 31), one byte of 48": (*VALUE, "57 6 0 0 31", "f 0 6 0 0", "71 1 0 0 0", *RETURN_0),
    "R0 + R6 with R6 < 41, 8 bytes of 48": (*VALUE, "25 6 0 3 40", "f 0 6 0 0", "79 1 0 0 0", "5 0 0 0 0", *RETURN_0),
    "a pointer on the stack": (*VALUE, "7b a 0 -16 0", "79 1 a -16 0", "71 1 1 0 0", *RETURN_0),
    "bpf_probe_read_kernel() of at most 63 bytes at R10 - 64": (
        *VALUE, "57 6 0 0 63", "bf 1 a 0 0", "7 1 0 0 -64", "bf 2 6 0 0", "b7 3 0 0 0", "85 0 0 0 113", *RETURN_0),
    "a record of the ring buffer, written and submitted": (
        "18 1 1 0 13", "0 0 0 0 0", "b7 2 0 0 16", "b7 3 0 0 0", "85 0 0 0 131", "55 0 0 1 0", "95 0 0 0 0", "7a 0 0 8 1",
        "bf 1 0 0 0", "b7 2 0 0 0", "85 0 0 0 132", *RETURN_0),
    "w2 = -1 compared with 32 bits": ("b4 2 0 0 -1", "56 2 0 2 -1", *RETURN_0, "7a 2 0 0 0", *RETURN_0),
    "a loop of 100 rounds": ("b7 0 0 0 0", "7 0 0 0 1", "a5 0 0 -2 100", "95 0 0 0 0"),
}


class Verdict:
    def __init__(self, text):
        head = re.search(r"^(taken|refused) (harm|no harm)\nwords ([01]) log (.*)", text, re.M | re.S)
        self.taken, self.harm, self.has_words = head[1] == "taken", head[2] == "harm", head[3] == "1"
        lines = [line for line in head[4].splitlines() if not re.match(r"processed|\s*$", line)]
        self.reason = "\n".join(lines[-2:])


def program_of(lab):
    return lab.host_program("lab18_verifier.c", options=("-O0", "-w"), sanitize=False)


def verdicts(text):
    return [Verdict(part) for part in text.split("PROGRAM ")[1:]]


def own_programs(lab):
    program = program_of(lab)
    return verdicts(lab.run(program, "own", check="lab18_verifier to run your program").stdout)


def digits(program):
    """The bytes of instructions."""
    def insn(text):
        code, dst, src, off, imm = text.split()
        return bytes([int(code, 16), int(src, 16) << 4 | int(dst, 16)]) + int(off).to_bytes(2, "little", signed=True) + int(imm).to_bytes(4, "little", signed=True)
    return b"".join(map(insn, program)).hex()


def verdicts_of(lab, programs):
    program = program_of(lab)
    listing = lab.build / "lab18.txt"
    listing.write_text("".join(f"{digits(program)}\n" for program in programs))
    return verdicts(lab.run("sh", "-c", f"'{program}' <'{listing}'", check="lab18_verifier to judge programs").stdout)


def missing_rule(lab):
    import lab_cut
    variant = json.loads((lab.tree / lab_cut.LAB_DIR / "lab.json").read_text())["variant"]
    return lab_cut.chosen_part(18, 6, variant)


def test_boots(lab):
    release, = lab.boot("uname -s")
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def test_break_in(lab):
    """The program gets in, or has got in before the rule was back."""
    reasons = REASONS[missing_rule(lab)]
    own = own_programs(lab)
    expect(any(verdict.harm for verdict in own), "your program in tests/host/bpf_break_in.h to do harm", "none in 200 runs")
    expect(any(verdict.harm and (verdict.taken or re.search(reasons, verdict.reason)) for verdict in own),
           "your program to be refused only for what the starter's verifier lacks", own[0].reason)


def test_closed(lab):
    own = own_programs(lab)
    expect(any(verdict.harm for verdict in own), "your program to do harm", "none in 200 runs")
    expect(not any(verdict.harm and verdict.taken for verdict in own), "no program that does harm to be taken", "yours is")
    expect(all(verdict.has_words for verdict in own), "the words that you have written to be in the log", own[0].reason)
    for name, verdict in zip(HARMLESS, verdicts_of(lab, HARMLESS.values())):
        expect(verdict.taken, f"a harmless program to be taken: {name}", verdict.reason)
