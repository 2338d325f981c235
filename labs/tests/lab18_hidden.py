"""A hidden test of lab 18: other programs that the rules keep out, and harmless ones beside them."""
from lab18 import RETURN_0, VALUE, verdicts_of
from lab_test import expect

RESERVE = ("18 1 1 0 13", "0 0 0 0 0", "b7 2 0 0 16", "b7 3 0 0 0", "85 0 0 0 131", "55 0 0 1 0", "95 0 0 0 0")
SUBMIT = ("bf 1 0 0 0", "b7 2 0 0 0", "85 0 0 0 132")
READ_KERNEL = ("b7 3 0 0 0", "85 0 0 0 113")
HARMFUL = {
    # the greatest place
    "one byte behind the value": (*VALUE, "25 6 0 3 48", "f 0 6 0 0", "71 1 0 0 0", "5 0 0 0 0", *RETURN_0),
    "8 bytes, the last of them behind the value": (*VALUE, "57 6 0 0 63", "25 6 0 3 41", "f 0 6 0 0", "79 1 0 0 0", "5 0 0 0 0", *RETURN_0),
    "a store behind the value": (*VALUE, "57 6 0 0 127", "f 0 6 0 0", "72 0 0 0 1", *RETURN_0),
    "a constant offset beside a variable one": (*VALUE, "57 6 0 0 31", "f 0 6 0 0", "71 1 0 17 0", *RETURN_0),
    "a helper's memory behind the value": (*VALUE, "57 6 0 0 63", "f 0 6 0 0", "bf 1 0 0 0", "b7 2 0 0 8", *READ_KERNEL, *RETURN_0),
    "a record of a ring buffer": (*RESERVE, "79 6 a -8 0", "57 6 0 0 15", "bf 7 0 0 0", "f 7 6 0 0", "7a 7 0 0 0", *SUBMIT, *RETURN_0),
    # what a helper writes
    "a pointer that a helper overwrites": (*VALUE, "7b a 0 -24 0", "bf 1 a 0 0", "7 1 0 0 -24", "b7 2 0 0 8", *READ_KERNEL, "79 0 a -24 0", "72 0 0 0 1", *RETURN_0),
    "a pointer of which a helper overwrites a part": (
        *VALUE, "7b a 0 -24 0", "bf 1 a 0 0", "7 1 0 0 -20", "b7 2 0 0 8", *READ_KERNEL, "79 0 a -24 0", "72 0 0 0 1", *RETURN_0),
    "a number that a helper overwrites": (
        *VALUE, "7a a 0 -24 0", "bf 7 0 0 0", "bf 1 a 0 0", "7 1 0 0 -24", "b7 2 0 0 8", *READ_KERNEL, "79 1 a -24 0", "f 7 1 0 0", "72 7 0 0 1", *RETURN_0),
    # a record that was given up
    "a copy of a record": (*RESERVE, "bf 7 0 0 0", *SUBMIT, "79 1 7 0 0", *RETURN_0),
    "a record on the stack": (*RESERVE, "7b a 0 -16 0", *SUBMIT, "79 1 a -16 0", "7a 1 0 0 0", *RETURN_0),
    "a record that is submitted twice": (*RESERVE, "bf 7 0 0 0", *SUBMIT, "bf 1 7 0 0", "b7 2 0 0 0", "85 0 0 0 132", *RETURN_0),
    # an offset matters
    "an offset by two ways": (*VALUE, "b7 7 0 0 200", "15 6 0 1 7", "b7 7 0 0 8", "15 6 0 2 1", "15 6 0 1 2", "b7 1 0 0 0", "f 0 7 0 0", "72 0 0 0 0", *RETURN_0),
    "an offset by two ways, on the stack": (
        *VALUE, "b7 7 0 0 200", "15 6 0 1 7", "b7 7 0 0 8", "7b a 7 -16 0", "15 6 0 2 1", "15 6 0 1 2", "b7 1 0 0 0", "79 8 a -16 0", "f 0 8 0 0", "72 0 0 0 0", *RETURN_0),
    # the upper half
    "w2 = -2": ("b4 2 0 0 -2", "15 2 0 2 -2", "7a 2 0 0 0", "95 0 0 0 0", *RETURN_0),
    "w2 = -1 as an offset": (*VALUE, "b4 2 0 0 -1", "7 2 0 0 1", "77 2 0 0 26", "f 0 2 0 0", "72 0 0 0 1", *RETURN_0),
    "r2 = -1": ("b7 2 0 0 -1", "15 2 0 2 -1", *RETURN_0, "7a 2 0 0 0", *RETURN_0),
    # a size that is not known
    "a size up to 65 on 64 bytes of stack": (*VALUE, "25 6 0 5 65", "bf 1 a 0 0", "7 1 0 0 -64", "bf 2 6 0 0", *READ_KERNEL, *RETURN_0),
    "a size up to 80 on 64 bytes of stack": (*VALUE, "25 6 0 5 80", "bf 1 a 0 0", "7 1 0 0 -64", "bf 2 6 0 0", *READ_KERNEL, *RETURN_0),
    "a size up to 63 in a value": (*VALUE, "57 6 0 0 63", "bf 1 0 0 0", "bf 2 6 0 0", *READ_KERNEL, *RETURN_0),
}
HARMLESS = {
    "the last byte of the value": (*VALUE, "25 6 0 3 47", "f 0 6 0 0", "71 1 0 0 0", "5 0 0 0 0", *RETURN_0),
    "8 bytes at the end of the value": (*VALUE, "57 6 0 0 40", "f 0 6 0 0", "79 1 0 0 0", *RETURN_0),
    "a pointer beside what a helper writes": (
        *VALUE, "7b a 0 -16 0", "bf 1 a 0 0", "7 1 0 0 -24", "b7 2 0 0 8", *READ_KERNEL, "79 0 a -16 0", "72 0 0 0 1", *RETURN_0),
    "two records, one after the other": (*RESERVE, *SUBMIT, *RESERVE, *SUBMIT, *RETURN_0),
    "one of two records": (*RESERVE, "bf 7 0 0 0", *RESERVE[:5], "55 0 0 5 0", "bf 1 7 0 0", "b7 2 0 0 0", "85 0 0 0 132", *RETURN_0,
                           "bf 8 0 0 0", *SUBMIT, "7a 7 0 0 1", "bf 1 7 0 0", "b7 2 0 0 0", "85 0 0 0 132", *RETURN_0),
    "a number that matters to nobody": (
        *VALUE, "b7 8 0 0 0", *(("67 8 0 0 1", "45 6 0 1 1", "47 8 0 0 1", "77 6 0 0 1") * 24), "bf 0 8 0 0", "95 0 0 0 0"),
    "w2 = 5": ("b4 2 0 0 5", "15 2 0 2 5", "7a 2 0 0 0", "95 0 0 0 0", *RETURN_0),
    "a size up to 48 in a value": (*VALUE, "25 6 0 4 48", "bf 1 0 0 0", "bf 2 6 0 0", *READ_KERNEL, *RETURN_0),
    "a size of 0": (*VALUE, "bf 1 a 0 0", "7 1 0 0 -64", "b7 2 0 0 0", *READ_KERNEL, *RETURN_0),
}


def test_others(lab):
    judged = verdicts_of(lab, [*HARMFUL.values(), *HARMLESS.values()])
    for name, verdict in zip(HARMFUL, judged):
        expect(not verdict.taken, f"a harmful program to be refused: {name}", "it was taken")
    for name, verdict in zip(HARMLESS, judged[len(HARMFUL):]):
        expect(verdict.taken, f"a harmless program to be taken: {name}", verdict.reason)
