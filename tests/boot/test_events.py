"""The files of events: enable, set_event, available_events, id, format; at the top and in instances. Each answer is Linux's."""
import re

import pytest

TRACING = "/sys/kernel/tracing"
CALL = "sample:sample_call"
EINVAL = "sh: write error: Invalid argument\n"


@pytest.fixture
def tracing(nop5):
    """The event sample:sample_call fires at each __x64_sys_mkdir()."""
    nop5.check(f"cd {TRACING}; modprobe sample-event function=__x64_sys_mkdir")
    yield nop5
    nop5.check(f"cd {TRACING}; rmmod sample-event; echo > set_event; echo nop > current_tracer")
    for name in nop5.check("ls instances").split():
        nop5.check(f"rmdir instances/{name}")
    nop5.check("echo 0 > options/stacktrace; echo 0 > options/userstacktrace; echo 0 > options/latency-format; "
               "echo 0 > options/record-tgid; echo > set_ftrace_filter; echo > set_graph_function; echo 1 > tracing_on; echo > trace")


def refuses(machine, command):
    return machine.run(command).output == EINVAL


def lines(machine, directory="."):
    return [line for line in machine.check(f"cat {directory}/trace").splitlines() if not line.startswith("#")]


def events(machine, command):
    """What set_event shows after a command."""
    machine.check(command)
    return machine.check("cat set_event").split()


# ---- enable ----

@pytest.mark.parametrize("file", ["events/enable", "events/sample/enable", "events/sample/sample_call/enable"])
def test_an_enable_file_takes_0_and_1_and_nothing_else(tracing, file):
    for text in ("2", "x", "-1", "", " 1", "1 ", "0x1", "1 2", "9" * 40):
        assert tracing.run(f"echo '{text}' > {file}").output in (EINVAL, "sh: write error: Numerical result out of range\n"), text
        assert tracing.check(f"cat {file}") == "0\n"
    tracing.check(f"echo 1 > {file}")
    assert tracing.check(f"cat {file}") == "1\n"
    tracing.check(f"echo 0 > {file}")
    assert tracing.check(f"cat {file}") == "0\n"


def test_enable_shows_an_x_when_some_events_are_on(tracing):
    show = "cat events/enable events/sample/enable events/sched/enable"
    tracing.check("echo 1 > events/sample/sample_call/enable")
    assert tracing.check(show) == "X\n1\n0\n"
    tracing.check("echo 1 > events/sched/sched_kthread_stop/enable")
    assert tracing.check(show).startswith("X\n1\n")
    tracing.check("echo 1 > events/enable")
    assert tracing.check(show) == "1\n1\n1\n"
    tracing.check("echo 0 > events/sample/enable")
    assert tracing.check(show) == "X\n0\n1\n"
    tracing.check("echo 0 > events/enable")
    assert tracing.check(show) == "0\n0\n0\n"


def test_all_events_are_those_of_available_events(tracing):
    available = tracing.check("cat available_events").split()
    assert CALL in available and not any(name.startswith("ftrace:") for name in available)
    assert len(available) == len(set(available))
    tracing.check("echo 0 > tracing_on")
    assert events(tracing, "echo 1 > events/enable") == available
    assert events(tracing, "echo 0 > events/enable") == []
    assert events(tracing, "echo '*:*' > set_event") == available
    assert refuses(tracing, "echo x > available_events")


def test_entries_of_tracers_have_no_switch_and_no_system_has_one_for_them(tracing):
    assert "enable" not in tracing.check("ls events/ftrace") and "filter" not in tracing.check("ls events/ftrace")
    assert "enable" not in tracing.check("ls events/ftrace/print events/ftrace/function")
    assert tracing.check("ls events/ftrace/print").split() == ["format", "hist", "id", "trigger"]
    assert tracing.check("cat events/ftrace/function/hist") == ""
    for word in ("ftrace:print", "ftrace", "print"):
        assert refuses(tracing, f"echo {word} > set_event")


