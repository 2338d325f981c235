"""The tests of lab 9: slices, weights, real-time levels, sleepers and balancing."""
import re

from lab_test import expect

TRACING = "/sys/kernel/tracing"
CHARGE = re.compile(r"^.*\[\d+\].*?: sched_stat_runtime: comm=(?P<comm>.+?) pid=(?P<pid>\d+) runtime=(?P<ran>\d+) \[ns\] vruntime=(?P<vruntime>\d+)",
                    re.M)
SWITCH = re.compile(r"^.*\[(?P<cpu>\d+)\].*?(?P<time>\d+\.\d+): sched_switch: prev_comm=(?P<prev>.+?) prev_pid=(?P<prev_pid>\d+) "
                    r".*==> next_comm=(?P<next>.+?) next_pid=(?P<next_pid>\d+) next_prio=(?P<next_prio>\d+)", re.M)
ASKED = re.compile(r" *(?P<comm>.+?)-(?P<pid>\d+) .*?(?P<time>\d+\.\d+): resched_curr <-scheduler_tick")
SPIN = "while :; do :; done"


def work(loops):
    return f"n=0; while [ $n -lt {loops} ]; do n=$((n+1)); done"


def trace(lab, *commands, event, cpus=2, icount=False):
    """Run the commands while the event is recorded, and return the trace."""
    answers = lab.boot(f"cd {TRACING}", "echo 8192 > buffer_size_kb", f"echo 1 > events/sched/{event}/enable", *commands,
                       "echo 0 > tracing_on", "cat trace", cpus=cpus, icount=icount)
    return answers[-1].text


def charges_in(text, comm):
    """(PID, virtual time before and after, time) of each charge of the tasks with that name, which have nice 0."""
    return [(charge["pid"], int(charge["vruntime"]) - int(charge["ran"]), int(charge["vruntime"]), int(charge["ran"]))
            for charge in CHARGE.finditer(text) if charge["comm"] == comm]


def lag_after_sleep(text):
    """By how much virtual time the sleeper is behind the spinner when it runs again, and how much the spinner used meanwhile."""
    spun = behind = since = 0
    last = None  # where the spinner is
    for charge in CHARGE.finditer(text):
        after = int(charge["vruntime"])
        before = after - int(charge["ran"])
        if charge["comm"] == "spinner":
            last, since = after, since + after - before
        elif charge["comm"] == "sleeper" and last is not None:
            if since > spun:
                spun, behind = since, last - before
            since = 0
    return behind, spun


def test_boots(lab):
    release, = lab.boot("uname -s", cpus=4)
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def slices_in(text, comm, priority=120):
    """The slices of the tasks with that name that had the priority when they got the CPU, in seconds, and the times of a task
    on the CPU after which the tick has asked for a switch."""
    began, slices, asked = {}, [], []
    for line in text.splitlines():
        if switch := SWITCH.match(line):
            now = float(switch["time"])
            if switch["prev"] == comm and switch["prev_pid"] in began:
                slices.append(now - began.pop(switch["prev_pid"]))
            if int(switch["next_prio"]) == priority:
                began[switch["next_pid"]] = now
        elif (tick := ASKED.match(line)) and tick["comm"] == comm and tick["pid"] in began:
            asked.append(float(tick["time"]) - began[tick["pid"]])
    return slices, asked


