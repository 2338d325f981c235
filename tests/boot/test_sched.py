"""Tasks on CPUs: affinity, priorities, migration; the load commands hackbench and stress."""
import re

import pytest

from nop5 import eventually, kill, resources, resources_return_to, tasks


@pytest.mark.parametrize("cpu", range(4))
def test_taskset_puts_a_command_on_its_cpu(nop5, cpu):
    status = nop5.check(f"taskset -c {cpu} cat /proc/self/status")
    assert re.search(rf"^Cpus_allowed_list:\t{cpu}$", status, re.M)
    stat = nop5.check(f"taskset -c {cpu} cat /proc/self/stat")
    assert int(stat.rpartition(")")[2].split()[36]) == cpu


def test_taskset_takes_a_mask_and_shows_a_tasks_own(nop5):
    status = nop5.check("taskset 5 cat /proc/self/status")
    assert re.search(r"^Cpus_allowed:\t5$", status, re.M)
    assert re.search(r"^Cpus_allowed_list:\t0,2$", status, re.M)


def test_chrt_gives_a_command_a_real_time_priority(nop5):
    stat = nop5.check("chrt -f 50 cat /proc/self/stat").rpartition(")")[2].split()
    priority, rt_priority, policy = int(stat[15]), int(stat[37]), int(stat[38])
    assert (priority, rt_priority, policy) == (-51, 50, 1)
    stat = nop5.check("cat /proc/self/stat").rpartition(")")[2].split()
    assert (int(stat[15]), int(stat[37]), int(stat[38])) == (20, 0, 0)


def test_busy_tasks_spread_over_idle_cpus(nop5):
    """Four computations on four CPUs: each gets its own CPU, wherever it started."""
    nop5.run("stress -c 4 -t 3600 &")
    try:
        def where():
            places = []
            for pid in tasks(nop5, "stress"):
                result = nop5.run(f"cat /proc/{pid}/stat")
                fields = result.output.rpartition(")")[2].split()
                if result.status == 0 and fields[0] == "R":
                    places.append(int(fields[36]))
            return set(places)

        eventually(lambda: where() == {0, 1, 2, 3})
    finally:
        kill(nop5, "stress")


def stress_tasks(nop5, count):
    """Waits until count stress tasks exist, and returns their PIDs."""
    eventually(lambda: len(tasks(nop5, "stress")) == count)
    return tasks(nop5, "stress")


def test_each_tick_is_one_interrupt(boot):
    """The counter of the timer is rounded so that it ends behind the event, never before it."""
    machine = boot(cpus=1, icount=True)
    machine.check("cd /sys/kernel/tracing; echo 1 > events/irq_vectors/local_timer_entry/enable; "
                  "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo 0 > tracing_on")
    times = [int(s + us) for s, us in re.findall(r"^ *sh-\d+ .* (\d+)\.(\d{6}): local_timer_entry", machine.check("cat trace"), re.M)]
    apart = [later - earlier for earlier, later in zip(times, times[1:])]
    # Others are the lockup detector's, and the ticks behind them.
    ticks = [gap for gap in apart if 4000 <= gap < 4010]
    assert min(apart) > 100 and len(ticks) > 50 and len(ticks) > 0.9 * len(apart), apart


def test_a_waiting_task_reaches_an_idle_cpu_within_100_ms(boot):
    """The time is the machine's: with icount, one instruction takes one nanosecond."""
    machine = boot(wait=False, cpus=4, icount=True, append="selftest=sched.waiting_task_goes_to_an_idle_cpu")
    machine.wait_exit(0)
    assert int(re.search(r"moved after (\d+) us", machine.text).group(1)) < 100_000


def test_three_equal_tasks_have_run_equally_long_after_300_ms(boot):
    machine = boot(wait=False, cpus=2, icount=True, append="selftest=sched.equal_tasks_get_equal_time_within_10_percent")
    machine.wait_exit(0)
    least, most = map(int, re.search(r"least (\d+) us, most (\d+) us", machine.text).groups())
    assert most < 200_000 and (most - least) * 10 <= most


