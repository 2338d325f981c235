"""What modules cost: loading and removing one of 1,000 functions, and a traced call of a module's function."""
import re
import subprocess
from pathlib import Path

from nop5 import BUILD, Nop5

ROOT = Path(__file__).resolve().parents[2]

FIGURES = {
    "module_load": ("load a module of 1,000 functions", "instructions", 3_000_000),
    "module_unload": ("remove it", "instructions", None),
    "module_call": ("traced call in a module", "instructions", 160),
}
TRACING = "/sys/kernel/tracing"


def archive():
    subprocess.run(["make", "-s", "modules", "M=tests/modules"], cwd=ROOT, check=True)
    directory = BUILD / "bench-modules"
    directory.mkdir(parents=True, exist_ok=True)
    names = []
    for name in ("test_many.ko", "test_cost.ko"):
        subprocess.run(["objcopy", "--strip-debug", BUILD / "modules/tests/modules" / name, directory / name], check=True)
        names.append(f"{directory / name}:root/{name}")
    subprocess.run([ROOT / "scripts/rootfs", directory / "rootfs.cpio", *names], check=True)
    return directory / "rootfs.cpio"


def cycles(machine):
    machine.check("dmesg -c > /dev/null; insmod /root/test_cost.ko; rmmod test_cost")
    return int(re.search(r"test_cost: (\d+) cycles", machine.check("dmesg -c")).group(1))


def duration(machine, command, call):
    """The instructions of a system call. The clock x86-tsc counts them."""
    machine.check(f"echo > {TRACING}/trace; {command}")
    trace = machine.check(f"grep sys_{call} {TRACING}/trace")
    start, end = [int(line.split(": sys_")[0].split()[-1]) for line in trace.splitlines()]
    return end - start


def measure_modules():
    with Nop5(cpus=1, mem="256M", icount=True, initrd=str(archive())) as machine:
        machine.wait_prompt()
        off = cycles(machine)
        machine.check(f"cd {TRACING}; echo ':mod:test_cost' > set_ftrace_filter; echo function > current_tracer; cd /")
        on = cycles(machine)
        machine.check(f"cd {TRACING}; echo nop > current_tracer; echo > set_ftrace_filter; echo x86-tsc > trace_clock; "
                      "for call in finit_module delete_module; do "
                      "echo 1 > events/syscalls/sys_enter_$call/enable; echo 1 > events/syscalls/sys_exit_$call/enable; done")
        values = {
            "module_load": duration(machine, "insmod /root/test_many.ko", "finit_module"),
            "module_unload": duration(machine, "rmmod test_many", "delete_module"),
            "module_call": on - off,
        }
        machine.poweroff()
    return values
