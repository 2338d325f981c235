"""The function tracer through the files of tracefs, by commands at the prompt."""
import re

import pytest

TRACING = "/sys/kernel/tracing"
HEADER = """\
# tracer: function
#
# entries-in-buffer/entries-written: {}   #P:4
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
"""
ENTRY = re.compile(r"^ *(?P<task>.{1,16})-(?P<pid>\d+) +\[(?P<cpu>\d{3})\] (?P<flags>[dDb.][Nnp.][Hhs.Zz][0-9a-f.][.]) "
                   r"+(?P<time>\d+\.\d{6}): (?P<function>\S+) <-(?P<parent>\S+)$")


class Tracing:
    """The trace directory of a machine."""

    def __init__(self, machine):
        self.machine = machine
        machine.check(f"cd {TRACING}")

    def write(self, name, text, append=False):
        self.machine.check(f"echo '{text}' {'>>' if append else '>'} {name}")

    def refused(self, name, text, why="Invalid argument", append=False):
        result = self.machine.run(f"echo '{text}' {'>>' if append else '>'} {name}")
        assert result.status == 1 and f"write error: {why}" in result.output, result.output

    def read(self, name):
        return self.machine.check(f"cat {name}")

    def fetch(self, name):
        """The same for a large file."""
        return self.machine.fetch(f"cat {name}")

    def lines(self, name):
        return self.read(name).splitlines()

    def entries(self, text=None):
        """Return the events of a trace, without comments and lost-event notes. Each line must match ENTRY."""
        lines = [l for l in (text or self.read("trace")).splitlines() if l and not re.match(r"#|CPU:\d+ \[LOST", l)]
        matches = [ENTRY.match(l) for l in lines]
        assert all(matches), [l for l, m in zip(lines, matches) if not m][:5]
        return matches

    def verify(self):
        assert re.fullmatch(r"\d+ sites, 0 mismatches\n", self.machine.check("cat /sys/kernel/debug/ftrace_verify"))

    def reset(self):
        for name, text in (("current_tracer", "nop"), ("set_ftrace_filter", ""), ("set_ftrace_notrace", ""),
                           ("set_ftrace_pid", ""), ("tracing_on", "1"), ("trace_clock", "local"), ("trace", "")):
            self.machine.check(f"echo {text} > {TRACING}/{name}")


@pytest.fixture
def tracing(nop5):
    directory = Tracing(nop5)
    yield directory
    if nop5.alive:
        directory.reset()


def in_order_per_cpu(entries):
    last = {}
    for entry in entries:
        time = float(entry["time"])
        assert time >= last.get(entry["cpu"], 0), entry.group()
        last[entry["cpu"]] = time


def test_a_student_traces_the_scheduler(tracing):
    tracing.write("set_ftrace_filter", "*sched*")
    tracing.write("current_tracer", "function")
    text = tracing.machine.check("head -n 21 trace")
    written = re.search(r"entries-written: (\d+/\d+)   #P:4$", text, re.M).group(1)
    assert text.startswith(HEADER.format(written))
    entries = tracing.entries(text)
    assert len(entries) == 9
    # The filter has names only. No other function was traced.
    names = set(tracing.lines("set_ftrace_filter"))
    assert {e["function"] for e in entries} <= names
    assert "schedule" in names and all("sched" in n for n in names)
    tracing.verify()
    tracing.write("current_tracer", "nop")
    assert tracing.read("enabled_functions") == ""
    tracing.verify()


