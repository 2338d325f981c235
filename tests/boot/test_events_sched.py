"""The events of the scheduler, of tasks, signals, workqueues, RCU, printk and initcalls: what they say, and when."""
import itertools
import re
from collections import defaultdict

import pytest

from nop5 import CLOCK_NANOSLEEP, eventually, start_sleeper

EVENTS = "/sys/kernel/tracing/events"
READ = 0  # the number of read(2)
LINE = re.compile(r"^ *(?P<comm>.+)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] \S+ +(?P<time>[\d.]+): (?P<event>\w+): ?(?P<text>.*)$")


class Event:
    def __init__(self, match):
        self.pid, self.cpu, self.time = int(match["pid"]), int(match["cpu"]), float(match["time"])
        self.name, self.text = match["event"], match["text"]
        self.fields = dict(re.findall(r"(\w+)=(\S*)", self.text))

    def __getattr__(self, name):
        try:
            value = self.fields[name]
        except KeyError:
            raise AttributeError(name) from None
        return int(value) if re.fullmatch(r"-?\d+", value) else value


def record(machine, events, *commands):
    """Record events while the commands run, and functions. Return the events, in the order of the trace."""
    tracing = "/sys/kernel/tracing"
    machine.check(f"echo 0 > {tracing}/tracing_on; echo 4000 > {tracing}/buffer_size_kb; echo > {tracing}/trace")
    machine.check(f"echo {' '.join(events.split())} > {tracing}/set_event")
    try:
        machine.check(f"echo 1 > {tracing}/tracing_on")
        for command in commands:
            if callable(command):
                command()
            else:
                machine.run(command)
        machine.check(f"echo 0 > {tracing}/tracing_on")
        text = machine.fetch(f"cat {tracing}/trace")
        assert "LOST" not in text
    finally:
        machine.check(f"echo > {tracing}/set_event; echo > {tracing}/trace; echo 1408 > {tracing}/buffer_size_kb; "
                      f"echo 1 > {tracing}/tracing_on")
    return [Event(match) for match in map(LINE.match, text.splitlines()) if match]


def named(events, *names):
    return [event for event in events if event.name in names]


def test_each_switch_leaves_the_task_that_the_switch_before_has_entered(nop5):
    events = record(nop5, "sched:sched_switch", "hackbench -g 1 -l 5", "for cpu in 0 1 2 3; do taskset -c $cpu true; done")
    cpus = defaultdict(list)
    for event in events:
        cpus[event.cpu].append(event)
    assert len(cpus) == 4 and len(events) > 100
    for switches in cpus.values():
        for before, after in zip(switches, switches[1:]):
            assert (after.prev_pid, after.prev_prio) == (before.next_pid, before.next_prio)
            assert after.pid in (after.prev_pid, after.next_pid)  # the line is of the task that leaves
    assert {event.prev_state for event in events} <= {"R", "R+", "S", "D", "I", "X", "Z"}


def test_a_task_that_sleeps_is_woken_before_it_runs_again(nop5):
    """sched_waking may come before the switch away: then the waker waits until the task is off its CPU."""
    events = record(nop5, "sched:sched_switch sched:sched_waking sched:sched_wakeup", "hackbench -g 1 -l 10")
    asleep, waking, seen, woken = set(), set(), set(), 0
    for event in events:
        pid = int(event.fields.get("pid", 0))
        if event.name == "sched_waking":
            waking.add(pid)
            seen.add(pid)
        elif event.name == "sched_wakeup":
            assert pid in waking or pid not in seen, event.text  # recording may begin between waking and wakeup
            waking.discard(pid)
            seen.add(pid)
            woken += pid in asleep
            asleep.discard(pid)
        else:
            assert event.next_pid not in asleep, event.text
            if event.prev_pid and event.prev_state in ("S", "D", "I"):
                asleep.add(event.prev_pid)
    assert woken > 100


def test_a_task_is_born_runs_ends_and_is_freed(nop5):
    def both_are_freed():  # by the CPU that has run the task last, perhaps later than the wait ends
        return all(nop5.run(f"grep -c 'sched_process_free: comm={comm} ' {EVENTS}/../trace").status == 0
                   for comm in ("sleep", "cat"))

    events = record(nop5, "sched:sched_process_fork sched:sched_wakeup_new sched:sched_process_exec sched:sched_process_exit "
                          "sched:sched_process_free sched:sched_process_wait task:task_newtask task:task_rename", "sleep 0.1 | cat", lambda: eventually(both_are_freed))
    lives = defaultdict(list)
    for event in events:
        pid = event.child_pid if event.name == "sched_process_fork" else int(event.fields["pid"])
        if event.name != "sched_process_wait":
            lives[pid].append(event)
    for comm in ("sleep", "cat"):
        life, = (life for life in lives.values() if any(e.name == "sched_process_exit" and e.comm == comm for e in life))
        assert [event.name for event in life] == ["task_newtask", "sched_process_fork", "sched_wakeup_new", "task_rename",
                                                  "sched_process_exec", "task_rename", "sched_process_exit", "sched_process_free"]
        assert (life[0].clone_flags, life[0].oom_score_adj) == (1200000, 0)
        # The shell's child executes the file busybox again, as /proc/self/exe. That takes the name of its command itself.
        assert (life[1].child_comm, life[3].oldcomm, life[3].newcomm) == ("sh", "sh", "exe")
        assert (life[4].filename, life[4].old_pid) == ("/proc/self/exe", life[1].child_pid)
        assert (life[5].oldcomm, life[5].newcomm) == ("exe", comm)
        parent = int(life[1].fields["pid"])
        waits = [e for e in named(events, "sched_process_wait") if e.pid == parent]
        assert waits and {(e.comm, int(e.fields["pid"])) for e in waits} == {("sh", 0)}  # for any child
        assert any(life[5].time < e.time for e in waits)


