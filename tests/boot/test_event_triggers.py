"""Triggers of events: the lines and errors of Linux, what each command does, and triggers that come and go while events occur."""
import re

import pytest

import linux_filters

TRACING = "/sys/kernel/tracing"
FORK = "events/sched/sched_process_fork"
MKDIR = "events/syscalls/sys_enter_mkdir"
MARK = "events/ftrace/print"
NONE = ("# Available triggers:\n# traceon traceoff snapshot stacktrace enable_event disable_event "
        "enable_hist disable_hist hist set_wprobe clear_wprobe\n")
RECORDING = linux_filters.RECORDING.with_name("linux_triggers.txt")


def clean(machine, path=TRACING):
    """Removes all triggers, and switches all events off."""
    machine.check(f"cd {path}")
    files = [f"{MKDIR}/trigger", f"{FORK}/trigger", f"{MARK}/trigger"]
    files += [f"events/sched/{e}/trigger" for e in ("sched_switch", "sched_waking", "sched_process_exit", "sched_kthread_stop")]
    for file in files:
        for line in machine.check(f"cat {file}").splitlines():
            if not line.startswith("#"):
                command = re.sub(r":(unlimited|count=\d+)( if .*)?$", "", line)
                machine.check(f"echo '!{command}' > {file}")
        assert machine.check(f"cat {file}") == NONE
    machine.check("echo 0 > events/enable; echo 1 > tracing_on; echo 0 > snapshot; echo > trace; echo > error_log")


@pytest.fixture
def tracing(nop5):
    clean(nop5)
    yield nop5
    clean(nop5)


def lines(machine, file="trace"):
    """The events in the trace, and the stacks, each from its name on."""
    return re.findall(r"\d+\.\d+: (.*)", machine.check(f"cat {file}"))


def mark(machine, *texts):
    for text in texts:
        machine.check(f"echo '{text}' > trace_marker")


def test_each_line_is_accepted_or_refused_in_linux_words(tracing):
    recording = linux_filters.load(RECORDING)
    assert len(recording) > 90
    linux_filters.compare(tracing, recording)


def test_a_trigger_makes_its_event_ready_but_not_recorded(tracing):
    tracing.check(f"echo traceon > {FORK}/trigger")
    assert tracing.check(f"cat {FORK}/enable") == "0*\n"
    assert "sched_process_fork" not in tracing.check("cat set_event")
    tracing.check(f"echo 1 > {FORK}/enable")
    assert tracing.check(f"cat {FORK}/enable") == "1*\n"
    tracing.check(f"echo 0 > {FORK}/enable")
    assert tracing.check(f"cat {FORK}/enable") == "0*\n"
    assert lines(tracing) and all(line.startswith("sched_process_fork: ") for line in lines(tracing))
    tracing.check(f"echo '!traceon' > {FORK}/trigger")
    assert tracing.check(f"cat {FORK}/enable") == "0\n"


# ---- each command, with its count, its filter and its place before or after the record ----

def mkdir(machine, count=1):
    """Makes the event MKDIR occur, and no other event of the test."""
    machine.check("mkdir /tmp/t; rmdir /tmp/t; " * count)


def names(machine, file="trace"):
    return [re.match(r"[\w<> ]+", line).group() for line in lines(machine, file)]


@pytest.mark.parametrize("filtered", ["", " if mode > 0"], ids=["plain", "filtered"])
def test_traceoff_is_counted_and_keeps_the_event_that_it_reacts_to(tracing, filtered):
    tracing.check(f"echo 1 > {MKDIR}/enable; echo 'traceoff:2{filtered}' > {MKDIR}/trigger")
    for left in (1, 0):
        tracing.check("echo 1 > tracing_on; echo > trace")
        mkdir(tracing, 2)
        assert names(tracing) == ["sys_mkdir"]
        assert tracing.check(f"cat {MKDIR}/trigger tracing_on") == f"traceoff:count={left}{filtered}\n0\n"
    tracing.check("echo 1 > tracing_on")
    mkdir(tracing, 2)
    assert names(tracing) == ["sys_mkdir"] * 3
    assert tracing.check("cat tracing_on") == "1\n"


@pytest.mark.parametrize("filtered, recorded", [("", 2), (" if mode > 0", 1)], ids=["plain", "filtered"])
def test_traceon_records_its_own_event_only_if_it_needs_no_filter(tracing, filtered, recorded):
    tracing.check(f"echo 1 > {MKDIR}/enable; echo 0 > tracing_on; echo 'traceon:1{filtered}' > {MKDIR}/trigger")
    mkdir(tracing, 2)
    assert names(tracing) == ["sys_mkdir"] * recorded
    assert tracing.check(f"cat {MKDIR}/trigger tracing_on") == f"traceon:count=0{filtered}\n1\n"


