"""Histograms: the trigger command "hist" and the file hist. hist/commands.linux is what Linux 6.1 answered."""
import random
import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent / "hist"))
import record  # noqa: E402
from nop5 import SLEEP, eventually  # noqa: E402
from seed import seed  # noqa: E402

TRACING = "/sys/kernel/tracing"
SWITCH = "events/sched/sched_switch"
ENTRY = re.compile(r"^\{ (.*) \} hitcount: +(\d+)(.*)$", re.M)
EMPTY = "# Available triggers:\n"


@pytest.fixture
def tracing(boot):
    machine = boot(cpus=2)
    machine.check(f"cd {TRACING}")
    return machine


def entries(text):
    """[({field: value} of the key and the values, hitcount)] of a hist file."""
    found = []
    for keys, hits, values in ENTRY.findall(text):
        fields = re.findall(r"(\w+): +(.*?)(?= *(?:, \w+: |$))", keys) + re.findall(r"(\w+): +(\d+)", values)
        found.append((dict(fields), int(hits)))
    return found


def totals(text):
    return {name: int(n) for name, n in re.findall(r"^    (\w+): (\d+)$", text, re.M)}


def test_commands_answer_as_on_linux(tracing):
    wrong, recording = [], record.recording()
    assert "error" in recording.pop("hist:keys=next_pid:x=stacktrace")  # a variable may be a stack since Linux 6.3
    for command, expected in recording.items():
        answer = tracing.run(f"echo '{command}' > {SWITCH}/trigger; echo status $?; cat {SWITCH}/trigger; "
                             "cat error_log; echo > error_log").output
        answer = re.sub(r"^\[ *\d+\.\d+\] ", "", answer, flags=re.M).replace(" set_wprobe clear_wprobe", "")  # newer than Linux 6.1
        if answer != expected:
            wrong.append(f"{command}\n{answer}")
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong[:10])


def test_histograms_of_the_same_events_print_as_on_linux(boot):
    machine = boot(kernel="nop5-test", cpus=2)
    machine.check(f"cd {TRACING}; echo 'feed u64 a; s32 b; char c[]' >> synthetic_events")
    for line in record.feed_script("synthetic/feed"):
        machine.run(line)
    for event in (record.HERE / "events.txt").read_text().splitlines():
        machine.check(f"echo '{event}' > /sys/kernel/debug/hist_feed")
    assert machine.check("cat events/synthetic/feed/hist") == (record.HERE / "histograms.linux").read_text()


def test_histograms_of_trace_marker_print_as_on_linux(tracing):
    for line in record.marker_script():
        printed = tracing.run(line).output
    assert printed == (record.HERE / "markers.linux").read_text()


def test_lines_that_agree_mean_the_same_histogram(tracing):
    trigger = f"{SWITCH}/trigger"
    for line in ("hist:keys=prev_pid", "hist:keys=prev_pid.hex", "hist:keys=prev_pid:sort=prev_pid",
                 "hist:keys=prev_pid if prev_pid>10", "hist:keys=prev_pid:x=3"):
        tracing.check(f"echo '{line}' >> {trigger}")
    listed = tracing.check(f"cat {trigger}")
    assert listed.count("hist:") == 5 and listed.splitlines()[3].endswith(" if prev_pid>10 [active]")
    for line in ("hist:keys=prev_pid:size=128", "hist:keys=prev_pid:sort=hitcount", "hist:keys=prev_pid if prev_pid>10"):
        assert "File exists" in tracing.run(f"echo '{line}' >> {trigger}").output
    tracing.check(f"echo 'hist:keys=prev_pid:pause' >> {trigger}")
    assert [" [paused]" in line for line in tracing.check(f"cat {trigger}").splitlines()] == [True] + 4 * [False]
    first_hits = f"grep -m 1 Hits: {SWITCH}/hist"  # of the paused one; the file has all five, one after another
    hits = tracing.check(first_hits)
    tracing.check("sleep 0.1")
    assert tracing.check(first_hits) == hits != "    Hits: 0\n"
    tracing.check(f"echo 'hist:keys=prev_pid:clear' >> {trigger}")
    assert re.search(r"Hits: 0\n    Entries: 0\n", tracing.check(f"head -12 {SWITCH}/hist"))
    tracing.check(f"echo '!hist:keys=prev_pid' >> {trigger}")
    assert tracing.check(f"cat {trigger}") == "".join(listed.splitlines(True)[1:])
    tracing.run(f"echo > {trigger}")  # opened with O_TRUNC; the empty line itself is refused
    assert EMPTY in tracing.check(f"cat {trigger}")


