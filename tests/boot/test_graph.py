"""The function graph tracer, used through the files of tracefs at the prompt."""
import hashlib
import re
import subprocess

import pytest

from nop5 import SLEEP, host
from test_ftrace import TRACING, Tracing

HEADER = """\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
"""
OPTIONS = {"overrun": 0, "cpu": 1, "overhead": 1, "proc": 0, "duration": 1, "abstime": 0, "irqs": 1, "tail": 0,
           "retval": 0, "retval-hex": 0, "args": 0, "retaddr": 0}
LINE = re.compile(r"^ (?P<cpu>\d)\) (?:(?P<mark>[ +!#*@$]) (?P<us>\d+\.?\d*) us +| {14})\|  "
                  r"(?P<indent> *)(?P<text>(?:(?P<name>[\w.]+)\(\)(?P<end>;| \{)"
                  r"|(?P<close>\})(?: /\* (?P<closed>[\w.]+) \*/)?|/\* .* \*/))$")
BETWEEN = re.compile(r"^$|^ -{42}$|^ \d\) .{14,} => .{14,}$|^ \d\)   (==========>|<==========) \|$|^CPU:\d+ \[LOST \d+ EVENTS\]$")
THRESHOLDS = {" ": (0, 10), "+": (10, 100), "!": (100, 1000), "#": (1000, 1e4), "*": (1e4, 1e5), "@": (1e5, 1e6),
              "$": (1e6, 1e18)}


class Graph(Tracing):
    """The tracing directory, with helpers for the graph tracer's files."""

    def reset(self):
        super().reset()
        self.machine.check(f"cd {TRACING}; echo > set_graph_function; echo > set_graph_notrace; "
                           "echo 0 > max_graph_depth; echo 0 > tracing_thresh; echo 1 > options/sleep-time; "
                           "echo 0 > options/latency-format")
        self.machine.check("; ".join(f"echo {value} > options/funcgraph-{name}" for name, value in OPTIONS.items()))

    def trace(self, command, function="vfs_open"):
        """Traces the calls of function during command, and stops tracing. Returns the trace."""
        self.write("tracing_on", 0)
        self.write("set_graph_function", function)
        self.write("current_tracer", "function_graph")
        self.write("trace", "")
        self.machine.run(f"echo 1 > tracing_on; {command}; echo 0 > tracing_on")
        return self.read("trace") if function else self.fetch("trace")

    def lines_of(self, text):
        """The matches of all lines with calls and returns."""
        lines = [l for l in text.splitlines() if not l.startswith("#") and not BETWEEN.match(l)]
        matches = [LINE.match(l) for l in lines]
        assert all(matches), [l for l, m in zip(lines, matches) if not m][:5]
        return matches


@pytest.fixture
def graph(nop5):
    directory = Graph(nop5)
    directory.reset()
    yield directory
    if nop5.alive:
        directory.reset()


def nests(lines):
    """Checks that the calls of one CPU nest. Returns the names of the outermost calls."""
    stack, outermost = [], []
    for line in lines:
        depth = len(line["indent"]) // 2
        if line["name"]:
            del stack[depth:]
            assert len(stack) == depth, line.group()
            if not depth:
                outermost.append(line["name"])
            if line["end"] == " {":
                stack.append(line["name"])
        elif line["close"]:
            del stack[depth + 1:]
            assert len(stack) == depth + 1, line.group()
            assert line["closed"] in (None, stack.pop())
    return outermost


def test_opening_a_file_is_a_tree_of_calls(graph):
    # An interrupt may come when a call has its frame but not its event yet. It is one level too deep then.
    graph.write("set_graph_notrace", "do_interrupt")
    text = graph.trace("taskset -c 1 cat /proc/version")
    assert text.startswith(HEADER)
    lines = graph.lines_of(text)
    calls = [l for l in lines if l["cpu"] == "1"]
    assert set(nests(calls)) == {"vfs_open"}
    assert calls[0]["text"] == "vfs_open() {" and calls[0]["us"] is None
    names = {l["name"] for l in calls}
    assert {"path_get", "version_open", "single_open"} <= names
    for line in lines:
        if line["us"]:
            low, high = THRESHOLDS[line["mark"]]
            assert low <= float(line["us"]) <= high, line.group()
    graph.verify()


