"""Filters of events: the texts that Linux accepts and refuses, what is recorded, and what takes room in the buffer."""
import re

import pytest

import linux_filters

TRACING = "/sys/kernel/tracing"
HELP = """\
### global filter ###
# Use this to set filters for multiple events.
# Only events with the given fields will be affected.
# If no events are modified, an error message will be displayed here
"""


@pytest.fixture
def machine(nop5):
    """The shared machine in tracefs, without filters and with all events off, before and after."""
    systems = {event.split(":")[0] for event in nop5.check(f"cat {TRACING}/available_events").split()}

    def clean():
        nop5.check(f"cd {TRACING}; echo 0 > events/enable")
        for system in sorted(systems - {"ftrace"}):
            nop5.check(f"echo 0 > events/{system}/filter")
        nop5.check("echo > error_log; echo > trace")

    clean()
    yield nop5
    clean()


def test_each_filter_is_accepted_or_refused_in_linux_words(machine):
    events = machine.check("cat available_events").split()
    recording = [(command, answer) for command, answer in linux_filters.load()
                 if re.search(r"events/(\S+)/filter", command).group(1).replace("/", ":") in events]
    assert len(recording) > 200
    linux_filters.compare(machine, recording)


# ---- what is recorded ----

def lines(machine):
    """The events in the trace, each from its name on."""
    return re.findall(r": (\w+: .*)", machine.check("cat trace"))


def record(machine, event, text, command, path=""):
    """The events that match a filter while command runs."""
    machine.check(f"echo '{text}' > {path}events/{event}/filter; echo > {path}trace")
    machine.check(f"echo 1 > {path}events/{event}/enable; {command}; echo 0 > {path}events/{event}/enable")
    return re.findall(r": (\w+: .*)", machine.check(f"cat {path}trace"))


def entries(machine, path=""):
    """The entries in the buffers of all CPUs, also those that were overwritten or read."""
    stats = "".join(machine.check(f"cat {path}per_cpu/{cpu}/stats") for cpu in machine.check(f"ls {path}per_cpu").split())
    return sum(int(n) for n in re.findall(r"^(?:entries|overrun|read events): (\d+)$", stats, re.M))


RUN = "echo x | cat"


def test_only_events_that_match_are_recorded(machine):
    event, command = "sched/sched_process_exit", "echo x | cat; ls > /dev/null; echo y | cat"

    def exits(text):
        found = [re.match(r"\w+: comm=(\S+) ", line).group(1) for line in record(machine, event, text, command)]
        return [comm for comm in found if not comm.startswith("kworker/")]  # which may end at any time

    everything = exits("0")
    assert everything.count("cat") == 2 and set(everything) > {"cat"}
    for text in ('comm == "cat"', 'comm ~ "ca*"', 'comm ~ "*at"', 'comm ~ "*ca*"', 'comm ~ "c?t"', 'comm ~ "[b-d]at"'):
        assert exits(text) == ["cat", "cat"], text
    for text in ('comm == "cat" && comm != "cat"', 'pid < 0', 'comm ~ "*ca" || prio > 120', '!(pid > 1)'):
        assert exits(text) == [], text
    for text in ('comm != "cat"', '!(comm == "cat") && (pid == -7 || prio == 120)', 'comm ~ "!cat"'):
        assert exits(text) == [comm for comm in everything if comm != "cat"], text


def test_the_task_and_the_cpu_of_an_event_are_filtered(machine):
    def recorded_by(text):
        record(machine, "sched/sched_process_exit", text, f"{RUN}; for cpu in 0 1 2 3; do taskset -c $cpu ls > /dev/null; done")
        return re.findall(r"^ *(\S*)-\d+ +\[(\d+)\]", machine.check("cat trace"), re.M)

    assert [comm for comm, _ in recorded_by('COMM == "cat" && cpu != 99')] == ["cat"]
    on_first, on_others = recorded_by("CPU == 0"), recorded_by("cpu > 0")
    assert {cpu for _, cpu in on_first} == {"000"}
    assert {cpu for _, cpu in on_others} == {"001", "002", "003"}


def test_what_does_not_match_takes_no_room(machine):
    machine.check("echo 'common_pid == -7' > events/sched/filter; echo > trace; echo 1 > events/sched/enable")
    machine.check(f"{RUN}; {RUN}; ls > /dev/null")
    assert entries(machine) == 0
    machine.check("echo 0 > events/sched/filter")
    machine.check(RUN)
    assert entries(machine) > 0


