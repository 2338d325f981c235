"""Pretty-printers: lists, CPU masks, dentries and tasks."""
import gdb
import gdb.printing

from .kernel import list_nodes, text


def fields_of(value):
    """(name, value) of each member of a structure, also of those without a name."""
    for field in value.type.strip_typedefs().fields():
        yield field.name or f"<{field.type}>", value[field]


class Whole:
    """A structure with a summary in front of its members."""

    def __init__(self, value):
        self.value = value

    def children(self):
        return fields_of(self.value)


class ListHead:
    """A list: how many objects are in it. A node of one looks the same, and counts the others and the head."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        if not int(self.value["next"]):
            return "list_head of no list"
        try:
            count = sum(1 for _ in list_nodes(self.value))
        except gdb.error as error:
            return f"list_head, damaged: {error}"
        return "list_head, empty" if not count else f"list_head with {count} other{'s' * (count > 1)}"

    def children(self):
        return fields_of(self.value)


class CpuMask:
    """The numbers of the CPUs, as /proc/PID/status shows them: 0-3,6."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        words = self.value["bits"]
        count = words.type.range()[1] + 1
        bits = sum(int(words[i]) << 64 * i for i in range(count))
        return f"CPUs {ranges(bits) or 'none'}"


def ranges(bits):
    """The numbers of the bits that are set: `0-3,6`."""
    found, number = [], 0
    while bits >> number:
        if bits >> number & 1:
            first = number
            while bits >> number + 1 & 1:
                number += 1
            found.append(str(first) if first == number else f"{first}-{number}")
        number += 1
    return ",".join(found)


def path_of(dentry):
    """The path of a dentry in its file system. A mount point is not crossed."""
    names = []
    while int(dentry["d_parent"]) and int(dentry["d_parent"]) != int(dentry.address):
        names.append(text(dentry["d_name"]["name"]))
        dentry = dentry["d_parent"].dereference()
    return "/" + "/".join(reversed(names))


class Dentry(Whole):
    def to_string(self):
        return f"dentry {path_of(self.value)}"


class Task(Whole):
    def to_string(self):
        return f"task {int(self.value['pid'])} ({text(self.value['comm'])})"


class Pointer:
    """A pointer to one of these: the address, and what is there."""

    def __init__(self, value, printer):
        self.value, self.printer = value, printer

    def to_string(self):
        return f"{int(self.value):#x} {self.printer(self.value.dereference()).to_string()}"


STRUCTURES = {"list_head": ListHead, "cpumask": CpuMask, "dentry": Dentry, "task_struct": Task}
POINTERS = ("dentry", "task_struct", "cpumask")


class Printers(gdb.printing.PrettyPrinter):
    """Finds the printer of a value, or None."""

    def __init__(self):
        super().__init__("nop5")

    def __call__(self, value):
        kind = value.type.strip_typedefs().unqualified()
        if kind.code == gdb.TYPE_CODE_STRUCT and kind.tag in STRUCTURES:
            return STRUCTURES[kind.tag](value)
        if kind.code == gdb.TYPE_CODE_PTR and int(value):
            target = kind.target().strip_typedefs().unqualified()
            if target.code == gdb.TYPE_CODE_STRUCT and target.tag in POINTERS:
                return Pointer(value, STRUCTURES[target.tag])
        return None


def register():
    gdb.printing.register_pretty_printer(None, Printers(), replace=True)