def test_a_parent_takes_longer_than_its_children_together(graph):
    # An interrupt may come before the tracer reads the time of the call. It is a child then, but not within that time.
    graph.write("set_graph_notrace", "do_interrupt")
    lines = graph.lines_of(graph.trace("cat /proc/version"))
    sums = {}
    for line in lines:
        if not line["us"]:
            continue
        depth, us = len(line["indent"]) // 2, float(line["us"])
        if line["close"]:
            assert sums.pop(depth + 1, 0) <= us + 0.01, line.group()
        sums[depth] = sums.get(depth, 0) + us
    assert len(lines) > 10


def test_reading_does_not_consume_and_trace_pipe_says_the_same(graph):
    text = graph.trace("cat /proc/version")
    assert graph.read("trace") == text
    piped = graph.machine.check("cat trace_pipe")
    assert piped == text.removeprefix(HEADER)
    assert graph.read("trace") == HEADER


def test_the_columns_are_options_of_the_same_trace(graph):
    graph.write("options/funcgraph-abstime", 1)
    graph.write("options/funcgraph-proc", 1)
    text = graph.trace("cat /proc/version")
    assert text.splitlines()[2:4] == [
        "#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS",
        "#      |          |     |    |           |   |                     |   |   |   |"]
    assert re.search(r"^ +\d+\.\d{6} \|   \d\) +(cat|sh)-\d+ +\|               \|  vfs_open\(\) \{$", text, re.M)
    for name in ("abstime", "proc"):
        graph.write(f"options/funcgraph-{name}", 0)
    for name, shown in (("cpu", r"^              \|  vfs_open\(\) \{$"), ("overhead", r"^  \d+\.\d+ us +\|  \}$"),
                        ("duration", r"^vfs_open\(\) \{$")):
        graph.write(f"options/funcgraph-{name}", 0)
        assert re.search(shown, graph.read("trace"), re.M), name
    graph.write("options/latency-format", 1)
    text = graph.read("trace")
    assert re.search(r"^# function_graph latency trace v1\.1\.5 on ", text, re.M)
    assert re.search(r"^ [dDb.][Nnp.][hsHzZ.][\d.][.] \| vfs_open\(\) \{$", text, re.M), text[:2000]


def test_funcgraph_overhead_is_the_mark_alone(graph):
    text = graph.trace("cat /proc/version")
    graph.write("options/funcgraph-overhead", 0)
    assert graph.read("trace") == re.sub(r"^( \d\)) [+!#*@$]", r"\1  ", text, flags=re.M)


def test_funcgraph_tail_and_overrun_add_to_every_closing_brace(graph):
    text = graph.trace("cat /proc/version")
    graph.write("options/funcgraph-tail", 1)
    tailed = graph.read("trace")
    assert re.search(r"\} /\* vfs_open \*/$", tailed, re.M) and not re.search(r"\}$", tailed, re.M)
    assert re.sub(r"\} /\* [\w.]+ \*/$", "}", tailed, flags=re.M) == re.sub(r"\} /\* [\w.]+ \*/$", "}", text, flags=re.M)
    graph.write("options/funcgraph-tail", 0)
    graph.write("options/funcgraph-overrun", 1)
    assert re.search(r"\}\n \(Overruns: 0\)\n", graph.read("trace"))


def test_a_missing_file_shows_where_the_error_comes_from(graph):
    graph.write("options/funcgraph-retval", 1)
    text = graph.trace("cat /tmp/nonesuch", "__x64_sys_openat")
    assert re.search(r"\} /\* __x64_sys_openat = -2 \*/$", text, re.M), text
    assert re.search(r"^ \d\) .*\(\); /\* = (0x[0-9a-f]+|-\d+) \*/$", text, re.M)
    graph.write("options/funcgraph-retval-hex", 1)
    assert re.search(r"\} /\* __x64_sys_openat = 0xfffffffffffffffe \*/$", graph.read("trace"), re.M)
    # The option decides at the time of reading whether recorded values are shown.
    graph.write("options/funcgraph-retval", 0)
    assert " = " not in graph.read("trace")
    graph.machine.run("echo > trace; echo 1 > tracing_on; cat /tmp/nonesuch; echo 0 > tracing_on")
    graph.write("options/funcgraph-retval", 1)
    assert " = " not in graph.read("trace")


