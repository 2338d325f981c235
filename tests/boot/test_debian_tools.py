"""The field's own tracing tools, unmodified, inside nop5: perf-tools, trace-cmd, and what programs a system has besides.

All of it is in `make soak` only, because it downloads some forty packages. The pages docs/perf-tools.md, docs/trace-cmd.md
and docs/rt-tests.md show sessions, which test_docs.py runs.
"""
import base64
import json
import re
import subprocess

import pytest

from conftest import BAD, root_with
from nop5 import Nop5

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def machine(images, tools):
    machine = Nop5(build=images, cpus=4, mem="1G", initrd=tools).wait_prompt()
    machine.check("cd /root")
    yield machine
    assert not BAD.search(machine.text), machine.says
    machine.close()


def during(machine, work, tool):
    """The output of a tool while a loop works in the background."""
    return machine.check(f"(while :; do {work}; done) > /dev/null 2>&1 & bash -c '{tool}'; kill $!; wait")


def live(machine, work, tool, line):
    """Starts a tool that traces until ^C while a loop works, waits for a line, and ends both."""
    machine.check(f"(while :; do {work}; done) > /dev/null 2>&1 &")
    machine.send(f"{tool}\n")
    machine.expect(line)
    machine.type_interrupts()
    machine.check("kill $!; wait; cat /sys/kernel/tracing/current_tracer")
    assert machine.check("cat /sys/kernel/tracing/kprobe_events") == ""


def test_functrace_prints_calls_with_their_callers(machine):
    output = during(machine, "/usr/bin/env true", "functrace-perf -d 1 vfs_open")
    assert re.search(r"^ +true-\d+ +\[\d{3}\] .{4,5} +\d+\.\d{6}: vfs_open <-\w+$", output, re.M)
    assert output.startswith('Tracing "vfs_open" for 1 seconds...') and "\nEnding tracing...\n" in output


def test_functrace_follows_live_until_interrupted(machine):
    live(machine, "/usr/bin/env true", "functrace-perf vfs_open", r"vfs_open <-\w+\r\n")


def test_funcgraph_prints_the_tree_below_a_function(machine):
    output = during(machine, "/usr/bin/env true", "funcgraph-perf -HtP -m 2 -d 1 vfs_open")
    assert "DURATION" in output
    tree = re.search(r"\|  vfs_open\(\) \{\n(?:.*\|    \w+\(\);\n)+.*\|  \}\n", output)
    assert tree and re.search(r"true-\d+", output)


def test_funcslower_prints_only_slow_calls(machine):
    output = during(machine, "usleep 20000; usleep 1", "funcslower-perf -d 1 __x64_sys_clock_nanosleep 10000")
    durations = [float(d) for d in re.findall(r"[!#$*+@]? *([\d.]+) us +\|", output)]
    assert durations and min(durations) > 10000


def test_funccount_counts_calls_by_name(machine):
    output = during(machine, "/usr/bin/env true", 'funccount-perf -d 1 "vfs_*"')
    counts = dict(re.findall(r"^(\w+) +(\d+)$", output, re.M))
    assert int(counts["vfs_open"]) >= 2 and int(counts["vfs_read"]) >= 2


def test_reset_ftrace_puts_everything_back(machine):
    machine.check("echo function > /sys/kernel/tracing/current_tracer; echo vfs_read > /sys/kernel/tracing/set_ftrace_filter")
    output = machine.check("reset-ftrace-perf")
    assert "     1\tfunction\ncurrent_tracer, after:\n     1\tnop\n" in output
    assert "set_ftrace_filter, before:\n     1\tvfs_read\n" in output
    assert machine.check("cat /sys/kernel/tracing/set_ftrace_filter") == "#### all functions enabled ####\n"


