"""Function probes: commands in set_ftrace_filter that run when a function is called."""
import re

import pytest

TRACING = "/sys/kernel/tracing"
EMPTY = "#### all functions enabled ####\n"


@pytest.fixture
def tracing(nop5):
    nop5.check(f"cd {TRACING}")
    yield nop5
    for line in nop5.check(f"cd {TRACING}; cat set_ftrace_filter").splitlines():
        function, *rest = line.split(":")
        if rest:
            count = ":0" if "=" in rest[-1] and rest[0] != "dump" else ""
            nop5.check(f"echo '!{function}:{':'.join(rest[:-1])}{count}' >> set_ftrace_filter")
    assert nop5.check("echo > set_ftrace_filter; cat set_ftrace_filter") == EMPTY
    nop5.check("echo nop > current_tracer; echo 1 > tracing_on; echo > trace")
    assert nop5.check("cat enabled_functions") == ""


def refused(machine, word, text="Invalid argument", directory="."):
    before = machine.check(f"cat {directory}/set_ftrace_filter")
    result = machine.run(f"echo '{word}' >> {directory}/set_ftrace_filter")
    assert result.output == f"sh: write error: {text}\n" and result.status == 1
    assert machine.check(f"cat {directory}/set_ftrace_filter") == before


def test_probes_are_listed_newest_first_and_removed_each_in_its_form(tracing):
    tracing.check("echo '__x64_sys_m?dir:traceon:3' > set_ftrace_filter")
    tracing.check("echo __x64_sys_rmdir __x64_sys_unlink:stacktrace >> set_ftrace_filter")
    assert tracing.check("cat set_ftrace_filter").splitlines() == [
        "__x64_sys_rmdir", "__x64_sys_unlink:stacktrace:unlimited", "__x64_sys_mkdir:traceon:count=3"]
    refused(tracing, "!__x64_sys_mkdir:traceon", "No such device")
    refused(tracing, "!__x64_sys_unlink:stacktrace:0", "No such device")
    refused(tracing, "!__x64_sys_rmdir:stacktrace")
    tracing.check("echo '!__x64_sys_unlink:stacktrace' >> set_ftrace_filter; echo '!__x64_sys_*:traceon:0' >> set_ftrace_filter")
    assert "traceon" not in tracing.check("cat set_ftrace_filter")


def test_a_probe_is_removed_by_its_line_whatever_its_count_says(tracing):
    for word in ("traceoff:3", "enable_event:sched:sched_switch:1"):
        command = word.rpartition(":")[0]
        tracing.check(f"echo __x64_sys_mkdir:{word} > set_ftrace_filter")
        refused(tracing, f"!__x64_sys_mkdir:{command}", "No such device")
        tracing.check(f"echo '!__x64_sys_mkdir:{command}:count=0' >> set_ftrace_filter")
        assert tracing.check("cat set_ftrace_filter") == EMPTY


def test_dump_and_cpudump_ignore_a_count(tracing):
    tracing.check("echo __x64_sys_rmdir:dump:5 > set_ftrace_filter; echo __x64_sys_rmdir:cpudump:x >> set_ftrace_filter")
    assert tracing.check("cat set_ftrace_filter").splitlines()[1:] == ["__x64_sys_rmdir:cpudump:unlimited", "__x64_sys_rmdir:dump:count=1"]
    tracing.check("echo '!__x64_sys_rmdir:dump' >> set_ftrace_filter; echo '!__x64_sys_rmdir:cpudump:7' >> set_ftrace_filter")
    assert tracing.check("cat set_ftrace_filter") == EMPTY


@pytest.mark.parametrize("word", [
    "no_such_function:traceoff", "vfs_read:no_such_command", "vfs_read:traceoff:abc", "vfs_read:traceoff:-1",
    "vfs_read:", ":traceon", "!:traceon", "vfs_read:traceoff:", "vfs_read:traceoff:1:2", ":", "!:",
])
def test_what_makes_no_sense_is_refused_and_changes_nothing(tracing, word):
    refused(tracing, word)


