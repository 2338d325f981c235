"""How fast a trace leaves the machine: a full buffer through the second serial port, in time, not instructions."""
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/boot"))

from exporting import PipePort, transfer  # noqa: E402
from nop5 import Nop5  # noqa: E402


def measure_convert(path):
    """Events converted to JSON in a second."""
    start = time.monotonic()
    with open(path.with_suffix(".json"), "wb") as out:
        subprocess.run([ROOT / "scripts/trace-convert", path, "-f", "json"], check=True, stdout=out)
    spent = time.monotonic() - start
    with open(path.with_suffix(".json"), "rb") as text:
        return int(sum(1 for _ in text) / spent)


def measure_export():
    with tempfile.TemporaryDirectory(prefix="nop5-bench-") as directory:
        port = PipePort(directory)
        with Nop5(cpus=2, mem="256M", extra=port.arguments) as machine:
            machine.wait_prompt()
            machine.check("cd /sys/kernel/tracing; echo 4096 > buffer_size_kb; echo function > current_tracer")
            machine.check("hackbench -g 1 -l 100; echo 0 > tracing_on")
            receiver = transfer(machine, port, Path(directory) / "trace.dat")
            convert = measure_convert(Path(directory) / "trace.dat")
            return {"convert": convert, "export": int(re.search(r"(\d+) bytes/s", receiver.said)[1])}