def test_tpoint_lists_and_traces_events(machine):
    assert {"sched:sched_switch", "irq:softirq_entry", "syscalls:sys_enter_openat"} <= set(machine.check("tpoint-perf -l").split())
    output = during(machine, "/usr/bin/env true", 'tpoint-perf -d 1 sched:sched_process_exec "filename ~ \\"*env\\""')
    assert re.search(r"^ +env-\d+ .* sched_process_exec: filename=/usr/bin/env pid=\d+ old_pid=\d+$", output, re.M)
    assert "field:pid_t pid;" in machine.check("tpoint-perf -v sched:sched_process_exec")


def test_killsnoop_prints_signals(machine):
    output = during(machine, "sleep 100 & kill -9 $!; wait", "killsnoop-perf -d 1")
    assert re.search(r"^COMM +PID +TPID +SIGNAL +RETURN\n(?:\S+ +\d+ +\d+ +9 +0 *\n)+", output, re.M)


@pytest.mark.parametrize("probe, line", [
    ("p:myopen do_sys_openat2 file=+0(%si):string", r'myopen: \(do_sys_openat2\+0x0/0x\w+\) file="/etc/passwd"'),
    ("r:myread vfs_read \\$retval", r"myread: \(\w+\+0x\w+/0x\w+ <- vfs_read\) arg1=0x\w+"),
])
def test_kprobe_traces_arguments_and_results(machine, probe, line):
    output = during(machine, "/usr/bin/head -1 /etc/passwd", f'kprobe-perf -d 1 "{probe}"')
    assert re.search(rf"^ +head-\d+ .*: {line}$", output, re.M), output


def test_execsnoop_prints_new_programs_with_their_arguments(machine):
    live(machine, "/usr/bin/env true", "execsnoop-perf", r"\d+ +\d+ /usr/bin/env true\r\n")


def test_opensnoop_prints_the_files_that_programs_open(machine):
    work = "/usr/bin/head -1 /etc/passwd; /usr/bin/head -1 /etc/missing"
    output = during(machine, work, "opensnoop-perf -d 1")
    assert re.search(r"^head +\d+ +0x3 /etc/passwd$", output, re.M)
    assert re.search(r"^head +\d+ +-1 /etc/missing$", output, re.M)
    live(machine, work, "opensnoop-perf", r"head +\d+ +0x3 /etc/passwd\r\n")


def test_uprobe_traces_functions_of_programs_and_libraries(machine):
    output = during(machine, "bash -c true", "uprobe-perf -d 1 p:bash:main")
    assert re.search(r"^ +bash-\d+ .*: main: \(0x\w+\)$", output, re.M)
    output = during(machine, "bash -c true", "uprobe-perf -d 1 p:/lib/x86_64-linux-gnu/libc.so.6:getenv")
    assert re.search(r"^ +bash-\d+ .*: getenv: \(0x\w+\)$", output, re.M)


@pytest.mark.parametrize("tool, message", [
    ("bitesize-perf 1", "ERROR running perf"),
    ("syscount-perf -d 1", "perf: command not found"),
    ("iosnoop-perf", "ERROR: enabling block I/O tracepoints"),
    ("iolatency-perf 1 1", "ERROR: enabling block I/O tracepoints"),
    ("tcpretrans-perf", "ERROR: creating kprobe for tcp_retransmit_skb"),
    ("cachestat-perf 1", "ERROR: tracing these four kernel functions"),
])
def test_a_tool_without_its_subject_says_so_itself(machine, tool, message):
    assert message in machine.run(f"{tool} < /dev/null").output


def test_trace_cmd_lists_what_the_kernel_has(machine):
    assert {"function", "function_graph", "nop"} <= set(machine.check("trace-cmd list -t").split())
    assert "sched:sched_switch" in machine.check("trace-cmd list -e sched:sched_switch")
    assert machine.check("trace-cmd list -f ^vfs_read$") == "vfs_read\n"
    assert "[local]" in machine.check("trace-cmd list -C")


