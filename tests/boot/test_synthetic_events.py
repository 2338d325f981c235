"""Synthetic events and dynamic_events: definitions, errors, formats, records, removal. What Linux answers is recorded in data/."""
import contextlib
import json
import os
import re
import shlex

import pytest

TRACING = "/sys/kernel/tracing"
RECORDING = os.path.join(os.path.dirname(__file__), "data", "linux_dynamic_events.jsonl")
FORMAT = """\
	field:u64 a;	offset:8;	size:8;	signed:0;
	field:s64 b;	offset:16;	size:8;	signed:1;
	field:u8 c;	offset:24;	size:1;	signed:0;
	field:s8 d;	offset:32;	size:1;	signed:1;
	field:char e;	offset:40;	size:1;	signed:1;
	field:bool f;	offset:48;	size:1;	signed:1;
	field:gfp_t g;	offset:56;	size:4;	signed:0;
	field:char s[];	offset:64;	size:8;	signed:1;
	field:__data_loc char[] t;	offset:320;	size:8;	signed:1;
	field:pid_t p;	offset:328;	size:4;	signed:1;
	field:long l;	offset:336;	size:8;	signed:1;
	field:unsigned long ul;	offset:344;	size:8;	signed:0;
	field:int i;	offset:352;	size:4;	signed:1;
	field:unsigned char uc;	offset:360;	size:1;	signed:0;
	field:u16 m;	offset:368;	size:2;	signed:0;
	field:s16 n;	offset:376;	size:2;	signed:1;
	field:__data_loc char[] last;	offset:384;	size:8;	signed:1;

print fmt: "a=%llu, b=%lld, c=%u, d=%d, e=%d, f=%d, g=%x, s=%s, t=%s, p=%d, l=%ld, ul=%lu, i=%d, uc=%u, m=%u, n=%d, last=%s", \
REC->a, REC->b, REC->c, REC->d, REC->e, REC->f, REC->g, REC->s, __get_str(t), REC->p, REC->l, REC->ul, REC->i, REC->uc, REC->m, \
REC->n, __get_str(last)
"""
# Commands that Linux 6.1 refuses, and later versions accept, as nop5 does: the type char, and a colon in quotes.
LATER = {
    'e:foo sched.sched_switch a=$next_comm:string b=$next_comm:char c=$comm d=$COMM e=$comm:string',
    'e:foo sched.sched_switch a=$next_pid:x64 b=$next_pid:s8 c=$next_pid:symbol d=$next_pid:b4@2/32 e=$next_pid:char',
}


@pytest.fixture
def machine(nop5):
    """The shared machine in tracefs, without dynamic events, before and after."""
    def clean():
        nop5.check(f"cd {TRACING}; echo 0 > events/enable; echo > dynamic_events; echo > error_log; echo > trace")

    clean()
    yield nop5
    clean()


def answer(machine, file, command):
    """Runs a command as the recording did, and returns the same object."""
    typed = command.replace("\n", "\\n").replace("\t", "\\t")
    option = "-e " if typed != command else ""
    text = machine.run(f"echo > dynamic_events; echo > error_log; echo {option}{shlex.quote(typed)} > {file}; "
                       "cat error_log; echo @@; cat dynamic_events").output
    head, listing = text.split("@@\n", 1)
    error = re.match(r"sh: write error: (.*)\n", head)
    log = [[where, what, line, len(caret) - len("  Command: ")] for where, what, line, caret in
           re.findall(r"\[ *[\d.]+\] (.*?): error: (.*)\n  Command: (.*)\n( *)\^", head)]
    return {"file": file, "command": command, "error": error[1] if error else None, "log": log,
            "events": listing.strip("\n").split("\n") if listing.strip() else []}


def test_each_definition_is_accepted_or_refused_as_in_linux(machine):
    with open(RECORDING, encoding="utf-8") as lines:
        recording = [json.loads(line) for line in lines]
    different = []
    for linux in recording:
        ours = answer(machine, linux["file"], linux["command"])
        if linux["command"] in LATER:
            assert linux["error"] and not ours["error"], linux
        elif ours != linux:
            different.append((linux, ours))
    for linux, ours in different:
        print(linux["file"], repr(linux["command"]))
        for key in ("error", "log", "events"):
            if linux[key] != ours[key]:
                print("   ", key, "\n      linux", linux[key], "\n      nop5 ", ours[key])
    assert not different