@pytest.mark.parametrize("filtered, where", [("", "trace"), (" if mode > 0", "snapshot")], ids=["plain", "filtered"])
def test_a_snapshot_contains_its_event_only_with_a_filter(tracing, filtered, where):
    tracing.check(f"echo 1 > {MKDIR}/enable; echo 'snapshot:1{filtered}' > {MKDIR}/trigger")
    assert "allocated" in tracing.check("cat snapshot")
    mkdir(tracing)
    assert {file: names(tracing, file) for file in ("trace", "snapshot")} == {
        "trace": [], "snapshot": [], where: ["sys_mkdir"]}
    mkdir(tracing)
    assert len(names(tracing)) == 1 + (where == "trace")  # the count is used up
    assert tracing.check(f"cat {MKDIR}/trigger") == f"snapshot:count=0{filtered}\n"


def test_a_snapshot_of_a_mark_contains_the_mark(tracing):
    tracing.check(f"echo snapshot > {MARK}/trigger")
    mark(tracing, "first")
    assert (lines(tracing), lines(tracing, "snapshot")) == ([], ["tracing_mark_write: first"])


def test_stacktrace_follows_its_event_and_begins_with_the_function_that_has_the_event(tracing):
    tracing.check(f"echo 1 > {MKDIR}/enable; echo stacktrace:2 > {MKDIR}/trigger")
    mkdir(tracing, 3)
    assert names(tracing) == ["sys_mkdir", "<stack trace>"] * 2 + ["sys_mkdir"]
    assert re.findall(r"<stack trace>\n => (\w+)\n => (\w+)\n", tracing.check("cat trace")) == [
        ("traced_sys_mkdir", "__x64_sys_mkdir")] * 2
    tracing.check(f"echo > trace; echo stacktrace:1 > {MARK}/trigger")
    mark(tracing, "hello", "again")
    assert lines(tracing) == ["tracing_mark_write: hello", "<stack trace>", "tracing_mark_write: again"]
    assert re.findall(r"<stack trace>\n => (\w+)", tracing.check("cat trace")) == ["tracing_mark_write"]


def test_a_trigger_runs_only_if_its_filter_matches(tracing):
    tracing.check(f"echo 'traceoff if buf ~ \"*stop*\"' > {MARK}/trigger")
    mark(tracing, "go on", "now stop it")
    assert tracing.check("cat tracing_on") == "0\n"
    assert lines(tracing) == ["tracing_mark_write: go on", "tracing_mark_write: now stop it"]


def test_enable_event_and_disable_event_switch_another_event(tracing):
    tracing.check(f"echo 'enable_event:sched:sched_process_fork:2 if buf ~ \"on*\"' > {MARK}/trigger")
    tracing.check("echo 'disable_event:sched:sched_process_fork' > events/sched/sched_process_exit/trigger")
    assert tracing.check(f"cat {FORK}/enable events/sched/sched_process_exit/enable") == "0*\n0*\n"
    tracing.check("cat /proc/uptime; echo off > trace_marker")
    assert "sched_process_fork" not in tracing.check("cat trace")
    # The shell's child that writes the mark exits, and that disables the event again.
    for left in (1, 0, 0):
        mark(tracing, "on")
        assert tracing.check(f"cat {FORK}/enable") in ("0*\n", "1*\n")
        assert f"enable_event:sched:sched_process_fork:count={left} if" in tracing.check(f"cat {MARK}/trigger")
    assert tracing.check(f"cat {FORK}/enable") == "0*\n"
    tracing.check("echo '!disable_event:sched:sched_process_fork' > events/sched/sched_process_exit/trigger")
    tracing.check(f"echo '!enable_event:sched:sched_process_fork' > {MARK}/trigger; echo enable_event:sched:sched_process_fork > {MARK}/trigger")
    mark(tracing, "x")
    assert tracing.check(f"cat {FORK}/enable") == "1*\n"
    tracing.check("cat /proc/uptime")
    assert "sched_process_fork: comm=sh" in tracing.check("cat trace")


@pytest.mark.parametrize("filtered, recorded", [("", 1), (" if mode > 0", 2)], ids=["plain", "filtered"])
def test_an_event_that_enables_itself_is_recorded_at_once_only_with_a_filter(tracing, filtered, recorded):
    tracing.check(f"echo 'enable_event:syscalls:sys_enter_mkdir{filtered}' > {MKDIR}/trigger")
    mkdir(tracing, 2)
    assert names(tracing) == ["sys_mkdir"] * recorded
    assert tracing.check(f"cat {MKDIR}/enable") == "1*\n"