def test_funcgraph_args_shows_names_and_values(graph):
    graph.write("options/funcgraph-args", 1)
    text = graph.trace("cat /tmp/nonesuch", "__x64_sys_openat")
    opened = re.search(r"  __x64_sys_openat\(dfd=-100, filename=(0x[0-9a-f]+), flags=0, mode=0x0\) \{$", text, re.M)
    assert opened and f"  getname(name={opened[1]}) {{\n" in text, text
    # The compiler has cut this function out of another: its arguments are not in the source.
    assert re.search(r"  walk_component\.part\.0\(0xffff[0-9a-f]+(, 0x[0-9a-f]+){5}\) \{$", text, re.M), text
    graph.write("options/funcgraph-args", 0)
    assert "__x64_sys_openat()" in graph.read("trace")


def test_funcgraph_retaddr_shows_where_each_function_was_called(graph):
    """The address is that behind the call, in the function that the tree has around it; it goes with arguments and values."""
    graph.write("options/funcgraph-retaddr", 1)
    text = graph.trace("cat /tmp/nonesuch", "do_sys_openat2")
    assert re.search(r"  do_sys_openat2\(\) \{ /\* <-do_sys_open\+0x[0-9a-f]+/0x[0-9a-f]+ \*/$", text, re.M), text
    assert re.search(r"  getname\(\) \{ /\* <-do_sys_openat2\+0x[0-9a-f]+/0x[0-9a-f]+ \*/$", text, re.M), text
    assert re.search(r"\(\); /\* <-\w[\w.]*\+0x[0-9a-f]+/0x[0-9a-f]+ \*/$", text, re.M), text
    graph.write("options/funcgraph-args", 1)
    graph.write("options/funcgraph-retval", 1)
    text = graph.trace("cat /tmp/nonesuch", "do_sys_openat2")
    assert re.search(r"  getname\(name=0x[0-9a-f]+\) \{ /\* <-do_sys_openat2\+", text), text
    assert re.search(r"\); /\* <-\w[\w.]*\+0x[0-9a-f]+/0x[0-9a-f]+ = \S+ \*/$", text, re.M), text
    # The option decides at the time of reading whether recorded addresses are shown.
    graph.write("options/funcgraph-retaddr", 0)
    assert "<-" not in graph.read("trace") and "getname(name=0x" in graph.read("trace")
    assert graph.read("events/ftrace/fgraph_retaddr_entry/format").startswith("name: fgraph_retaddr_entry\nID: 13\n")


def test_the_kernel_shows_its_types_in_btf(graph, images, tmp_path):
    """pahole reads there what it has written, and finds the types of the source."""
    btf = tmp_path / "vmlinux"
    host(["objcopy", "-O", "binary", "--only-section=.BTF", images / "nop5.elf", btf], check=True)
    digest = hashlib.md5(btf.read_bytes()).hexdigest()
    assert graph.machine.run("md5sum < /sys/kernel/btf/vmlinux").output.split()[0] == digest
    types = host(["pahole", "-F", "btf", btf], check=True, text=True, stdout=subprocess.PIPE).stdout
    assert re.search(r"^struct task_struct \{.*?\tstruct mm_struct \* +mm;", types, re.M | re.S)


