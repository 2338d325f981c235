"""scripts/trace-record with a machine that it boots, and with a running machine (trace-export -l)."""
import os
import re
import signal
import subprocess

import pexpect
import pytest

from exporting import BadLine, SocketPort, read_graph_report, read_report, record, report, trace_link, trace_remote
from nop5 import EXIT_PANIC, PROMPT, ROOT, eventually, expect, finish, is_running, resources, resources_return_to, tasks
from stopwatch import family


def test_trace_record_writes_what_a_command_did(images, tmp_path):
    result = record("--cpus", "2", "-l", "vfs_*", "-l", "__x64_sys_*", "-n", "vfs_write", "-o", "out.dat", "ls", "/proc/1",
                    cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "stat" in result.stdout.split() and "0 events lost" in result.stderr
    assert os.listdir(tmp_path) == ["out.dat"]
    events = list(read_report(report(tmp_path / "out.dat")))
    functions = {event[5] for event in events if event[0] == "ls"}
    assert "__x64_sys_openat" in functions and "vfs_open" in functions and "vfs_write" not in functions
    assert all(re.match("vfs_|__x64_sys_", event[5]) for event in events)


def test_trace_record_says_what_the_machine_refuses(images, tmp_path):
    result = record("-p", "no_such_tracer", "ls", cwd=tmp_path)
    assert result.returncode == 1 and "write error: Invalid argument" in result.stderr
    result = record("-l", "no_such_function", "ls", cwd=tmp_path)
    assert result.returncode == 1 and "set_ftrace_filter" in result.stderr
    assert os.listdir(tmp_path) == []


def test_trace_record_says_which_image_is_missing(tmp_path):
    result = record("--build", "/nowhere", "ls", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (1, "scripts/trace-record: /nowhere/nop5.elf is missing: run make first\n")


def test_trace_record_passes_the_failure_of_the_command_on(images, tmp_path):
    result = record("--cpus", "1", "-l", "vfs_*", "cat /no/such/file", cwd=tmp_path)
    assert result.returncode == 1 and "No such file" in result.stdout
    assert list(read_report(report(tmp_path / "trace.dat")))


def test_trace_record_keeps_the_trace_of_a_crash(images, tmp_path):
    result = record("-l", "vfs_*", "echo c > /proc/sysrq-trigger", cwd=tmp_path)
    assert result.returncode == 3 and "Kernel panic" in result.stderr
    assert (tmp_path / "trace.dat").exists() and "NOT COMPLETE" in result.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_trace_record_and_its_machine(images, tmp_path, number):
    """QEMU went on, and had the pipes to whoever waited for their end."""
    process = subprocess.Popen([ROOT / "scripts/trace-record", "-l", "vfs_read", "sleep 100000"], cwd=tmp_path, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    eventually(lambda: (tmp_path / "trace.dat.part").exists() and (tmp_path / "trace.dat.part").stat().st_size)
    machines = set(family(process.pid)) - {process.pid}
    process.send_signal(number)
    finish(process)
    assert process.returncode == 128 + number and machines and not any(map(is_running, machines))
    assert not list(tmp_path.iterdir())


def test_trace_record_ends_with_what_there_is_on_ctrl_c(images, tmp_path):
    # Before the command is the terminal's foreground group, a ^C is the shell's, which waits and ignores it.
    command = "sh -c 'echo begun > /sys/kernel/tracing/trace_marker; exec dd bs=1'"
    process = subprocess.Popen([ROOT / "scripts/trace-record", "-l", "vfs_read", command], cwd=tmp_path,
                               text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    part = tmp_path / "trace.dat.part"
    eventually(lambda: part.exists() and b"begun\n" in pages(part))
    process.send_signal(signal.SIGINT)
    _, errors = finish(process)
    assert process.returncode == 0, errors
    assert "NOT COMPLETE" not in errors
    assert any(event[5] == "vfs_read" for event in read_report(report(tmp_path / "trace.dat")))


def pages(part):
    frames = trace_link.Scanner().feed(part.read_bytes())
    return b"".join(frame.payload for frame in frames if frame.type == trace_link.PAGES)


def test_trace_record_attaches_to_a_running_machine(traced, tmp_path):
    machine, port = traced(2, port=SocketPort)
    sock = port.path
    machine.check("echo 'vfs_*' > set_ftrace_filter; echo function > current_tracer; ls -R /proc/self > /dev/null")
    process = subprocess.Popen([ROOT / "scripts/trace-record", "--attach", sock], cwd=tmp_path, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    machine.check("trace-export")
    _, errors = finish(process)
    assert process.returncode == 0, errors
    assert len(list(read_report(report(tmp_path / "trace.dat")))) > 100
    machine.close()
    result = record("--attach", sock, cwd=tmp_path)
    assert result.returncode == 1 and "no machine listens there" in result.stderr


# ---- trace-export -l: commands for a running machine ----

@pytest.fixture
def listening(traced):
    machine, port = traced(2, port=SocketPort)
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
        result = attach(port, "-l", "vfs_*", "-l", "__x64_sys_*", "-n", "vfs_write", "ls", "/proc/1", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert "stat" in result.stdout.split() and "0 events lost" in result.stderr
        functions = {event[5] for event in read_report(report(tmp_path / "trace.dat")) if event[0] == "ls"}
        assert "__x64_sys_openat" in functions and "vfs_open" in functions and "vfs_write" not in functions
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
    """As in the manual: `make run` starts the machine, and trace-record attaches to it."""
    machine = pexpect.spawn(str(ROOT / "scripts/boot"), ["--run", "--elf", "--cpus", "2"], encoding="utf-8")

    def wait(pattern):
        patterns = machine.compile_pattern_list([pattern, pexpect.TIMEOUT])
        assert expect(machine, patterns, machine.pid) == 0, machine.before

    wait(PROMPT)
    machine.send("trace-export -l &\n")
    wait(PROMPT)
    result = record("--attach", ROOT / "build/nop5.export.sock", "-l", "vfs_*", "cat /proc/version", cwd=tmp_path)
    assert result.returncode == 0 and result.stdout.startswith("nop5 version"), result.stderr
    assert any(event[0] == "cat" for event in read_report(report(tmp_path / "trace.dat")))
    machine.send("poweroff\n")
    wait(pexpect.EOF)
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
    assert result.status == 1 and result.output == "trace-export: /dev/ttyS1: Resource busy\n"


def test_a_machine_that_does_not_listen_yet_is_waited_for(traced, tmp_path):
    machine, port = traced(1, port=SocketPort)
    process = subprocess.Popen([ROOT / "scripts/trace-record", "--attach", port.path, "-l", "vfs_*", "ls"], cwd=tmp_path,
                               text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert "trace-export -l &" in process.stderr.readline()
    machine.check("cd /; trace-export -l &")
    output, errors = finish(process)
    assert process.returncode == 0 and "proc" in output.split(), errors


def test_ctrl_c_ends_the_command_on_a_running_machine(listening, tmp_path):
    machine, port = listening
    process = subprocess.Popen([ROOT / "scripts/trace-record", "--attach", port.path, "-l", "vfs_*",
                                "echo begun; sleep 1000; echo never"], cwd=tmp_path, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    output, errors = finish(process)
    assert process.returncode == 1 and "NOT COMPLETE" not in errors and output == ""
    assert any(event[0] == "sh" for event in read_report(report(tmp_path / "trace.dat")))
    assert machine.check("cat current_tracer") == "nop\n"
    eventually(lambda: tasks(machine, "sleep") == [])


def test_a_burst_finds_room_in_an_eighth_of_the_free_memory_and_the_buffers_are_as_before(listening, tmp_path):
    machine, port = listening
    sizes = "cat buffer_size_kb per_cpu/cpu0/buffer_size_kb per_cpu/cpu1/buffer_size_kb"
    machine.check("echo 256 > buffer_size_kb; echo 128 > per_cpu/cpu1/buffer_size_kb")
    assert machine.check(sizes).split() == ["X", "256", "128"]
    burst = "hackbench -g 1 -l 60"  # more than 1 MB
    result = attach(port, "-l", "vfs_*", burst, cwd=tmp_path)
    assert result.returncode == 0 and "; 0 events lost\n" in result.stderr, result.stderr
    assert machine.check(sizes).split() == ["X", "256", "128"]
    # A size that the user requests is used, and the lost events are reported.
    result = attach(port, "-l", "vfs_*", "-b", "64", burst, cwd=tmp_path)
    assert result.returncode == 0 and int(re.search(r"; (\d+) events lost\n", result.stderr)[1]) > 0, result.stderr
    assert machine.check(sizes).split() == ["X", "256", "128"]


def test_a_request_ends_the_command_of_a_receiver_that_has_left(listening, tmp_path):
    machine, port = listening
    few = ("-l", "vfs_*")  # with all functions the host would be busy with entries of which this test reads none
    assert attach(port, *few, "ls", cwd=tmp_path).returncode == 0  # the first trace enlarges the buffers
    size, used = machine.check("cat buffer_size_kb").strip(), resources(machine)
    for _ in range(2):
        process = subprocess.Popen([ROOT / "scripts/trace-record", "--attach", port.path, *few, "echo begun; sleep 1000"],
                                   cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout.readline() == "begun\n"
        process.kill()
        process.communicate()
        result = attach(port, *few, "echo alive", cwd=tmp_path)
        assert result.returncode == 0 and result.stdout == "alive\n"
    eventually(lambda: tasks(machine, "sleep") == [])
    for pid in tasks(machine, "trace-export"):
        machine.check(f"kill {pid}")
    # A killed trace-record cannot restore the size of the buffers.
    machine.check(f"wait; trace-export -l & echo {size} > buffer_size_kb")
    assert attach(port, *few, "ls", cwd=tmp_path).returncode == 0
    resources_return_to(machine, used)


def test_the_trace_of_a_running_machine_that_crashes_is_kept(listening, tmp_path):
    machine, port = listening
    process = subprocess.Popen([ROOT / "scripts/trace-record", "--attach", port.path, "-l", "vfs_*",
                                "echo c > /proc/sysrq-trigger"], cwd=tmp_path, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    machine.wait_exit(EXIT_PANIC)
    _, errors = finish(process)
    assert process.returncode == 1 and "the machine has gone: writing what there is" in errors
    assert "NOT COMPLETE" in errors and (tmp_path / "trace.dat").exists()


def test_requests_and_output_pass_a_bad_line(listening):
    _, port = listening
    line = BadLine(port.line())
    remote = trace_remote.Remote(line, print)
    for number in range(40):
        assert remote.run(f"cat /proc/version; echo {number}; cat /no/such") == (
            b"%s%d\ncat: can't open '/no/such': No such file or directory\n" % (remote.run("cat /proc/version")[0], number), 1)
    assert line.damaged > 5
