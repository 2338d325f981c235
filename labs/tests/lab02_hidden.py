"""The hidden test of lab 2: another number of sites than the students' kernel has."""
from lab02 import NOP, sites
from lab_test import expect

BATCH = 64


def test_another_size(lab):
    stay, init = sites(lab)
    more = BATCH - (len(stay) + len(init)) % BATCH
    build = lab.rebuild(f"BALLAST={more}")
    log, *answers = lab.boot("dmesg | grep 'ftrace: allocating'", *(f"dis ballast_{n}" for n in (0, more - 1)), build=build)
    expect(f"allocating {len(stay) + len(init) + more} entries" in log.text, f"a record for each of {len(stay) + len(init) + more} sites", log.text)
    for answer in answers:
        expect(NOP in answer.text, f"{NOP} at the added functions", answer.text)
