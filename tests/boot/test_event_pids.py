"""set_event_pid and set_event_notrace_pid: the tasks whose events are recorded."""
import re

import pytest

from nop5 import start_sleeper

TRACING = "/sys/kernel/tracing"


@pytest.fixture
def tracing(nop5):
    def clean():
        nop5.check(f"cd {TRACING}; echo 0 > events/enable; echo > set_event_pid; echo > set_event_notrace_pid")
        nop5.check("echo 0 > options/event-fork; echo > trace; echo 1 > tracing_on")
        assert nop5.check("cat set_event_pid set_event_notrace_pid") == ""

    clean()
    yield nop5
    clean()


def events(machine, file="trace"):
    """[(PID, name of the event, its text)]"""
    found = re.findall(r"-(\d+) +\[\d+\] \S+ +\d+\.\d+: (\w+): (.*)", machine.check(f"cat {file}"))
    return [(int(pid), name, text) for pid, name, text in found]


def test_the_files_list_pids_as_linux_does(tracing):
    tracing.check("echo 3 1 2 > set_event_pid; echo 5 >> set_event_pid")
    assert tracing.check("cat set_event_pid set_event_notrace_pid") == "1\n2\n3\n5\n"
    for word in ("x", "1 y", "-1", "!", "!2", "1,2"):
        result = tracing.run(f"echo '{word}' >> set_event_pid")
        assert (result.output, result.status) == ("sh: write error: Invalid argument\n", 1)
        assert tracing.check("cat set_event_pid") == "1\n2\n3\n5\n"
    result = tracing.run("echo 99999999999 >> set_event_pid")
    assert result.output == "sh: write error: Operation not permitted\n"
    tracing.check("echo 0x10 010 > set_event_pid")
    assert tracing.check("cat set_event_pid") == "8\n16\n"
    tracing.check("echo 7 > set_event_pid; echo 8 > set_event_notrace_pid")
    assert tracing.check("cat set_event_pid set_event_notrace_pid") == "7\n8\n"


def test_only_the_events_of_a_listed_task_are_recorded(tracing):
    pid = start_sleeper(tracing)
    tracing.check(f"echo {pid} > set_event_pid; echo 1 > events/sched/sched_process_exit/enable; echo 1 > events/sched/sched_process_fork/enable")
    tracing.check(f"cat /proc/uptime; kill {pid}; wait; echo 0 > events/enable")
    assert [(p, name) for p, name, _ in events(tracing)] == [(pid, "sched_process_exit")]


def test_a_switch_and_a_wakeup_belong_to_two_tasks(tracing):
    pid = start_sleeper(tracing)
    tracing.check(f"echo {pid} > set_event_pid; echo > trace")
    for event in ("sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_process_fork"):
        tracing.check(f"echo 1 > events/sched/{event}/enable")
    tracing.check(f"kill {pid}; wait; echo 0 > events/enable")
    found = events(tracing)
    names = {name for _, name, _ in found}
    assert {"sched_waking", "sched_wakeup", "sched_switch"} <= names and "sched_process_fork" not in names
    assert any(p != pid and name == "sched_waking" and f" pid={pid} " in text for p, name, text in found)
    assert any(p != pid and name == "sched_switch" and f"next_pid={pid} " in text for p, name, text in found)
    for p, name, text in found:
        mine = re.search(rf"\b(next_pid|prev_pid|pid)={pid}\b", text)
        assert p == pid or mine, f"{p}: {name}: {text}"


def test_events_of_a_task_in_the_other_file_are_not_recorded(tracing):
    shell = int(tracing.check("echo $$"))
    tracing.check(f"echo {shell} > set_event_notrace_pid; echo 1 > events/sched/sched_process_fork/enable; "
                  "echo 1 > events/sched/sched_process_exit/enable; cat /proc/uptime; cat /proc/uptime")
    found = events(tracing)
    assert any(name == "sched_process_exit" and "comm=cat" in text for _, name, text in found)
    assert not any(p == shell for p, _, _ in found)  # kthreadd may fork a worker
    tracing.check("echo > set_event_notrace_pid; cat /proc/uptime")
    assert any(p == shell and name == "sched_process_fork" for p, name, _ in events(tracing))


def test_children_follow_and_ended_tasks_are_forgotten_with_event_fork(tracing):
    shell = int(tracing.check("echo $$"))
    tracing.check(f"echo 1 > options/event-fork; echo {shell} > set_event_pid")
    own = [int(p) for p in tracing.check("cat set_event_pid").split()]
    assert own[0] == shell and len(own) == 2  # the shell, and cat
    again = [int(p) for p in tracing.check("cat set_event_pid").split()]
    assert len(again) == 2 and again[0] == shell and again[1] != own[1]
    tracing.check("echo 1 > events/sched/sched_process_exit/enable; cat /proc/uptime; echo 0 > events/enable")
    assert any("comm=cat" in text for _, _, text in events(tracing))
    tracing.check("echo 0 > options/event-fork; echo > trace; echo 1 > events/sched/sched_process_exit/enable; cat /proc/uptime; echo 0 > events/enable")
    assert not events(tracing)


def test_a_trigger_without_a_filter_runs_for_tasks_that_are_not_listed(tracing):
    tracing.check("echo 30000 > set_event_pid; echo traceoff:1 > events/sched/sched_process_fork/trigger; cat /proc/uptime")
    assert tracing.check("cat tracing_on") == "1\n"  # traceoff runs after the record
    tracing.check("echo '!traceoff' > events/sched/sched_process_fork/trigger; echo 0 > tracing_on")
    tracing.check("echo traceon:1 > events/sched/sched_process_fork/trigger; cat /proc/uptime")
    assert tracing.check("cat tracing_on") == "1\n"
    tracing.check("echo '!traceon' > events/sched/sched_process_fork/trigger")


def test_each_instance_has_lists_of_its_own(tracing):
    shell = int(tracing.check("echo $$"))
    tracing.check("mkdir instances/a; echo 30000 > instances/a/set_event_pid")
    tracing.check("echo 1 > events/sched/sched_process_fork/enable; echo 1 > instances/a/events/sched/sched_process_fork/enable; cat /proc/uptime")
    assert tracing.check("cat set_event_pid instances/a/set_event_pid") == "30000\n"
    assert any(p == shell for p, _, _ in events(tracing)) and not events(tracing, "instances/a/trace")
    tracing.check("echo 0 > events/enable; rmdir instances/a; cat /proc/uptime")


@pytest.mark.soak
def test_lists_and_forks_while_eight_cpus_work(boot):
    machine = boot(cpus=8)
    machine.check(f"cd {TRACING}; echo 1 > options/event-fork; echo $$ > set_event_pid; echo 1 > events/sched/enable")
    for _ in range(4):
        machine.send("hackbench -g 2 -l 20 &\n")
        machine.wait_prompt()
        machine.check("echo 1 > set_event_notrace_pid; echo > set_event_notrace_pid; mkdir instances/a; "
                      "echo 1 > instances/a/options/event-fork; echo $$ > instances/a/set_event_pid; "
                      "echo 1 > instances/a/events/sched/enable; rmdir instances/a; wait")
    listed = machine.check("cat set_event_pid").split()
    assert listed[0] == machine.check("echo $$").strip() and len(listed) == 2
    machine.check("echo 0 > events/enable; echo > set_event_pid")