def test_trace_cmd_records_a_program_with_a_graph_and_events(machine):
    output = machine.check("trace-cmd record -o g.dat -p function_graph -e sched -F /bin/ls / 2>&1")
    assert "data recorded at offset" in output
    report = machine.check("trace-cmd report g.dat | head -3000")
    assert re.search(r"^ +ls-\d+ +\[\d{3}\] +\d+\.\d+: funcgraph_entry: ", report, re.M)
    assert {m for m in re.findall(r"^ +(\S+)-\d+ ", report, re.M)} <= {"ls", "trace-cmd"}


def test_trace_cmd_records_into_an_instance(machine):
    machine.check("trace-cmd record -o i.dat -e sched_wakeup -B second -e sched_switch sleep 0.1 2>&1")
    report = machine.check("trace-cmd report i.dat")
    assert re.search(r"^second: .*: sched_switch: ", report, re.M) and re.search(r"^ .*: sched_wakeup: ", report, re.M)
    assert machine.check("ls /sys/kernel/tracing/instances") == ""


def test_trace_cmd_starts_shows_stops_and_extracts(machine):
    machine.check("trace-cmd start -p function -l vfs_read")
    assert re.search(r"vfs_read <-", machine.check("cat /etc/passwd > /dev/null; trace-cmd show"))
    assert "Tracer: function" in machine.check("trace-cmd stat")
    machine.check("trace-cmd stop; trace-cmd extract -o e.dat")
    assert "vfs_read <--" in machine.check("trace-cmd report e.dat")
    machine.check("trace-cmd reset")
    assert machine.check("cat /sys/kernel/tracing/current_tracer") == "nop\n"


def test_trace_cmd_takes_snapshots_and_prints_histograms_profiles_and_stacks(machine):
    machine.check("trace-cmd start -e sched_switch; trace-cmd snapshot -s")
    assert "sched_switch: prev_comm=" in machine.check("trace-cmd snapshot")
    machine.check("trace-cmd snapshot -f; trace-cmd reset")
    machine.check("trace-cmd record -o h.dat -e syscalls sleep 0.1 2>&1")
    assert re.search(r"%\d+\.\d+ +\(\d+\) sleep +sys_\w+ #\d+", machine.check("trace-cmd hist -i h.dat"))
    assert re.search(r"^task: ls-\d+$", machine.check("trace-cmd profile -F /bin/ls / 2>&1"), re.M)
    machine.check("trace-cmd stack --start; ls -R /sys > /dev/null")
    assert re.search(r"Depth +Size +Location +\(\d+ entries\)", machine.check("trace-cmd stack"))
    machine.check("trace-cmd stack --stop")


def test_the_file_that_trace_cmd_made_inside_reads_the_same_on_the_host(machine, tmp_path):
    machine.check("trace-cmd record -o host.dat -e sched_switch -e syscalls sleep 0.1 2>&1; trace-cmd report -N host.dat > inside.txt")
    report = machine.check("cat inside.txt")
    data = machine.check("base64 host.dat")
    (tmp_path / "host.dat").write_bytes(base64.b64decode(data))
    outside = subprocess.run(["trace-cmd", "report", "-N", tmp_path / "host.dat"], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, check=True).stdout
    assert outside.splitlines() == report.splitlines()