def test_available_filter_functions_are_in_the_order_of_addresses_and_none_is_freed_init_code(tracing):
    names = tracing.fetch("available_filter_functions").splitlines()
    sites = [line.split(" ", 1) for line in tracing.fetch("available_filter_functions_addrs").splitlines()]
    assert [name for _, name in sites] == names
    assert [address for address, _ in sites] == sorted({address for address, _ in sites})
    address = {}
    for line in tracing.fetch("/proc/kallsyms").splitlines():
        fields = line.split()
        address.setdefault(fields[2], []).append(int(fields[0], 16))
    assert len(names) > 500 and set(names) <= set(address)
    last = 0
    for name in names:
        last = min((a for a in address[name] if a > last), default=None)
        assert last, f"{name} is out of order"
    assert "start_kernel" not in names
    total = tracing.read("dyn_ftrace_total_info")
    assert int(total.split()[0]) == len(names)
    assert re.search(r"ftrace: allocating \d+ entries in \d+ pages", tracing.machine.check("dmesg"))


@pytest.mark.parametrize("glob, wanted", [
    ("vfs_read", r"vfs_read"),
    ("vfs_*", r"vfs_.*"),
    ("*_read", r".*_read"),
    ("*sched*", r".*sched.*"),
    ("vfs_r?ad", r"vfs_r.ad"),
    ("vfs_[o-r]*", r"vfs_[o-r].*"),
    ("vfs_*t*e", r"vfs_.*t.*e"),
    ("vfs_read  vfs_write", r"vfs_read|vfs_write"),
])
def test_a_filter_takes_the_functions_that_its_globs_match(tracing, glob, wanted):
    tracing.write("set_ftrace_filter", glob)
    expected = [n for n in tracing.lines("available_filter_functions") if re.fullmatch(wanted, n)]
    assert expected and sorted(tracing.lines("set_ftrace_filter")) == sorted(expected)


def test_a_filter_is_added_to_taken_from_and_cleared(tracing):
    assert tracing.lines("set_ftrace_filter") == ["#### all functions enabled ####"]
    tracing.write("set_ftrace_filter", "vfs_read")
    tracing.write("set_ftrace_filter", "vfs_write", append=True)
    assert set(tracing.lines("set_ftrace_filter")) == {"vfs_read", "vfs_write"}
    tracing.write("set_ftrace_filter", "!vfs_read", append=True)
    assert tracing.lines("set_ftrace_filter") == ["vfs_write"]
    tracing.write("set_ftrace_filter", "schedule")
    assert tracing.lines("set_ftrace_filter") == ["schedule"]
    tracing.write("set_ftrace_filter", "")
    assert tracing.lines("set_ftrace_filter") == ["#### all functions enabled ####"]


def test_a_filter_takes_the_number_of_a_function(tracing):
    third = tracing.machine.check("head -n 3 available_filter_functions").splitlines()[2]
    tracing.write("set_ftrace_filter", "3")
    assert tracing.lines("set_ftrace_filter") == [third]


@pytest.mark.parametrize("word", ["no_such_function", "*no_such*", "999999", "0"])
def test_a_name_that_matches_nothing_is_refused_and_changes_nothing(tracing, word):
    tracing.write("set_ftrace_filter", "vfs_read")
    tracing.refused("set_ftrace_filter", word, append=True)
    assert tracing.lines("set_ftrace_filter") == ["vfs_read"]


def test_notrace_wins_over_the_filter(tracing):
    assert tracing.lines("set_ftrace_notrace") == ["#### no functions disabled ####"]
    tracing.write("set_ftrace_filter", "vfs_*")
    tracing.write("set_ftrace_notrace", "vfs_write")
    tracing.write("current_tracer", "function")
    enabled = [l.split()[0] for l in tracing.lines("enabled_functions")]
    assert "vfs_read" in enabled and "vfs_write" not in enabled
    tracing.verify()


def test_a_changed_filter_patches_only_the_sites_that_change(tracing):
    def patched():
        return int(re.search(r"sites: (\d+)", tracing.machine.check("cat /sys/kernel/debug/text_patch")).group(1))

    tracing.write("set_ftrace_filter", "vfs_*")
    tracing.write("current_tracer", "function")
    before = patched()
    tracing.write("set_ftrace_filter", "schedule", append=True)
    assert patched() - before == 1
    assert "schedule" in [l.split()[0] for l in tracing.lines("enabled_functions")]


