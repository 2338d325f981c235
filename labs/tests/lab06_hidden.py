"""A hidden test of lab 6: what a registration that fails frees, and when."""
from lab06 import on_the_model


def test_register(lab):
    on_the_model(lab, "lab06_ops.c", "register")
