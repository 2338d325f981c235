"""What all subjects share: symbols, memory, lists, per-CPU variables. $current(), $percpu(), $container_of()."""
import functools

import gdb


def evaluate(expression):
    return gdb.parse_and_eval(expression)


def address(symbol):
    """The address of a function, a variable or a label of the assembly."""
    return int(evaluate(f"(unsigned long)&{symbol}"))


def read(where, size):
    """Bytes of memory."""
    return gdb.selected_inferior().read_memory(where, size).tobytes()


def number(value):
    """An unsigned number of 64 bits as a value of gdb, which takes signed ones from Python."""
    return gdb.Value(value - (1 << 64) if value >> 63 else value).cast(gdb.lookup_type("unsigned long"))


def pointer_to(type_name, where):
    return number(where).cast(gdb.lookup_type(type_name).pointer())


@functools.lru_cache(None)
def offset_of(type_name, member):
    return int(evaluate(f"(unsigned long)&(({type_name} *)0)->{member}"))


def container_of(where, type_name, member):
    """A pointer to the object whose member is at an address."""
    return pointer_to(type_name, int(where) - offset_of(type_name, member))


def list_nodes(head):
    """The addresses of the nodes of a list (struct list_head). A list that is damaged ends with an error."""
    start = int(head.address)
    node, seen = int(head["next"]), set()
    while node not in (0, start):
        if node in seen:
            raise gdb.GdbError(f"the list at {start:#x} does not come back to its head")
        seen.add(node)
        yield node
        node = int(pointer_to("struct list_head", node)["next"])


def objects(head, type_name, member):
    """Pointers to the objects in a list."""
    return (container_of(node, type_name, member) for node in list_nodes(head))


def text(value):
    """A char array or a char pointer as a string."""
    return value.string("utf-8", "replace")


def name_of(where):
    """An address as `symbol+offset`, or as a number."""
    found = gdb.execute(f"info symbol {where:#x}", to_string=True)
    if found.startswith("No symbol"):
        return f"{where:#x}"
    return found.partition(" in section")[0].replace(" + ", "+").strip()


def cpu_count():
    return int(evaluate("nr_cpu_ids"))


def per_cpu_offset(cpu):
    if not 0 <= cpu < cpu_count():
        raise gdb.GdbError(f"there is no CPU {cpu}")
    return int(evaluate(f"__per_cpu_offset[{cpu}]"))


def this_cpu(frame=None):
    """The number of the CPU of a frame, or of the selected thread. In ring 3 the GS base is that of the program, and the kernel's waits in
    another register. Before the kernel has made the per-CPU areas there is one, at offset 0."""
    frame = frame or gdb.newest_frame()
    offsets = [per_cpu_offset(cpu) for cpu in range(cpu_count())]
    for register in ("gs_base", "k_gs_base"):
        base = int(frame.read_register(register)) & (1 << 64) - 1
        if base in offsets:
            return offsets.index(base)
    raise gdb.GdbError("the selected CPU does not run the kernel yet")


def per_cpu(variable, cpu):
    """A CPU's copy of a per-CPU variable. variable: the value of its name, which is the master copy."""
    if variable.address is None:
        raise gdb.GdbError("$percpu() needs the name of a per-CPU variable")
    place = int(variable.address)
    if not address("__per_cpu_start") <= place < address("__per_cpu_end"):
        raise gdb.GdbError("not a per-CPU variable")
    return number(place + per_cpu_offset(cpu) & (1 << 64) - 1).cast(variable.type.pointer()).dereference()


def current(cpu=None):
    """A pointer to the task that a CPU runs: the selected thread's without a number."""
    return per_cpu(evaluate("current_task"), this_cpu() if cpu is None else cpu)


class PerCpu(gdb.Function):
    """$percpu(VAR[, CPU]): a CPU's copy of a per-CPU variable. Without a number: the copy of the selected thread's CPU."""

    def __init__(self):
        super().__init__("percpu")

    def invoke(self, variable, cpu=None):
        return per_cpu(variable, this_cpu() if cpu is None else int(cpu))


class Current(gdb.Function):
    """$current([CPU]): the task that the CPU of the selected thread runs, or that CPU."""

    def __init__(self):
        super().__init__("current")

    def invoke(self, cpu=None):
        return current(None if cpu is None else int(cpu))


class ContainerOf(gdb.Function):
    """$container_of(POINTER, "TYPE", "MEMBER"): the object that has the member at that address."""

    def __init__(self):
        super().__init__("container_of")

    def invoke(self, where, type_name, member):
        return container_of(where, type_name.string(), member.string())


class Command(gdb.Command):
    """A command with a name; its doc string is the help. Where memory cannot be read, it says so in one line."""

    def __init__(self, name, completer=gdb.COMPLETE_NONE):
        super().__init__(name, gdb.COMMAND_USER, completer)

    def invoke(self, argument, _from_tty):
        try:
            self.run(gdb.string_to_argv(argument))
        except gdb.MemoryError as error:
            raise gdb.GdbError(f"{error} (has the kernel begun? `continue` to start_kernel first)")


def register():
    PerCpu()
    Current()
    ContainerOf()