def test_tracing_on_stops_and_starts_without_patching(tracing):
    tracing.write("set_ftrace_filter", "vfs_read")
    tracing.write("current_tracer", "function")
    tracing.write("tracing_on", "0")
    assert tracing.read("tracing_on") == "0\n"
    tracing.write("trace", "")
    tracing.read("set_ftrace_filter")
    assert tracing.entries() == []
    assert tracing.read("enabled_functions").startswith("vfs_read (1)")
    tracing.write("tracing_on", "1")
    tracing.read("set_ftrace_filter")
    assert {e["function"] for e in tracing.entries()} == {"vfs_read"}


def test_tracing_cpumask_chooses_the_cpus_that_record(tracing):
    run_on_each = "for cpu in 0 1 2 3; do taskset -c $cpu head -c 1 /proc/uptime; done > /dev/null"
    tracing.write("set_ftrace_filter", "vfs_read")
    tracing.write("tracing_cpumask", "6")
    tracing.write("current_tracer", "function")
    tracing.machine.check(run_on_each)
    assert {entry["cpu"] for entry in tracing.entries()} == {"001", "002"}
    tracing.write("tracing_cpumask", "f")
    tracing.machine.check(run_on_each)
    assert {entry["cpu"] for entry in tracing.entries()} == {"000", "001", "002", "003"}


def test_reading_trace_does_not_consume_and_writing_it_clears(tracing):
    tracing.write("set_ftrace_filter", "vfs_open")
    tracing.write("current_tracer", "function")
    tracing.read("/proc/uptime")
    tracing.write("tracing_on", "0")
    first = tracing.read("trace")
    assert tracing.entries(first) and tracing.read("trace") == first
    tracing.write("trace", "")
    assert tracing.entries() == []


def test_trace_pipe_consumes_blocks_and_ends_with_control_c(tracing):
    for text in ("one", "two", "three"):
        tracing.write("trace_marker", text)
    assert re.findall(r"tracing_mark_write: (\w+)$", tracing.machine.check("head -n 2 trace_pipe"), re.M)[:2] == \
        ["one", "two"]
    tracing.machine.interrupt("cat trace_pipe")
    tracing.write("trace_marker", "four")
    assert re.findall(r"tracing_mark_write: (\w+)$", tracing.read("trace"), re.M)[-1] == "four"
    assert "one" not in tracing.read("trace")


def test_trace_marker_shows_text_as_it_was_written(tracing):
    tracing.write("trace_marker", "hello, trace")
    assert re.search(r"^ +(echo|sh|<\.\.\.>)-\d+ +\[\d{3}\] \S+ +\d+\.\d{6}: tracing_mark_write: hello, trace$",
                     tracing.read("trace"), re.M)
    tracing.write("options/markers", "0")
    tracing.refused("trace_marker", "no", "Invalid argument")
    tracing.write("options/markers", "1")


def test_a_traced_machine_at_full_speed_shows_whole_lines_in_order(tracing):
    tracing.write("current_tracer", "function")
    tracing.machine.check("hackbench -g 1 -l 20")
    tracing.write("tracing_on", "0")
    text = tracing.machine.fetch("head -n 4000 trace")
    entries = tracing.entries(text)
    assert len(entries) > 3000
    in_order_per_cpu(entries)
    kept, written = map(int, re.search(r"entries-written: (\d+)/(\d+)", text).groups())
    assert kept <= written
    tracing.verify()


def test_stats_account_for_every_event(tracing):
    tracing.write("tracing_on", "0")
    stats = tracing.read("per_cpu/cpu0/stats")
    assert re.fullmatch(r"entries: \d+\noverrun: \d+\ncommit overrun: \d+\nbytes: \d+\n"
                        r"oldest event ts: +\d+\.\d{6}\nnow ts: +\d+\.\d{6}\ndropped events: \d+\n"
                        r"read events: \d+\n", stats), stats


