"""The hidden test of lab 2: another number of sites than the students' kernel has."""
from lab01 import TRACING
from lab02 import expect_nops, sites
from lab_test import expect

BATCH = 64


def test_another_size(lab):
    stay, init = sites(lab)
    more = BATCH - (len(stay) + len(init)) % BATCH
    build = lab.rebuild(f"BALLAST={more}")
    made = f"allocating {len(stay) + len(init) + more} entries"
    expect(made in lab.boot_log(build=build), f"a record for each of {len(stay) + len(init) + more} sites", "another number")
    added = [f"ballast_{n}" for n in (0, more - 1)]
    expect_nops(lab, added, build)
    _, start = lab.boot(f"cd {TRACING}; echo {' '.join(added)} > set_ftrace_filter", "echo function > current_tracer", build=build)
    expect(start.status == 0, "the function tracer to start at the added functions", f"status {start.status}: {start.text}")