def test_slice(lab):
    # Time is counted in instructions, so a host that stops the machine does not make slices long.
    def spinners(count):
        return f"for i in $(seq {count}); do taskset -c 1 sh -c 'echo spinner > /proc/self/comm; {SPIN}' & done"

    show = "kill $(jobs -p); wait; echo 0 > tracing_on; cat trace; echo > trace; echo 1 > tracing_on"
    # It is a real-time task before it comes to the spinners' CPU: as a fair one it may lose that CPU after a slice.
    urgent = f"taskset -c 0 chrt -f 10 taskset -c 1 sh -c 'echo urgent > /proc/self/comm; {work(2000)}'"
    naps = "taskset -c 1 sh -c 'for i in $(seq 60); do usleep 1000; done'"  # each wake-up begins a slice of the others anew
    *_, three, napped, alone, real_time = lab.boot(
        f"cd {TRACING}", "echo 8192 > buffer_size_kb", "echo 1 > events/sched/sched_switch/enable",
        "echo resched_curr > set_ftrace_filter; echo function > current_tracer",
        f"{spinners(3)}; usleep 600000; {show}", f"{spinners(2)}; {naps}; {show}",
        f"{spinners(1)}; usleep 100000; {show}", f"{spinners(2)}; {urgent}; {show}", icount=True)
    slices, asked = slices_in(three.text, "spinner")
    long = [slice for slice in slices if slice > 0.0025]
    expect(len(long) >= 100, "three tasks that compete for a CPU to change places every 3 ms",
           f"{len(long)} slices of 2.5 ms or more in {sum(slices):.1f} s")
    short = [time for time in asked + slices_in(napped.text, "spinner")[1] if time < 0.0029]
    expect(len(short) <= 3, "the tick to ask for a switch when a slice has ended", f"{len(short)} times before, as after {1000 * min(short, default=0):.1f} ms")
    _, asked = slices_in(alone.text, "spinner")
    expect("spinner" in alone.text and len(asked) <= 3, "the tick not to ask for a switch while a task has no competitor", f"{len(asked)} times in 100 ms")
    slices, asked = slices_in(real_time.text, "urgent", priority=99 - 10)
    expect(sum(slices) > 0.003 and not asked, "the tick not to ask a real-time task for its CPU", f"{len(asked)} times in {1000 * sum(slices):.0f} ms")


def test_nice(lab):
    for name in ("nice_5_gets_a_third_of_nice_0", "equal_tasks_get_equal_time_within_10_percent"):
        lab.selftest(f"sched.{name}", icount=True)


def test_levels(lab):
    for name in ("fifo_tasks_run_in_order_of_priority", "fifo_task_is_not_preempted_by_fair_ones", "migration_task_runs_before_any_fifo_task"):
        lab.selftest(f"sched.{name}")
    low, high = sorted(lab.random.sample(range(1, 36), 2))
    each = [f"taskset -c 1 chrt -f {level} sh -c 'for i in 1 2 3; do usleep 100; {work(300)}; done' &"
            for level in (low, low, low, high, 40, 40, 99)]
    done, = lab.boot(" ".join([*each, "wait; echo done"]))
    expect("done" in done.lines, "tasks that share a level of SCHED_FIFO to end", done.text)


def test_sleeper(lab):
    text = trace(lab, f"taskset -c 1 sh -c 'echo spinner > /proc/self/comm; {SPIN}' & spinner=$!",
                 f"taskset -c 1 sh -c 'echo sleeper > /proc/self/comm; sleep 1; {work(300)}'", "kill $spinner",
                 f"taskset -c 1 sh -c 'echo napper > /proc/self/comm; for i in $(seq 60); do usleep 1; {work(20)}; done'",
                 event="sched_stat_runtime", icount=True)
    behind, spun = lag_after_sleep(text)
    expect(spun > 5e8, "charges of both tasks in the trace (sched_stat_runtime)", f"{spun / 1e6:.0f} ms of the one that ran meanwhile")
    expect(abs(behind) < spun / 4, "a task that has slept for a second to start near the one that ran meanwhile",
           f"it is {abs(behind) / 1e6:.0f} ms of virtual time {'behind' if behind > 0 else 'ahead'}")
    for comm in ("napper", "sleeper"):
        charges = charges_in(text, comm)
        for (pid, _, after, _), (next_pid, before, _, _) in zip(charges, charges[1:]):
            expect(pid != next_pid or before >= after, "the virtual time of a task never to decrease while it stays on its CPU",
                   f"{after} ns and then {before} ns in {comm}")


def test_balance(lab):
    for name in ("waiting_task_goes_to_an_idle_cpu", "fair_task_leaves_a_cpu_whose_real_time_task_does_not_sleep"):
        lab.selftest(f"sched.{name}", cpus=4)
    pinned = "taskset -c 1 stress -c 3 -t 1"
    text = trace(lab, "cat /proc/uptime", pinned, event="sched_switch", cpus=4)
    elsewhere = [switch for switch in SWITCH.finditer(text) if switch["next"] == "stress" and switch["cpu"] != "001"]
    expect("next_comm=stress" in text, f"switches to the tasks of `{pinned}` in the trace", "none")
    expect(not elsewhere, f"the tasks of `{pinned}` to run on CPU 1 only", f"one on CPU {int(elsewhere[0]['cpu']) if elsewhere else 0}")