@pytest.mark.parametrize("command, prio", [("sleep 0.1", 120), ("chrt -f 50 sleep 0.1", 49)])
def test_priorities_are_those_of_linux(nop5, command, prio):
    events = record(nop5, "sched:sched_process_exit", command)
    assert [event.prio for event in events if event.comm == "sleep"] == [prio]


def test_the_migration_task_has_priority_0(nop5):
    """The change of the event ends with a grace period of RCU, which switches to the migration task of each CPU."""
    events = record(nop5, "sched:sched_switch", f"echo 1 > {EVENTS}/task/task_newtask/enable",
                    f"echo 0 > {EVENTS}/task/task_newtask/enable")
    switches = [event for event in named(events, "sched_switch") if event.next_comm.startswith("migration/")]
    assert {event.next_comm for event in switches} == {f"migration/{cpu}" for cpu in range(4)}
    assert {event.next_prio for event in switches} == {0}


def test_a_service_without_work_sleeps_in_state_i(nop5):
    events = record(nop5, "sched:sched_switch", "stress -c 2 -t 1")
    states = {event.prev_state for event in events if re.match("kworker|ksoftirqd|rcu_", event.prev_comm)}
    assert "I" in states and "S" not in states


def test_a_task_that_changes_its_cpu_migrates(nop5):
    events = record(nop5, "sched:sched_migrate_task sched:sched_switch", "taskset -c 3 cat /proc/version", "hackbench -g 1 -l 3")
    where = {}
    moves = 0
    for event in events:
        if event.name == "sched_migrate_task":
            pid = int(event.fields["pid"])
            assert event.orig_cpu != event.dest_cpu and where.get(pid, event.orig_cpu) == event.orig_cpu, event.text
            where[pid] = event.dest_cpu
            moves += 1
        elif event.next_pid:
            if where.get(event.next_pid) is not None:
                assert where[event.next_pid] == event.cpu, event.text
            where[event.next_pid] = event.cpu
    assert moves


def test_runtimes_add_up_to_the_time_that_the_kernel_has_counted_for_the_task(nop5):
    events = record(nop5, "sched:sched_stat_runtime",
                    "sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; cat /proc/$$/sched > /tmp/sched; :'")
    text = nop5.check("cat /tmp/sched; rm /tmp/sched")
    pid = re.match(r"sh \((\d+), ", text)[1]
    milliseconds, nanoseconds = re.search(r"^se\.sum_exec_runtime +: +(\d+)\.(\d{6})$", text, re.M).groups()
    total = int(milliseconds) * 10**6 + int(nanoseconds)
    assert total > 10**6
    assert total in itertools.accumulate(event.runtime for event in events if event.fields["pid"] == pid)


def sleep_once(machine):
    """Let a program sleep until it is killed. Return its PID."""
    pid = start_sleeper(machine)
    machine.run(f"kill {pid}; wait")
    return pid


def test_times_of_sleeps_and_waits_need_schedstats(nop5):
    events = "sched:sched_stat_sleep sched:sched_stat_wait sched:sched_stat_blocked"
    assert nop5.check("cat /proc/sys/kernel/sched_schedstats") == "0\n"
    assert not record(nop5, events, lambda: sleep_once(nop5))
    assert nop5.run("echo 2 > /proc/sys/kernel/sched_schedstats").status == 1
    nop5.check("echo 1 > /proc/sys/kernel/sched_schedstats")
    pids = []
    try:
        found = record(nop5, f"{events} sched:sched_switch sched:sched_waking raw_syscalls:sys_enter",
                       lambda: pids.append(sleep_once(nop5)), "hackbench -g 1 -l 3")
    finally:
        nop5.check("echo 0 > /proc/sys/kernel/sched_schedstats")
    call, = (e for e in named(found, "sys_enter") if e.pid in pids and e.text.startswith(f"NR {CLOCK_NANOSLEEP} "))
    switch, = (e for e in named(found, "sched_switch") if e.prev_pid == call.pid and e.time >= call.time and e.prev_state == "S")
    waking, = (e for e in named(found, "sched_waking") if int(e.fields["pid"]) == call.pid and e.time > switch.time)
    slept, = (e for e in named(found, "sched_stat_sleep") if int(e.fields["pid"]) == call.pid and e.time > switch.time)
    assert waking.time - switch.time - 2e-6 <= slept.delay / 1e9 <= slept.time - call.time + 2e-6
    waits = named(found, "sched_stat_wait")
    assert waits and all(e.delay >= 0 for e in waits)