def test_unknown_tracers_clocks_and_options_are_refused(tracing):
    assert set(tracing.read("available_tracers").split()) >= {"function", "nop"}
    for name in ("current_tracer", "trace_clock", "trace_options"):
        before = tracing.read(name)
        tracing.refused(name, "bogus")
        assert tracing.read(name) == before
    tracing.refused("buffer_size_kb", "0")
    tracing.refused("tracing_on", "x")


def test_ftrace_enabled_cannot_be_set_to_0(tracing):
    """As in Linux 7.3."""
    check, enabled = tracing.machine.check, "/proc/sys/kernel/ftrace_enabled"
    tracing.write("current_tracer", "function")
    refused = tracing.machine.run(f"echo 0 > {enabled}")
    assert refused.status != 0 and "Operation not supported" in refused.output, refused.output
    assert "ftrace: ftrace_enabled is deprecated and stays on" in check("dmesg | tail -n 1")
    assert int(check("wc -l < enabled_functions")) > 1000 and check(f"cat {enabled}") == "1\n"
    check(f"echo 2 > {enabled}")
    assert check(f"cat {enabled}") == "2\n"
    check(f"echo 1 > {enabled}")


@pytest.mark.parametrize("clock", ["local", "global", "counter", "uptime", "perf", "mono", "mono_raw", "boot", "tai", "x86-tsc"])
def test_each_clock_is_shown_in_brackets_and_counts_up(tracing, clock):
    tracing.write("trace_clock", clock)
    assert f"[{clock}]" in tracing.read("trace_clock")
    for text in ("a", "b", "c"):
        tracing.write("trace_marker", text)
    stamps = [float(s) for s in re.findall(r"([\d.]+): tracing_mark_write", tracing.read("trace"))]
    assert len(stamps) == 3 and (stamps == sorted(stamps) or clock == "local")


def test_the_clock_tai_shows_the_time_of_day(tracing):
    tracing.write("trace_clock", "tai")
    before = int(tracing.machine.check("date +%s"))
    tracing.write("trace_marker", "x")
    after = int(tracing.machine.check("date +%s"))
    stamp = float(re.search(r"([\d.]+): tracing_mark_write", tracing.read("trace"))[1])
    assert before <= stamp < after + 1


def with_option(tracing, option, value, command="head /proc/uptime"):  # cat has sendfile(), not read()
    tracing.write(f"options/{option}", value)
    try:
        tracing.write("set_ftrace_filter", "vfs_read")
        tracing.write("current_tracer", "function")
        tracing.write("trace", "")
        tracing.machine.check(command)
        tracing.write("tracing_on", "0")
        return tracing.read("trace")
    finally:
        tracing.write(f"options/{option}", 1 - value)


@pytest.mark.parametrize("option, value, shows", [
    ("print-parent", 0, r": vfs_read$"),
    ("sym-offset", 1, r": vfs_read\+0x0(/0x[0-9a-f]+)? <-\w+\+0x[0-9a-f]+"),
    ("sym-addr", 1, r": vfs_read <[0-9a-f]+> <-\w+ <[0-9a-f]+>$"),
    ("irq-info", 0, r"^# +TASK-PID +CPU# +TIMESTAMP +FUNCTION$"),
    ("context-info", 0, r"^\s*vfs_read <-\w+$"),
    ("latency-format", 1, r"^# latency: \d+ us, #\d+/\d+, CPU#\d+"),
    ("record-cmd", 0, r"<\.\.\.>-\d+"),
    ("raw", 1, r"^\d+ \d+ \d+ ffffffff[0-9a-f]{8} ffffffff[0-9a-f]{8}$"),
    ("hex", 1, r"^[0-9a-f]{8} 0000000[0-3] [0-9a-f]{16} ffffffff[0-9a-f]{8} ffffffff[0-9a-f]{8} $"),
    ("verbose", 1, r"\A# tracer: function\n#\n +\w+-\d+ .*: vfs_read <-\w+$"),
    ("record-tgid", 1, r"^ +head-(\d+) +\( *\1\) \[\d+\] .*: vfs_read <-\w+$"),
    ("func_stack_trace", 1, r"^ => vfs_read$"),
])
def test_an_option_shows_its_effect(tracing, option, value, shows):
    text = with_option(tracing, option, value)
    assert re.search(shows, text, re.M), text[-1500:]


