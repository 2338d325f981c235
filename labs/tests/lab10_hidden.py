"""A hidden test of lab 10: characters that are wider or narrower than one byte."""
from lab10 import expect_line


def test_wide(lab):
    expect_line(lab, "a\x01b\x7f\x7fc\n", "ac\n")
    expect_line(lab, "caf\u00e9\u00e9\x7fs\n", "caf\u00e9s\n", mode="utf8")
    expect_line(lab, "x \u00e9t\u00e9 \x17y\n", "x y\n", mode="utf8")
    expect_line(lab, "a\tb\x7f\x7f\x7fz\n", "z\n")
