"""What programs of eBPF cost: instructions per event, measured by the static program bpf.c. A figure that the kernel refuses is None."""
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/boot"))

import perf  # noqa: E402
from nop5 import BUILD, Nop5  # noqa: E402

# name: (description, unit, target). bpf.c has the same names without "bpf_".
FIGURES = {
    "bpf_kprobe": ("eBPF: kprobe at an entry, empty", "instructions", 110),
    "bpf_kprobe_count": ("the same, @[comm] = count()", "instructions", 230),
    "bpf_kprobe_hist": ("the same, @ = hist(x)", "instructions", 330),
    "bpf_kretprobe": ("eBPF: kretprobe, empty", "instructions", 230),
    "bpf_kretprobe_count": ("the same, count", "instructions", 350),
    "bpf_kprobe_inside": ("eBPF: kprobe in a function, empty", "instructions", 200),
    "bpf_kprobe_inside_count": ("the same, count", "instructions", None),
    "bpf_fentry": ("eBPF: fentry, empty", "instructions", 45),
    "bpf_fentry_count": ("the same, count", "instructions", 160),
    "bpf_fentry_hist": ("the same, hist", "instructions", 260),
    "bpf_fexit": ("eBPF: fexit, empty", "instructions", 75),
    "bpf_fexit_count": ("the same, count", "instructions", 190),
    "bpf_raw_tp": ("eBPF: raw tracepoint, empty", "instructions", 40),
    "bpf_raw_tp_count": ("the same, count", "instructions", 155),
    "bpf_tracepoint": ("eBPF: tracepoint sys_enter, empty", "instructions", 110),
    "bpf_tracepoint_count": ("the same, count", "instructions", 225),
    "bpf_uprobe": ("eBPF: uprobe, empty", "instructions", 600),
    "bpf_uprobe_count": ("the same, count", "instructions", 720),
    "bpf_kstack": ("eBPF: kstack id into a map", "instructions", 800),
    "bpf_perf_output": ("eBPF: perf event output", "instructions", 330),
    "bpf_ringbuf_output": ("eBPF: ring buffer output", "instructions", 160),
    "bpf_interpreted": ("eBPF: 10 interpreted instructions", "instructions", 80),
    "bpf_fentry_attach": ("eBPF: attach and detach fentry", "instructions", None),
}


def build(directory):
    """Compiles bpf.c. Returns the path of the program."""
    program, headers = directory / "bpf_costs", perf.headers(directory)
    subprocess.run(["musl-gcc", "-O2", "-static", "-no-pie", "-Wall", "-Wno-unused-function", "-idirafter", headers, "-o", program, HERE / "bpf.c"], check=True)
    return program


def figures_of(text):
    """Returns {name: instructions, or None} from the output of bpf.c."""
    found = re.findall(r"^(\w+) (-?\d+|-)\r?$", text, re.M)
    return {f"bpf_{name}": None if value == "-" else int(value) for name, value in found if f"bpf_{name}" in FIGURES}


def measure_bpf():
    directory = BUILD / "bench-bpf"
    directory.mkdir(parents=True, exist_ok=True)
    program, image = build(directory), directory / "rootfs.cpio"
    subprocess.run([ROOT / "scripts/rootfs", image, program], check=True)
    with Nop5(cpus=1, mem="256M", icount=True, initrd=str(image)) as machine:
        machine.wait_prompt()
        values = figures_of(machine.check("bpf_costs"))
        machine.poweroff()
    return values


def measure_bpf_of_linux(linux_ref):
    directory = BUILD / "bench-bpf"
    directory.mkdir(parents=True, exist_ok=True)
    command = [linux_ref, "--icount", "--cpus", "1", "--timeout", "900", "--add", build(directory), "bpf_costs"]
    return figures_of(subprocess.run(command, text=True, check=True, stdout=subprocess.PIPE).stdout)


if __name__ == "__main__":
    print(measure_bpf_of_linux(sys.argv[1]) if sys.argv[1:] else measure_bpf())
