"""scripts/trace-convert: its output formats, and its behaviour with damaged files."""
import json
import os
import random
import re
import resource
import struct
import subprocess
import zlib
from collections import Counter

import jsonschema
import pytest

from exporting import CONVERT, Port, convert, enlarge, read_report, record, report, transfer
from nop5 import ROOT, host
from seed import seed

# Calls in calls, of tasks, interrupts and idle CPUs. A trace of all functions would say the same with six times as many bytes.
GRAPHED = "*_read *_write __x64_sys_* ksys_* do_* pipe_* schedule pick_*"


@pytest.fixture(scope="module")
def traces(images, tmp_path_factory):
    """Traces of both tracers. scripts/trace-convert builds the program."""
    directory = tmp_path_factory.mktemp("traces")
    for name, arguments in (("function", ["-l", "vfs_*", "ls", "/proc"]),
                            ("stacks", ["-l", "vfs_*", "-O", "func_stack_trace", "ls", "/proc"]),
                            ("graph", ["-p", "function_graph", "-l", GRAPHED, "hackbench -g 1 -l 2"])):
        result = record("-o", f"{name}.dat", *arguments, cwd=directory)
        assert result.returncode == 0, result.stderr
    subprocess.run([ROOT / "scripts/trace-convert", directory / "function.dat", "-f", "folded"], check=True,
                   stdout=subprocess.DEVNULL)
    return directory


def test_text_is_what_the_trace_file_says(boot, traces, tmp_path):
    port = Port(tmp_path)
    machine = boot(cpus=2, extra=port.arguments)
    machine.check("cd /sys/kernel/tracing; echo 'vfs_* *lock* do_interrupt' > set_ftrace_filter")
    machine.check("echo function > current_tracer; ls; echo some text > trace_marker")
    machine.check("echo 1 > options/func_stack_trace; ls > /dev/null; echo 0 > tracing_on")
    ours = [line for line in machine.fetch("cat trace").splitlines() if not line.startswith("#")]
    transfer(machine, port, tmp_path / "trace.dat")
    text = [line for line in convert(tmp_path / "trace.dat", "ftrace").splitlines() if not line.startswith("#")]
    assert len(text) == len(ours) > 200
    for number, (theirs, our) in enumerate(zip(sorted(text), sorted(ours))):
        assert theirs == our, number


def test_text_of_a_graph_is_what_the_trace_file_says(boot, traces, tmp_path):
    port = Port(tmp_path)
    machine = boot(cpus=1, extra=port.arguments)
    machine.check("cd /sys/kernel/tracing; echo vfs_open > set_graph_function")
    # The first entry is a call. Before it, trace-convert does not know that the tracer is function_graph.
    machine.check("echo function_graph > current_tracer; ls > /dev/null; echo 1 > events/kmem/enable")
    machine.check("cat /proc/meminfo > /dev/null; echo 0 > tracing_on; echo 0 > events/kmem/enable")
    # Only the `trace` file marks switches between tasks. The address of a page is not in the trace.
    calls = re.compile(r" *\d+\) .*us +\| .*|.*\(\) \{|.*/\* k\w+: call_site=.* \*/")
    lines = machine.check("echo 0 > options/hash-ptr; cat trace").splitlines()
    assert lines[:2] == ["# tracer: function_graph", "#"]
    header, ours = lines[2:4], [line for line in lines if calls.fullmatch(line)]
    transfer(machine, port, tmp_path / "trace.dat")
    text = convert(tmp_path / "trace.dat", "ftrace").splitlines()
    assert text[:2] == header and [line for line in text if line.startswith("#")] == header
    text = [line for line in text if calls.fullmatch(line)]
    assert sum("/* k" in line for line in text) > 10 and any(re.search(r"\|  {4,}/\* k", line) for line in text)
    plain = [re.sub(r" /\* \S+ \*/$", "", line) for line in text]
    assert plain == [re.sub(r" /\* \S+ \*/$", "", line) for line in ours] and len(plain) > 10