@pytest.mark.parametrize("filtered", ["", " if mode > 0"], ids=["plain", "filtered"])
def test_an_event_that_disables_itself_is_not_recorded(tracing, filtered):
    tracing.check(f"echo 1 > {MKDIR}/enable; echo 'disable_event:syscalls:sys_enter_mkdir{filtered}' > {MKDIR}/trigger")
    mkdir(tracing, 2)
    assert names(tracing) == []
    assert tracing.check(f"cat {MKDIR}/enable") == "0*\n"


def test_two_triggers_of_one_event_run_the_newest_first(tracing):
    tracing.check(f"echo 1 > {MKDIR}/enable; echo traceoff > {MKDIR}/trigger; echo stacktrace > {MKDIR}/trigger")
    mkdir(tracing, 2)
    assert names(tracing) == ["sys_mkdir", "<stack trace>"]
    tracing.check(f"echo '!traceoff' > {MKDIR}/trigger; echo traceoff > {MKDIR}/trigger; echo 1 > tracing_on; echo > trace")
    mkdir(tracing, 2)
    assert names(tracing) == ["sys_mkdir"]  # recording is off when the stack would be written


def test_a_filter_of_the_event_does_not_keep_its_triggers_from_running(tracing):
    tracing.check(f"echo 1 > {MKDIR}/enable; echo 'mode == 12345' > {MKDIR}/filter")
    tracing.check(f"echo 'stacktrace:1 if mode > 0' > {MKDIR}/trigger")
    mkdir(tracing, 2)
    assert names(tracing) == ["<stack trace>"]
    tracing.check(f"echo 0 > {MKDIR}/filter")


def test_triggers_of_an_instance_act_on_it_alone_and_go_with_it(tracing):
    tracing.check(f"mkdir instances/a; echo traceoff > instances/a/{MKDIR}/trigger; echo snapshot > instances/a/{MARK}/trigger")
    assert "allocated" in tracing.check("cat instances/a/snapshot") and "freed" in tracing.check("cat snapshot")
    tracing.check("echo kept > instances/a/trace_marker")
    assert lines(tracing, "instances/a/snapshot") == ["tracing_mark_write: kept"]
    mkdir(tracing)
    assert tracing.check("cat tracing_on instances/a/tracing_on") == "1\n0\n"
    assert tracing.check(f"cat {MKDIR}/trigger {MKDIR}/enable") == NONE + "0\n"
    tracing.check(f"echo enable_event:sched:sched_waking > instances/a/{MKDIR}/trigger")
    mkdir(tracing)
    assert tracing.check("cat events/sched/sched_waking/enable instances/a/events/sched/sched_waking/enable") == "0\n1*\n"
    tracing.check("rmdir instances/a")
    mkdir(tracing)
    assert tracing.check("cat tracing_on") == "1\n"


def test_all_triggers_are_shown_in_one_file(tracing):
    tracing.check(f"echo stacktrace:5 > {MKDIR}/trigger; echo 'traceoff if common_pid == 1' >> {MKDIR}/trigger; echo snapshot >> {FORK}/trigger")
    lines = tracing.check("cat show_event_triggers").splitlines()
    assert sorted(lines) == ["sched:sched_process_fork        snapshot:unlimited", "syscalls:sys_enter_mkdir        stacktrace:count=5",
                             "syscalls:sys_enter_mkdir        traceoff:unlimited if common_pid == 1"]


def test_a_file_is_not_emptied_by_opening_it(tracing):
    tracing.check(f"echo traceoff:7 > {MARK}/trigger")
    assert tracing.run(f"echo > {MARK}/trigger").output == "sh: write error: Invalid argument\n"
    assert tracing.check(f"cat {MARK}/trigger") == "traceoff:count=7\n"


# ---- while events occur ----

@pytest.mark.soak
def test_triggers_come_and_go_while_eight_cpus_switch(boot):
    machine = boot(cpus=8)
    machine.check(f"cd {TRACING}")
    switch = "events/sched/sched_switch/trigger"
    triggers = ["traceoff:50 if prev_pid > 5", "snapshot:20", "stacktrace:100", "enable_event:sched:sched_waking:30 if prev_pid != 0",
                "disable_event:sched:sched_wakeup:9"]
    machine.check("echo 1 > events/sched/sched_switch/enable")
    for round_ in range(5):
        machine.send("hackbench -g 2 -l 40 &\n")
        machine.wait_prompt()
        for _ in range(3):
            for trigger in triggers:
                machine.check(f"echo '{trigger}' > {switch}")
            machine.check("echo 1 > tracing_on; echo 1 > events/sched/sched_wakeup/enable; echo 0 > events/sched/sched_waking/enable")
            for trigger in triggers[round_ % 2:] + triggers[:round_ % 2]:
                machine.check(f"echo '!{trigger.split(' if')[0]}' > {switch}")
        machine.check("wait; echo 1 > tracing_on")
    assert machine.check(f"cat {switch}") == NONE
    assert machine.check("cat events/sched/sched_switch/enable") == "1\n"
    machine.check("echo 0 > events/enable")
    assert machine.check("cat events/enable") == "0\n"


