#!/usr/bin/python3
"""Did something become slower? tests/bench/unchanged.py BEFORE.json [AFTER.json]

Compares two results of `make bench`; AFTER is build/bench.json unless it is named. Prints each figure in instructions that
differs. Exit status 1 if one of EXACT has grown: these are the paths of a program that uses nothing new. They are counts of
instructions under -icount, so the same kernel gives the same figures on every host.

profiled_call depends on addresses, too: it is 8 larger, then 9 more each, for each function that the profiler's hash table has before
bench_call in its place.
"""
import json
import sys
from pathlib import Path

RESULT = Path(__file__).resolve().parents[2] / "build/bench.json"
EXACT = ("pipe", "kmalloc", "tracepoint_off", "tracepoint_on", "event_sched_switch", "events_sched", "event_sys_enter", "event_sys_both",
         "event_filtered", "hist_key", "hist_keys", "traced_call", "graph_call", "profiled_call", "kprobe_event", "uprobe_event",
         "getppid", "read_zero", "write_null", "open_close", "stat", "signal", "poll", "timer", "fault", "mmap", "fork", "exec",
         "pipe_program", "futex", "file")


def main():
    before, after = (json.loads(Path(path).read_text())["figures"] for path in [*sys.argv[1:], RESULT][:2])
    grown = 0
    for name, figure in after.items():
        old, new = before.get(name, {}).get("nop5"), figure["nop5"]
        if figure["unit"] != "instructions" or old == new:
            continue
        worse = name in EXACT and None not in (old, new) and new > old
        grown += worse
        print(f"{name:<22} {'-' if old is None else old:>12} -> {'-' if new is None else new:>12}{' !' * worse}")
    print(f"{grown} of {len(EXACT)} figures that must not grow have grown." if grown else "Nothing that is compared exactly has grown.")
    return grown > 0


if __name__ == "__main__":
    sys.exit(main())