@pytest.mark.parametrize("command, pattern", [
    ("/usr/bin/ls --version", r"ls \(GNU coreutils\)"),
    ("/usr/bin/ls -l / 2>&1", r"\A(?!(?s:.*)ls: )(?s:.*)^dr-xr-xr-x +\d+ root root +0 .* proc$"),
    ("/usr/bin/sort --parallel=2 -n /proc/uptime", r"\d"),
    ("/usr/bin/ps aux", r"root +\d+ .*ps aux"),
    ("/usr/bin/vmstat 1 2", r"(?s)procs -.*\n(?: *\d+){17}\n"),
    ("/usr/bin/top -b -n 1", r"top - .*\n.*Tasks: +\d+ total"),
    ("/usr/bin/free -m", r"Mem: +\d+"),
    ("lscpu", r"CPU\(s\): +4\n"),
    ("findmnt /proc", r"/proc +proc +proc"),
    ("/usr/bin/flock /tmp/lock echo locked", "^locked$"),
    ("gawk 'BEGIN { printf \"%d\\n\", strtonum(\"0x10\") }'", "^16$"),
    ("python3 -c 'import re, sys; print(2**70, re.sub(\"u\", \"o\", sys.platform))'", "^1180591620717411303424 linox$"),
    ("perl -e 'print join(\",\", map { $_ * 2 } 1..4), \"\\n\"'", "^2,4,6,8$"),
    ("file /bin/busybox", "ELF 64-bit LSB executable"),
    ("objdump -d /usr/bin/env | head -20", r"^Disassembly of section \.init:$"),
    ("ldconfig; ldconfig -p", r"libs found in cache"),
])
def test_a_program_of_debian_does_a_small_job(machine, command, pattern):
    assert re.search(pattern, machine.check(f"bash -c {quoted(command)}"), re.M)


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def test_vim_and_less_show_and_change_a_file_on_the_terminal(machine):
    machine.check("stty rows 24 cols 80; seq 1 100 > lines; TERM=vt100")
    machine.send("vim.tiny -u NONE lines\n")
    machine.expect(r"100 lines")
    machine.send("50Gcwchanged\x1b:wq\n")
    machine.wait_prompt()
    assert machine.check("sed -n 50p lines") == "changed\n"
    machine.send("TERM=vt100 /usr/bin/less lines\n")
    machine.expect(r"23\r")
    machine.send("/changed\n")
    machine.expect(r"changed")
    machine.send("q")
    machine.wait_prompt()


def test_a_package_brings_the_packages_that_it_depends_on(images):
    """Their names are those of packages that hold only links, or nothing."""
    root = root_with(images, "interpreters", ["python3", "perl", "tmux"])
    machine = Nop5(build=images, cpus=2, mem="1G", initrd=root).wait_prompt()
    try:
        assert machine.check("python3 -c 'import json, subprocess; print(json.dumps([1]))'") == "[1]\n"
        assert machine.check("perl -MPOSIX -e 'print floor(2.5), chr(10)'") == "2\n"
        machine.check("tmux new-session -d -s name cat")
        assert machine.check("tmux list-sessions").startswith("name: 1 windows")
    finally:
        machine.close()


def test_iperf3_measures_the_loopback_interface_and_loses_nothing(images):
    """The client also asks for TCP_INFO, ten times a second."""
    machine = Nop5(build=images, cpus=4, mem="512M", initrd=root_with(images, "iperf3", ["iperf3"])).wait_prompt()

    def measure(options):
        machine.check("iperf3 -4 -s -1 -D; until grep -q ':1451 00000000:0000 0A' /proc/net/tcp; do usleep 10000; done")  # it listens
        report = json.loads(machine.check(f"iperf3 -J -i 0.1 -c 127.0.0.1 {options}"))
        machine.check("while pidof iperf3 > /dev/null; do usleep 10000; done")
        return report["end"]

    try:
        for options in ("", "-P 4 -R", "--bidir -Z"):
            end = measure(f"-n 20M {options}")
            assert end["sum_sent"]["bytes"] >= 20 << 20 and end["sum_sent"]["retransmits"] == 0, end
            # The receiver ends when the sender says so; that may be in the middle of a block.
            assert 0 < end["sum_received"]["bytes"] <= end["sum_sent"]["bytes"], end
        assert measure("-n 1M")["streams"][0]["sender"]["max_snd_wnd"] == 65535
        assert measure("-u -b 20M -n 2M")["sum"]["lost_packets"] == 0
        assert not BAD.search(machine.text), machine.says
    finally:
        machine.close()
