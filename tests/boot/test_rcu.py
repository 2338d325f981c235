"""RCU as seen from outside: what it says of itself, and of tasks that hold a grace period up."""
import re


def test_the_file_counts_grace_periods_and_callbacks(nop5):
    text = nop5.check("cat /sys/kernel/debug/rcu_tasks")
    assert re.fullmatch(r"rcu_sched: grace periods: \d+ callbacks: \d+ waiting: 0\n"
                        r"rcu_tasks: grace periods: \d+ callbacks: \d+ waiting: 0\n", text), text


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