def wait_for_a_mutex(machine):
    """Let two programs read one terminal, and kill them: one waits for a byte, the other for the mutex of the readers."""
    machine.check("exec 3</dev/ttyS1; dd bs=1 <&3 > /dev/null & first=$!; dd bs=1 <&3 > /dev/null & exec 3<&-")
    for pid in (pids := [int(pid) for pid in machine.check("echo $first $!").split()]):
        eventually(lambda: machine.check(f"cat /proc/{pid}/syscall").startswith(f"{READ} "))
    machine.check(f"kill {' '.join(map(str, pids))}")
    machine.run("wait")
    return pids


def test_each_wait_for_a_lock_begins_and_ends(boot):
    """Most waits are luck: selftest/kernel/lock_events.c has one of each kind. One for a spinlock may interrupt one for a mutex."""
    open_waits, pids = defaultdict(list), []
    machine = boot(cpus=4, extra=("-serial", "null"))
    events = record(machine, "lock:*", lambda: pids.extend(wait_for_a_mutex(machine)), "hackbench -g 4 -l 20")
    lock = next(e.text.split()[0] for e in events if e.pid in pids and e.text.endswith(" (flags=MUTEX)"))
    assert [e for e in named(events, "contention_end") if e.pid in pids and e.text.startswith(f"{lock} ")]
    for event in events:
        lock, what = event.text.split(" ", 1)
        waits = open_waits[event.pid or (0, event.cpu)]
        if event.name == "contention_begin":
            assert what in ("(flags=SPIN)", "(flags=MUTEX)", "(flags=READ)", "(flags=WRITE)"), event.text
            waits.append(lock)
        else:
            assert what in ("(ret=0)", "(ret=-4)")
            assert not waits or waits.pop() == lock, event.text  # recording may begin inside a wait


def test_a_cpu_whose_idle_task_looks_gets_no_interrupt(nop5):
    def seen():
        return record(nop5, "sched:sched_wake_idle_without_ipi", "hackbench -g 2 -l 20")

    eventually(lambda: any(0 <= int(event.fields["cpu"]) < 4 for event in seen()))


def test_a_signal_is_generated_and_delivered(nop5):
    pid = start_sleeper(nop5)
    events = record(nop5, "signal:*", f"kill -15 {pid}", "wait")
    generated = [e for e in named(events, "signal_generate") if e.comm == "sleep" and e.sig == 15]
    assert [(e.errno, e.code, int(e.fields["pid"]), e.grp, e.res) for e in generated] == [(0, 0, pid, 1, 0)]
    delivered = [e for e in named(events, "signal_deliver") if e.pid == pid]
    assert [(e.sig, e.code, e.sa_handler, e.sa_flags) for e in delivered] == [(9, 0, 0, 0)]  # as on Linux: the group ends


def test_a_work_item_is_queued_activated_and_executed(nop5):
    events = record(nop5, "workqueue:*", "stress -c 2 -t 1", "hackbench -g 1 -l 2", "for i in 1 2 3; do cat /proc/version; done")
    queued, running, seen, activated, executed = set(), set(), set(), 0, 0
    for event in events:
        item = re.match(r"work struct[ =]([0-9a-fx]+)", event.text).group(1)
        if event.name == "workqueue_queue_work":
            assert event.workqueue in ("events", "events_unbound") and event.function
            assert item not in queued
            queued.add(item)
        elif event.name == "workqueue_activate_work":
            assert item in queued or item not in seen, event.text  # recording may begin between the two
            queued.discard(item)
            activated += 1
        elif event.name == "workqueue_execute_start":
            running.add(item)
        else:
            assert event.name == "workqueue_execute_end"
            executed += item in running
            running.discard(item)
        seen.add(item)
    assert activated and executed
    assert len(queued) <= 4  # recording may end on each CPU between queueing and activation


def test_rcu_says_when_it_works(nop5):
    """A filter that is replaced is freed by a callback of RCU."""
    def works():
        return nop5.run(f"grep -q 'End RCU core' {EVENTS}/../trace").status == 0

    events = record(nop5, "rcu:rcu_utilization", f"echo pid == 1 > {EVENTS}/task/task_newtask/filter",
                    f"echo 0 > {EVENTS}/task/task_newtask/filter", lambda: eventually(works))
    texts = defaultdict(list)
    for event in events:
        texts[event.pid].append(event.text)
    assert texts
    for of_task in texts.values():  # recording may begin before an end, and end after a start
        first = of_task[0] == "End RCU core"
        assert of_task[first:] == (["Start RCU core", "End RCU core"] * len(of_task))[:len(of_task) - first]
    formats = nop5.check("cat /sys/kernel/tracing/printk_formats")
    assert '"Start RCU core"' in formats and '"End RCU core"' in formats


def test_printk_is_an_event(nop5):
    events = record(nop5, "printk:console", "echo '<6>a line for the trace' > /dev/kmsg")
    assert [event.text for event in events].count("a line for the trace") == 1