def test_a_count_is_exact_with_eight_cpus(boot):
    machine = boot(cpus=8)
    machine.check(f"cd {TRACING}; echo 8192 > buffer_size_kb; echo stacktrace:500 > events/sched/sched_switch/trigger; hackbench -g 1 -l 40")
    assert machine.check("cat events/sched/sched_switch/trigger") == "stacktrace:count=0\n"
    assert machine.check("grep -c '<stack trace>' trace") == "500\n"


# ---- the command line ----

def test_the_command_line_switches_events_and_triggers_and_instances_on(boot):
    machine = boot(append='trace_event=initcall,sched:sched_process_exit,nope '
                          'trace_trigger="sched_process_fork.stacktrace:1 if child_pid > 5,print.traceoff:3,nope.traceoff" '
                          'trace_instance=foo,sched:sched_waking trace_instance=bar^traceprintk trace_instance=baz=foo')
    machine.check(f"cd {TRACING}")
    assert machine.check("cat set_event").split() == [
        "initcall:initcall_finish", "initcall:initcall_level", "initcall:initcall_start", "sched:sched_process_exit"]
    assert "initcall_start: func=event_scratch_init+0x0/" in machine.check("cat trace")
    assert re.search(r"<stack trace>\n => create_kernel_task\n", machine.check("cat trace"))
    assert machine.check(f"cat {FORK}/trigger {MARK}/trigger") == "stacktrace:count=0 if child_pid > 5\ntraceoff:count=3\n"
    assert machine.check("ls instances").split() == ["bar", "foo"]
    assert machine.check("cat instances/foo/set_event instances/bar/set_event") == "sched:sched_waking\n"
    assert machine.check("cat options/trace_printk_dest instances/*/options/trace_printk_dest").split() == ["0", "1", "0"]
    log = machine.check("dmesg")
    assert "could not create the boot instance baz: -ENOENT\n" in log  # foo has no memory of its own
    assert "Failed to enable trace event: nope\n" in log
    assert "Failed to register trigger 'traceoff' on event nope\n" in log


def test_tp_printk_prints_events_until_the_file_stops_it(boot):
    machine = boot(append="tp_printk loglevel=1 trace_event=sched:sched_process_fork,console")
    assert "] sched_process_fork: comm=swapper/0 pid=0 child_comm=init child_pid=1\n" in machine.check("dmesg")
    assert machine.check("cat /proc/sys/kernel/tracepoint_printk") == "1\n"
    machine.check("echo 0 > /proc/sys/kernel/tracepoint_printk")
    before = machine.check("dmesg").count("sched_process_fork: ")
    machine.check("cat /proc/uptime")
    assert machine.check("dmesg").count("sched_process_fork: ") == before
    machine.check("echo 1 > /proc/sys/kernel/tracepoint_printk; cat /proc/uptime")
    assert machine.check("dmesg").count("sched_process_fork: ") > before


def test_a_filter_of_a_marker_sees_the_text_without_an_added_newline(tracing):
    tracing.check(f"echo 'traceoff:1 if buf == \"start\"' > {MARK}/trigger; echo -n start > trace_marker")
    assert tracing.check(f"cat tracing_on {MARK}/trigger") == '0\ntraceoff:count=0 if buf == "start"\n'
    assert lines(tracing) == ["tracing_mark_write: start"]


def test_without_tp_printk_the_file_has_no_effect(nop5):
    nop5.check("echo 1 > /proc/sys/kernel/tracepoint_printk")
    assert nop5.check("cat /proc/sys/kernel/tracepoint_printk") == "0\n"


def test_tp_printk_stop_on_boot_prints_only_the_boot(boot):
    machine = boot(append="tp_printk tp_printk_stop_on_boot loglevel=1 trace_event=sched:sched_process_fork")
    assert machine.check("cat /proc/sys/kernel/tracepoint_printk") == "0\n"
    forks = re.findall(r"sched_process_fork: .* child_comm=(\S+)", machine.check("dmesg"))
    assert "init" in forks and "sh" not in forks
