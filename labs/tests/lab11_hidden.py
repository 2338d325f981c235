"""A hidden test of lab 11: copy on write neither loses a page nor counts it twice."""
from lab_test import expect


def test_leaks(lab):
    lab.selftest("user_memory_faults.fork_copies_a_page_when_it_is_written")
    lab.selftest("user_memory.all_pages_come_back")
    lab.selftest("user_memory.fork_without_memory_fails_and_leaves_nothing")
    answer, = lab.boot("stress -c 2 -m 2 -t 1", cpus=2)
    expect(answer.status == 0, "`stress -c 2 -m 2` to find its memory as it has written it", answer.text)