def test_the_directory_of_an_event_has_the_files_of_linux(tracing):
    assert {"enable", "format", "id"} <= set(tracing.check("ls events/sample/sample_call").split())
    for file in ("id", "format"):
        assert refuses(tracing, f"echo 1 > events/sample/sample_call/{file}")
    number = tracing.check("cat events/sample/sample_call/id")
    assert f"ID: {number}" in tracing.check("cat events/sample/sample_call/format")
    assert tracing.check("cat events/ftrace/print/id") == "5\n"


# ---- set_event ----

def test_set_event_takes_names_of_events_and_systems(tracing):
    tracing.check("echo 0 > tracing_on")
    sched = [name for name in tracing.check("cat available_events").split() if name.startswith("sched:")]
    stop = "sched:sched_kthread_stop"
    for words, wanted in {"sched_kthread_stop": [stop], stop: [stop], ":sched_kthread_stop": [stop], "*:sched_kthread_stop": [stop],
                          "sched": sched, "sched:": sched, "sched:*": sched, f"{stop}   sample:": [stop, CALL], "": []}.items():
        assert sorted(events(tracing, f"echo '{words}' > set_event")) == sorted(wanted), words


def test_set_event_refuses_what_names_no_event(tracing):
    for word in ("nosuch", "sched:nosuch", "nosuch:", "sched_*", "sc*:*", "*", "sched:sched_switch:x", "sched_kthread_stop:mod:sample_event",
                 "!:mod:x", "!", "! sched", "sched_kthread_stop,sample_call"):
        assert refuses(tracing, f"echo '{word}' > set_event"), word
        assert tracing.check("cat set_event") == "", word


def test_set_event_takes_the_events_of_a_module(tracing):
    """As Linux 6.14: "MATCH:mod:MODULE". A word for a module that has not come waits for it, and is then dropped."""
    stop = "sched:sched_kthread_stop"
    tracing.check("mkdir instances/i")
    for match in ("", "*", "*:*", "sample:", ":sample_call", "sample_call", "sample"):
        assert events(tracing, f"echo '{stop} {match}:mod:sample-event' > set_event") == [stop, CALL], match
        assert events(tracing, f"echo '!{match}:mod:sample_event' >> set_event") == [stop], match
    assert refuses(tracing, "echo sched_kthread_stop:mod:sample_event >> set_event"), "an event of the kernel"
    tracing.check("rmmod sample-event")
    words = ["no:*:mod:sample_event", "sample_call:mod:sample_event", "*:*:mod:other"]
    assert events(tracing, "echo ':mod:other sample_call:mod:sample-event no::mod:sample_event' > set_event") == words
    assert events(tracing, "echo '!no:*:mod:sample_event' >> set_event") == words[1:]
    assert refuses(tracing, "echo '!no:*:mod:sample_event' >> set_event")
    tracing.check("echo :mod:sample_event > instances/i/set_event; mkdir instances/j; echo :mod:sample_event > instances/j/set_event; rmdir instances/j")
    for command, top, instance in (("true", words[1:], ["*:*:mod:sample_event"]), ("modprobe sample-event function=__x64_sys_mkdir", [CALL, words[2]], [CALL]),
                                   ("rmmod sample-event; modprobe sample-event function=__x64_sys_mkdir", [words[2]], [])):
        assert events(tracing, command) == top
        assert tracing.check("cat instances/i/set_event").split() == instance
    assert events(tracing, "echo > set_event") == []


def test_the_command_line_takes_the_events_of_a_module_that_comes_later(boot):
    machine = boot(append="trace_event=:mod:sample-event,sched:sched_kthread_stop")
    machine.check(f"cd {TRACING}; modprobe sample-event function=__x64_sys_mkdir; mkdir /tmp/x")
    assert machine.check("cat set_event").split() == ["sched:sched_kthread_stop", CALL]
    assert "sample_call: __x64_sys_mkdir" in machine.check("cat trace")


def test_set_event_applies_the_words_before_the_wrong_one(tracing):
    assert refuses(tracing, "echo 'sample_call nosuch sched_kthread_stop' > set_event")
    assert tracing.check("cat set_event").split() == [CALL]