def test_json_has_every_call_as_chrome_wants_it(traces):
    events = json.loads(convert(traces / "graph.dat", "json"))["traceEvents"]
    for event in events:
        assert {"name", "ph", "pid", "tid"} <= set(event) and event["ph"] in "XiM"
        assert event["ph"] == "M" or event["ts"] >= 0
        assert event["ph"] != "X" or event["dur"] >= 0
        assert event["ph"] != "i" or event["s"] in ("g", "p", "t")
    names = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert any(re.fullmatch(r"hackbench-recv-\d+", name) for name in names) and "<idle>/0" in names
    text = report(traces / "graph.dat")
    returns = len(re.findall(r": funcgraph_exit:", text)) + len(re.findall(r"funcgraph_entry: .*\(\);$", text, re.M))
    whole = [event for event in events if event["ph"] == "X" and "return" not in event.get("args", {})]
    assert 0 <= returns - len(whole) < 200  # some calls were made before the trace began
    # Two calls of a task nest, or do not overlap.
    for tid in {event["tid"] for event in whole}:
        open_until = []
        for event in sorted((e for e in whole if e["tid"] == tid), key=lambda e: (round(e["ts"] * 1000), -e["dur"])):
            start, end = round(event["ts"] * 1000), round((event["ts"] + event["dur"]) * 1000)
            while open_until and open_until[-1] <= start:
                open_until.pop()
            assert not open_until or end <= open_until[-1]
            open_until.append(end)


def durations_in_text(text):
    """Counts (function, duration) of the calls in a graph's text that have a duration."""
    calls = re.findall(r"^ +\d+\) [ +!#*@$] ([\d.]+) us +\|  +(?:\} /\* (\S+) \*/|(\S+)\(\);)$", text, re.M)
    return Counter((tail or leaf, duration) for duration, tail, leaf in calls)


def test_json_and_text_give_the_same_duration_for_each_call(traces):
    """A call's bar has the duration in the text. If the bar must be longer because a child began first, its argument
    has the duration."""
    events = json.loads(convert(traces / "graph.dat", "json"))["traceEvents"]
    calls = [event for event in events if event["ph"] == "X" and "return" not in event.get("args", {})]
    in_json = Counter()
    for call in calls:
        measured = call.get("args", {}).get("measured_us", call["dur"])
        assert measured <= call["dur"]
        in_json[call["name"], f"{measured:.3f}"[:8] if measured < 10**6 else f"{measured // 1:.0f}"] += 1
    in_text = durations_in_text(convert(traces / "graph.dat", "ftrace"))
    assert len(calls) > 1000 and in_json - in_text == Counter()
    longer = [call for call in calls if "args" in call]
    assert len(longer) < len(calls) / 100


def test_json_of_the_function_tracer_has_an_instant_for_each_call(traces):
    events = json.loads(convert(traces / "function.dat", "json"))["traceEvents"]
    calls = [(e["name"], e["args"]["parent"]) for e in events if e["ph"] == "i"]
    assert calls == [e[5:] for e in read_report(report(traces / "function.dat"))]


SCHEMA = ROOT / "build/speedscope/node_modules/speedscope/dist/release/file-format-schema.json"


@pytest.mark.tools
@pytest.mark.parametrize("name", ["function", "stacks", "graph"])
def test_speedscope_files_follow_its_schema(traces, name):
    result = host([ROOT / "scripts/trace-view", "-n", traces / f"{name}.dat"], stdout=subprocess.PIPE, text=True,
                            check=True)
    page, _, script = result.stdout.strip().partition("#localProfilePath=")
    assert os.path.exists(page.removeprefix("file://"))
    assert open(script, encoding="ascii").read().startswith("speedscope.loadFileFromBase64(")
    os.remove(script)
    data = json.loads(convert(traces / f"{name}.dat", "speedscope"))
    jsonschema.validate(data, json.loads(SCHEMA.read_text()))
    frames = data["shared"]["frames"]
    if name != "graph":
        tasks = {f"{event[0]}-{event[1]}" for event in read_report(report(traces / f"{name}.dat")) if event[0] != "=>"}
        assert {profile["name"] for profile in data["profiles"]} == tasks
    for profile in data["profiles"]:
        if profile["type"] == "sampled":
            assert len(profile["samples"]) == len(profile["weights"]) == profile["endValue"]
            continue
        stack, last = [], profile["startValue"]
        for event in profile["events"]:
            assert last <= event["at"] <= profile["endValue"]
            last = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
            else:
                assert stack.pop() == event["frame"]
            assert event["frame"] < len(frames)
        assert not stack


