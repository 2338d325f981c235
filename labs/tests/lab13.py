"""The tests of lab 13: an event, the probes of a tracepoint, and the map of a histogram."""
import re

from lab_test import expect

TRACING = "/sys/kernel/tracing"
SIZE = 128  # elements of the map in lab13_map.c
FIELDS = [("pid_t pid", 4, 1), ("char oldcomm[16]", 16, 1), ("char newcomm[16]", 16, 1), ("short oom_score_adj", 2, 1)]


def test_boots(lab):
    release, = lab.boot("uname -s")
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def test_event(lab):
    long, program = ("".join(lab.random.choices("abcdefghij", k=40)) for _ in range(2))
    shown, _, _, renamed, hist = lab.boot(
        f"cd {TRACING}/events/task/task_rename; cat format", "echo 'hist:keys=oldcomm,newcomm' > trigger; echo 1 > enable",
        f"sh -c 'echo short > /proc/self/comm; echo {long} > /proc/self/comm; echo x > /proc/self/comm';"
        f" echo '#!/bin/sh' > /tmp/{program}; chmod 755 /tmp/{program}; /tmp/{program}", f"grep task_rename {TRACING}/trace", "cat hist")
    fields = [(name, int(size), int(signed)) for name, size, signed in
              re.findall(r"field:([^;]*);\toffset:\d+;\tsize:(\d+);\tsigned:(\d);", shown.text) if not name.split()[-1].startswith("common_")]
    expect(fields == FIELDS, f"the fields {FIELDS} in events/task/task_rename/format", fields or shown.text)
    seen = re.findall(r"task_rename: (pid=\d+ oldcomm=\S+ newcomm=\S* oom_score_adj=0)$", renamed.text, re.M)
    pid = next((line.split()[0] for line in seen if " newcomm=short " in line), "pid=0")
    own = [line for line in seen if line.split()[0] == pid][-3:]
    wanted = [f"{pid} oldcomm={old} newcomm={new} oom_score_adj=0" for old, new in (("sh", "short"), ("short", long[:15]), (long[:15], "x"))]
    expect(own == wanted, f"the lines {wanted} in the trace", own or renamed.text)
    expect(f" newcomm={program[:15]} " in renamed.text, f"the first 15 bytes of the name of a program, {program[:15]}", renamed.text[-300:])
    expect(re.search(rf"oldcomm: short +, newcomm: {long[:15]} +\}} hitcount: +1\b", hist.text), "the change in a histogram with these keys",
           hist.text)


def test_probes(lab):
    for name in ("arguments_come_from_the_code_behind_the_branch", "probes_are_called_by_priority_and_then_by_age",
                 "a_probe_is_attached_once_with_the_same_data", "regfunc_comes_before_the_first_probe_and_unregfunc_after_the_last",
                 "probes_are_removed_while_all_cpus_call_them"):
        lab.selftest(f"tracepoint.{name}")


def counted(lab, step):
    """What lab13_map counts."""
    text = lab.run(lab.host_program("lab13_map.c"), step, check="the map not to touch foreign memory").stdout
    return {word: int(number) for word, number in re.findall(r"(\w+) (\d+)", text)}


def test_map(lab):
    seen = counted(lab, "count")
    expect(seen["used"] == SIZE, f"{SIZE} slots in use after the insertion of more keys than the map has elements", seen["used"])
    expect(not seen["wrong"], "each key counted as often as it was inserted", f"{seen['wrong']} keys with other sums")
    expect(seen["refused"] == seen["drops"] == 200, "200 insertions without a free element, each counted in drops",
           f"{seen['refused']} refused, {seen['drops']} drops")
    expect(seen["hits"] == 10 * SIZE, f"{10 * SIZE} hits", seen["hits"])
    expect(not seen["early"], "no key in the map before its element is complete (elt_init() has returned)", f"{seen['early']} of them")


    seen = counted(lab, "plain")
    expect(not seen["wrong"], "each key counted as often as it was inserted, in a map without elt_init()", f"{seen['wrong']} keys with other sums")


def test_race(lab):
    seen = counted(lab, "other")
    expect(not seen["drops"], "no drop in a map that has room", f"{seen['drops']} drops")
    expect(seen["inner"] == 1 and not seen["wrong"], "two keys that want one slot to have both their sums", f"{seen['wrong']} of them lost")
    seen = counted(lab, "same")
    expect(seen["hits"] == SIZE + 1 and not seen["drops"], f"{SIZE + 1} hits of {SIZE} keys, and no drop: the loser counts, too",
           f"{seen['hits']} hits, {seen['drops']} drops")
    expect(not seen["wrong"], "one element for a key that an interrupt inserts at the same time, with both counts", f"{seen['used']} slots in use")
    expect(not seen["refused"], "the element of the loser to be free again", f"{seen['refused']} insertions refused in a map that has room")


def test_classes(lab):
    sizes = [1, 2, 3, 4, 5, 8, 9, 1024, 1025, *lab.random.sample(range(2000, 60000), 3)]
    wanted = {}
    for size in sizes:
        wanted[(size - 1).bit_length()] = wanted.get((size - 1).bit_length(), 0) + 1
    reads = "; ".join(f"dd bs={size} count=1 if=/dev/zero of=/dev/null 2>/dev/null" for size in sizes)
    trigger = """echo 'hist:keys=count.log2 if comm == "dd"' > trigger"""
    hist = lab.boot(f"cd {TRACING}/events/syscalls/sys_enter_read", trigger, reads, "cat hist")[-1]
    seen = {int(power): int(count) for power, count in re.findall(r"count: ~ 2\^(\d+) *\} hitcount: +(\d+)", hist.text)}
    expect(seen == wanted, f"the classes {wanted} for reads of {sizes} bytes", seen or hist.text)