def test_events_of_one_name_count_in_one_histogram(tracing):
    tracing.check("echo 'hist:name=both:keys=pid' > events/sched/sched_waking/trigger; "
                  "echo 'hist:name=both:keys=pid' > events/sched/sched_wakeup/trigger; sleep 0.1; "
                  "echo 'hist:name=both:keys=pid:pause' >> events/sched/sched_waking/trigger; "
                  "echo 'hist:name=both:keys=pid:pause' >> events/sched/sched_wakeup/trigger")
    waking, wakeup = (tracing.check(f"cat events/sched/{event}/hist") for event in ("sched_waking", "sched_wakeup"))
    assert waking == wakeup and totals(waking)["Hits"] > 0
    refused = tracing.run("echo 'hist:name=both:keys=prio' >> events/sched/sched_waking/trigger")
    assert "Invalid argument" in refused.output
    assert "Named hist trigger doesn't match existing named trigger" in tracing.check("cat error_log")


def test_wakeup_latency_is_measured_across_two_events(tracing):
    tracing.check("echo 'wakeup_latency u64 lat; pid_t pid; char comm[16]' > synthetic_events; "
                  "echo 'hist:keys=pid:ts0=common_timestamp.usecs if comm==\"sleep\"' > events/sched/sched_waking/trigger")
    tracing.check("echo 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking)"
                  f".wakeup_latency($lat,next_pid,next_comm)' > {SWITCH}/trigger")
    tracing.check("echo 'hist:keys=pid,comm:vals=lat:sort=pid' > events/synthetic/wakeup_latency/trigger; "
                  "echo 'hist:keys=lat.log2:sort=lat' >> events/synthetic/wakeup_latency/trigger")
    busy = tracing.run("echo '!hist:keys=pid:ts0=common_timestamp.usecs if comm==\"sleep\"' >> events/sched/sched_waking/trigger")
    assert "Device or resource busy" in busy.output
    uptimes = [tracing.check(f"{command}; cut -d' ' -f1 /proc/uptime") for command in ("true", *3 * [SLEEP])]
    longest = 1e6 * (float(uptimes[-1]) - float(uptimes[0]) + 0.01)
    by_task, by_latency = tracing.check("cat events/synthetic/wakeup_latency/hist").split("\n\n\n")
    assert [e[0]["comm"] for e in entries(by_task)] == 3 * ["sleep"]
    assert all(int(fields["lat"]) <= longest and hits == 1 for fields, hits in entries(by_task))
    assert totals(by_latency)["Hits"] == 3 and "{ lat: ~ 2^" in by_latency
    tracing.run(f"echo > {SWITCH}/trigger")
    tracing.run("echo > events/synthetic/wakeup_latency/trigger")
    tracing.check("echo '!wakeup_latency' >> synthetic_events")


