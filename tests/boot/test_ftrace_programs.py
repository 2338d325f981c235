"""Tracing of programs: their threads, children and execve(), their names and stacks, and live patches while they run.

The program is data/watched.c, whose marks are calls of getpriority(). What it expects was compared with Linux 6.1 (tools/linux-ref).
"""
import re
import subprocess

import pytest

from nop5 import ROOT, eventually
from test_abi import build_programs
from test_livepatch import NEW, PATCH

TRACING = "/sys/kernel/tracing"
LINE = re.compile(r"^ *(?P<comm>\S+)-(?P<pid>\d+) +\( *(?P<tgid>\d+)\) \[\d+\] \S+ +[\d.]+: (?P<text>.*)$")
EVENT = "events/syscalls/sys_enter_getpriority/enable"


@pytest.fixture(scope="session")
def watched(images):
    """(the program, a root file system with it)"""
    program, archive = images / "test/watched", images / "test/watched.cpio"
    program.parent.mkdir(exist_ok=True)
    subprocess.run(["musl-gcc", "-static", "-no-pie", "-O2", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-Wall", "-Wextra",
                    "-Werror", "-o", program, ROOT / "tests/boot/data/watched.c"], check=True)
    subprocess.run([ROOT / "scripts/rootfs", archive, ROOT / "build/modroot", program], check=True)
    return program, archive


@pytest.fixture
def tracing(boot, watched):
    machine = boot(initrd=str(watched[1]))
    machine.check(f"cd {TRACING}; echo 1 > options/record-tgid")
    return machine


def family(machine, *before):
    """Run the program in the shell's place, after these commands. Return [(comm, PID, tgid)] of its marks, with its PIDs as letters:
    P for the program, then in the order in which they appear. The marks of one run are in the order of their time."""
    before = "; ".join(before)
    machine.check("echo > trace")
    machine.check(f"sh -c '{before or 'true'}; exec watched family'")
    found, names = [], {}
    for match in filter(None, map(LINE.match, machine.check("cat trace").splitlines())):
        if "getpriority" in match["text"]:
            pid, tgid = (names.setdefault(match[which], "PTCEFGH"[len(names)]) for which in ("pid", "tgid"))
            found.append((match["comm"], pid, tgid))
    return found


# Threads are T and F. F's mark has F's own name; execve() then gives it the PID of its leader, G.
MAIN = ("watched", "P", "P")
ALL = [MAIN, ("second", "T", "P"), MAIN, ("child", "C", "C"), ("child", "C", "C"), ("exe", "E", "E"), ("exe", "E", "E"),
       ("watched", "F", "G"), ("exe", "G", "G"), MAIN]


def test_names_pids_and_tgids_are_right_across_threads_forks_and_exec(tracing):
    tracing.check(f"echo 1 > {EVENT}")
    assert family(tracing) == ALL


def test_a_pid_in_set_ftrace_pid_is_one_task_of_the_program(tracing):
    tracing.check("echo __x64_sys_getpriority > set_ftrace_filter; echo function > current_tracer")
    assert family(tracing, "echo $$ > set_ftrace_pid") == [MAIN] * 3


@pytest.mark.parametrize("kind", ["function", "event"])
def test_threads_and_children_follow_and_all_are_forgotten_in_the_end(tracing, kind):
    """A thread that executes a program takes the PID of its leader, which ends: that PID stays in the list, and the thread's goes."""
    file = {"function": "set_ftrace_pid", "event": "set_event_pid"}[kind]
    tracing.check("echo __x64_sys_getpriority > set_ftrace_filter; echo function > current_tracer" if kind == "function" else f"echo 1 > {EVENT}")
    tracing.check(f"echo 1 > options/{kind}-fork")
    assert family(tracing, f"echo $$ > {file}") == ALL
    assert tracing.check(f"cat {file}") == ""


def test_the_stack_of_a_program_is_in_each_of_its_threads(tracing, watched):
    symbols = subprocess.run(["nm", "-n", watched[0]], text=True, stdout=subprocess.PIPE, check=True).stdout
    symbols = [(int(address, 16), name) for address, name in re.findall(r"^(\w+) [tT] (\w+)$", symbols, re.M)]

    def function(address):
        return [name for start, name in symbols if start <= address][-1]

    tracing.check(f"echo 1 > options/userstacktrace; echo 1 > {EVENT}; watched family; echo 0 > {EVENT}")
    stacks, comm = [], None
    for line in tracing.check("cat trace").splitlines():
        if match := re.match(r" *(\S+)-\d+ .*: <user stack trace>$", line):
            comm = match[1]
            stacks.append((comm, []))
        elif match := re.match(r" =>  <([0-9a-f]{16})>$", line):
            stacks[-1][1].append(function(int(match[1], 16)))
    main, child = ["main", "libc_start_main_stage2"], ["in_child", "main", "libc_start_main_stage2"]
    assert stacks == [("watched", ["mark", *main]), ("second", ["mark", "outer", "thread", "start"]), ("watched", ["mark", *main]),
                      ("child", ["mark", "rename_self", *child]), ("child", ["mark", "rename_self", *child]),
                      ("exe", ["mark", "exec_self", *child]), ("exe", ["mark", *main]),
                      ("watched", ["mark", "exec_thread", "start"]), ("exe", ["mark", *main]), ("watched", ["mark", *main])]


