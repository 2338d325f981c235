"""Machines that begin at the prompt where another one has been, instead of booting: that costs the host 0.04 s instead of 0.3.

The first machine of each kind boots. At its prompt it stands still until QEMU has written the state of its devices, as for a migration, and
this module its memory. A later machine of the same kind maps that memory for itself alone, and takes the state. What it differs in from a machine that
has booted: the time of day is as late as the prompt was, and random numbers are the same in all clones.

The files are in build/test/clones-PID, and go with the run of pytest whose PID it is.
"""
import hashlib
import json
import os
import re
import shlex
import shutil
import tempfile
from pathlib import Path

from nop5 import BUILD, Nop5, eventually, is_running

DIRECTORY = "NOP5_CLONES"  # in the environment: workers of pytest share it
COMMAND_LINES = {"", "panic=0"}  # those of many tests: what others mean shows at the boot
IGNORE_MEMORY = "migrate_set_capability x-ignore-shared on"


def make_directory():
    """Make the directory of this run, and remove those of runs that were killed."""
    for left in (BUILD / "test").glob("clones-*"):
        if not is_running(left.name.rpartition("-")[2]):
            shutil.rmtree(left, ignore_errors=True)
    directory = BUILD / f"test/clones-{os.getpid()}"
    directory.mkdir(parents=True, exist_ok=True)
    os.environ[DIRECTORY] = str(directory)


def remove_directory():
    shutil.rmtree(os.environ.pop(DIRECTORY), ignore_errors=True)


def kind(boot="elf", build=BUILD, kernel="nop5", initrd=None, icount=False, directory=None, extra=(), **others):
    """The name of the directory for all machines with these arguments of Nop5(), or None: they boot. The paths of a test's own
    directory are no difference: they are outside the machine."""
    if boot != "elf" or icount or initrd or others.get("append", "") not in COMMAND_LINES or DIRECTORY not in os.environ:
        return None
    kernel = kernel or "nop5"
    images = [path.stat() for path in (Path(build) / f"{kernel}.elf", Path(build) / "rootfs.cpio", BUILD / "rootfs.cpio") if path.exists()]
    extra = [str(word).replace(str(directory), "") for word in extra]
    what = (str(build), kernel, initrd, extra, sorted(others.items()), [(image.st_mtime_ns, image.st_size) for image in images])
    return Path(os.environ[DIRECTORY]) / hashlib.sha256(repr(what).encode()).hexdigest()[:16]


def machine_at_prompt(**arguments):
    """A machine at its prompt: a clone, if there has been one of its kind."""
    place = kind(**arguments)
    if place is None:
        return Nop5(**arguments).wait_prompt()
    if place.exists():
        return clone(place, arguments)
    machine = with_memory(arguments, "memory-backend-memfd,share=on")
    try:
        keep(machine.wait_prompt(), place)
    except BaseException:
        machine.close()
        raise
    return machine


def with_memory(arguments, backend, *more):
    size = arguments.get("mem", "256M")
    return Nop5(**dict(arguments, extra=[*arguments.get("extra", ()), "-machine", "memory-backend=ram", "-object", f"{backend},id=ram,size={size}", *more]))


def clone(place, arguments):
    machine = with_memory(arguments, f"memory-backend-file,mem-path={place}/ram,share=off", "-incoming", "defer")
    try:
        machine.ask_qemu(IGNORE_MEMORY)
        machine.ask_qemu(f'migrate_incoming "exec:cat {shlex.quote(str(place))}/state"')
        eventually(lambda: "inmigrate" not in machine.ask_qemu("info status"))
        machine.write((place / "text").read_bytes())
        machine.prepared, machine.directory, machine.status = json.loads((place / "prompt").read_text())
        machine.ask_qemu("cont")
    except BaseException:
        machine.close()
        raise
    return machine


def keep(machine, place):
    """Write what clones of a machine need, while the machine stands still. QEMU cannot write the state of some devices: then none is made."""
    new = Path(tempfile.mkdtemp(dir=place.parent))
    machine.ask_qemu("stop")
    machine.ask_qemu(IGNORE_MEMORY)
    answers = [machine.ask_qemu(f'migrate "exec:cat > {shlex.quote(str(new))}/state"')]
    ended = eventually(lambda: re.search(r"[Ss]tatus:\s+(completed|failed)|Error", answers.pop() if answers else machine.ask_qemu("info migrate")))
    if ended[1] == "completed":
        copy_memory(machine.qemu.pid, new / "ram")
        (new / "text").write_bytes(b"".join(machine.transcript))
        (new / "prompt").write_text(json.dumps([machine.prepared, machine.directory, machine.status]))
        try:
            new.rename(place)
        except OSError:  # another worker was faster
            pass
    shutil.rmtree(new, ignore_errors=True)
    machine.ask_qemu("cont")


def copy_memory(pid, path):
    """Copy the memory of QEMU's machine, without its holes."""
    found, = [file for file in Path(f"/proc/{pid}/fd").iterdir() if "memfd:memory-backend-memfd" in os.readlink(file)]
    with open(found, "rb") as memory, open(path, "wb") as out:
        end = os.fstat(memory.fileno()).st_size
        out.truncate(end)
        begin = 0
        while begin < end:
            try:
                begin = os.lseek(memory.fileno(), begin, os.SEEK_DATA)
            except OSError:  # a hole up to the end
                break
            stop = os.lseek(memory.fileno(), begin, os.SEEK_HOLE)
            out.seek(begin)
            while begin < stop:
                begin += os.sendfile(out.fileno(), memory.fileno(), begin, stop - begin)
            begin = stop
