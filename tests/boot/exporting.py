"""Helpers for the tests of trace-export: the other end of a machine's second serial port."""
import os
import re
import struct
import subprocess
import sys
import threading
import zlib
from pathlib import Path

from nop5 import HANG, ROOT, TICK, Stopwatch, host

sys.path.insert(0, str(ROOT / "scripts"))
import trace_dat  # noqa: E402
import trace_link  # noqa: E402
import trace_remote  # noqa: E402, F401


CONVERT = ROOT / "build/scripts/trace-convert"


def convert(path, form, status=0, **arguments):
    """The output of trace-convert, which the test or a fixture has built."""
    result = host([CONVERT, path, "-f", form], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            **arguments)
    assert result.returncode == status, result.stderr
    return result.stdout.decode()


class Port:
    """A machine's second serial port as two FIFOs in `directory`. line() opens them. They take each byte of QEMU for half of
    what a socket costs the host; scripts/trace-record uses them, too."""

    def __init__(self, directory):
        self.path = Path(directory) / "export"
        os.mkfifo(f"{self.path}.in")
        os.mkfifo(f"{self.path}.out")
        self.arguments = ["-chardev", f"pipe,id=export,path={self.path}",
                          "-device", "isa-serial,index=1,chardev=export"]

    def line(self):
        return trace_link.Line.pipe(str(self.path))


class SocketPort:
    """The same as a socket, which the machine sees closed when the receiver leaves. line() connects to it."""

    def __init__(self, directory):
        self.path = Path(directory) / "export.sock"
        self.arguments = ["-chardev", f"socket,id=export,path={self.path},server=on,wait=off",
                          "-device", "isa-serial,index=1,chardev=export"]

    def line(self):
        return trace_link.Line.socket(str(self.path))


class Background(threading.Thread):
    """Receives in a thread until the transfer ends, so that the test can type meanwhile."""

    def __init__(self, line, receiver):
        super().__init__(daemon=True)
        self.line, self.receiver, self.error = line, receiver, None
        self.start()

    def run(self):
        try:
            self.line.write(self.receiver.ready())
            while not trace_link.finished(self.receiver) and trace_link.pump(self.line, self.receiver):
                pass
        except trace_link.Broken as error:
            self.error = error

    def finish(self):
        stopwatch = Stopwatch(os.getpid())
        while self.is_alive() and stopwatch.seconds() < HANG:
            self.join(TICK)
        assert not self.is_alive(), "the transfer does not end"
        assert self.error is None, self.error
        return self.receiver


def transfer(machine, port, path, command="trace-export"):
    """Runs the command and writes the received trace.dat to path. Returns the receiver; `said` is the command's output."""
    with open(f"{path}.part", "w+b") as journal:
        background = Background(port.line(), trace_link.Receiver(journal))
        said = machine.check(command)
        receiver = background.finish()
        receiver.said = said
        write(receiver, path)
    return receiver


def write(receiver, path):
    with open(path, "wb") as out:
        trace_dat.write(trace_dat.Transfer(receiver.journal), out)


def write_cpu(path, cpu):
    """Writes a trace.dat with only one CPU's pages of the transfer to path. Returns the new file's path."""
    alone = f"{path}.cpu{cpu}"
    with open(f"{path}.part", "rb") as journal, open(alone, "wb") as out:
        sent = trace_dat.Transfer(journal)
        sent.pages = {cpu: sent.pages.get(cpu, [])}
        trace_dat.write(sent, out)
    return alone


def enlarge(source, path, size):
    """Makes a trace.dat of `size` bytes from one with four CPUs: repeats each CPU's pages with later time stamps."""
    data = Path(source).read_bytes()
    table = data.index(b"flyrecord\0") + 10
    cpus = [struct.unpack_from("<QQ", data, table + 16 * cpu) for cpu in range(4)]
    first = min(struct.unpack_from("<Q", data, offset)[0] for offset, _ in cpus)
    pages = [data[offset:offset + length] for offset, length in cpus]
    span = 10_000_000_000
    repeat = size // sum(map(len, pages)) + 1
    head = bytearray(data[:cpus[0][0]])
    with open(path, "wb") as out:
        out.write(head)
        for cpu, text in enumerate(pages):
            struct.pack_into("<QQ", head, table + 16 * cpu, out.tell(), len(text) * repeat)
            stamps = [(at, struct.unpack_from("<Q", text, at)[0] - first) for at in range(0, len(text), 4096)]
            for n in range(repeat):
                copy = bytearray(text)
                for at, stamp in stamps:
                    struct.pack_into("<Q", copy, at, first + stamp + n * span)
                out.write(copy)
        out.seek(0)
        out.write(head)


def frames_of(receiver):
    receiver.journal.seek(0)
    return list(trace_link.Scanner().feed(receiver.journal.read()))


TRACE = re.compile(r" *(?P<task>.+)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] (?P<flags>\S+) +(?P<time>\d+\.\d+): (?P<text>.*)")
REPORT = re.compile(r" *(?P<task>.+)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] +(?P<time>\d+\.\d+): (?P<event>\w+): +(?P<text>.*)")


