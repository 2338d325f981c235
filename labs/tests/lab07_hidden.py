"""A hidden test of lab 7: a writer that is refused, and an interrupt that writes meanwhile."""
from lab07 import with_interrupts


def test_refuse(lab):
    with_interrupts(lab, "refuse")
