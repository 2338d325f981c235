"""RCU as a user sees it: its statistics, and its report about tasks that delay a grace period."""
import re

from nop5 import eventually, kill


def test_the_file_counts_grace_periods_and_callbacks(nop5):
    """No callback waits for ever. Some may wait for a while, because commands have just ended."""
    def counts():
        text = nop5.check("cat /sys/kernel/debug/rcu_tasks")
        found = re.fullmatch("".join(rf"{kind}: grace periods: (\d+) callbacks: (\d+) waiting: (\d+)\n" for kind in ("rcu_sched", "rcu_tasks")), text)
        assert found, text
        return list(map(int, found.groups()))

    before = counts()
    eventually(lambda: counts()[2] == counts()[5] == 0)
    eventually(lambda: counts()[0] > before[0] and counts()[1] > before[1])


def test_the_kthreads_are_there(nop5):
    names = nop5.check("ps")
    assert "rcu_tasks_kthread"[:15] in names and "rcu_sched" in names


def test_a_stall_names_the_task_and_shows_where_it_is(boot):
    for cpus in (1, 2):
        machine = boot(wait=False, cpus=cpus, append="selftest=rcu_tasks.a_stall*")
        machine.wait_exit()
        report = machine.text[machine.text.index("INFO: rcu_tasks detected stalls on tasks:"):]
        assert re.search(r"test/0/\d+: R.* nvcsw: \d+/\d+ holdout: 1 cpu: \d", report), report
        trace = report[report.index("Call Trace:"):]
        assert re.search(r" rcu_tasks_test_spin\+0x", trace), trace
        assert "# Totals: pass:1 fail:0" in report


def test_tasks_that_loop_in_system_calls_do_not_hold_a_grace_period(boot):
    """More such tasks than CPUs, so that some are preempted at any time. None of them ever sleeps by itself."""
    machine = boot(cpus=2)
    machine.check("cd /sys/kernel/tracing")
    for _ in range(4):
        machine.check("cat /dev/zero > /dev/null &")
    for tracer in ("function", "function_graph", "nop"):
        machine.check(f"echo {tracer} > current_tracer")
    assert machine.check("cat current_tracer") == "nop\n"
    assert "detected stalls" not in machine.text
    kill(machine, "cat")
    machine.poweroff()