def read_trace(text):
    """Yields the lines of `trace` as tuples, in the same form as read_report()."""
    for line in text.splitlines():
        if match := TRACE.fullmatch(line):
            what = match["text"]
            if what == "<stack trace>":
                what = ("stack",)
            elif call := re.fullmatch(r"(\S+) <-(\S+)", what):
                what = ("function", *call.groups())
            else:
                what = ("print", what.strip())
            yield (match["task"], match["pid"], int(match["cpu"]), match["time"], *what)
        elif match := re.fullmatch(r" => (\S+)", line):
            yield ("=>", match[1])
        elif match := re.fullmatch(r"CPU:(\d+) \[LOST (\d+) EVENTS\]", line):
            yield ("lost", int(match[1]), int(match[2]))
        elif line and not line.startswith("#"):
            yield ("?", line)


def read_report(text):
    for line in text.splitlines():
        if match := REPORT.fullmatch(line):
            what = match["text"]
            if match["event"] == "kernel_stack":
                what = ("stack",)
            elif match["event"] == "function":
                what = ("function", *re.fullmatch(r"(\S+) <-- (\S+)", what).groups())
            else:
                what = ("print", what.strip())
            yield (match["task"], match["pid"], int(match["cpu"]), match["time"], *what)
        elif match := re.fullmatch(r"=> (\S+) \([0-9a-f]+\)", line):
            yield ("=>", match[1])
        elif match := re.fullmatch(r"CPU:(\d+) \[(\d+) EVENTS DROPPED\]", line):
            yield ("lost", int(match[1]), int(match[2]))
        elif line and not line.startswith("cpus="):
            yield ("?", line)


GRAPH = re.compile(r" *(?P<time>\d+\.\d+) \| +(?P<cpu>\d+)\) +(?P<task>\S+)-(?P<pid>\d+) +\| (?P<text>.*)")
GRAPH_REPORT = re.compile(r" *(?P<task>.+)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] +(?P<time>\d+\.\d+): "
                          r"funcgraph_(?:entry|exit): +(?P<text>.*)")


def graph_call(match):
    """(task name cut as in the graph, PID, CPU, time in microseconds, mark and duration, depth, function or brace)."""
    duration, call = match["text"].rsplit("|", 1)
    if "==" in duration:
        duration, call = "", ""  # the arrow at an interrupt
    call = re.sub(r" */\*.*\*/$", "", call).rstrip()
    mark, number = re.fullmatch(r" *([-+!#*@$]?) *([\d.]*)(?: us)? *", duration).groups()
    if number and float(number) > 10_000:
        mark, number = "", number[:8]  # trace-cmd has fewer marks and more digits
    seconds, fraction = match["time"].split(".")
    return (match["task"][:7], match["pid"], int(match["cpu"]), f"{seconds}.{fraction[:6]}", (mark, number),
            len(call) - len(call.lstrip()), call.strip())


def leaves(calls):
    """Joins a call with a return that follows directly to one line, as a reader may do or not do."""
    result, last = [], {}
    for call in calls:
        before = last.get(call[2])
        if call[6] == "}" and before is not None:
            opened = result[before]
            if opened[6].endswith("() {") and (opened[1], opened[5]) == (call[1], call[5]):
                result[before] = (*opened[:4], call[4], opened[5], opened[6][:-2] + ";")
                last[call[2]] = None
                continue
        last[call[2]] = len(result)
        result.append(call)
    return result


def read_graph(text):
    """The calls and returns in `trace` with the options funcgraph-proc and funcgraph-abstime."""
    calls = [graph_call(match) for match in map(GRAPH.fullmatch, text.splitlines()) if match]
    return leaves([call for call in calls if call[-1]])  # not comments, not arrows


def read_graph_report(text):
    """The same of `trace-cmd report -t`. Its times have nanoseconds, which `trace` cuts off."""
    return leaves([graph_call(match) for match in map(GRAPH_REPORT.fullmatch, text.splitlines()) if match])


def trace_cmd(*arguments):
    result = host(["trace-cmd", *map(str, arguments)], text=True, errors="replace",
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert result.returncode == 0, result.stderr
    return result.stdout


def report(path, *arguments):
    return trace_cmd("report", "-O", "parent", *arguments, path)


class BadLine:
    """A line that damages, loses or adds a byte at regular distances, by a fixed rule."""

    def __init__(self, line):
        self.line, self.damaged, self.count = line, 0, 0

    def damage(self, data, every):
        out = bytearray()
        for byte in data:
            self.count += 1
            if self.count % every:
                out.append(byte)
                continue
            self.damaged += 1
            out += (b"", bytes([byte ^ 0x10]), bytes([byte, 0x4e]), b"N5EX")[self.damaged % 4]
        return bytes(out)

    def read(self, timeout):
        data = self.line.read(timeout)
        return data and self.damage(data, 9973)

    def write(self, data):
        self.line.write(self.damage(data, 211))


def record(*arguments, cwd):
    return host([ROOT / "scripts/trace-record", *arguments], cwd=cwd, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def frame(kind, sequence, payload, session=5, flags=0, **changes):
    header = [b"N5EX", kind, flags, 0, session, sequence, len(payload), changes.get("raw", len(payload))]
    packed = trace_link.HEADER.pack(*header, 0)[:-4]
    return packed + zlib.crc32(payload, zlib.crc32(packed)).to_bytes(4, "little") + payload


HELLO = frame(trace_link.HELLO, 0, b"version=2\npage_size=4096\ncpus=1\n")
