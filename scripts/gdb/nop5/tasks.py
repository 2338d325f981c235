"""nop5-ps: the tasks. nop5-stack: the backtrace of one that does not run."""
import gdb

from .kernel import Command, address, current, evaluate, cpu_count, name_of, objects, per_cpu, pointer_to, text
from .unwind import is_on_stack, real_return_address, word

# kernel/sched/task.h
INTERRUPTIBLE, UNINTERRUPTIBLE, STOPPED, DEAD, NOLOAD = 0x01, 0x02, 0x04, 0x80, 0x400
EXIT_DEAD, EXIT_ZOMBIE = 0x10, 0x20
PF_KTHREAD = 0x0001


def all_tasks():
    """Pointers to all tasks: those of the list, the idle ones, which are in no list, and those that CPUs run: a task that
    ends leaves the list before its last switch."""
    found, seen = [], set()
    idle = filter(None, map(idle_task, range(cpu_count())))
    for task in [*idle, *objects(evaluate("task_list"), "struct task_struct", "tasks"), *map(current, range(cpu_count()))]:
        if int(task) not in seen:
            seen.add(int(task))
            found.append(task)
    return found


def idle_task(cpu):
    task = per_cpu(evaluate("runqueues"), cpu)["idle"]
    return task if int(task) else None


def state_of(task):
    """The letter that /proc/PID/stat shows."""
    state, exit_state = int(task["__state"]), int(task["exit_state"])
    if exit_state & EXIT_ZOMBIE:
        return "Z"
    if exit_state & EXIT_DEAD or state & DEAD:
        return "X"
    if state & STOPPED:
        return "T"
    if state & INTERRUPTIBLE:
        return "S"
    if state & UNINTERRUPTIBLE:
        return "I" if state & NOLOAD else "D"
    return "R"


def find_task(pid):
    for task in all_tasks():
        if int(task["pid"]) == pid:
            return task
    raise gdb.GdbError(f"there is no task {pid}")


def running():
    """{address of a task: the CPU that runs it}"""
    return {int(current(cpu)): cpu for cpu in range(cpu_count())}


class Ps(Command):
    """nop5-ps: list the tasks. A `*` marks those that a CPU runs. Kernel tasks have their names in brackets."""

    def __init__(self):
        super().__init__("nop5-ps")

    def run(self, _words):
        on_cpu = running()
        print("    PID  TGID S CPU TASK               NAME")
        for task in all_tasks():
            name = text(task["comm"])
            if int(task["flags"]) & PF_KTHREAD:
                name = f"[{name}]"
            mark = "*" if int(task) in on_cpu else " "
            print(f"{mark} {int(task['pid']):5} {int(task['tgid']):5} {state_of(task)} {int(task['cpu']):3} "
                  f"{int(task):#x} {name}")


def frames_of(task):
    """The return addresses on the stack of a task that does not run. __switch_to() has pushed struct switch_frame there;
    from it on, each rbp leads to the next frame (arch/x86_64/unwind/unwind.c)."""
    frame = pointer_to("struct switch_frame", int(task["sp"]))
    yield int(frame["return_address"])
    bp = int(frame["bp"])
    while bp and not bp & 7 and is_on_stack(task, bp):
        ret, next_bp = word(bp + 8), word(bp)
        if ret == address("return_to_handler"):
            ret = real_return_address(task, bp + 8) or ret
        yield ret
        if next_bp <= bp:
            return
        bp = next_bp


def place_of(pc):
    """`function+offset (file:line)` of a call, whose return address is pc."""
    line = gdb.find_pc_line(pc - 1)
    where = f" ({line.symtab.filename}:{line.line})" if line.symtab else ""
    return name_of(pc) + where


class Stack(Command):
    """nop5-stack PID: show where a task sleeps or waits for a CPU. For a task that runs, select its CPU with `thread N`
    and use `backtrace`."""

    def __init__(self):
        super().__init__("nop5-stack")

    def run(self, words):
        if len(words) != 1 or not words[0].isdigit():
            raise gdb.GdbError("nop5-stack PID")
        task = find_task(int(words[0]))
        cpu = running().get(int(task))
        if cpu is not None:
            raise gdb.GdbError(f"CPU {cpu} runs the task: `thread {cpu + 1}`, then `backtrace`")
        for number, pc in enumerate(frames_of(task)):
            print(f"#{number:<2} {pc:#x} {place_of(pc)}")


def register():
    Ps()
    Stack()
