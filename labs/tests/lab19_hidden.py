"""A hidden test of lab 19: faults that the handout does not name."""
from lab19 import caught


def test_others(lab):
    caught(lab, (3, 4))