def test_fields_of_the_matched_event_make_histograms_of_their_own(tracing):
    waking = "events/sched/sched_waking/trigger"
    line = ("hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking)"
            ".latency($lat,pid,prio,comm)")
    tracing.check("echo 'latency u64 lat; pid_t pid; int prio; char comm[16]' > synthetic_events; "
                  f"echo 'hist:keys=pid:ts0=common_timestamp.usecs' > {waking}; echo '{line}' > {SWITCH}/trigger")
    assert tracing.check(f"cat {waking}") == (
        "hist:keys=pid:vals=hitcount:ts0=common_timestamp.usecs:sort=hitcount:size=2048:clock=global [active]\n" +
        "".join(f"hist:keys=pid:vals=hitcount:synthetic_{f}={f}:sort=hitcount:size=2048 [active]\n"
                for f in ("pid", "prio", "comm")))
    tracing.check("echo 1 > events/synthetic/latency/enable; " + SLEEP + "; echo 0 > events/synthetic/latency/enable")
    assert re.search(r"latency: lat=\d+ pid=\d+ prio=120 comm=sleep$", tracing.check("cat trace"), re.M)
    tracing.check(f"echo '!{line}' >> {SWITCH}/trigger")
    assert tracing.check(f"cat {waking}").count("hist:") == 1
    tracing.check(f"echo '!hist:keys=pid:ts0=common_timestamp.usecs' >> {waking}")
    assert EMPTY in tracing.check(f"cat {waking}")


def test_onmax_saves_fields_and_takes_snapshots(boot):
    """Of one CPU: a value and the fields that are saved with it may be of different events when several CPUs have the same key."""
    tracing = boot(cpus=1)
    tracing.check(f"cd {TRACING}")
    tracing.check(f"echo 'hist:keys=prev_prio:x=next_pid:onmax($x).save(next_comm,next_pid):onmax($x).snapshot()' > {SWITCH}/trigger")
    tracing.check("sleep 0.05; echo 'hist:keys=prev_prio:x=next_pid:onmax($x).save(next_comm,next_pid):onmax($x).snapshot():pause'"
                  f" >> {SWITCH}/trigger")
    text = tracing.check(f"cat {SWITCH}/hist")
    biggest = 0
    for value, comm, pid in re.findall(r"^\tmax: +(\d+)  next_comm: (\S+) +next_pid: +(\d+)$", text, re.M):
        assert value == pid
        biggest = max(biggest, int(pid))
    match = re.search(r"^Snapshot taken \(see tracing/snapshot\)\.  Details:\n\ttriggering value \{ onmax\(\$x\) \}: +(\d+)"
                      r"\ttriggered by event with key: \{ prev_prio: +\d+ \}$", text, re.M)
    assert int(match[1]) == biggest > 0


def test_enable_hist_and_disable_hist_switch_another_event(tracing):
    tracing.check(f"echo 'hist:keys=prev_pid:pause' > {SWITCH}/trigger; "
                  "echo 'enable_hist:sched:sched_switch' > events/sched/sched_process_fork/trigger")
    assert tracing.check("cat events/sched/sched_process_fork/trigger") == "enable_hist:sched:sched_switch:unlimited\n"
    tracing.check("sleep 0.01")
    assert "[active]" in tracing.check(f"cat {SWITCH}/trigger") and totals(tracing.check(f"cat {SWITCH}/hist"))["Hits"]
    tracing.check("echo '!enable_hist:sched:sched_switch' > events/sched/sched_process_fork/trigger; "
                  "echo 'disable_hist:sched:sched_switch:1' > events/sched/sched_process_fork/trigger; sleep 0.01")
    assert "[paused]" in tracing.check(f"cat {SWITCH}/trigger")
    assert tracing.check("cat events/sched/sched_process_fork/trigger") == "disable_hist:sched:sched_switch:count=0\n"


CLASSES = {
    "": lambda x: x,
    ".log2": lambda x: (x - 1).bit_length() if x > 1 else 0,
    ".buckets=7": lambda x: x - x % 7,
    ".hex": lambda x: x,
}


def printed(name, modifier, value):
    if modifier == ".log2":
        return f"{name}: ~ 2^{value:<2}"
    if modifier.startswith(".buckets"):
        return f"{name}: ~ {value}-{value + 6}"
    return f"{name}: {value:x}" if modifier == ".hex" else f"{name}: {value:10}"


