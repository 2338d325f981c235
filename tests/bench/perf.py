"""What perf_event_open(2) costs: instructions, measured by the static program perf.c. A figure that the kernel refuses is None."""
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/boot"))

from nop5 import BUILD, Nop5  # noqa: E402

# name: (description, unit, target). perf.c has the same names.
FIGURES = {
    "perf_count": ("perf: a counted sys_enter, of a task", "instructions", 110),
    "perf_count_cpu": ("the same, of a CPU", "instructions", 110),
    "perf_sample_ip": ("perf: a sample of it, IP", "instructions", 300),
    "perf_sample_time": ("the same with TID and TIME", "instructions", 380),
    "perf_sample_raw": ("the same with CPU, PERIOD, RAW", "instructions", 460),
    "perf_sample_chain": ("the same with a kernel call chain", "instructions", 1_200),
    "perf_clock": ("perf: a sample of cpu-clock", "instructions", 650),
    "perf_clock_chain": ("the same with a call chain", "instructions", 900),
    "perf_read": ("perf: read(2) of a counter", "instructions", 300),
    "perf_enable": ("perf: disable and enable an event", "instructions", 900),
    "perf_open": ("perf: open and close an event", "instructions", 6_000),
    "perf_switch_inherit": ("perf: switch, four inherited events", "instructions", 100),
    "perf_switch_own": ("perf: switch, an event of its own", "instructions", 250),
    "perf_fault": ("perf: a counted page fault", "instructions", 50),
    "perf_fork": ("perf: fork, exit, wait, one inherited", "instructions", 1_500),
}
# At random addresses neighbours share a page table or do not, and fork costs more or less.
COMMANDS = ["echo 0 > /proc/sys/kernel/randomize_va_space", "perf_costs"]


def headers(directory):
    """A folder with the headers of the kernel's interfaces."""
    headers = directory / "headers"
    headers.mkdir(parents=True, exist_ok=True)
    # musl has no headers of the kernel's interfaces.
    machine = subprocess.run(["gcc", "-print-multiarch"], text=True, check=True, stdout=subprocess.PIPE).stdout.strip()
    for name, path in (("linux", "linux"), ("asm-generic", "asm-generic"), ("asm", f"{machine}/asm")):
        if not (headers / name).exists():
            (headers / name).symlink_to(f"/usr/include/{path}")
    return headers


def build(directory):
    """Compiles perf.c. Returns the path of the program."""
    program = directory / "perf_costs"
    subprocess.run(["musl-gcc", "-O2", "-static", "-Wall", "-idirafter", headers(directory), "-o", program, HERE / "perf.c"], check=True)
    return program


def figures_of(text):
    """Returns {name: instructions, or None} from the output of perf.c."""
    return {name: None if value == "-" else int(value) for name, value in re.findall(r"^(\w+) (\d+|-)\r?$", text, re.M) if name in FIGURES}


def measure_perf():
    directory = BUILD / "bench-perf"
    program, image = build(directory), directory / "rootfs.cpio"
    subprocess.run([ROOT / "scripts/rootfs", image, program], check=True)
    with Nop5(cpus=1, mem="256M", icount=True, initrd=str(image)) as machine:
        machine.wait_prompt()
        values = figures_of([machine.check(command) for command in COMMANDS][-1])
        machine.poweroff()
    return values


def measure_perf_of_linux(linux_ref):
    command = [linux_ref, "--icount", "--cpus", "1", "--timeout", "900", "--add", build(BUILD / "bench-perf"), *COMMANDS]
    return figures_of(subprocess.run(command, text=True, check=True, stdout=subprocess.PIPE).stdout)


if __name__ == "__main__":
    print(measure_perf_of_linux(sys.argv[1]))
