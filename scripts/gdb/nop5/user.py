"""nop5-add-program: the symbols of the program that the CPU's task runs."""
import os
import struct

import gdb

from .kernel import Command, current, text

ET_DYN = 3
PT_LOAD = 1


def areas(mm):
    """The areas of an address space (struct vm_area_struct), by address."""
    area = mm["mmap"]
    while int(area):
        yield area
        area = area["vm_next"]


def file_name(area):
    return text(area["vm_file"]["f_path"]["dentry"]["d_name"]["name"]) if int(area["vm_file"]) else None


def load_address(mm, name):
    """Where the first page of a file is mapped."""
    for area in areas(mm):
        if file_name(area) == name and not int(area["vm_pgoff"]):
            return int(area["vm_start"])
    raise gdb.GdbError(f"the task has no file {name} mapped")


def first_address(path):
    """(type, lowest address of a segment in memory) of an ELF file."""
    with open(path, "rb") as file:
        header = file.read(64)
        if header[:4] != b"\x7fELF":
            raise gdb.GdbError(f"{path} is no ELF file")
        kind, = struct.unpack_from("<H", header, 16)
        at, = struct.unpack_from("<Q", header, 32)
        size, count = struct.unpack_from("<HH", header, 54)
        file.seek(at)
        segments = [struct.unpack_from("<IIQQ", file.read(size)) for _ in range(count)]
    return kind, min(segment[3] for segment in segments if segment[0] == PT_LOAD)


class AddProgram(Command):
    """nop5-add-program FILE [NAME]: read the symbols of a program or library, FILE on the host, which the task of the
    selected CPU has mapped under the same name, or as NAME. It finds the address, and calls add-symbol-file."""

    def __init__(self):
        super().__init__("nop5-add-program", gdb.COMPLETE_FILENAME)

    def run(self, words):
        if len(words) not in (1, 2):
            raise gdb.GdbError("nop5-add-program FILE [NAME]")
        path = os.path.expanduser(words[0])
        mm = current()["mm"]
        if not int(mm):
            raise gdb.GdbError("the task is a kernel task, without a program")
        try:
            kind, lowest = first_address(path)
        except OSError as error:
            raise gdb.GdbError(str(error))
        name = words[1] if len(words) == 2 else os.path.basename(path)
        offset = load_address(mm, name) - (lowest & ~0xfff) if kind == ET_DYN else 0
        load_address(mm, name)  # also a program at a fixed address must be the one that runs
        gdb.execute(f"add-symbol-file {path} -o {offset:#x}", to_string=True)
        print(f"{path}: symbols at {offset:#x} above those of the file")


def register():
    AddProgram()