def model(events, keys, values):
    """The lines of a histogram with these [(name, modifier)] keys, in any order."""
    sums = defaultdict(lambda: [0] * (1 + len(values)))
    for event in events:
        entry = sums[tuple(CLASSES[modifier](event[name]) for name, modifier in keys)]
        for i, n in enumerate([1] + [event[name] for name in values]):
            entry[i] += n
    return sorted("{ " + ", ".join(printed(*key, value) for key, value in zip(keys, parts)) + f" }} hitcount: {sum_[0]:10}" +
                  "".join(f"  {name}: {n:10}" for name, n in zip(values, sum_[1:])) for parts, sum_ in sums.items())


def test_a_synthetic_event_that_makes_itself_nests_eight_deep(boot):
    """It once went on until the stack was full. Where the event is on, what is cut off counts as dropped."""
    machine = boot(kernel="nop5-test", cpus=2)
    machine.check(f"cd {TRACING}; echo 'again u64 a' >> synthetic_events")
    again = "events/synthetic/again"
    machine.check(f"echo 'hist:keys=a:b=a+1:onchange($b).trace(again,$b)' > {again}/trigger; echo 1 > {again}/enable")
    machine.check(f"echo 'hist:keys=next_pid:s=next_pid*1000:onchange($s).trace(again,$s)' > {SWITCH}/trigger; sleep 0.1")
    machine.check(f"echo '!hist:keys=next_pid:s=next_pid*1000:onchange($s).trace(again,$s)' > {SWITCH}/trigger")
    found = sorted(int(values["a"]) for values, hits in entries(machine.check(f"cat {again}/hist")))
    switched = {a - a % 1000 for a in found if a}
    assert len(switched) > 1 and found == sorted(a + depth for a in switched | {0} for depth in range(8) if a + depth in found)
    assert all(a + 7 in found for a in switched)
    dropped = sum(int(n) for n in re.findall(r"^dropped events: (\d+)$", machine.check("cat per_cpu/cpu0/stats per_cpu/cpu1/stats"), re.M))
    assert dropped >= len(switched)


def test_globs_see_the_text_of_trace_marker(tracing):
    """Unlike in Linux 6.1 (docs/event-filters.md). The text has a newline at its end."""
    hits = {"?b*": 2, "[ab]*": 5, "a?c*": 1, "[!b]*": 4, "*b?": 3, "??": 2}
    for glob, expected in hits.items():
        tracing.check(f"echo 'hist:keys=ip.log2 if buf ~ \"{glob}\"' > events/ftrace/print/trigger")
        for text in "a", "ab", "abc", "b", "bc", "longer b":
            tracing.check(f"echo '{text}' > trace_marker")
        assert f"Hits: {expected}\n" in tracing.check("cat events/ftrace/print/hist"), glob


def test_a_named_histogram_keeps_the_event_it_was_made_for(tracing):
    tracing.check("echo 'first u64 x' >> synthetic_events; echo 'second u64 x' >> synthetic_events")
    for event in "first", "second":
        tracing.check(f"echo 'hist:name=both:keys=x' > events/synthetic/{event}/trigger")
    tracing.check("echo '!hist:name=both:keys=x' >> events/synthetic/first/trigger")
    assert tracing.run("echo '!first' >> synthetic_events").output == "sh: write error: Device or resource busy\n"
    assert "keys=x:" in tracing.check("cat events/synthetic/second/trigger")
    tracing.check("echo '!hist:name=both:keys=x' >> events/synthetic/second/trigger")
    tracing.check("echo '!first' >> synthetic_events; echo '!second' >> synthetic_events")
    assert tracing.check("cat synthetic_events") == ""


