"""What a probe in a program costs: instructions per call of a function of data/probed.c, more than without the probe."""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/boot"))

from nop5 import BUILD, Nop5  # noqa: E402
from probed import build, instructions  # noqa: E402

FIGURES = {
    "uprobe_event": ("uprobe event, in a slot", "instructions", 900),
    "uprobe_emulated": ("uprobe event, emulated", "instructions", 900),
    "uprobe_args": ("uprobe event with two arguments", "instructions", None),
    "uretprobe_event": ("uretprobe event", "instructions", 1500),
}


def commands(program, addresses, offsets):
    """{figure: the command for uprobe_events}. add() is lea, which is executed in a slot, and ret."""
    slot, ret = instructions(program, "add", addresses["add"] - offsets["add"])[:2]
    return {
        "uprobe_event": f"p:cost /bin/probed:{slot:#x}",
        "uprobe_emulated": f"p:cost /bin/probed:{ret:#x}",
        "uprobe_args": f"p:cost /bin/probed:{slot:#x} a=%di b=%si",
        "uretprobe_event": f"r:cost /bin/probed:{slot:#x}",
    }


def script(events):
    """What prints the cost of a call without a probe, and then with each of them."""
    runs = "".join(f"echo '{event}' > uprobe_events; echo 1 > events/uprobes/cost/enable; /bin/probed time 1000; "
                   "/bin/probed time 1000 > /tmp/second; tail -n 1 /tmp/second; echo 0 > events/uprobes/cost/enable\n"
                   for event in events)
    return f"cd /sys/kernel/tracing\n/bin/probed time 1000\n{runs}"


def costs(output, names):
    plain, *times = [int(line.split()[1]) for line in output.splitlines() if line.startswith("time ")]
    return {name: time - plain for name, time in zip(names, times[1::2])}


def measure_uprobes():
    directory = BUILD / "bench-uprobes"
    program, addresses, offsets = build(directory)
    events = commands(program, addresses, offsets)
    (directory / "costs.sh").write_text(script(events.values()))
    subprocess.run([ROOT / "scripts/rootfs", directory / "rootfs.cpio", program, f"{directory}/costs.sh:/costs.sh"], check=True)
    with Nop5(cpus=1, mem="256M", icount=True, initrd=str(directory / "rootfs.cpio")) as machine:
        values = costs(machine.wait_prompt().check("sh /costs.sh"), events)
        machine.poweroff()
    return values


def measure_uprobes_of_linux(linux_ref):
    program, addresses, offsets = build(BUILD / "bench-uprobes")
    events = commands(program, addresses, offsets)
    result = subprocess.run([linux_ref, "--icount", "--cpus", "1", "--add", program], input=script(events.values()), text=True,
                            capture_output=True, check=True)
    return costs(result.stdout, events)


if __name__ == "__main__":
    print(measure_uprobes_of_linux(sys.argv[1]) if sys.argv[1:] else measure_uprobes())