def test_verbose_and_latency_format_together_name_each_field(tracing):
    tracing.write("options/verbose", 1)
    try:
        text = with_option(tracing, "latency-format", 1)
    finally:
        tracing.write("options/verbose", 0)
    assert re.search(r"^ +head +\d+ +[0-3] \d [0-9a-f]{8} [0-9a-f]{8} \[[0-9a-f]{8}\] \d+\.\d{3}ms "
                     r"\(\+\d+\.\d{3}ms\): vfs_read <-\w+$", text, re.M), text


def test_printk_msg_only_leaves_the_text_alone(tracing):
    tracing.write("trace_marker", "nothing but this")
    tracing.write("options/printk-msg-only", 1)
    try:
        assert "nothing but this" in tracing.lines("trace")
    finally:
        tracing.write("options/printk-msg-only", 0)
    assert "nothing but this" not in tracing.lines("trace")


def test_annotate_shows_where_a_cpu_begins_when_events_were_overwritten(tracing):
    size = tracing.read("buffer_size_kb").split()[0]
    try:
        tracing.write("buffer_size_kb", "16")
        tracing.write("current_tracer", "function")
        tracing.machine.check("hackbench -g 1 -l 10")
        tracing.write("tracing_on", "0")
        text = tracing.fetch("trace")
        cpus = {line.group(1) for line in re.finditer(r"^.* \[(\d{3})\] ", text, re.M)}
        begins = re.findall(r"^##### CPU (\d+) buffer started ####$", text, re.M)
        assert len(begins) == len(set(begins)) >= len(cpus) - 1 >= 1
        tracing.write("options/annotate", 0)
        assert "buffer started" not in tracing.fetch("trace")
    finally:
        tracing.write("options/annotate", 1)
        tracing.write("buffer_size_kb", size)


def test_function_fork_follows_the_commands_of_a_traced_shell(tracing):
    def tasks():
        tracing.write("trace", "")
        tracing.machine.check("cat /proc/uptime")
        return {e["task"] for e in tracing.entries()}

    tracing.write("set_ftrace_filter", "vfs_*")
    tracing.machine.check("echo $$ > set_ftrace_pid")
    tracing.write("current_tracer", "function")
    assert tasks() == {"sh"}  # the shell opens the files for its commands
    tracing.write("options/function-fork", 1)
    try:
        assert {"sh", "cat"} <= tasks()
    finally:
        tracing.write("options/function-fork", 0)


def test_function_fork_on_the_command_line_follows_as_well(boot):
    tracing = Tracing(boot(cpus=2, append="trace_options=function-fork"))
    tracing.write("set_ftrace_filter", "vfs_*")
    tracing.machine.check("echo $$ > set_ftrace_pid")
    tracing.write("current_tracer", "function")
    tracing.machine.check("cat /proc/uptime")
    assert {"sh", "cat"} <= {e["task"] for e in tracing.entries()}


def test_free_buffer_gives_memory_back_and_disable_on_free_stops_tracing(tracing):
    size = tracing.read("buffer_size_kb").split()[0]
    try:
        tracing.write("free_buffer", "x")
        assert tracing.read("buffer_size_kb") == "8\n" and tracing.read("tracing_on") == "1\n"
        tracing.write("options/disable_on_free", 1)
        tracing.write("free_buffer", "x")
        assert tracing.read("tracing_on") == "0\n"
    finally:
        tracing.write("options/disable_on_free", 0)
        tracing.write("buffer_size_kb", size)