def test_the_same_again_is_refused(tracing):
    tracing.check("echo '__x64_sys_mkdir:traceoff:5' >> set_ftrace_filter")
    refused(tracing, "__x64_sys_mkdir:traceoff:7")
    tracing.check("echo '__x64_sys_*dir:traceoff:7' >> set_ftrace_filter")
    lines = tracing.check("cat set_ftrace_filter").splitlines()
    assert "__x64_sys_mkdir:traceoff:count=5" in lines and "__x64_sys_rmdir:traceoff:count=7" in lines


def test_traceoff_stops_and_traceon_starts_and_a_count_is_used_up_by_what_changes_something(tracing):
    tracing.check("echo __x64_sys_mkdir:traceoff:2 >> set_ftrace_filter; echo __x64_sys_rmdir:traceon >> set_ftrace_filter")

    def on():
        return tracing.check("cat tracing_on") == "1\n"

    assert on()
    tracing.check("mkdir /tmp/p1; mkdir /tmp/p2")
    assert not on() and "count=1\n" in tracing.check("cat set_ftrace_filter")
    tracing.check("rmdir /tmp/p1; rmdir /tmp/p2")
    assert on()
    tracing.check("mkdir /tmp/p1; rmdir /tmp/p1; mkdir /tmp/p1")
    assert on() and "count=0\n" in tracing.check("cat set_ftrace_filter")
    tracing.check("rmdir /tmp/p1")


def test_stacktrace_shows_the_function_and_its_callers(tracing):
    tracing.check("echo __x64_sys_mkdir:stacktrace:2 >> set_ftrace_filter; mkdir /tmp/p1 /tmp/p2 /tmp/p3; rmdir /tmp/p1 /tmp/p2 /tmp/p3")
    stacks = tracing.check("cat trace").split("<stack trace>\n")[1:]
    assert len(stacks) == 2
    for stack in stacks:
        assert re.match(r" => __x64_sys_mkdir\n => entry_SYSCALL_64_after_hwframe\n(?! =>)", stack)
    assert "__x64_sys_mkdir:stacktrace:count=0\n" in tracing.check("cat set_ftrace_filter")


def test_a_stack_is_shown_rightly_when_others_trace_the_function_too(tracing):
    tracing.check("echo __x64_sys_mkdir >> set_ftrace_filter; echo __x64_sys_mkdir:stacktrace >> set_ftrace_filter")
    tracing.check("echo function > current_tracer; mkdir /tmp/p1; rmdir /tmp/p1")
    trace = tracing.check("cat trace")
    assert ": __x64_sys_mkdir <-" in trace and "<stack trace>\n => __x64_sys_mkdir\n => " in trace


def test_dump_prints_the_trace_once_and_cpudump_each_time(tracing):
    tracing.check("echo before > trace_marker; echo __x64_sys_mkdir:dump >> set_ftrace_filter")
    start = len(tracing.text)
    tracing.check("mkdir /tmp/p1; rmdir /tmp/p1; mkdir /tmp/p1; rmdir /tmp/p1")
    said = tracing.text[start:]
    assert said.count("Dumping ftrace buffer:") == 1 and "tracing_mark_write: before" in said
    assert "__x64_sys_mkdir:dump:count=0\n" in tracing.check("cat set_ftrace_filter")
    tracing.check("echo __x64_sys_rmdir:cpudump >> set_ftrace_filter")
    start = len(tracing.text)
    tracing.check("mkdir /tmp/p1; rmdir /tmp/p1; mkdir /tmp/p1; rmdir /tmp/p1")
    assert tracing.text[start:].count("Dumping ftrace buffer:") == 2


