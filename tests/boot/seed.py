"""The seed of a random test: `make soak` gives each round another one, and NOP5_SEED=N repeats it."""
import os


def seed(fixed):
    """NOP5_SEED, or the seed that a test has without it. It is printed: pytest shows that when the test fails."""
    number = int(os.environ.get("NOP5_SEED") or fixed)
    print(f"NOP5_SEED={number}")
    return number