def test_set_ftrace_pid_traces_that_task_only(tracing):
    tracing.write("set_ftrace_pid", "1")
    assert tracing.lines("set_ftrace_pid") == ["1"]
    tracing.write("set_ftrace_filter", "vfs_read")
    tracing.write("current_tracer", "function")
    tracing.read("/proc/uptime")
    assert {e["pid"] for e in tracing.entries()} <= {"1"}
    tracing.refused("set_ftrace_pid", "x")
    tracing.write("set_ftrace_pid", "")
    assert tracing.lines("set_ftrace_pid") == ["no pid"]


def test_set_ftrace_pid_traces_nothing_of_the_task_that_the_cpu_leaves(tracing):
    """A switch to the shell loads its page tables and starts the tick while the idle task is still the current one."""
    tracing.write("current_tracer", "function")
    tracing.machine.check("echo $$ > set_ftrace_pid; echo > trace")
    tracing.machine.check("for i in 1 2 3; do sleep 0.01; done; echo 0 > tracing_on")
    entries = tracing.entries()
    assert len(entries) > 1000 and {e["task"] for e in entries} == {"sh"}


def test_the_buffer_is_resized_and_a_small_one_overwrites_the_oldest(tracing):
    size = tracing.read("buffer_size_kb").split()[0]
    try:
        tracing.write("buffer_size_kb", "16")
        assert tracing.read("buffer_size_kb") == "16\n"
        assert tracing.read("buffer_total_size_kb") == "64\n"
        tracing.write("current_tracer", "function")
        tracing.machine.check("hackbench -g 1 -l 10")
        tracing.write("tracing_on", "0")
        kept, written = map(int, re.search(r"entries-written: (\d+)/(\d+)", tracing.read("trace | head")).groups())
        assert 0 < kept < written and kept < 4 * 16 * 1024 / 16
    finally:
        tracing.write("buffer_size_kb", size)


def test_a_resize_without_memory_for_all_cpus_changes_nothing(boot):
    machine = boot(cpus=8)
    machine.check(f"cd {TRACING}")

    def state():
        free = int(re.search(r"^MemFree: +(\d+) kB", machine.check("cat /proc/meminfo"), re.M).group(1))
        return free, machine.check("cat buffer_size_kb per_cpu/cpu0/buffer_size_kb per_cpu/cpu7/buffer_size_kb")

    def refused(size):
        free, sizes = state()
        result = machine.run(f"echo {size} > buffer_size_kb")
        assert result.status == 1 and "Cannot allocate memory" in result.output
        now_free, now_sizes = state()
        assert now_sizes == sizes
        assert free - now_free < 4096  # page tables of vmalloc are kept

    machine.check("echo 64 > buffer_size_kb; echo 32 > per_cpu/cpu7/buffer_size_kb")
    refused(40000)  # the memory is enough for some of the CPUs
    refused(200000)  # and here for the first CPU
    machine.check("echo 1 > snapshot; echo 20000 > per_cpu/cpu0/buffer_size_kb")
    refused(18000)  # enough for the buffer, not for the snapshot's


def test_dis_shows_the_site_change(tracing):
    before = tracing.machine.check("dis vfs_read")
    assert re.fullmatch(r"[0-9a-f]{16} <vfs_read>:\n  0f 1f 44 00 00( [0-9a-f]{2}){11}\n  nop\n", before), before
    tracing.write("set_ftrace_filter", "vfs_read")
    tracing.write("current_tracer", "function")
    traced = tracing.machine.check("dis vfs_read")
    assert re.search(r"^  e8 .*\n  call [0-9a-f]{16} <ftrace_trampoline \[__builtin__ftrace\]>$", traced, re.M), traced
    tracing.write("current_tracer", "nop")
    assert tracing.machine.check("dis vfs_read") == before
    assert tracing.machine.run("dis no_such_function").status == 1