def test_the_format_of_each_type_is_that_of_linux(machine):
    machine.check("echo 'foo u64 a; s64 b; u8 c; s8 d; char e; bool f; gfp_t g; char s[8]; char t[]; pid_t p; long l; "
                  "unsigned long ul; int i; unsigned char uc; u16 m; s16 n; char last[]' > synthetic_events")
    machine.check("echo 'st u64 a; unsigned long s[]; u32 b' >> synthetic_events; echo 'st2 long s[]' >> synthetic_events")
    assert machine.check("cat events/synthetic/foo/format").split("common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n")[1] == FORMAT
    text = machine.check("cat events/synthetic/st/format events/synthetic/st2/format")
    assert "\tfield:__data_loc unsigned long[] s;\toffset:16;\tsize:8;\tsigned:1;\n" in text
    assert 'print fmt: "a=%llu, s=%s, b=%u", REC->a, __get_stacktrace(s), REC->b\n' in text
    assert 'print fmt: "s=%s", __get_stacktrace(s)\n' in text


def lines(machine, trace="trace"):
    """The text of each event in a trace, without its context."""
    return re.findall(r"\d+\.\d+: (.*)", machine.check(f"cat {trace}"))


def test_an_event_has_files_in_all_instances_and_they_go_with_it(machine):
    machine.check("mkdir instances/a; echo 'foo u64 a' > synthetic_events; mkdir instances/b")
    for where in (".", "instances/a", "instances/b"):
        files = machine.check(f"ls {where}/events/synthetic/foo").split()
        assert {"enable", "filter", "format", "id", "inject", "trigger"} <= set(files)
        assert machine.check(f"cat {where}/events/synthetic/enable {where}/events/synthetic/foo/enable") == "0\n0\n"
    assert "synthetic:foo\n" in machine.check("cat available_events")
    machine.check("echo 1 > instances/a/events/synthetic/foo/enable")
    assert machine.check("cat instances/a/set_event set_event") == "synthetic:foo\n"
    assert machine.run("echo '!foo' >> synthetic_events").output == "sh: write error: Device or resource busy\n"
    assert machine.run("echo > synthetic_events").output == \
        "-/bin/sh: can't create synthetic_events: Device or resource busy\n"
    machine.check("rmdir instances/a; echo '!foo' >> synthetic_events")
    assert "synthetic" not in machine.check("ls events instances/b/events; cat available_events synthetic_events")
    machine.check("rmdir instances/b")


@contextlib.contextmanager
def opened(machine, file):
    """The shell of the machine has the file open."""
    machine.check(f"exec 3< {file}")
    yield
    machine.check("exec 3<&-")


def test_a_used_event_is_not_removed(machine):
    busy = "sh: write error: Device or resource busy\n"
    machine.check("echo 'foo u64 a' > synthetic_events; echo traceon > events/synthetic/foo/trigger")
    assert machine.run("echo -:foo >> dynamic_events").output == busy
    machine.check("echo '!traceon' > events/synthetic/foo/trigger; echo 'a > 3' > events/synthetic/foo/filter")
    # An open file keeps the event, and with the last event its system.
    for file in ("events/synthetic/foo/format", "events/synthetic/foo/filter", "events/synthetic/filter"):
        with opened(machine, file):
            assert machine.run("echo -:foo >> dynamic_events").output == busy
    machine.check("echo 'bar u64 a' >> synthetic_events")
    with opened(machine, "events/synthetic/filter"):
        machine.check("echo -:bar >> dynamic_events")
    machine.check("echo e:probe synthetic.foo 'b=$a' >> dynamic_events")
    assert machine.run("echo '!foo' >> synthetic_events").output == busy
    machine.check("echo -:probe >> dynamic_events; echo -:foo >> dynamic_events")
    assert machine.check("cat dynamic_events") == "" and "synthetic" not in machine.check("ls events")


def test_removal_clears_the_traces_that_have_entries_of_the_event(machine):
    machine.check("mkdir instances/a; echo 'foo u64 a' > synthetic_events; echo 1 > events/synthetic/foo/enable; "
                  "echo a=1 > events/synthetic/foo/inject; echo keep > instances/a/trace_marker")
    assert lines(machine) == ["foo: a=1"]
    machine.check("echo 0 > events/synthetic/foo/enable; echo '!foo' >> synthetic_events")
    assert lines(machine) == []
    assert lines(machine, "instances/a/trace") == ["tracing_mark_write: keep"]
    machine.check("rmdir instances/a")


def test_the_number_of_a_removed_event_is_used_late(machine):
    machine.check("echo 'foo u64 a' > synthetic_events")
    first = int(machine.check("cat events/synthetic/foo/id"))
    machine.check("echo 'foo u64 a' > synthetic_events")
    assert int(machine.check("cat events/synthetic/foo/id")) > first