def test_a_task_moves_off_a_busy_cpu_when_another_goes_idle(boot):
    """Two computations share CPU 0 while CPU 1 is busy. When CPU 1 is idle, one moves there."""
    nop5 = boot(cpus=2)
    nop5.run("taskset -c 1 stress -c 1 -t 3600 &")
    blocker = stress_tasks(nop5, 2)  # the command and its worker
    nop5.run("stress -c 2 -t 3600 &")
    workers = [pid for pid in stress_tasks(nop5, 5) if pid not in blocker]
    for pid in reversed(blocker):
        nop5.run(f"kill {pid}")

    def running_on():
        places = set()
        for pid in workers:
            fields = nop5.check(f"cat /proc/{pid}/stat").rpartition(")")[2].split()
            if fields[0] == "R":
                places.add(int(fields[36]))
        return places

    eventually(lambda: running_on() == {0, 1})


@pytest.mark.parametrize("cpus", [1, 8])
def test_hackbench_passes_all_messages(boot, cpus):
    nop5 = boot(cpus=cpus)
    assert re.search(r"^Time: \d+\.\d+", nop5.check("hackbench -g 2 -l 10"), re.M)


def test_stress_verifies_its_checksums(nop5):
    text = nop5.check("stress -c 4 -m 4 -t 1")
    assert re.search(r"successful run completed|checksums? (verified|ok)|ok", text, re.I), text
    assert not re.search(r"mismatch|fail", text, re.I), text


@pytest.mark.parametrize("rounds", [1, pytest.param(10, marks=pytest.mark.soak)])
def test_loads_leave_nothing_behind(nop5, rounds):
    nop5.check("hackbench -g 2 -l 20")
    nop5.check("stress -c 2 -m 2 -t 1")
    before = resources(nop5)
    for _ in range(rounds):
        nop5.check("hackbench -g 2 -l 20")
        nop5.check("stress -c 2 -m 2 -t 1")
    resources_return_to(nop5, before)


@pytest.mark.parametrize("cpus", [1, pytest.param(4, marks=pytest.mark.soak)])
def test_real_time_tasks_that_spin_on_each_cpu_do_not_freeze_the_machine(boot, cpus):
    machine = boot(cpus=cpus)
    for cpu in range(cpus):
        machine.run(f"taskset -c {cpu} chrt -f 99 sh -c 'while :; do :; done' &")
    eventually(lambda: "sched: RT throttling activated\n" in machine.check("dmesg"))
    assert machine.check("seq 1 1000 | md5sum") == machine.check("seq 1 1000 > /tmp/s; md5sum < /tmp/s")
    machine.check("killall -9 sh")
    machine.check("wait")
    assert machine.check("dmesg").count("RT throttling activated") == 1


def test_a_limited_real_time_task_gets_three_quarters_of_its_cpu(boot):
    """The time is the machine's: with icount, one instruction takes one nanosecond."""
    machine = boot(wait=False, cpus=2, icount=True, append="selftest=rt_bandwidth.spinning_task_leaves_the_rest_of_each_period")
    machine.wait_exit(0)
    real_time, fair = map(int, re.search(r"real-time (\d+) us, fair (\d+) us", machine.text).groups())
    assert abs(real_time / (real_time + fair) - 0.75) < 0.03


@pytest.mark.parametrize("cpu", [0, 1])
def test_a_fifo_task_does_not_starve_the_machine_of_its_other_cpus(nop5, cpu):
    """A real-time task keeps its CPU busy. The shell and the console use the other CPUs."""
    nop5.check("dmesg -n 1")  # after a second the kernel says that it throttles the task: perhaps while a command answers
    try:
        nop5.run(f"taskset -c {cpu} chrt -f 99 stress -c 1 -t 3600 &")
        stress_tasks(nop5, 2)  # the command and its worker
        for _ in range(5):
            assert nop5.check("echo on") == "on\n"
        assert "stress" in nop5.check("ps")
    finally:
        kill(nop5, "stress")
        nop5.check("dmesg -n 7")
    assert "stress" not in nop5.check("ps")