def test_a_refused_filter_lets_all_events_pass_and_zero_removes_it(machine):
    file = "events/sched/sched_switch/filter"
    assert record(machine, "sched/sched_switch", "prev_pid == -7", RUN) == []
    result = machine.run(f"echo nonsense > {file}")
    assert result.status == 1 and result.output == "sh: write error: Invalid argument\n"
    assert "nonsense\n        ^\nparse_error: Field not found\n" in machine.check(f"cat {file}")
    machine.check(f"echo 1 > events/sched/sched_switch/enable; {RUN}; echo 0 > events/sched/sched_switch/enable")
    assert lines(machine)
    machine.check(f"echo 0 > {file}")
    assert machine.check(f"cat {file}") == "none\n"


def test_all_filters_are_shown_in_one_file(machine):
    assert machine.check("cat show_event_filters") == ""
    machine.check("echo 'prev_prio < 9' > events/sched/sched_switch/filter; echo 'filename == \"x\"' > events/syscalls/sys_enter_openat/filter; "
                  "echo 'pid == 1' > events/sched/sched_wakeup/filter")
    machine.run("echo 'no_such == 1' > events/sched/sched_wakeup/filter")  # it shows an error then, and filters nothing
    lines = machine.check("cat show_event_filters").splitlines()
    assert sorted(lines) == ["sched:sched_switch              prev_prio < 9", 'syscalls:sys_enter_openat       filename == "x"']


def test_each_instance_has_its_own_filters(machine):
    machine.check("mkdir instances/filtered")
    try:
        machine.check("echo 'prev_pid == -7' > instances/filtered/events/sched/sched_switch/filter")
        assert machine.check("cat events/sched/sched_switch/filter") == "none\n"
        machine.check("echo 1 > instances/filtered/events/sched/sched_switch/enable")
        assert record(machine, "sched/sched_switch", "0", RUN)
        assert entries(machine, "instances/filtered/") == 0
        # ls can only run after the shell that waits for it has left their CPU.
        assert record(machine, "sched/sched_switch", 'prev_comm == "sh"', "taskset -c 1 sh -c 'ls; :'", "instances/filtered/")
        result = machine.run("echo x > instances/filtered/events/sched/sched_switch/filter")
        assert result.status == 1
        assert "Command: x" in machine.check("cat instances/filtered/error_log")
        assert machine.check("cat error_log") == ""
    finally:
        machine.check("rmdir instances/filtered")


# ---- the filter of a system ----

def refused(text):
    return f"{text}\n^\nparse_error: Couldn't find or set field in one of a subsystem's events\n\n"


def test_a_system_filter_is_set_for_the_events_that_have_its_fields(machine):
    def filters():
        return [machine.check(f"cat events/sched/{name}/filter") for name in ("sched_switch", "sched_waking", "sched_wakeup")]

    assert machine.check("cat events/sched/filter") == HELP
    machine.check("echo common_pid == 0 > events/sched/filter")
    assert filters() == ["common_pid == 0\n"] * 3
    machine.check("echo 'pid == 5' > events/sched/filter")
    assert filters() == [refused("pid == 5")] + ["pid == 5\n"] * 2
    log = machine.check("cat error_log")
    assert log.count("error: Couldn't find or set field in one of a subsystem's events\n  Command: pid == 5\n           ^\n") >= 1
    for text in ("nosuch == 1", "(pid == 5", "pid =="):
        machine.check(f"echo '{text}' > events/sched/filter")
        assert filters() == [refused(text)] * 3
        assert machine.check("cat events/sched/filter") == HELP
    machine.check("echo ' 0 ' > events/sched/filter")
    assert filters() == ["none\n"] * 3


def test_entries_of_tracers_have_no_filter(machine):
    assert "filter" not in machine.check("ls events/ftrace events/ftrace/function events/ftrace/print").split()


def test_a_function_field_matches_any_address_in_the_function(machine):
    """Typing makes the terminal queue flush_to_ldisc()."""
    event = "workqueue/workqueue_execute_start"

    def functions(text):
        machine.check(f"echo '{text}' > events/{event}/filter; echo > trace; echo 1 > events/{event}/enable")
        machine.check("echo typed")
        machine.check(f"echo 0 > events/{event}/enable")
        return set(re.findall(r": function (\S+)", machine.check("cat trace")))

    try:
        assert functions("function.function == flush_to_ldisc") == {"flush_to_ldisc"}
        assert "flush_to_ldisc" not in functions("function.function != flush_to_ldisc")
        result = machine.run(f"echo 'function.function == no_such' > events/{event}/filter")
        assert result.status == 1
        assert "parse_error: Function not found" in machine.check(f"cat events/{event}/filter")
    finally:
        machine.check(f"echo 0 > events/{event}/filter")