FORMAT_HEAD = """\
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

"""
ENTRY_FORMAT = "name: funcgraph_entry\nID: 11\n" + FORMAT_HEAD + """\
	field:unsigned long func;	offset:8;	size:8;	signed:0;
	field:int depth;	offset:16;	size:4;	signed:1;
{}
print fmt: "--> %ps (%d)", (void *)REC->func, REC->depth
"""
EXIT_FORMAT = "name: funcgraph_exit\nID: 10\n" + FORMAT_HEAD + """\
	field:unsigned long func;	offset:8;	size:8;	signed:0;
	field:int depth;	offset:16;	size:4;	signed:1;
	field:unsigned int overrun;	offset:20;	size:4;	signed:0;
	field:unsigned long long calltime;	offset:24;	size:8;	signed:0;
	field:unsigned long long rettime;	offset:32;	size:8;	signed:0;
{}
print fmt: "<-- %ps (%d) (start: %llx  end: %llx) over: %d{}", (void *)REC->func, REC->depth, REC->calltime, \
REC->rettime, REC->depth{}
"""


def test_the_formats_are_linuxs_with_a_field_more_while_its_option_is_on(graph):
    entry, exit_ = "events/ftrace/funcgraph_entry/format", "events/ftrace/funcgraph_exit/format"
    assert graph.read(entry) == ENTRY_FORMAT.format("")
    assert graph.read(exit_) == EXIT_FORMAT.format("", "", "")
    graph.write("options/funcgraph-args", 1)
    graph.write("options/funcgraph-retval", 1)
    assert graph.read(entry) == ENTRY_FORMAT.format("\tfield:unsigned long args[];\toffset:20;\tsize:0;\tsigned:0;\n")
    assert graph.read(exit_) == EXIT_FORMAT.format("\tfield:unsigned long retval;\toffset:40;\tsize:8;\tsigned:0;\n",
                                                   " retval: %lx", ", REC->retval")


def test_a_call_takes_68_bytes_of_the_buffer(graph):
    """The clock counts events. With a clock of time, the next event after 134 ms would have a time extend of 8 bytes."""
    graph.write("trace_clock", "counter")
    graph.write("set_ftrace_filter", "vfs_open")
    graph.trace("for i in $(seq 50); do cat /proc/version; done")
    used = sum(int(re.search(r"bytes: (\d+)", graph.read(f"per_cpu/cpu{cpu}/stats")).group(1)) for cpu in range(4))
    calls = len(re.findall(r"vfs_open\(\)(?:;| \{)$", graph.read("trace"), re.M))
    graph.write("trace_clock", "local")
    assert calls > 100 and used == 68 * calls


def test_interrupts_stand_between_arrows_or_are_left_out(graph):
    text = graph.trace("sleep 0.05", "")
    assert len(re.findall(r"^ \d\)   ==========> \|\n \d\) +\|  +do_interrupt\(\) \{$", text, re.M)) > 0
    graph.lines_of(text)
    # The arrow at the end is printed even if the beginning is not in the trace.
    assert abs(text.count("==========>") - text.count("<==========")) <= 4 * 3
    graph.write("options/funcgraph-irqs", 0)
    left = graph.fetch("trace")
    assert "==========" not in left and "do_interrupt() {" not in left
    text = graph.trace("sleep 0.05", "")
    graph.write("options/funcgraph-irqs", 1)
    recorded = graph.fetch("trace")
    # do_interrupt() begins before preempt_count has the interrupt; the functions that it calls begin later.
    assert "local_apic_timer_interrupt" not in recorded
    assert "==========" not in text


def test_a_function_called_in_an_interrupt_is_traced_even_without_irqs(graph):
    graph.write("options/funcgraph-irqs", 0)
    text = graph.trace("sleep 0.05", "local_apic_timer_interrupt")
    graph.write("options/funcgraph-irqs", 1)
    assert "local_apic_timer_interrupt() {" in graph.read("trace"), text


def test_a_change_of_task_has_its_line(graph):
    text = graph.trace(SLEEP, "")
    switches = re.findall(r"^ -{42}\n \d\) +(\S+-\d+) +=> +(\S+-\d+) *\n -{42}\n\n", text, re.M)
    assert any("sleep" in old for old, _ in switches) and any("<idle>" in new for _, new in switches), switches[:20]


def test_a_marker_is_a_comment_inside_the_call_that_wrote_it(graph):
    text = graph.trace("echo hello there > trace_marker", "vfs_write")
    inside = r"(?! \d\) .{13} us +\|  \}).*\n"  # any line but the end of the call
    assert re.search(rf"^ \d\) +\|  vfs_write\(\) \{{\n({inside})* \d\) {{15}}\|  +/\* hello there \*/$", text, re.M), text