def test_histograms_agree_with_a_model_that_reads_the_raw_events(tracing):
    """A task that has ended makes no more events, so the trace and the histograms hold the same ones."""
    generator = random.Random(seed(13))
    fields = ["prev_pid", "prev_prio", "next_pid", "next_prio", "common_pid"]
    tests = []
    while len(tests) < 16:
        keys = [(name, generator.choice(list(CLASSES))) for name in generator.sample(fields, generator.randint(1, 3))]
        values = generator.sample(fields, generator.randint(0, 2))
        if (keys, values) in tests:
            continue
        tests.append((keys, values))
        command = "hist:keys=" + ",".join(map("".join, keys)) + (":vals=" + ",".join(values) if values else "")
        tracing.check(f"echo '{command} if prev_comm==\"sleep\"' >> {SWITCH}/trigger")
    tracing.check(f"echo 'prev_comm==\"sleep\"' > {SWITCH}/filter; echo 1 > {SWITCH}/enable")
    for i in range(6):
        tracing.check(f"sleep 0.0{i}; sleep 0.01 | sleep 0.02")
    # A task leaves its CPU for the last time when its parent may know already that it has ended.
    raw = eventually(lambda: text if len(re.findall(r"prev_state=[XZ]", text := tracing.check("cat trace"))) == 18 else "")
    events = [{"common_pid": int(m[1]), **{k: int(v) for k, v in re.findall(r"(\w+_(?:pid|prio))=(\d+)", m[2])}}
              for m in re.finditer(r"^.*-(\d+) +\[\d+\].*sched_switch: (.*)$", raw, re.M)]
    assert len(events) >= 10
    found = [sorted(re.findall(r"^\{.*$", text, re.M)) for text in tracing.check(f"cat {SWITCH}/hist").split("\n\n\n")]
    assert found == [model(events, *test) for test in tests]


def test_an_error_keeps_its_event_when_another_event_gets_a_histogram(tracing):
    tracing.run("echo 'hist:keys=nosuch' > events/sched/sched_waking/trigger")
    tracing.check(f"echo 'hist:keys=next_pid' > {SWITCH}/trigger")
    assert "hist:sched:sched_waking: error: Couldn't find field\n" in tracing.check("cat error_log")


def test_a_trace_marker_matches_a_trace_marker(tracing):
    trigger = "events/ftrace/print/trigger"
    tracing.check("echo 'latency u64 lat' > synthetic_events")
    tracing.check(f"echo 'hist:keys=common_type:ts0=common_timestamp.usecs if buf ~ \"start*\"' > {trigger}")
    tracing.check("echo 'hist:keys=common_type:lat=common_timestamp.usecs-$ts0:onmatch(ftrace.print).latency($lat)"
                  f" if buf ~ \"end*\"' >> {trigger}")
    tracing.check("echo 1 > events/synthetic/latency/enable; echo start > trace_marker; echo end > trace_marker")
    assert re.search(r" latency: lat=\d+\n", tracing.check("cat trace"))


def test_truncating_the_trigger_file_removes_enable_hist(tracing):
    trigger = "events/sched/sched_waking/trigger"
    tracing.check(f"echo enable_hist:sched:sched_switch > {trigger}; echo disable_hist:sched:sched_switch > {trigger}")
    assert tracing.check(f"cat {trigger}") == "disable_hist:sched:sched_switch:unlimited\n"
    tracing.check(f"echo stacktrace >> {trigger}; > {trigger}")
    assert tracing.check(f"cat {trigger}") == "stacktrace:unlimited\n"


def test_a_second_histogram_of_the_event_cannot_define_the_same_variable(tracing):
    tracing.check(f"echo 'hist:keys=next_pid:ts0=common_timestamp' > {SWITCH}/trigger")
    listed = tracing.check(f"cat {SWITCH}/trigger")
    assert "Invalid argument" in tracing.run(f"echo 'hist:keys=prev_pid:ts0=common_timestamp' >> {SWITCH}/trigger").output
    assert "error: Variable already defined\n" in tracing.check("cat error_log")
    assert tracing.check(f"cat {SWITCH}/trigger") == listed
    tracing.check(f"echo 'hist:keys=next_pid:ts0=common_timestamp:pause' >> {SWITCH}/trigger")
    assert "[paused]" in tracing.check(f"cat {SWITCH}/trigger")