def test_set_event_adds_and_removes(tracing):
    stop = "sched:sched_kthread_stop"
    assert events(tracing, "echo sample_call > set_event") == [CALL]
    assert sorted(events(tracing, f"echo {stop} >> set_event")) == sorted([CALL, stop])
    assert events(tracing, "echo '!sample:*' >> set_event") == [stop]
    assert events(tracing, f"echo {CALL} > set_event") == [CALL], "> switches all others off"
    assert events(tracing, "echo '!sample_call' > set_event") == []
    assert events(tracing, "echo sample_call > set_event; cat < /dev/null >> set_event") == [CALL], ">> alone changes nothing"


# ---- recording ----

def test_an_event_is_recorded_while_it_is_on(tracing):
    tracing.check("mkdir /tmp/before; echo 1 > events/sample/sample_call/enable; mkdir /tmp/one; echo 0 > events/sample/enable; "
                   "mkdir /tmp/after; rmdir /tmp/before /tmp/one /tmp/after")
    recorded = lines(tracing)
    assert len(recorded) == 1, recorded
    assert re.fullmatch(r" *(?:mkdir|<\.\.\.>)-\d+ +\[\d{3}\] \.[.Nnp]\.1\. +\d+\.\d{6}: sample_call: __x64_sys_mkdir caller=\w+ context=task off=", recorded[0])


def record_one(machine):
    """Record one event. Returns its PID, its CPU and the number of its type."""
    machine.check("echo > trace; echo 1 > events/sample/enable; mkdir /tmp/one; echo 0 > events/sample/enable; rmdir /tmp/one")
    (line,) = lines(machine)
    return tuple(int(n) for n in re.search(r"-(\d+) +\[(\d+)\]", line).groups()) + (
        int(machine.check("cat events/sample/sample_call/id")),)


@pytest.mark.parametrize("options,line", [
    ("raw", r"{pid} {cpu} \d+ type: {id}\n"),
    ("hex", r"{pid:08x} {cpu:08x} [0-9a-f]{{16}} type: {id}\n\n"),
    ("raw hex", r"{pid:08x} {cpu:08x} [0-9a-f]{{16}} type: {id}\n\n"),
])
def test_raw_and_hex_have_the_number_of_an_event_as_in_linux(tracing, options, line):
    """An event has no functions for these formats. So only its number follows the PID, the CPU and the time."""
    pid, cpu, number = record_one(tracing)
    tracing.check("".join(f"echo 1 > options/{name}; " for name in options.split()))
    printed = tracing.check("cat trace")
    tracing.check("echo 0 > options/raw; echo 0 > options/hex")
    assert re.fullmatch(line.format(pid=pid, cpu=cpu, id=number), re.sub(r"^#.*\n", "", printed, flags=re.M)), printed


def test_bin_has_the_number_of_an_event_as_in_linux(tracing):
    """PID and CPU in 4 bytes, the time in 8, and the number as text."""
    pid, cpu, number = record_one(tracing)
    tracing.check("echo 1 > options/bin; cat trace > /tmp/bin; echo 0 > options/bin")
    dump = tracing.check("hexdump -C /tmp/bin; rm /tmp/bin")
    data = b"".join(bytes.fromhex(match) for match in re.findall(r"^[0-9a-f]{8}  ((?:[0-9a-f]{2} +){1,16})\|", dump, re.M))
    text = f"type: {number}\n".encode()
    assert data.endswith(text), dump
    head = data[-len(text) - 16:-len(text)]
    assert (int.from_bytes(head[:4], "little"), int.from_bytes(head[4:8], "little")) == (pid, cpu), dump


