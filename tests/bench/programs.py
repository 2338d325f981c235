"""What programs in ring 3 pay: instructions per operation, measured by the static program programs.c, and the boot to
busybox's prompt."""
import re
import subprocess
from pathlib import Path

from nop5 import BUILD, Nop5

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# name: (description, unit, target). programs.c has the same names.
FIGURES = {
    "getppid": ("getppid", "instructions", 110),
    "read_zero": ("read 1 byte of /dev/zero", "instructions", 220),
    "write_null": ("write 1 byte to /dev/null", "instructions", 200),
    "open_close": ("open + close", "instructions", 2_500),
    "stat": ("stat", "instructions", 1_800),
    "clock_gettime": ("clock_gettime", "instructions", 60),
    "signal": ("signal to itself, handled", "instructions", 1_200),
    "poll": ("poll of 10 pipes", "instructions", 600),
    "timer": ("start and cancel a timer", "instructions", None),
    "fault": ("page fault, anonymous", "instructions", 1_500),
    "mmap": ("mmap + munmap of a page", "instructions", 3_500),
    "fork": ("fork + exit + wait", "instructions", 60_000),
    "exec": ("vfork + exec + wait, static", "instructions", 130_000),
    "pipe_program": ("pipe of programs, per switch", "instructions", 1_500),
    "futex": ("futex, per switch", "instructions", 1_100),
    "file": ("4 KiB write and read of a file", "instructions", 3_000),
    "filtered": ("a call that its filter lets pass: more", "instructions", 50),
    "traced": ("a call that a tracer looks at: more", "instructions", 7_000),
    "prompt": ("kernel entry to busybox's prompt", "instructions", 60_000_000),
}
# At random addresses neighbours share a page table or do not, and mmap and fork cost more or less.
SAME_ADDRESSES = "echo 0 > /proc/sys/kernel/randomize_va_space"


def build(directory):
    """Compiles programs.c. Returns the path of the program."""
    program = directory / "programs"
    directory.mkdir(parents=True, exist_ok=True)
    subprocess.run(["musl-gcc", "-O2", "-static", "-Wall", "-o", program, HERE / "programs.c"], check=True)
    return program


def figures_of(text):
    """Returns {name: instructions} from the output of programs.c."""
    return {name: int(value) for name, value in re.findall(r"^(\w+) (\d+)\r?$", text, re.M) if name in FIGURES}


def measure_programs():
    directory = BUILD / "bench-programs"
    program, image = build(directory), directory / "rootfs.cpio"
    subprocess.run([ROOT / "scripts/rootfs", image, program], check=True)
    with Nop5(cpus=1, mem="256M", icount=True, initrd=str(image)) as machine:
        machine.wait_prompt()
        machine.check(SAME_ADDRESSES)
        values = figures_of(machine.check("programs"))
        since, = re.findall(r"^prompt +\d+ +(\d+)", machine.check("cat /sys/kernel/debug/boot_time"), re.M)
        values["prompt"] = int(since)
        machine.poweroff()
    return values