def test_folded_stacks_count_calls_and_time(traces):
    def stacks(name):
        return dict(line.rsplit(" ", 1) for line in convert(traces / f"{name}.dat", "folded").splitlines())

    calls = [event for event in read_report(report(traces / "function.dat"))]
    assert sum(map(int, stacks("function").values())) == len(calls)
    for task in {event[0] for event in calls}:
        assert int(stacks("function")[f"{task};ksys_write;vfs_write"]) == sum(
            event[0] == task and event[5:] == ("vfs_write", "ksys_write") for event in calls)
    assert any(re.match(r"ls;entry_SYSCALL_64_after_hwframe;__x64_sys_openat;.*;vfs_open$", stack) for stack in stacks("stacks"))
    graph = stacks("graph")
    assert all(int(value) > 0 for value in graph.values())
    assert any(re.match(r"hackbench-send;.*vfs_write;.*pipe_write", stack) for stack in graph)


# ---- version 7 ----

V7 = b"\x17\x08\x44tracing7\0\0\x08\0\x10\0\0"


def version7(traces, name, compression):
    """Converts the trace to version 7 with trace-cmd. Debian's trace-cmd lacks zlib, so repack() compresses with it."""
    path = traces / f"{name}.{compression}.dat"
    subprocess.run(["trace-cmd", "convert", "-i", traces / f"{name}.dat", "-o", path, "--file-version", "7",
                    "--compression", "none" if compression == "zlib" else compression], check=True, stdout=subprocess.DEVNULL)
    if compression == "zlib":
        path.write_bytes(repack(path.read_bytes()))
    return path


def packed(data):
    text = zlib.compress(data)
    return struct.pack("<II", len(text), len(data)) + text


def options_of(data, at):
    """Yields (id, value) of all options of version 7, from the section at `at` on."""
    while at:
        at += 16
        number = -1
        while number:
            number, size = struct.unpack_from("<HI", data, at)
            value = data[at + 6:at + 6 + size]
            if number:
                yield number, value
            at += 6 + size
        at, = struct.unpack("<Q", value)


def repack(data):
    """Compresses an uncompressed version 7 with zlib."""
    start = data.index(b"none\0") + 5
    start = data.index(b"\0", start) + 1
    new = bytearray(V7 + b"zlib\0" + b"1.2.13\0" + bytes(8))
    head = len(new)
    options = b""
    for number, value in options_of(data, *struct.unpack_from("<Q", data, start)):
        if number == 3:
            texts = value.index(b"\0", value.index(b"\0", 8) + 1) + 1
            value = bytearray(value)
            for at in range(texts + 8, len(value), 20):
                _, offset, size = struct.unpack_from("<IQQ", value, at)
                chunks = [data[i:min(i + 40960, offset + size)] for i in range(offset, offset + size, 40960)]
                text = b"".join(map(packed, chunks))
                struct.pack_into("<QQ", value, at + 4, len(new), len(text))
                new += struct.pack("<I", len(chunks)) + text
        elif 16 <= number <= 21:
            at, = struct.unpack("<Q", value)
            section, _, description, size = struct.unpack_from("<HHIQ", data, at)
            text = packed(data[at + 16:at + 16 + size])
            value = struct.pack("<Q", len(new))
            new += struct.pack("<HHIQ", section, 1, description, len(text)) + text
        options += struct.pack("<HI", number, len(value)) + value
    options += struct.pack("<HIQ", 0, 8, 0)
    struct.pack_into("<Q", new, head - 8, len(new))
    return bytes(new + struct.pack("<HHIQ", 0, 0, 0, len(options)) + options)


@pytest.mark.parametrize("compression", ["none", "zlib", "zstd"])
@pytest.mark.parametrize("name", ["stacks", "graph"])
def test_version_7_is_read_as_version_6(traces, name, compression):
    path = version7(traces, name, compression)
    assert compression == "none" or path.stat().st_size < (traces / f"{name}.dat").stat().st_size / 2
    for form in ("json", "ftrace"):
        assert convert(path, form) == convert(traces / f"{name}.dat", form)


