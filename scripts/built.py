"""Tells which source is newer than the image that make has built of it: the image does not have its last change.

scripts/boot asks at each boot, so the usual answer (none) must be cheap: it takes one look at the time of each file, a hundredth
of a second. Only a newer header costs more, because the compiler's .d files say who includes it.
"""
import os
from pathlib import Path

ROOMS = ("boot", "arch", "kernel", "fs", "net", "trace")  # of the kernel
IN_NO_DEP_FILE = (".c", ".asm", ".inc", ".ld")  # a new source, what NASM includes, and the linker's script


def tree_of(build):
    """The tree in which make has made this build directory: one around the directory, or the one that this file is in."""
    return next((path for path in Path(build).resolve().parents if (path / "scripts/built.py").exists()), Path(__file__).resolve().parents[1])


def files_below(directory):
    """(path, time of the last change) of all files."""
    for entry in os.scandir(directory) if os.path.isdir(directory) else ():
        if entry.is_dir(follow_symlinks=False):
            yield from files_below(entry.path)
        elif not entry.name.startswith(".") and not entry.name.endswith("~"):  # an editor's
            yield entry.path, entry.stat(follow_symlinks=False).st_mtime_ns


def newer_files(image, tree, directories):
    """The files that are newer than the image, as their names in the tree."""
    built = os.stat(image).st_mtime_ns
    return sorted(os.path.relpath(path, tree) for directory in directories for path, changed in files_below(tree / directory) if changed > built)


def included(header, build, rooms):
    """Tells if the last build of one of the rooms has read this file."""
    return any(header in path.read_text().split() for room in rooms for path in (build / "obj" / room).rglob("*.d"))


def newer_than_kernel(build, name):
    """The first source that is newer than build/NAME.elf; None if there is none."""
    build = Path(build)
    rooms = ROOMS + (("selftest",) if name == "nop5-test" else ())
    newer = newer_files(build / f"{name}.elf", tree_of(build), rooms)
    return next((path for path in newer if path.endswith(IN_NO_DEP_FILE) or included(path, build, rooms)), None)


def has_programs(build):
    """Tells if the kernel that make has built there last can run programs. Without them its prompt is the monitor."""
    sources = Path(build) / "sources"
    return not sources.exists() or "/kernel/monitor/" not in sources.read_text()


def newer_than_rootfs(archive):
    """The first file that is newer than a root file system which make has built, build/rootfs.cpio; None if there is none."""
    return next(iter(newer_files(archive, tree_of(Path(archive).parent), ("user", "modules"))), None)
