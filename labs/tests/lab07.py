"""The tests of lab 7: writers of the ring buffer that interrupt each other at each instruction (lab07_ring.c), and in a running kernel."""
from lab_test import expect

RULES = {
    "event": "each event to be read as it was written, at its time",
    "nest": "writers to nest at any instruction",
    "commit": "the outermost writer to publish everything, and nobody else",
    "pages": "a writer to go on in the next sub-buffer, and each lost event to be counted",
    "steal": "a sub-buffer to be taken by one writer or reader",
    "quick": "the usual case to be reserved and published by the quick functions, and no other case",
    "refuse": "a writer that leaves without an event to publish what a nested writer has written",
}


def with_interrupts(lab, mode, sanitize=False):
    """Without the sanitizers there are fewer instructions to interrupt."""
    program = lab.host_program("lab07_ring.c", options=["-O2", "-mno-red-zone"], sanitize=sanitize)
    result = lab.run("timeout", str(lab.timeout), program, mode)
    expect(result.returncode == 0, RULES[mode], result.stdout or f"no end within {lab.timeout} s: a loop that never ends, or a crash")


def test_boots(lab):
    version, = lab.boot("cat /proc/version")
    expect(version.text.startswith("nop5 "), "/proc/version to name nop5", version.text)


def test_event(lab):
    with_interrupts(lab, "event", sanitize=True)


def test_nest(lab):
    with_interrupts(lab, "nest")


def test_commit(lab):
    with_interrupts(lab, "commit")


def test_pages(lab):
    with_interrupts(lab, "pages", sanitize=True)


def test_steal(lab):
    with_interrupts(lab, "steal")


def test_quick(lab):
    with_interrupts(lab, "quick")


def test_kernel(lab):
    lab.selftest("trace_nmi.nmis_in_the_middle_of_writes_lose_nothing_uncounted")
