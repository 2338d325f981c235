"""The tests of lab 19: a model of the locks of run queues that is silent in the finished kernel, and catches faults of others."""
import re

from lab_test import expect

RV = "/sys/kernel/tracing/rv"
LOAD = "taskset -c 1 stress -c 3 -t 1"  # the other CPUs look for work at CPU 1 again and again, and take two locks
# What is changed in move_one_task() of lab 9, by the number in /proc/sys/kernel/lab_fault. {1: …} is the wrong solution lock-kept.
FAULTS = {1: "one of two locks is not released (a wrong solution of lab 9)", 2: "interrupts go on while two locks are held",
          3: "one lock is released twice, and the other one is not", 4: "a lock is taken twice"}
CHANGES = [
    ("\tdouble_rq_lock(from, to);\n\tif (from->nr_running >= min_load",
     "\tif (READ_ONCE(lab_fault) == 4) {\n\t\trq_lock(to);\n\t\trq_lock(to);\n\t}\n\tdouble_rq_lock(from, to);\n"
     "\tif (READ_ONCE(lab_fault) == 2) {\n\t\tlocal_irq_enable();\n\t\tlocal_irq_disable();\n\t}\n\tif (from->nr_running >= min_load"),
    ("\trq_unlock(from);\n\trq_unlock(to);\n\treturn p;\n",
     "\trq_unlock(from);\n\tif (READ_ONCE(lab_fault) == 3)\n\t\trq_unlock(from);\n\telse if (READ_ONCE(lab_fault) != 1)\n\t\trq_unlock(to);\n\treturn p;\n"),
    ("#include \"kernel/smp.h\"\n",
     "#include \"kernel/smp.h\"\n#include \"fs/proc/proc_fs.h\"\n\nstatic int lab_fault;\nSYSCTL_INT(lab_fault, \"kernel\", lab_fault, proc_dointvec);\n"),
]


def make_faulty(tree):
    """Changes a copy of the tree. The first occurrence of each text is that of move_one_task()."""
    path = tree / "kernel/sched/balance.c"
    text = path.read_text()
    for old, new in CHANGES:
        expect(old in text, "kernel/sched/balance.c as it was in your starter", "another one")
        text = text.replace(old, new, 1)
    path.write_text(text)


def caught(lab, faults):
    """Each fault, switched on while the monitor is enabled with the reactor panic, must be reported before the machine stops."""
    build = lab.rebuild(change=make_faulty)
    for fault in faults:
        report = lab.crash(cpus=4, build=build, commands=(f"echo panic > {RV}/monitors/rql/reactors; echo rql > {RV}/enabled_monitors", "usleep 10000",
                                                           f"echo {fault} > /proc/sys/kernel/lab_fault", LOAD))
        expect(re.search(r"rv: monitor rql does not allow event \w+ on state \w+", report), f"your model to catch it if {FAULTS[fault]}", report[-300:])


def test_boots(lab):
    release, = lab.boot("uname -s", cpus=4)
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def test_silent(lab):
    *_, trace = lab.boot(f"cd {RV}", "echo 8192 > ../buffer_size_kb; echo 1 > ../events/rv/error_rql/enable; echo 1 > ../events/rv/event_rql/enable",
                         f"echo rql > enabled_monitors; {LOAD}; chrt -f 5 true; echo > enabled_monitors", "cat ../trace", cpus=4)
    errors = re.findall(r"error_rql: .*", trace.text)
    expect(not errors, "no error of rql in the finished kernel", errors[0] if errors else "")
    steps = re.findall(r"event_rql: (\w+) x (\w+) -> (\w+)", trace.text)
    states = {state for state, _, _ in steps}
    expect(len(steps) > 1000, "the steps of rql in the trace (event_rql)", f"{len(steps)} of them")
    expect(len(states) >= 4, "CPUs that hold none, their own, another or both locks", f"only the states {', '.join(sorted(states))}")


def test_caught(lab):
    caught(lab, (1, 2))
