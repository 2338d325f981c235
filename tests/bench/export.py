"""Measure the export and the conversion of traces, in time, not in instructions."""
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/boot"))

from exporting import Port, SocketPort, enlarge, transfer  # noqa: E402
from nop5 import Nop5  # noqa: E402

FORMATS = ("json", "speedscope", "folded", "ftrace")
CONVERT_SIZE = 100 << 20


def convert(path, form, out):
    """Return the seconds and the peak memory in MB. Reads /proc, because wait4() includes the memory of Python before exec."""
    start, memory = time.monotonic(), 0
    process = subprocess.Popen([ROOT / "build/scripts/trace-convert", path, "-f", form], stdout=out)
    while process.poll() is None:
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            memory = max([memory, *map(int, re.findall(r"^VmHWM:\s+(\d+)", status.read(), re.M))])
        time.sleep(0.01)
    assert process.returncode == 0
    return time.monotonic() - start, memory / 1024


def measure_convert(path, size):
    """Convert a trace that is repeated up to the given size. Return the calls (two events each) per second of the slowest
    format, and the peak memory of the largest."""
    large = path.with_suffix(".large")
    enlarge(path, large, size)
    with tempfile.TemporaryFile(dir=path.parent) as out:
        convert(large, "json", out)
        out.seek(0)
        calls = sum(1 for _ in out)
    with open(os.devnull, "w") as null:
        costs = {form: convert(large, form, null) for form in FORMATS}
    for form, (seconds, memory) in costs.items():
        print(f"trace-convert -f {form}: {calls} calls in {seconds:.2f} s, {memory:.1f} MB of memory", flush=True)
    return {"convert": int(calls / max(seconds for seconds, _ in costs.values())),
            "convert_memory": round(max(memory for _, memory in costs.values()), 1)}


def graph_trace(directory):
    """Record a trace of function_graph on four CPUs."""
    path = Path(directory) / "graph.dat"
    subprocess.run([ROOT / "scripts/trace-record", "-p", "function_graph", "-o", path, "hackbench -g 1 -l 2"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run(["make", "-s", "build/scripts/trace-convert"], cwd=ROOT, check=True)
    return path


def transfer_rate(kind, name):
    """Return the bytes of trace per second through one kind of character device of QEMU."""
    with tempfile.TemporaryDirectory(prefix="nop5-bench-") as directory:
        port = kind(directory)
        with Nop5(cpus=2, mem="256M", extra=port.arguments) as machine:
            machine.wait_prompt()
            machine.check("cd /sys/kernel/tracing; echo 4096 > buffer_size_kb; echo function > current_tracer")
            machine.check("hackbench -g 1 -l 100; echo 0 > tracing_on")
            receiver = transfer(machine, port, Path(directory) / "trace.dat")
            print(f"trace-export through {name}: {receiver.said}", end="", flush=True)
            return int(re.search(r"(\d+) bytes/s", receiver.said)[1])


def events_lost():
    """Return the number of lost events of a stream while hackbench runs."""
    with tempfile.TemporaryDirectory(prefix="nop5-bench-") as directory:
        said = subprocess.run([ROOT / "scripts/trace-record", "--cpus", "4", "-l", "vfs_*", "-o", Path(directory) / "trace.dat",
                               "hackbench -g 2 -l 100"], check=True, text=True, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE).stderr
    return int(re.search(r"(\d+) events lost", said)[1])


def measure_export():
    values = {"export": transfer_rate(Port, "FIFOs"), "export_socket": transfer_rate(SocketPort, "a socket"),
              "export_lost": events_lost()}
    with tempfile.TemporaryDirectory(prefix="nop5-bench-") as directory:
        return values | measure_convert(graph_trace(directory), CONVERT_SIZE)