def test_the_stack_of_a_program_is_not_read_from_the_memory_of_the_next_one(tracing):
    """tlb_flush of a switch comes when the next program's memory is loaded, and `current` is the program before."""
    # The written bytes would fill the buffer.
    tracing.check("echo 0 > syscall_user_buf_size; echo 1 > options/userstacktrace; echo 1 > events/tlb/tlb_flush/enable; "
                  "echo 1 > events/syscalls/sys_enter_write/enable")
    tracing.check("taskset 1 sh -c 'yes | head -n 300000 > /dev/null'; echo 0 > events/enable")
    trace = tracing.check("cat per_cpu/cpu0/trace; echo 0 > options/userstacktrace; echo 63 > syscall_user_buf_size").splitlines()
    flushes = [n for n, line in enumerate(trace) if re.match(r" *(yes|head)-.*tlb_flush: .*\(0\)", line)]
    assert len(flushes) >= 3 and any(line.startswith(" => ") for line in trace)
    assert not [trace[n] for n in flushes if "".join(trace[n + 2 : n + 3]).startswith(" => ")]


def test_a_program_that_begins_to_sleep_has_its_stack_in_the_switch(tracing):
    """sched_switch comes when the memory of the task before is still loaded. Linux 6.1 shows its stack, too."""
    tracing.check("echo 1 > options/userstacktrace; echo 1 > events/sched/sched_switch/enable; taskset -c 0 sleep 0.01; echo 0 > events/enable")
    text = tracing.check("cat per_cpu/cpu0/trace; echo 0 > options/userstacktrace")  # between the two lines may be those of other CPUs
    assert re.search(r"sched_switch: prev_comm=sleep \S+ \S+ prev_state=S .*\n *sleep-\d+ .*: <user stack trace>\n =>  <[0-9a-f]{16}>\n", text)


@pytest.mark.soak
def test_a_live_patch_and_a_tracer_do_not_wait_for_programs_that_never_sleep(boot, watched):
    """More of them than CPUs: they compute, or they call the kernel, for ever. Ring 3 is quiescent, and a call ends."""
    machine = boot(initrd=str(watched[1]), kernel="nop5-test", cpus=4)
    machine.check("echo 4 > /proc/sys/kernel/printk; mkfifo /tmp/fifo; cat /proc/cmdline > /tmp/old")
    for what in ("watched spin", "watched calls", "cat /tmp/fifo", "while :; do cat /proc/cmdline > /dev/null; done"):
        for _ in range(3):
            machine.check(f"sh -c '{what}' &")
    for _ in range(3):
        machine.check("modprobe livepatch-sample")
        eventually(lambda: machine.check(f"cat {PATCH}/transition") == "0\n")
        assert machine.check("cat /proc/cmdline") == NEW
        machine.check(f"echo 0 > {PATCH}/enabled")
        eventually(lambda: machine.run("ls /sys/kernel/livepatch").output == "")
        machine.check("cmp /proc/cmdline /tmp/old")
        eventually(lambda: machine.run("rmmod livepatch-sample").status == 0)  # the worker gives up the module after the directory
        # Both free a trampoline, which waits until each task has left it.
        machine.check(f"cd {TRACING}; echo __x64_sys_getpriority > set_ftrace_filter; echo function > current_tracer; mkdir instances/a")
        machine.check("echo function_graph > instances/a/current_tracer; rmdir instances/a; echo nop > current_tracer")
        assert "__x64_sys_getpriority" not in machine.check("cat enabled_functions")
    assert "stall" not in machine.text


def test_an_exec_and_its_memory_have_the_function_names_of_linux(tracing):
    """The names that are typed for Linux: set_ftrace_filter refuses one that does not exist."""
    in_exec = "do_execveat_common alloc_bprm mm_alloc vm_area_alloc insert_vm_struct bprm_stack_limits free_bprm"
    tracing.check(f"echo {in_exec} __cond_resched handle_mm_fault ksys_read __x64_sys_write > set_ftrace_filter")
    tracing.check("echo do_execveat_common > set_graph_function; echo function_graph > current_tracer")
    tracing.check("/bin/true; echo 0 > tracing_on")
    lines = [line.split("|", 1)[1].strip(" ;{}") for line in tracing.check("cat trace").splitlines() if "()" in line]
    assert lines[:5] == ["do_execveat_common()", "alloc_bprm()", "mm_alloc()", "vm_area_alloc()", "insert_vm_struct()"]
    assert {"__cond_resched()", "bprm_stack_limits()", "handle_mm_fault()"} <= set(lines) and lines[-1] == "free_bprm()"


def test_a_write_to_either_side_of_a_pty_queues_work_for_the_line_discipline(boot):
    machine = boot(initrd=build_programs([("musl", "pty_basic")]))
    machine.check(f"cd {TRACING}; echo 1 > events/workqueue/workqueue_queue_work/enable; echo pty_write > set_graph_function")
    machine.check("echo pty_write tty_insert_flip_string schedule_work_unbound > set_ftrace_filter")
    machine.check("echo 1 > options/funcgraph-proc; echo function_graph > current_tracer; sh /abi/run musl pty_basic; echo 0 > tracing_on")
    trace = machine.check("cat trace")
    queued = {}
    for task in ("pty_basic", "kworker"):  # the program writes to both sides, and a worker writes the echo
        lines = [line.split("|", 2)[2] for line in trace.splitlines() if re.search(rf" {task[:7]}[^|]*-\d+ *\|", line)]
        text = "\n".join(lines)
        queued[task] = re.findall(r"pty_write\(\) \{\n +tty_insert_flip_string\(\);\n +schedule_work_unbound\(\) \{\n"
                                  r" +/\* workqueue_queue_work: work struct=(\w+) function=flush_to_ldisc ", text)
    assert len(set(queued["pty_basic"])) == 2 and set(queued["kworker"]) < set(queued["pty_basic"])