def test_an_instance_records_its_own_events(tracing):
    tracing.check("mkdir instances/a instances/b")
    tracing.check("echo sample_call > instances/a/set_event; mkdir /tmp/a; rmdir /tmp/a")
    assert [len(lines(tracing, d)) for d in (".", "instances/a", "instances/b")] == [0, 1, 0]
    tracing.check("echo 1 > instances/b/events/enable")
    assert tracing.check("cat set_event instances/a/events/enable instances/b/events/sample/enable") == "X\n1\n"
    assert tracing.check("cat events/sample/sample_call/enable instances/a/events/sample/sample_call/enable") == "0\n1\n"
    tracing.check("mkdir /tmp/a; rmdir /tmp/a; echo 0 > instances/b/events/enable")
    assert len(lines(tracing, "instances/a")) == 2
    assert tracing.check("grep -c 'sample_call: ' instances/b/trace") == "1\n"
    tracing.check("rmdir instances/a; mkdir /tmp/a; rmdir /tmp/a")


def test_an_instance_whose_event_file_is_open_cannot_be_removed(tracing):
    tracing.check("mkdir instances/a")
    for file in ("set_event", "events/enable", "events/sample/enable", "events/sample/sample_call/format"):
        assert "busy" in tracing.run(f"rmdir instances/a < instances/a/{file}").output, file
    tracing.check("rmdir instances/a")
    assert "enable" in tracing.check("ls events/sample")


def test_an_instance_has_the_events_directory_of_the_top(tracing):
    tracing.check("mkdir instances/a")
    for directory in ("events", "events/sample", "events/ftrace", "events/sample/sample_call", "events/ftrace/print"):
        assert tracing.check(f"ls {directory}") == tracing.check(f"ls instances/a/{directory}"), directory
    assert refuses(tracing, "echo nosuch > instances/a/set_event")


def test_an_event_gives_the_buffer_its_full_size(boot):
    for number, command in enumerate(("echo sample_call > set_event", "echo 1 > events/enable", "echo 1 > events/sample/enable",
                                      "echo 1 > events/sample/sample_call/enable")):
        if number == 0:
            machine = boot(cpus=1)
            machine.check(f"cd {TRACING}; modprobe sample-event")
            assert "expanded" in machine.check("cat buffer_size_kb")
            machine.check(command)
            assert "expanded" not in machine.check("cat buffer_size_kb")
        machine.check("mkdir instances/a")
        machine.check(f"cd instances/a; {command}; cd ../..")
        assert machine.check("cat instances/a/buffer_size_kb") == machine.check("cat buffer_size_kb")
        machine.check("rmdir instances/a")


# ---- stacks, and events between other entries ----

def test_the_stack_behind_an_event_begins_with_the_function_that_contains_it(tracing):
    tracing.check("echo 1 > options/stacktrace; echo 1 > events/sample/enable; mkdir /tmp/a; echo 0 > events/sample/enable; rmdir /tmp/a")
    text = tracing.check("cat trace")
    assert re.search(r"sample_call: __x64_sys_mkdir .*\n.*: <stack trace>\n => record_call\n", text), text
    assert "__traceiter" not in text and "trace_event_" not in text


@pytest.mark.variant
def test_the_stack_is_right_in_other_builds_too(boot, variant):
    machine = boot(build=variant("CC=clang", modules=True))
    machine.check(f"cd {TRACING}; modprobe sample-event function=__x64_sys_mkdir; echo 1 > options/stacktrace")
    machine.check("echo 1 > events/sample/enable; mkdir /tmp/a; echo 0 > events/sample/enable")
    assert re.search(r": <stack trace>\n => record_call\n", machine.check("cat trace"))


def test_an_event_shows_the_stack_of_the_program(tracing):
    tracing.check("echo 1 > options/userstacktrace; echo 1 > events/sample/enable; mkdir /tmp/a; echo 0 > events/sample/enable; "
                   "echo marker > trace_marker; rmdir /tmp/a")
    text = "\n".join(lines(tracing))
    found = re.fullmatch(r".*: sample_call: .*\n.*: <user stack trace>\n((?: =>  <[0-9a-f]{16}>\n)+).*: tracing_mark_write: marker", text)
    assert found, text
    # busybox is linked to 0x400000: the call is in its text.
    assert 0x400000 <= int(found[1].split("<")[1][:16], 16) < 0x800000


