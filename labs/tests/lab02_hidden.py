"""The hidden test of lab 2: other numbers of sites and of init functions than the students' kernel has."""
from lab01 import TRACING
from lab02 import expect_nops, sites
from lab_test import expect

BATCH = 64


def test_another_size(lab):
    stay, init = sites(lab)
    more = 2 * BATCH - (len(stay) + len(init)) % BATCH
    init_more = lab.random.randrange(1, more)
    build = lab.rebuild(f"BALLAST={more}", f"BALLAST_INIT={init_more}")
    made = f"allocating {len(stay) + len(init) + more} entries"
    expect(made in lab.boot_log(build=build), f"a record for each of {len(stay) + len(init) + more} sites", "another number")
    added = [f"ballast_{n}" for n in {init_more, more - 1}]
    expect_nops(lab, added, build)
    total, _, start = lab.boot(f"cat {TRACING}/dyn_ftrace_total_info", f"cd {TRACING}; echo {' '.join(added)} > set_ftrace_filter",
                               "echo function > current_tracer", build=build)
    kept = len(stay) + more - init_more
    expect(total.text.startswith(f"{kept} "), f"{kept} records at the prompt, because {len(init) + init_more} functions are init functions", total.text)
    expect(start.status == 0, "the function tracer to start at the added functions", f"status {start.status}: {start.text}")
