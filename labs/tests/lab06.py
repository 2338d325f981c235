"""The tests of lab 6: grace periods of RCU-tasks, on a model of tasks (lab06_tasks.c), and what ftrace frees after them (lab06_ops.c)."""
from lab_test import expect

RULES = {
    "steps": "a barrier on all CPUs before the first flag is set, and a switch of all CPUs behind the last holdout",
    "holdouts": "a grace period to last until all tasks that were running or preempted have been at a quiescent point, and no longer",
    "kick": "a task that computes in its program to be kicked after all CPUs see its flag",
    "references": "a holdout to stay in memory while it is in the list, and no longer, and the list to change with its lock held only",
    "unregister": "everything that a task may still use to stay until a grace period of RCU-tasks has ended",
    "register": "a failed registration to free its trampoline after the readers have gone",
    "hashes": "old sets of sites to be freed once, and after a grace period (ftrace_hash_free_tasks())",
}


def on_the_model(lab, source, mode, *options):
    program = lab.host_program(source, options=options)
    result = lab.run("timeout", str(lab.timeout), program, mode)
    expect(result.returncode == 0, RULES[mode], result.stdout or f"no end within {lab.timeout} s")


def on_the_model_of_tasks(lab, mode):
    on_the_model(lab, "lab06_tasks.c", mode, "-DCONFIG_DEBUG", "-includelab06_fence.h")


def test_boots(lab):
    version, = lab.boot("cat /proc/version")
    expect(version.text.startswith("nop5 "), "/proc/version to name nop5", version.text)


def test_steps(lab):
    on_the_model_of_tasks(lab, "steps")


def test_holdouts(lab):
    on_the_model_of_tasks(lab, "holdouts")


def test_kick(lab):
    on_the_model_of_tasks(lab, "kick")


def test_references(lab):
    on_the_model_of_tasks(lab, "references")


def test_unregister(lab):
    on_the_model(lab, "lab06_ops.c", "unregister")


def test_hashes(lab):
    on_the_model(lab, "lab06_ops.c", "hashes")


def test_kernel(lab):
    for name in ("a_preempted_task_holds_the_grace_period_until_it_switches", "tasks_that_yield_or_sleep_do_not_hold_it",
                 "tasks_come_and_exit_while_grace_periods_go_by"):
        lab.selftest(f"rcu_tasks.{name}")
    lab.selftest("ftrace_free.a_trampoline_stays_until_each_preempted_task_has_left_it")