def test_probes_of_an_instance_act_on_it_alone_and_go_with_it(tracing):
    tracing.check("mkdir instances/a; echo __x64_sys_mkdir:traceoff >> instances/a/set_ftrace_filter; mkdir /tmp/p1; rmdir /tmp/p1")
    assert tracing.check("cat tracing_on instances/a/tracing_on") == "1\n0\n"
    assert tracing.check("cat set_ftrace_filter") == EMPTY
    assert "__x64_sys_mkdir:traceoff:unlimited\n" in tracing.check("cat instances/a/set_ftrace_filter")
    tracing.check("echo __x64_sys_mkdir:traceon >> set_ftrace_filter; rmdir instances/a; mkdir /tmp/p1; rmdir /tmp/p1")
    assert "__x64_sys_mkdir (1)" in tracing.check("cat enabled_functions")


def event_switch(tracing, event="sched/sched_waking"):
    return tracing.check(f"cat events/{event}/enable").strip()


def test_enable_event_and_disable_event_switch_an_event_in_soft_mode(tracing):
    tracing.check("echo __x64_sys_mkdir:enable_event:sched:sched_waking >> set_ftrace_filter; "
                  "echo __x64_sys_rmdir:disable_event:sched:sched_waking:2 >> set_ftrace_filter")
    assert tracing.check("cat set_ftrace_filter").endswith(
        "__x64_sys_rmdir:disable_event:sched:sched_waking:count=2\n__x64_sys_mkdir:enable_event:sched:sched_waking:unlimited\n")
    assert event_switch(tracing) == "0*"
    for state in ("0*", "0*", "1*"):  # the third rmdir has no count left
        tracing.check("mkdir /tmp/p1")
        assert event_switch(tracing) == "1*"
        tracing.check("rmdir /tmp/p1")
        assert event_switch(tracing) == state
    tracing.check("echo '!__x64_sys_rmdir:disable_event:sched:sched_waking:0' >> set_ftrace_filter")
    assert event_switch(tracing) == "1*"
    tracing.check("echo '!__x64_sys_mkdir:enable_event:sched:sched_waking' >> set_ftrace_filter")
    assert event_switch(tracing) == "1"  # as in Linux, it stays as the last command has left it
    tracing.check("echo 0 > events/sched/sched_waking/enable")


@pytest.mark.parametrize("word", ["enable_event", "enable_event:sched", "enable_event:sched:", "enable_event:sched:nope",
                                  "enable_event:nope:sched_waking", "enable_event:sched:sched_waking:",
                                  "enable_event:sched:sched_waking:x", "enable_event:sched:sched_waking:-1",
                                  "enable_event:ftrace:print", "enable_event:sched:*"])
def test_a_probe_for_an_event_that_is_not_there_is_refused(tracing, word):
    refused(tracing, "__x64_sys_mkdir:" + word)
    assert tracing.check("cat set_ftrace_filter") == EMPTY
    assert event_switch(tracing) == "0"


@pytest.mark.soak
def test_probes_on_everything_while_eight_cpus_work_and_probes_come_and_go(boot):
    machine = boot(cpus=8)
    machine.check(f"cd {TRACING}")
    for round_ in range(6):
        machine.send("hackbench -g 2 -l 20 &\n")
        machine.wait_prompt()
        machine.check("echo '*:traceoff:9' >> set_ftrace_filter; echo '*:traceon:9' >> set_ftrace_filter")
        machine.check("echo '*lock*:stacktrace:3' >> set_ftrace_filter; echo function > current_tracer")
        machine.check("echo '!*read*:traceoff:0' >> set_ftrace_filter; echo '!*write*:traceon:0' >> set_ftrace_filter")
        machine.check("wait; echo nop > current_tracer; echo 1 > tracing_on")
        counts = [int(n) for n in re.findall(r"count=(\d+)$", machine.check("cat set_ftrace_filter"), re.M)]
        assert counts and max(counts) <= 9 and min(counts) < 3
        machine.check("echo '!*:traceoff:0' >> set_ftrace_filter; echo '!*:traceon:0' >> set_ftrace_filter; "
                      "echo '!*:stacktrace:0' >> set_ftrace_filter")
    assert machine.check("cat enabled_functions") == ""
    assert machine.check("cat /sys/kernel/debug/ftrace_verify").endswith(" 0 mismatches\n")