def test_damage_within_version_7_leaves_the_rest(traces, tmp_path):
    """A chunk that does not decompress loses its ten pages, a wrong size loses the rest of the CPU."""
    data = version7(traces, "graph", "zlib").read_bytes()
    whole = convert(traces / "graph.dat", "ftrace").count("\n")
    buffer = next(value for number, value in options_of(data, *struct.unpack_from("<Q", data, len(V7) + 12)) if number == 3)
    first = struct.unpack_from("<Q", buffer, buffer.index(b"local\0") + 6 + 12)[0] + 4  # behind the number of chunks
    for at, text in ((first + 50, "do not decompress"), (first + 3, "no chunk of compressed pages")):
        bad = bytearray(data)
        bad[at] ^= 0x80
        (tmp_path / "bad.dat").write_bytes(bad)
        result = subprocess.run([CONVERT, tmp_path / "bad.dat", "-f", "ftrace"], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        assert result.returncode == 1 and text in result.stderr
        assert 100 < result.stdout.count("\n") < whole


# ---- damaged files and other errors ----

def test_a_file_that_is_none_or_another_version_is_refused(traces, tmp_path):
    path = tmp_path / "bad.dat"
    for data, text in ((b"", "no trace.dat"), (b"hello", "no trace.dat"), (b"\x17\x08\x44tracing8\0rest", "version 8"),
                       (b"\x17\x08\x44tracing6\0", "does not have its head"),
                       (b"\x17\x08\x44tracing6\0\x01\x08\0\x10\0\0", "little-endian"),
                       (V7 + b"lz4\0" b"1.9\0" + bytes(8), "a compression that is known here"),
                       (V7 + b"zstd", "the name of its compression"),
                       (V7 + b"none\0\0" + bytes(8), "a section of options"),
                       # An option section that refers to itself.
                       (V7 + b"none\0\0" + struct.pack("<QHHIQHIQ", 32, 0, 0, 0, 14, 0, 8, 32), "a section of options"),
                       (V7 + b"none\0\0" + struct.pack("<QHHIQHIQ", 32, 0, 0, 0, 14, 0, 8, 0), "a trace")):
        path.write_bytes(data)
        result = subprocess.run([CONVERT, path, "-f", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert result.returncode == 2 and text in result.stderr and not result.stdout
    for arguments in ([], ["-f", "json"], [path, "-f", "xml"], [path], ["/no/such/file", "-f", "json"]):
        result = subprocess.run([CONVERT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert result.returncode == 2 and result.stderr


def test_a_file_cut_short_gives_what_is_left(traces, tmp_path):
    data = (traces / "graph.dat").read_bytes()
    whole = len(json.loads(convert(traces / "graph.dat", "json"))["traceEvents"])
    path = tmp_path / "cut.dat"
    counts = []
    for size in (len(data) - 100, len(data) - 70_000, len(data) // 2):
        path.write_bytes(data[:size])
        result = subprocess.run([CONVERT, path, "-f", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert result.returncode == 1 and "behind the end of the file" in result.stderr
        counts.append(len(json.loads(result.stdout)["traceEvents"]))
    assert whole >= counts[0] >= counts[1] > counts[2] > 10


@pytest.mark.parametrize("form", ["json", "speedscope"])
def test_damaged_pages_still_give_valid_output(traces, tmp_path, form):
    data = (traces / "graph.dat").read_bytes()
    start = min(struct.unpack_from("<QQ", data, data.index(b"flyrecord\0") + 10 + 16 * cpu)[0] for cpu in range(4))
    rng = random.Random(seed(2))
    statuses = set()
    for _ in range(12):
        bad = bytearray(data)
        for _ in range(30):
            bad[rng.randrange(start, len(bad))] = rng.randrange(256)
        path = tmp_path / "bad.dat"
        path.write_bytes(bad)
        result = subprocess.run([CONVERT, path, "-f", form], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert result.returncode in (0, 1), result.stderr
        statuses.add(result.returncode)
        json.loads(result.stdout)
    assert 1 in statuses


def test_a_full_disk_is_an_error(traces):
    with open("/dev/full", "w") as full:
        result = subprocess.run([CONVERT, traces / "graph.dat", "-f", "json"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 2 and "could not be written" in result.stderr


MEMORY = 64 << 20


def convert_large(path, form):
    with open(os.devnull, "w") as null:
        host([CONVERT, path, "-f", form], check=True, stdout=null,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))


@pytest.mark.parametrize("size", [32 << 20, pytest.param(1 << 30, marks=pytest.mark.soak)])
@pytest.mark.parametrize("form", ["json", "speedscope", "folded", "ftrace"])
def test_memory_does_not_grow_with_the_trace(traces, tmp_path, form, size):
    enlarge(traces / "graph.dat", tmp_path / "large.dat", size)
    convert_large(tmp_path / "large.dat", form)
    (tmp_path / "large.dat").unlink()


def test_memory_does_not_grow_with_a_compressed_trace(traces, tmp_path):
    enlarge(traces / "graph.dat", tmp_path / "large.dat", 32 << 20)
    path = version7(tmp_path, "large", "zstd")
    assert path.stat().st_size < 16 << 20
    convert_large(path, "ftrace")