def test_set_graph_function_takes_names_globs_and_exceptions(graph):
    assert graph.read("set_graph_function") == "#### all functions enabled ####\n"
    assert graph.read("set_graph_notrace") == "#### no functions disabled ####\n"
    for name in ("set_graph_function", "set_graph_notrace"):
        graph.write(name, "vfs_read")
        graph.write(name, "vfs_wr*", append=True)
        assert graph.lines(name) == ["vfs_read", "vfs_write"]
        graph.write(name, "!vfs_read", append=True)
        assert graph.lines(name) == ["vfs_write"]
        for word in ("no_such_function", "!vfs_read", "!no_such", "3", "0", "vfs_write:traceoff", "a" * 300):
            graph.refused(name, word, append=True)
            assert graph.lines(name) == ["vfs_write"]
        graph.write(name, "")
        assert graph.lines(name) == [["#### all functions enabled ####"], ["#### no functions disabled ####"]][
            name == "set_graph_notrace"]


def test_numbers_are_refused_as_in_linux(graph):
    for name in ("max_graph_depth", "tracing_thresh"):
        assert graph.read(name) == "0\n"
        for text in ("-1", "abc", "0x10", "", " 7", "7 8"):
            graph.refused(name, text)
        graph.refused(name, "99999999999999999999999", "Numerical result out of range")
        assert graph.read(name) == "0\n"
        graph.write(name, "5")
        assert graph.read(name) == "5\n"
        graph.write(name, "0")
    # Linux keeps 32 bits of a depth, and prints them with a sign.
    graph.write("max_graph_depth", "4294967295")
    assert graph.read("max_graph_depth") == "-1\n"
    graph.write("tracing_thresh", "99999999999")
    assert graph.read("tracing_thresh") == "99999999999\n"
    listing = graph.machine.check("ls -l set_graph_function set_graph_notrace max_graph_depth tracing_thresh")
    assert len(re.findall(r"^-rw-r----- ", listing, re.M)) == 4


def test_options_take_0_and_1(graph):
    for name in list(OPTIONS) + ["irqs"]:
        for text in ("2", "x", "-1", ""):
            graph.refused(f"options/funcgraph-{name}", text)
    graph.write("current_tracer", "function_graph")
    shown = graph.read("trace_options").split()
    expected = [("" if value else "no") + "funcgraph-" + name for name, value in OPTIONS.items() if name not in ("args", "retaddr")]
    assert shown[-len(expected) - 4:] == expected + ["sleep-time", "graph-time", "nofuncgraph-args", "nofuncgraph-retaddr"]
    graph.refused("trace_options", "funcgraph-bogus")


def test_set_graph_notrace_leaves_out_a_function_and_all_below(graph):
    assert "single_open() {" in graph.trace("cat /proc/version")
    graph.write("set_graph_notrace", "version_open")
    text = graph.trace("cat /proc/version")
    names = {l["name"] for l in graph.lines_of(text)}
    assert "path_get" in names and not {"version_open", "single_open"} & names


