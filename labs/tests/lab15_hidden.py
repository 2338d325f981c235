"""A hidden test of lab 15: names whose only difference is anywhere, and equal names in many directories."""
from lab15 import expect_found


def test_anywhere(lab):
    before, behind = lab.random.randrange(18, 30), lab.random.randrange(16, 30)
    expect_found(lab, "names", "%08d", f"{'b' * before}%06d{'e' * behind}", f"%08d%08d{'e' * (behind & ~7)}")
    expect_found(lab, "folders", "%08d", "configuration", "the-same-long-name", factor=1.5)
