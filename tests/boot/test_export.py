"""The trace as other people's tools read it: trace-export, its protocol, and trace-cmd on the result."""
import io
import itertools
import os
import re
import struct
import subprocess
import zlib

import hypothesis
import pexpect
import pytest
from hypothesis import strategies

import exporting
from exporting import (Background, PipePort, Port, frames_of, read_graph, read_graph_report, read_report, read_trace,
                       trace_dat, trace_link, trace_remote, transfer, write, write_cpu)
from nop5 import EXIT_PANIC, HANG, PROMPT, ROOT, eventually, resources, tasks

TRACING = "/sys/kernel/tracing/"


@pytest.fixture
def traced(boot, tmp_path):
    """traced(cpus=4) gives a machine in the tracing directory, and its port."""
    def start(cpus=4, port=Port, **arguments):
        port = port(tmp_path)
        machine = boot(cpus=cpus, extra=port.arguments, **arguments)
        machine.check(f"cd {TRACING}")
        return machine, port
    return start


def trace_cmd(*arguments):
    result = subprocess.run(["trace-cmd", *map(str, arguments)], text=True, errors="replace", timeout=HANG,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert result.returncode == 0, result.stderr
    return result.stdout


def report(path, *arguments):
    return trace_cmd("report", "-O", "parent", *arguments, path)


def sorted_by_cpu(events):
    """Each CPU's events in their order: events of one instant on two CPUs may come in either."""
    by_cpu, cpu = {}, None
    for event in events:
        cpu = event[1] if event[0] == "lost" else event[2] if len(event) > 2 else cpu
        by_cpu.setdefault(cpu, []).append(event)
    return by_cpu


def assert_same(theirs, ours):
    """Two dictionaries of lists, without a difference of many thousand lines when they are not the same."""
    assert sorted(theirs) == sorted(ours)
    for cpu, events in ours.items():
        for number, (their, our) in enumerate(itertools.zip_longest(theirs[cpu], events)):
            assert their == our, f"CPU {cpu}, event {number}"


def compare(machine, port, path):
    """The stopped buffer through both readers; what they agreed on."""
    machine.check("echo 0 > tracing_on")
    ours = list(read_trace(machine.check("cat trace")))
    transfer(machine, port, path)
    theirs = sorted_by_cpu(read_report(report(path)))
    # What was overwritten before anybody read is told by trace-cmd only; Linux's `trace` does not either.
    for cpu, overrun in enumerate(re.findall(r"^overrun: (\d+)", trace_cmd("report", "--stat", path), re.M)):
        if theirs[cpu][0][0] == "lost":
            assert theirs[cpu].pop(0) == ("lost", cpu, int(overrun))
        else:
            assert overrun == "0"
    assert_same(theirs, sorted_by_cpu(ours))
    assert not [event for event in ours if event[0] == "?"]
    return ours


@pytest.mark.parametrize("cpus", [1, 4])
def test_trace_cmd_reports_what_trace_says(traced, tmp_path, cpus):
    machine, port = traced(cpus)
    machine.check("echo 'sys_* vfs_* pipe_* *lock* schedule do_interrupt' > set_ftrace_filter")
    machine.check("echo function > current_tracer")
    machine.check("hackbench -g 1 -l 1")
    machine.check("echo 'hello  from the marker' > trace_marker")
    machine.check("echo 'vfs_open' > set_ftrace_filter")
    machine.check("echo 1 > options/func_stack_trace")
    machine.check("ls /proc")
    machine.check("echo 0 > options/func_stack_trace")
    events = compare(machine, port, tmp_path / "trace.dat")
    kinds = [event[4] for event in events if event[0] != "=>"]
    assert kinds.count("function") > 3000 and kinds.count("stack") > 1
    assert any(event[4:] == ("print", "tracing_mark_write: hello  from the marker") for event in events)
    assert {event[2] for event in events if event[0] != "=>"} == set(range(cpus))


@pytest.mark.parametrize("cpus", [1, 4])
def test_trace_cmd_reports_what_is_left_of_an_overwritten_buffer(traced, tmp_path, cpus):
    machine, port = traced(cpus)
    machine.check("echo 16 > buffer_size_kb")
    machine.check("echo function > current_tracer")
    machine.check("hackbench -g 1 -l 5")
    events = compare(machine, port, tmp_path / "trace.dat")
    assert len(events) > 300
    assert re.search(r"^overrun: [1-9]", trace_cmd("report", "--stat", tmp_path / "trace.dat"), re.M)


@pytest.mark.parametrize("cpus", [1, 4])
def test_trace_cmd_tells_how_many_events_a_live_reader_has_missed(traced, tmp_path, cpus):
    """The stream is held up until buffers have overflowed."""
    machine, port = traced(cpus)
    machine.check("echo 16 > buffer_size_kb")
    machine.check("echo 'vfs_* sys_*' > set_ftrace_filter")
    path = tmp_path / "trace.dat"
    with open(tmp_path / "part", "w+b") as journal:
        receiver = trace_link.Receiver(journal)
        machine.check("echo function > current_tracer")
        machine.check("trace-export -f > /tmp/log &")
        line = port.line()
        while receiver.pages == 0:
            assert trace_link.pump(line, receiver)
        machine.check("hackbench -g 1 -l 50")  # nobody reads meanwhile: the window fills
        receiver.stopping = True
        line.write(receiver.stop_line())
        background = Background(line, receiver)
        machine.check("wait")
        background.finish()
        write(receiver, path)
    lost = [event for event in read_report(report(path)) if event[0] == "lost"]
    assert lost and all(event[2] > 0 for event in lost)
    stats = trace_cmd("report", "--stat", path)
    overrun = sum(map(int, re.findall(r"^overrun: (\d+)", stats, re.M)))
    assert sum(event[2] for event in lost) <= overrun


def test_trace_printk_reads_the_same_everywhere(traced, tmp_path):
    """bprint, bputs and print: the first two are formats in the image, which printk_formats tells."""
    machine, port = traced(1)
    machine.check("cat /sys/kernel/debug/trace_printk_sample")
    events = compare(machine, port, tmp_path / "trace.dat")
    assert [event[5].partition(": ")[2] for event in events] == [
        "numbers -1 2    34 abcdef123456", f"task cat has PID {events[0][1]}",
        "a text without arguments, 100%", "a format that is no constant"]
    text = subprocess.run([ROOT / "scripts/trace-convert", tmp_path / "trace.dat", "-f", "ftrace"], text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    assert list(read_trace(text)) == events


def test_an_instance_is_exported_by_its_name(traced, tmp_path):
    machine, port = traced(2)
    machine.check("mkdir instances/one; echo 'vfs_read' > instances/one/set_ftrace_filter")
    machine.check("echo function > current_tracer; echo function > instances/one/current_tracer")
    machine.check("ls /proc; echo 0 > tracing_on")
    machine.check("echo 0 > instances/one/tracing_on")
    ours = list(read_trace(machine.check("cat instances/one/trace")))
    receiver = transfer(machine, port, tmp_path / "trace.dat", "trace-export one")
    assert receiver.hello["instance"] == "one"
    assert_same(sorted_by_cpu(read_report(report(tmp_path / "trace.dat"))), sorted_by_cpu(ours))
    assert {event[5] for event in ours} == {"vfs_read"}


def graphed(machine):
    machine.check("echo 1 > options/funcgraph-proc; echo 1 > options/funcgraph-abstime")
    machine.check("echo function_graph > current_tracer")


def compare_graph(machine, port, path):
    """The stopped buffer as `trace` and trace-cmd draw it; what they agreed on.

    Each CPU's pages are in a file of their own, and the whole file has the same records. To draw a call as a leaf, trace-cmd takes the next record of all CPUs as
    its return if that has the same function and PID (3.1.6, lib/trace-cmd/trace-ftrace.c: fgraph_ent_handler(),
    get_return_for_leaf()), and every idle task has PID 0: so it gives one idle CPU's return to another, with any
    option. The kernel looks at the next record of that CPU (kernel/trace/trace_functions_graph.c).
    """
    machine.check("echo 0 > tracing_on")
    ours = sorted_by_cpu(read_graph(machine.check("cat trace")))
    transfer(machine, port, path)
    records = raw_records(path)
    for cpu, calls in ours.items():
        alone = write_cpu(path, cpu)
        assert_same({cpu: read_graph_report(report(alone, "-t"))}, {cpu: calls})
        assert_same(raw_records(alone), {cpu: records.pop(cpu)})
    assert not records
    return sum(ours.values(), [])


def raw_records(path):
    """{CPU: the records that trace-cmd finds, in their order, before it draws anything}."""
    by_cpu = {}
    for line in report(path, "-R", "-t").splitlines():
        if match := re.search(r" \[(\d+)\] ", line):
            by_cpu.setdefault(int(match[1]), []).append(line)
    return by_cpu


def graph_page(sent, start, records):
    """A page with these (ns after start, event, func, rest of its fields), all of PID 0."""
    data = b""
    last = 0
    for at, name, *values in records:
        text = sent.text(f"events/ftrace/{name}/format").decode()
        number = int(re.search(r"^ID: (\d+)", text, re.M)[1])
        names = dict(zip(("func", "depth", "overrun", "calltime", "rettime"), values))
        event = bytearray(max(int(o) + int(n) for o, n in re.findall(r"offset:(\d+);\tsize:(\d+)", text)))
        struct.pack_into("<HBBi", event, 0, number, 0, 0, 0)
        for field, offset, size in re.findall(r"field:.*?(\w+);\toffset:(\d+);\tsize:(\d+)", text):
            if field in names:
                event[int(offset):int(offset) + int(size)] = names[field].to_bytes(int(size), "little")
        event += bytes(-len(event) % 4)
        data += struct.pack("<I", len(event) // 4 | at - last << 5) + event
        last = at
    return (struct.pack("<QQ", start, len(data)) + data).ljust(4096, b"\0")


def test_trace_cmd_gives_the_return_of_one_idle_task_to_another(traced, tmp_path):
    """Why compare_graph() reads one CPU at a time: the same pages, alone and together."""
    machine, port = traced(2)
    path = tmp_path / "trace.dat"
    transfer(machine, port, path)
    function = int(next(line for line in machine.check("cat /proc/kallsyms").splitlines() if line.endswith(" T vfs_read"))
                   .split()[0], 16)
    times = {0: (100, 190), 1: (50, 170)}  # CPU 1's return is between CPU 0's call and return
    with open(f"{path}.part", "rb") as journal:
        sent = trace_dat.Transfer(journal)
        pages = {cpu: graph_page(sent, 10 ** 9, [(call, "funcgraph_entry", function, 0),
                                                (back, "funcgraph_exit", function, 0, 0, call, back)])
                 for cpu, (call, back) in times.items()}
        alone = []
        for cpus in ([0], [1], [0, 1]):
            sent.cpu_data = lambda cpu, cpus=cpus: [pages[cpu]] if cpu in cpus else []
            with open(path, "wb") as out:
                trace_dat.write(sent, out)
            drawn = [(call[2], call[4][1], call[6]) for call in read_graph_report(report(path, "-t"))]
            alone += drawn if len(cpus) == 1 else []
    assert alone == [(0, "0.090", "vfs_read();"), (1, "0.120", "vfs_read();")]
    # A version that has been mended leaves each its own return.
    assert drawn in ([(1, "", "vfs_read() {"), (0, "0.120", "vfs_read();"), (0, "0.090", "}")],
                     [(1, "0.120", "vfs_read();"), (0, "0.090", "vfs_read();")]), drawn


@pytest.mark.parametrize("cpus", [1, 4])
def test_trace_cmd_reports_the_graph_that_trace_draws(traced, tmp_path, cpus):
    machine, port = traced(cpus)
    machine.check("echo 'vfs_open' > set_graph_function; echo 'vfs_read' >> set_graph_function")
    machine.check("echo 'do_interrupt' >> set_graph_function")
    graphed(machine)
    machine.check("ls -l /proc; cat /proc/self/stat; hackbench -g 1 -l 1")
    machine.check("echo within a graph > trace_marker")
    calls = compare_graph(machine, port, tmp_path / "trace.dat")
    assert len(calls) > 1000 and {call[2] for call in calls} == set(range(cpus))
    assert max(call[5] for call in calls) > 12 and any(call[4][0] == "+" for call in calls)
    assert re.search(r"print: +tracing_mark_write: within a graph$", report(tmp_path / "trace.dat"), re.M)


@pytest.mark.parametrize("cpus", [1, 4])
def test_trace_cmd_reports_what_is_left_of_an_overwritten_graph(traced, tmp_path, cpus):
    machine, port = traced(cpus)
    machine.check("echo 32 > buffer_size_kb")
    graphed(machine)
    machine.check("hackbench -g 1 -l 2")
    calls = compare_graph(machine, port, tmp_path / "trace.dat")
    assert len(calls) > 300
    assert re.search(r"^overrun: [1-9]", trace_cmd("report", "--stat", tmp_path / "trace.dat"), re.M)


def test_report_by_cpu_by_filter_and_with_statistics(traced, tmp_path):
    machine, port = traced(4)
    machine.check("echo 'sys_* vfs_* pipe_* *lock* schedule do_interrupt' > set_ftrace_filter")
    machine.check("echo function > current_tracer")
    machine.check("hackbench -g 1 -l 1")
    path = tmp_path / "trace.dat"
    events = [event for event in compare(machine, port, path) if event[0] != "=>"]
    for cpu in range(4):
        assert_same({0: list(read_report(report(path, "--cpu", str(cpu))))}, {0: [e for e in events if e[2] == cpu]})
    functions = set(e[5] for e in read_report(report(path, "-F", "function: common_pid > 20")))
    assert functions == set(e[5] for e in events if int(e[1]) > 20)
    symbol = next(line.split()[0] for line in machine.check("cat /proc/kallsyms").splitlines()
                  if line.split()[2] == "vfs_read")
    assert len(list(read_report(report(path, "-F", f"function: ip == 0x{symbol}")))) == \
        sum(e[5] == "vfs_read" for e in events) > 0
    stats = trace_cmd("report", "--stat", path)
    assert len(re.findall(r"^CPU: \d$", stats, re.M)) == 4 and "entries: 0" in stats
    assert sum(map(int, re.findall(r"read events: (\d+)", stats))) == len(events)
    assert trace_cmd("report", "-l", path).count("\n") > len(events)


def test_a_running_tracer_is_stopped_for_the_export_and_runs_on(traced, tmp_path):
    machine, port = traced(2)
    machine.check("echo function > current_tracer")
    receiver = transfer(machine, port, tmp_path / "trace.dat")
    assert receiver.end["status"] == "complete" and receiver.pages > 0
    assert machine.check("cat tracing_on") == "1\n"
    assert machine.check("cat set_ftrace_notrace_pid") == "no pid\n"


def test_live_export_loses_nothing_while_hackbench_runs(traced, tmp_path):
    machine, port = traced(4, port=PipePort)
    machine.check("echo 8192 > buffer_size_kb")
    machine.check("echo 'vfs_*' > set_ftrace_filter")
    machine.check("echo function > current_tracer")
    path = tmp_path / "trace.dat"
    with open(tmp_path / "part", "w+b") as journal:
        receiver = trace_link.Receiver(journal)
        background = Background(port.line(), receiver)
        machine.check("chrt -f 1 trace-export -f > /tmp/log &")
        eventually(lambda: receiver.session)
        machine.check("hackbench -g 2 -l 100")
        receiver.stopping = True
        background.line.write(receiver.stop_line())
        machine.check("wait")
        background.finish()
        write(receiver, path)
    stats = trace_cmd("report", "--stat", path)
    assert re.findall(r"^(overrun|commit overrun|dropped events): ([1-9]\d*)", stats, re.M) == []
    events = list(read_report(report(path)))
    # Each message is written and read, and nothing is there of what the exporter did meanwhile.
    assert sum(event[5] == "vfs_write" and event[0] == "hackbench-send" for event in events) == 2 * 20 * 20 * 100
    first = next(i for i, event in enumerate(events) if event[0].startswith("hackbench"))
    assert not [event for event in events[first:] if event[0] == "trace-export"]
    assert machine.check("cat set_ftrace_notrace_pid") == "no pid\n"


def hackbench_trace(machine):
    """What `trace` says of a hackbench; tracing is off."""
    machine.check("echo 'sys_* vfs_* pipe_* *lock* schedule' > set_ftrace_filter")
    machine.check("echo function > current_tracer")
    machine.check("hackbench -g 1 -l 4; echo 0 > tracing_on")
    return list(read_trace(machine.check("cat trace")))


def test_a_transfer_over_a_bad_line_arrives_whole(traced, tmp_path):
    """Bytes are damaged, lost and invented in both directions."""
    machine, port = traced(2)
    text = hackbench_trace(machine)
    line = BadLine(port.line())
    with open(tmp_path / "part", "w+b") as journal:
        background = Background(line, trace_link.Receiver(journal))
        machine.check("trace-export")
        receiver = background.finish()
        assert line.damaged > 5 and receiver.scanner.damaged + receiver.scanner.skipped > 0
        write(receiver, tmp_path / "trace.dat")
    assert_same(sorted_by_cpu(read_report(report(tmp_path / "trace.dat"))), sorted_by_cpu(text))


class BadLine:
    """Every so many bytes something happens to one, by a fixed rule."""

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


def test_an_interrupted_transfer_goes_on_with_another_receiver(traced, tmp_path):
    machine, port = traced(2)
    text = hackbench_trace(machine)
    part = tmp_path / "part"
    line = port.line()
    with open(part, "w+b") as journal:
        receiver = trace_link.Receiver(journal)
        machine.send("trace-export\n")
        while receiver.pages < 20:
            assert trace_link.pump(line, receiver)
    line.close()
    part.write_bytes(part.read_bytes() + HELLO[:-9])  # it was killed while it wrote
    machine.expect(r"waiting for the receiver")
    with open(part, "a+b") as journal:
        second = trace_link.Receiver(journal)
        assert second.session == receiver.session and second.wanted == receiver.wanted
        line = port.line()
        line.write(second.ready())
        while not trace_link.finished(second):
            assert trace_link.pump(line, second)
        assert second.end["status"] == "complete"
        write(second, tmp_path / "trace.dat")
    machine.wait_prompt()
    assert_same(sorted_by_cpu(read_report(report(tmp_path / "trace.dat"))), sorted_by_cpu(text))


def test_the_port_is_binary_clean_and_the_console_stays_a_console(traced, tmp_path):
    machine, port = traced(1)
    machine.check("echo function > current_tracer")
    with open(tmp_path / "part", "w+b") as journal:
        background = Background(port.line(), trace_link.Receiver(journal))
        machine.check("trace-export")
        receiver = background.finish()
        assert set(range(256)) == set(b"".join(frame.wire for frame in frames_of(receiver)))
    assert receiver.scanner.damaged == receiver.scanner.skipped == 0
    assert "N5EX" not in machine.text


def test_the_set_is_complete(traced, tmp_path):
    machine, port = traced(2)
    machine.check("echo function > current_tracer")
    with open(tmp_path / "part", "w+b") as journal:
        background = Background(port.line(), trace_link.Receiver(journal))
        machine.check("trace-export")
        files = exporting.trace_dat.Transfer(background.finish().journal).files
    formats = machine.check("ls events/ftrace").split()
    assert {f"events/ftrace/{name}/format" for name in formats} <= set(files)
    for name in ("events/header_page", "events/header_event", "trace_clock", "saved_cmdlines"):
        assert files[name]
    machine.check("echo 0 > tracing_on")
    assert files["proc/kallsyms"].decode() == machine.check("cat /proc/kallsyms")
    assert files["events/header_page"].decode() == machine.check("cat events/header_page")


def test_trace_export_without_a_second_port_says_so(nop5):
    result = nop5.run("trace-export")
    assert result.status == 1 and "/dev/ttyS1: No such device or address" in result.output


def test_trace_export_refuses_what_it_does_not_know(traced):
    machine, _ = traced(1)
    result = machine.run("trace-export nowhere")
    assert result.status == 1 and "nowhere: No such file or directory" in result.output
    assert machine.run("trace-export -x").status == 2
    result = machine.run("trace-export -d /proc/version")
    assert result.status == 1 and "/proc/version" in result.output


def test_ctrl_c_ends_an_export_that_nobody_receives(traced):
    machine, _ = traced(1)
    machine.check("echo function > current_tracer")
    machine.interrupt("trace-export")
    assert machine.run("cat tracing_on").output == "1\n"


# ---- scripts/trace-record ----

def record(*arguments, cwd):
    return subprocess.run([ROOT / "scripts/trace-record", *arguments], cwd=cwd, text=True, timeout=HANG,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_trace_record_writes_what_a_command_did(images, tmp_path):
    result = record("--cpus", "2", "-l", "vfs_*", "-l", "sys_*", "-n", "vfs_write", "-o", "out.dat", "ls", "/proc/1",
                    cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "stat" in result.stdout.split() and "0 events lost" in result.stderr
    assert os.listdir(tmp_path) == ["out.dat"]
    events = list(read_report(report(tmp_path / "out.dat")))
    functions = {event[5] for event in events if event[0] == "ls"}
    assert "sys_open" in functions and "vfs_open" in functions and "vfs_write" not in functions
    assert all(re.match("vfs_|sys_", event[5]) for event in events)


def test_trace_record_says_what_the_machine_refuses(images, tmp_path):
    result = record("-p", "no_such_tracer", "ls", cwd=tmp_path)
    assert result.returncode == 1 and "write error: Invalid argument" in result.stderr
    result = record("-l", "no_such_function", "ls", cwd=tmp_path)
    assert result.returncode == 1 and "set_ftrace_filter" in result.stderr
    assert os.listdir(tmp_path) == []


def test_trace_record_passes_the_failure_of_the_command_on(images, tmp_path):
    result = record("--cpus", "1", "-l", "vfs_*", "cat /no/such/file", cwd=tmp_path)
    assert result.returncode == 1 and "No such file" in result.stdout
    assert list(read_report(report(tmp_path / "trace.dat")))


def test_trace_record_keeps_the_trace_of_a_crash(images, tmp_path):
    result = record("-l", "vfs_*", "echo PANIC > /sys/kernel/debug/provoke-crash/DIRECT", cwd=tmp_path)
    assert result.returncode == 3 and "Kernel panic" in result.stderr
    assert (tmp_path / "trace.dat").exists() and "NOT COMPLETE" in result.stderr


def test_trace_record_ends_with_what_there_is_on_ctrl_c(images, tmp_path):
    import signal
    process = subprocess.Popen([ROOT / "scripts/trace-record", "-l", "vfs_*", "echo begun; cat"], cwd=tmp_path,
                               text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    part = tmp_path / "trace.dat.part"
    eventually(lambda: part.exists() and count_pages(part) > 0)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=HANG)
    assert process.returncode == 0, errors
    assert "NOT COMPLETE" not in errors
    assert any(event[5] == "vfs_read" for event in read_report(report(tmp_path / "trace.dat")))


def count_pages(part):
    return sum(frame.type == trace_link.PAGES for frame in trace_link.Scanner().feed(part.read_bytes()))


def test_trace_record_attaches_to_a_running_machine(traced, tmp_path):
    machine, port = traced(2)
    sock = port.path
    machine.check("echo function > current_tracer")
    process = subprocess.Popen([ROOT / "scripts/trace-record", "--attach", sock], cwd=tmp_path, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    machine.check("trace-export")
    _, errors = process.communicate(timeout=HANG)
    assert process.returncode == 0, errors
    assert len(list(read_report(report(tmp_path / "trace.dat")))) > 100
    machine.close()
    result = record("--attach", sock, cwd=tmp_path)
    assert result.returncode == 1 and "no machine listens there" in result.stderr


# ---- trace-export -l: commands for a machine that runs already ----

@pytest.fixture
def listening(traced):
    machine, port = traced(2)
    machine.check("trace-export -l &")
    return machine, port


def attach(port, *arguments, cwd):
    return record("--attach", port.path, *arguments, cwd=cwd)


def test_trace_record_traces_a_command_on_a_running_machine(listening, tmp_path):
    machine, port = listening
    state = ("cat current_tracer set_ftrace_filter set_graph_function tracing_on options/func_stack_trace set_ftrace_notrace_pid "
             "buffer_size_kb trace_clock")
    machine.check("echo 1000 > buffer_size_kb")
    before = machine.check(state)
    for _ in range(2):
        result = attach(port, "-l", "vfs_*", "-l", "sys_*", "-n", "vfs_write", "ls", "/proc/1", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert "stat" in result.stdout.split() and "0 events lost" in result.stderr
        functions = {event[5] for event in read_report(report(tmp_path / "trace.dat")) if event[0] == "ls"}
        assert "sys_open" in functions and "vfs_open" in functions and "vfs_write" not in functions
    result = attach(port, "-p", "function_graph", "-g", "vfs_open", "-o", "graph.dat", "cat /proc/version | grep -c nop5",
                    cwd=tmp_path)
    assert result.returncode == 0 and result.stdout == "1\n"
    calls = read_graph_report(report(tmp_path / "graph.dat", "-t"))
    assert {call[6].split("(")[0] for call in calls if call[5] == 0} <= {"vfs_open", "}"} and calls
    result = attach(port, "-l", "vfs_*", "-O", "func_stack_trace", "-b", "64", "-C", "counter", "cat /no/such/file",
                    cwd=tmp_path)
    assert result.returncode == 1 and "No such file" in result.stdout
    assert machine.check(state) == before
    assert sorted(name for name in os.listdir(tmp_path) if name.startswith(("trace", "graph"))) == ["graph.dat", "trace.dat"]


def test_make_run_opens_the_port_for_trace_record(images, tmp_path):
    """As the manual says: what `make run` starts, with the prompt here, and trace-record attached from elsewhere."""
    machine = pexpect.spawn(str(ROOT / "scripts/boot"), ["--run", "--elf", "--cpus", "2"], timeout=HANG, encoding="utf-8")
    machine.expect(PROMPT)
    machine.send("trace-export -l &\n")
    machine.expect(PROMPT)
    result = record("--attach", ROOT / "build/nop5.export.sock", "-l", "vfs_*", "cat /proc/version", cwd=tmp_path)
    assert result.returncode == 0 and result.stdout.startswith("nop5 version"), result.stderr
    assert any(event[0] == "cat" for event in read_report(report(tmp_path / "trace.dat")))
    machine.send("poweroff\n")
    machine.expect(pexpect.EOF)
    machine.close()
    assert machine.exitstatus == 0


def test_what_a_running_machine_refuses_is_told_and_changes_nothing(listening, tmp_path):
    machine, port = listening
    result = attach(port, "-l", "vfs_*", "-p", "no_such_tracer", "ls", cwd=tmp_path)
    assert result.returncode == 1 and "write error: Invalid argument" in result.stderr
    result = attach(port, "-O", "no_such_option", "-l", "vfs_*", "ls", cwd=tmp_path)
    assert result.returncode == 1 and "trace_options: sh: write error: Invalid argument" in result.stderr
    result = attach(port, "echo " + "x" * 2000, cwd=tmp_path)
    assert result.returncode == 1 and "at most" in result.stderr
    assert machine.check("cat tracing_on current_tracer") == "1\nnop\n"
    assert "vfs_" not in machine.check("cat set_ftrace_filter")
    assert not (tmp_path / "trace.dat").exists()
    result = machine.run("trace-export")
    assert result.status == 1 and "/dev/ttyS1: Device or resource busy" in result.output


def test_a_machine_that_does_not_listen_yet_is_waited_for(traced, tmp_path):
    machine, port = traced(1)
    process = subprocess.Popen([ROOT / "scripts/trace-record", "--attach", port.path, "-l", "vfs_*", "ls"], cwd=tmp_path,
                               text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert "trace-export -l &" in process.stderr.readline()
    machine.check("cd /; trace-export -l &")
    output, errors = process.communicate(timeout=HANG)
    assert process.returncode == 0 and "proc" in output.split(), errors


def test_ctrl_c_ends_the_command_on_a_running_machine(listening, tmp_path):
    import signal
    machine, port = listening
    process = subprocess.Popen([ROOT / "scripts/trace-record", "--attach", port.path, "-l", "vfs_*",
                                "echo begun; sleep 1000; echo never"], cwd=tmp_path, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=HANG)
    assert process.returncode == 1 and "NOT COMPLETE" not in errors and output == ""
    assert any(event[0] == "sh" for event in read_report(report(tmp_path / "trace.dat")))
    assert machine.check("cat current_tracer") == "nop\n" and tasks(machine, "sleep") == []


def test_a_request_ends_what_one_who_has_gone_has_asked_for(listening, tmp_path):
    machine, port = listening
    assert attach(port, "ls", cwd=tmp_path).returncode == 0  # the first trace makes the buffers large
    used = resources(machine)
    for _ in range(3):
        process = subprocess.Popen([ROOT / "scripts/trace-record", "--attach", port.path, "echo begun; sleep 1000"],
                                   cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout.readline() == "begun\n"
        process.kill()
        process.communicate()
        result = attach(port, "-l", "vfs_*", "echo alive", cwd=tmp_path)
        assert result.returncode == 0 and result.stdout == "alive\n"
    assert tasks(machine, "sleep") == []
    for pid in tasks(machine, "trace-export"):
        machine.check(f"kill {pid}")
    machine.check("wait; trace-export -l &")
    assert resources(machine) == used


def test_the_trace_of_a_running_machine_that_crashes_is_kept(listening, tmp_path):
    machine, port = listening
    process = subprocess.Popen([ROOT / "scripts/trace-record", "--attach", port.path, "-l", "vfs_*",
                                "echo PANIC > /sys/kernel/debug/provoke-crash/DIRECT"], cwd=tmp_path, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    machine.wait_exit(EXIT_PANIC)
    _, errors = process.communicate(timeout=HANG)
    assert process.returncode == 1 and "the machine has gone: writing what there is" in errors
    assert "NOT COMPLETE" in errors and (tmp_path / "trace.dat").exists()


def test_requests_and_output_pass_a_bad_line(listening):
    _, port = listening
    line = BadLine(port.line())
    remote = trace_remote.Remote(line, print)
    for number in range(40):
        assert remote.run(f"cat /proc/version; echo {number}; cat /no/such") == (
            b"%s%d\ncat: /no/such: No such file or directory\n" % (remote.run("cat /proc/version")[0], number), 1)
    assert line.damaged > 5


# ---- the receiver, without a machine ----

def frame(kind, sequence, payload, session=5, flags=0, **changes):
    header = [b"N5EX", kind, flags, 0, session, sequence, len(payload), changes.get("raw", len(payload))]
    packed = trace_link.HEADER.pack(*header, 0)[:-4]
    return packed + zlib.crc32(payload, zlib.crc32(packed)).to_bytes(4, "little") + payload


HELLO = frame(trace_link.HELLO, 0, b"version=1\npage_size=4096\ncpus=1\n")


def test_a_machine_of_another_version_is_refused(tmp_path):
    with open(tmp_path / "part", "w+b") as journal, pytest.raises(trace_link.Broken, match="version 2"):
        trace_link.Receiver(journal).receive(frame(trace_link.HELLO, 0, b"version=2\n"))


def test_frames_are_found_in_any_pieces_and_between_rubbish(tmp_path):
    stream = b"login: " + HELLO + b"N5EXrubbish N5" + frame(trace_link.FILE, 1, b"a\0b", flags=2) + b"N5EX" * 9 + \
        frame(trace_link.END, 2, b"status=complete\n")
    for size in (1, 2, 7, len(stream)):
        with open(tmp_path / "part", "w+b") as journal:
            receiver = trace_link.Receiver(journal)
            for at in range(0, len(stream), size):
                receiver.receive(stream[at:at + size])
            assert receiver.end == {"status": "complete"} and receiver.scanner.damaged
            assert exporting.trace_dat.Transfer(journal).files == {"a": b"b"}


FILES = 12
STREAM = [HELLO, *(frame(trace_link.FILE, 1 + i, b"f%d\0" % i + bytes([i]) * 50, flags=2) for i in range(FILES)),
          frame(trace_link.END, 1 + FILES, b"status=complete\n"), frame(trace_link.BYE, 2 + FILES, b"")]

# What may happen to a stream: bytes are changed, lost, doubled or invented, frames come again, or another transfer's.
DAMAGE = strategies.one_of(
    strategies.tuples(strategies.just("bytes"), strategies.integers(0, 2000), strategies.integers(0, 40),
                      strategies.binary(max_size=40)),
    strategies.tuples(strategies.just("frame"), strategies.integers(0, 2000), strategies.just(0),
                      strategies.sampled_from(STREAM)),
    strategies.tuples(strategies.just("stranger"), strategies.integers(0, 2000), strategies.just(0),
                      strategies.builds(frame, strategies.integers(0, 8), strategies.integers(0, 40),
                                        strategies.binary(max_size=30), session=strategies.integers(6, 9),
                                        flags=strategies.sampled_from([0, 2]))))


def damaged(stream, damages):
    bad = bytearray(stream)
    for _, at, lost, invented in damages:
        at = min(at, len(bad))
        bad[at:at + lost] = invented
    return bytes(bad)


@hypothesis.settings(max_examples=400, derandomize=True, database=None, deadline=None)
@hypothesis.given(strategies.lists(DAMAGE, max_size=12), strategies.integers(1, 400))
def test_whatever_comes_the_receiver_takes_only_whole_frames_in_order_and_recovers(damages, piece):
    """Broken is the only error; what is kept is a beginning of what was sent; and sent again from there all arrives."""
    receiver = trace_link.Receiver(io.BytesIO(), expected=5)
    bad = damaged(b"".join(STREAM), damages)
    for at in range(0, len(bad), piece):
        for said in receiver.receive(bad[at:at + piece]).splitlines():
            text, _, crc = said.rpartition(b" ")
            assert int(crc, 16) == zlib.crc32(text) and text.split()[0] in (b"ack", b"ready")
    receiver.journal.seek(0)
    kept = receiver.journal.read()
    assert kept == b"".join(STREAM[:receiver.wanted])
    again = trace_link.Receiver(receiver.journal, expected=5)
    assert (again.wanted, again.names, again.end) == (receiver.wanted, receiver.names, receiver.end)
    for _ in range(3):
        receiver.ready()
        receiver.receive(b"".join(STREAM[receiver.wanted:]))
    assert receiver.end == {"status": "complete"} and receiver.bye
    assert len(exporting.trace_dat.Transfer(receiver.journal).files) == FILES


@hypothesis.settings(max_examples=400, derandomize=True, database=None, deadline=None)
@hypothesis.given(strategies.lists(strategies.builds(
    frame, strategies.integers(0, 8), strategies.integers(0, 5), strategies.one_of(
        strategies.binary(max_size=60), strategies.sampled_from([b"version=1\n", b"version=1\npage_size=x\n", b"version=2\n"])),
    session=strategies.integers(0, 2), flags=strategies.integers(0, 3), raw=strategies.integers(0, 70)), max_size=12))
def test_frames_that_are_whole_but_senseless_are_refused_with_a_reason(frames):
    receiver = trace_link.Receiver(io.BytesIO())
    try:
        for wire in frames:
            receiver.receive(wire)
        trace_link.Receiver(receiver.journal)
        exporting.trace_dat.Transfer(receiver.journal)
    except trace_link.Broken as error:
        assert str(error)