def test_max_graph_depth_is_the_deepest_line(graph):
    graph.write("max_graph_depth", 2)
    lines = graph.lines_of(graph.trace("cat /proc/version"))
    assert {len(l["indent"]) // 2 for l in lines} == {0, 1}
    graph.write("max_graph_depth", 1)
    lines = graph.lines_of(graph.trace("cat /proc/version"))
    assert {l["text"] for l in lines} == {"vfs_open();"}


def test_tracing_thresh_leaves_the_ends_of_long_calls(graph):
    graph.write("tracing_thresh", 10000)
    lines = graph.lines_of(graph.trace("sleep 0.1", ""))
    assert lines and all(l["closed"] and float(l["us"]) >= 10000 for l in lines)
    assert {"schedule", "__x64_sys_clock_nanosleep"} <= {l["closed"] for l in lines}


def test_nosleep_time_does_not_count_the_time_that_a_task_is_switched_out(graph):
    def slept(text):
        return max(float(l["us"]) for l in graph.lines_of(text) if l["us"])

    assert slept(graph.trace("sleep 2", "__x64_sys_clock_nanosleep")) >= 2e6
    graph.write("options/sleep-time", 0)
    assert slept(graph.trace("sleep 2", "__x64_sys_clock_nanosleep")) < 2e6


def test_set_ftrace_filter_notrace_and_pid_choose_the_calls(graph):
    graph.write("set_ftrace_filter", "vfs_* path_get")
    graph.write("set_ftrace_notrace", "vfs_write")
    text = graph.trace("head /proc/version", "")
    names = {l["name"] for l in graph.lines_of(text) if l["name"]}
    assert {"vfs_open", "vfs_read", "path_get"} <= names
    assert names <= set(graph.lines("set_ftrace_filter")) - {"vfs_write"}
    # A filter that changes while the tracer runs.
    graph.write("set_ftrace_filter", "vfs_read")
    assert {l["name"] for l in graph.lines_of(graph.trace("head /proc/version", "")) if l["name"]} == {"vfs_read"}
    graph.write("set_ftrace_pid", "1")
    graph.write("options/funcgraph-proc", 1)
    text = graph.trace("cat /proc/version", "")
    assert set(re.findall(r"-(\d+) +\| ", text)) <= {"1"} and "=>" not in text
    graph.verify()


def test_the_function_tracer_takes_over_the_same_filter(graph):
    graph.write("set_ftrace_filter", "vfs_open")
    for tracer, shown in (("function", r": vfs_open <-"), ("function_graph", r"vfs_open\(\);$"),
                          ("function", r": vfs_open <-")):
        graph.write("current_tracer", tracer)
        assert graph.lines("set_ftrace_filter") == ["vfs_open"]
        graph.machine.check("cat /proc/version")
        assert re.search(shown, graph.read("trace"), re.M)
    graph.write("current_tracer", "nop")
    assert graph.read("enabled_functions") == ""
    graph.verify()


def test_lost_events_are_told_and_the_tree_goes_on(graph):
    size = graph.read("buffer_size_kb").split()[0]
    try:
        graph.write("buffer_size_kb", 8)
        graph.write("current_tracer", "function_graph")
        graph.machine.check("ls -l /proc; echo 0 > tracing_on")
        text = graph.machine.check("cat trace_pipe")
        assert re.search(r"^CPU:\d \[LOST \d+ EVENTS\]$", text, re.M)
        lines = graph.lines_of(text)
        # A closing brace without its call in the trace has the function's name.
        assert any(l["closed"] for l in lines) and any(l["name"] for l in lines)
    finally:
        graph.write("buffer_size_kb", size)


def test_sysrq_z_prints_the_graph(graph):
    graph.trace("cat /proc/version")
    graph.write("tracing_on", 1)
    graph.machine.run("echo z > /proc/sysrq-trigger")
    assert re.search(r"\]  \d\) {15}\|  vfs_open\(\) \{\r?\n", graph.machine.text)
    assert re.search(r"\]  \d\) .  ?\d+\.\d+ us +\|      dget\(\);\r?\n", graph.machine.text)
    graph.write("tracing_on", 1)


def test_the_command_line_starts_a_graph_of_a_function(boot):
    machine = boot(cpus=2, append="ftrace=function_graph ftrace_graph_filter=vfs_open,vfs_mkdir ftrace_graph_notrace=dget "
                                  "ftrace_graph_max_depth=3 trace_options=funcgraph-tail,funcgraph-retval")
    graph = Graph(machine)
    assert graph.read("current_tracer") == "function_graph\n"
    assert graph.lines("set_graph_function") == sorted(graph.lines("set_graph_function"), key=graph.read(
        "available_filter_functions").split().index)
    assert set(graph.lines("set_graph_function")) == {"vfs_open", "vfs_mkdir"}
    assert graph.lines("set_graph_notrace") == ["dget"] and graph.read("max_graph_depth") == "3\n"
    assert graph.read("options/funcgraph-tail") == "1\n"
    text = graph.read("trace")
    assert re.search(r"^ \d\) .*\} /\* vfs_(open|mkdir) = ", text, re.M), text[:1000]
    assert "dget();" not in text
    outermost = re.findall(r"^ \d\) [^|]*\|  (\w+)\(\)", text, re.M)
    assert set(outermost) <= {"vfs_open", "vfs_mkdir"}


def test_unknown_functions_on_the_command_line_are_told(boot):
    machine = boot(cpus=1, append="ftrace_graph_filter=bogus,vfs_read ftrace_graph_max_depth=x")
    assert 'ftrace: no function matches "bogus"' in machine.text
    assert Graph(machine).lines("set_graph_function") == ["vfs_read"]


def test_trace_pipe_read_while_functions_run_gives_whole_lines(graph):
    graph.write("set_ftrace_filter", "vfs_* path_get dget *tty* schedule")
    graph.write("current_tracer", "function_graph")
    graph.machine.check("cat trace_pipe > /tmp/pipe &")
    for _ in range(5):
        graph.machine.check("cat /proc/version /proc/uptime > /dev/null; ls / > /dev/null")
    graph.machine.check("until [ -s /tmp/pipe ]; do :; done")
    # The current tracer chooses how an entry looks, so it stays until the reader has read all.
    graph.machine.check("echo the end > trace_marker; echo 0 > tracing_on; wait")
    graph.write("current_tracer", "nop")
    lines = graph.lines_of(graph.fetch("/tmp/pipe"))
    assert any("/* the end */" in l["text"] for l in lines)
    assert {"vfs_open", "vfs_read", "path_get"} <= {l["name"] for l in lines}
    assert any(l["end"] == ";" for l in lines) and any(l["close"] for l in lines)


def test_instances_have_graphs_of_their_own(graph):
    machine = graph.machine
    machine.check("mkdir instances/a; mkdir instances/b")
    try:
        machine.check("echo 'vfs_open path_get' > instances/a/set_ftrace_filter; echo vfs_open > instances/b/set_ftrace_filter; "
                      "echo vfs_open > set_ftrace_filter")
        machine.check("echo 1 > instances/a/options/funcgraph-tail; echo 1 > instances/b/options/funcgraph-retval")
        machine.check("echo function_graph > instances/a/current_tracer; echo function_graph > instances/b/current_tracer; "
                      "echo function > current_tracer; cat /proc/version")
        a, b, top = (graph.read(f"{place}trace") for place in ("instances/a/", "instances/b/", ""))
        assert {l["name"] or l["closed"] for l in graph.lines_of(a)} == {"vfs_open", "path_get"}
        assert "} /* vfs_open */" in a and " = " not in a
        assert re.search(r"vfs_open\(\); /\* = 0x0 \*/$", b, re.M) and "path_get" not in b
        assert re.search(r": vfs_open <-", top)
        assert re.search(r"^vfs_open \(3\)", graph.read("enabled_functions"), re.M)
        # Files for settings that all graphs share are only at the top level.
        assert machine.run("cat instances/a/max_graph_depth").status == 1
        assert machine.run("cat instances/a/set_graph_function").status == 1
    finally:
        machine.check("echo nop > instances/a/current_tracer; echo nop > instances/b/current_tracer; "
                      "rmdir instances/a; rmdir instances/b")
    graph.write("current_tracer", "nop")
    assert graph.read("enabled_functions") == ""
    graph.verify()


def test_the_filter_follows_from_tracer_to_tracer(graph):
    graph.write("set_ftrace_filter", "vfs_open")
    for _ in range(20):
        graph.write("current_tracer", "function_graph")
        graph.write("set_ftrace_filter", "vfs_read", append=True)
        graph.write("current_tracer", "function")
        graph.write("set_ftrace_filter", "vfs_open")
    line, = graph.lines("enabled_functions")
    assert line.split()[0] == "vfs_open" and "->function_trace_call+0x0/" in line
    graph.write("current_tracer", "function_graph")
    line, = graph.lines("enabled_functions")
    assert line.split()[0] == "vfs_open" and "->ftrace_graph_func+0x0/" in line
    graph.verify()