@pytest.mark.variant
@pytest.mark.parametrize("how", ["CC=clang", pytest.param("MCOUNT=script", marks=pytest.mark.soak), "DEBUG=1"])
def test_the_tracer_works_in_a_build_of_another_kind(boot, variant, how):
    machine = boot(cpus=4, build=variant(how), append="ftrace=function ftrace_filter=smp_init,vfs_*")
    tracing = Tracing(machine)
    assert [e["function"] for e in tracing.entries()][0] == "smp_init"
    tracing.read("/proc/uptime")
    # A compiler may inline vfs_read() into its only caller.
    assert any(e["function"].startswith("vfs_") for e in tracing.entries())
    tracing.verify()
    tracing.write("set_ftrace_filter", "")
    machine.check("hackbench -g 1 -l 10")
    tracing.verify()
    tracing.write("current_tracer", "nop")
    assert tracing.read("enabled_functions") == ""
    tracing.verify()


@pytest.mark.soak
@pytest.mark.variant
def test_parts_of_the_tracer_are_traced_in_a_build_of_their_own(boot, variant):
    machine = boot(cpus=4, build=variant("SELF_TRACING=1"))
    tracing, check = Tracing(machine), machine.check
    assert check("grep -c -x -e filter_compile -e trace_set_options_locked available_filter_functions") == "2\n"
    tracing.write("set_ftrace_filter", "filter_*")
    tracing.write("current_tracer", "function")
    check("echo 'prev_pid == 7' > events/sched/sched_switch/filter")
    assert "filter_compile" in {entry["function"] for entry in tracing.entries()}
    # All of it on 4 CPUs, while files of the tracer are written and read.
    tracing.write("set_ftrace_filter", "")
    check("hackbench -g 2 -l 200 > /dev/null & for i in $(seq 30); do echo \"prev_pid == $i && cpu & CPUS{0-3}\" > events/sched/sched_switch/filter; "
          "echo sched > set_event; echo hist:keys=next_pid > events/sched/sched_switch/trigger; mkdir instances/s$i; cat set_event trace_options > /dev/null; "
          "echo function_graph > current_tracer; echo '!hist:keys=next_pid' > events/sched/sched_switch/trigger; rmdir instances/s$i; "
          "echo function > current_tracer; echo > set_event; done; wait")
    tracing.verify()
    tracing.write("current_tracer", "nop")
    assert tracing.read("enabled_functions") == ""
    tracing.verify()


@pytest.mark.variant
def test_a_build_without_call_sites_has_the_rest_of_tracing(boot, variant):
    machine = boot(cpus=2, build=variant("WITHOUT=ftrace"), append="ftrace=function")
    assert "ftrace=function: no such tracer" in machine.text
    tracing = Tracing(machine)
    assert tracing.read("available_tracers") == "timerlat osnoise hwlat nop\n"
    files = machine.check("ls").split()
    assert {"trace", "trace_marker", "trace_pipe", "tracing_on", "tracing_thresh", "printk_formats"} <= set(files)
    # As in Linux without CONFIG_FUNCTION_TRACER: no files that choose which calls are traced.
    assert not re.search(r"\b(set_(ftrace|graph)_|available_filter|enabled_functions|dyn_ftrace|max_graph|stack_)",
                         " ".join(files) + tracing.read("README"))
    assert "function-fork" not in machine.check("ls options") + tracing.read("trace_options")
    tracing.refused("trace_options", "function-fork")
    machine.check("mkdir instances/a; echo $$ > instances/a/trace_marker")
    assert not re.search("set_(?!event)|function", machine.check("ls instances/a instances/a/options; rmdir instances/a"))
    tracing.write("trace_marker", "all the same")
    assert re.search(r"tracing_mark_write: all the same$", tracing.read("trace"), re.M)
    tracing.write("tracing_thresh", "7")
    assert tracing.read("tracing_thresh") == "7\n" and "tracing_thresh" in tracing.read("README")
    assert "no call site" in machine.check("dis vfs_read")