def test_events_are_comments_in_a_graph(tracing):
    tracing.check("echo __x64_sys_mkdir > set_graph_function; echo function_graph > current_tracer; echo 1 > events/sample/enable")
    tracing.check("mkdir /tmp/a; echo 0 > events/sample/enable; echo 0 > tracing_on")
    text = tracing.check("cat trace")
    assert re.search(r"^ \d\) {15}\|  /\* sample_call: __x64_sys_mkdir caller=\w+ context=task off= \*/$", text, re.M), text
    tracing.check("echo 1 > options/latency-format")
    assert re.search(r"^ \d\)  \.[.Nnp]\.1\. \| {15}\|  /\* sample_call: __x64_sys_mkdir caller=\w+ context=task off= \*/$",
                     tracing.check("cat trace"), re.M), tracing.check("grep sample trace")
    tracing.check("echo 0 > options/latency-format; rmdir /tmp/a")


def test_events_stand_between_function_lines(tracing):
    tracing.check("echo __x64_sys_mkdir > set_ftrace_filter; echo function > current_tracer; echo 1 > events/sample/enable")
    tracing.check("mkdir /tmp/a; echo 0 > events/sample/enable; echo 0 > tracing_on; rmdir /tmp/a")
    assert [re.search(r": (\w+)", line).group(1) for line in lines(tracing)].count("sample_call") == 1
    tracing.check("echo 1 > options/latency-format")
    assert re.search(r"^ +mkdir-\d+ +\d\.[.Nnp]\.1\. +\d+us[ +!#*@$]: sample_call: __x64_sys_mkdir ", tracing.check("cat trace"), re.M)


# ---- trace_marker_raw ----

def test_trace_marker_raw_records_an_id_and_data(tracing):
    for text, shown in {"abcd": "64636261 buf:" + 16 * " 00", "abcdhello": "64636261 buf: 68 65 6c 6c 6f 00"}.items():
        tracing.check(f"echo > trace; echo -n {text} > trace_marker_raw")
        assert re.search(rf": # {shown.split(' buf')[0]} buf:", lines(tracing)[0])
        assert f"# {shown}"[:30] in lines(tracing)[0], lines(tracing)[0]
        assert lines(tracing)[0].count(" ", lines(tracing)[0].index("buf:")) == 16
    assert refuses(tracing, "echo -n abc > trace_marker_raw"), "the id has 4 bytes"
    assert refuses(tracing, "echo 0 > options/markers; echo abcd > trace_marker_raw") and not tracing.check("echo 1 > options/markers")
    assert "Bad file descriptor" in tracing.run("echo 0 > tracing_on; echo abcd > trace_marker_raw").output
    tracing.check("echo 1 > tracing_on; mkdir instances/a; echo abcd > instances/a/trace_marker_raw")
    assert "# 64636261 buf: 0a" in tracing.check("cat instances/a/trace")


# ---- options ----

# copy_trace_marker is of later Linux.
LINUX_OPTIONS = """print-parent sym-offset sym-addr verbose raw hex bin block fields trace_printk annotate userstacktrace sym-userobj
    printk-msg-only context-info latency-format record-cmd record-tgid overwrite disable_on_free irq-info markers event-fork trace_printk_dest
    copy_trace_marker pause-on-trace hash-ptr bitmask-list function-trace function-fork display-graph stacktrace test_nop_accept test_nop_refuse""".split()


def test_trace_options_has_the_options_of_linux_in_its_order(tracing):
    shown = [re.sub("^no", "", line) for line in tracing.check("cat trace_options").split()]
    assert shown == LINUX_OPTIONS


def test_saved_tgids_has_the_tasks_that_recorded_events_with_record_tgid(tracing):
    tracing.check("echo 1 > options/record-tgid; echo 1 > events/sample/enable; mkdir /tmp/a; echo 0 > events/sample/enable; rmdir /tmp/a")
    pid = re.search(r"mkdir-(\d+)", lines(tracing)[0]).group(1)
    assert f"{pid} {pid}" in tracing.check("cat saved_tgids").splitlines()
    assert f"({int(pid):7})" in lines(tracing)[0]
