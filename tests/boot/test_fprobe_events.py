"""Events of functions and tracepoints in dynamic_events (f:, t:), and arguments at returns (Documentation/trace/fprobetrace.rst
of Linux 6.12). Linux 6.1 has none of them, so nothing is recorded there; the suite of 6.12 (make ftracetest LINUX=6.12) is."""
import re

import pytest

from clones import machine_at_prompt

BAD = re.compile(r"BUG|WARNING|Oops|Call Trace|preempt_count is")


@pytest.fixture(scope="module")
def machine(images):
    machine = machine_at_prompt(build=images, cpus=2)
    machine.check("echo 1 > /proc/sys/kernel/printk; stty cols 4000; cd /sys/kernel/tracing")
    yield machine
    assert not BAD.search(machine.text), machine.says
    machine.close()


@pytest.fixture(autouse=True)
def clean(machine):
    yield
    machine.check("echo 0 > events/enable; echo > dynamic_events; echo > trace; echo > error_log")


def define(machine, *commands):
    for command in commands:
        machine.check(f"echo '{command}' >> dynamic_events")


def lines(machine, name, trace="trace"):
    return re.findall(rf"\d+\.\d+: {name}: (.*)", machine.check(f"cat {trace}"))


def read_77(machine, count=1):
    machine.check(f"dd if=/dev/zero of=/dev/null bs=77 count={count} 2> /dev/null")


def test_definitions_are_listed_with_the_names_of_parameters(machine):
    define(machine, "f:mine/in vfs_read $arg* size=$arg3:u8", "f10 vfs_read%return $retval", "f vfs_open $arg1:%pd", "f vfs_open $retval",
           "t sched_switch $arg2 comm=next->comm:string", "t:sched/probe sched_waking $arg*")
    assert machine.check("cat dynamic_events").splitlines() == [
        "f:mine/in vfs_read file=file buf=buf count=count pos=pos size=$arg3:u8",
        "f10:fprobes/vfs_read__exit vfs_read%return arg1=$retval", "f:fprobes/vfs_open__entry vfs_open path=path:%pd",
        "f:fprobes/vfs_open__exit vfs_open%return arg1=$retval",
        "t:tracepoints/sched_switch sched_switch prev=prev comm=next->comm:string", "t:sched/probe sched_waking p=p"]
    assert machine.check("tail -n 1 events/mine/in/format") == (
        'print fmt: "(%lx) file=0x%Lx buf=0x%Lx count=%Lu pos=0x%Lx size=%u", REC->__probe_ip, REC->file, REC->buf, REC->count, REC->pos, REC->size\n')
    fields = re.findall(r"field:(.*?);", machine.check("cat events/fprobes/vfs_read__exit/format"))
    assert fields[4:] == ["unsigned long __probe_func", "unsigned long __probe_ret_ip", "s64 arg1"]
    machine.check("echo -:mine/in >> dynamic_events; echo '-:vfs_open__exit vfs_open%return' >> dynamic_events")
    assert not re.search("mine|vfs_open__exit", machine.check("cat dynamic_events"))
    assert machine.run("cat events/mine/in/enable").status == 1


def test_hits_are_calls_with_their_arguments_at_both_ends(machine):
    define(machine, "f:fp/in vfs_read file=$arg1 count pos", "f:fp/out vfs_read%return file=$arg1 count pos $retval n=count:u8",
           "r:fp/kret vfs_read file=$arg1 count pos ret=$retval:s64")
    machine.check("for e in in out kret; do echo 'common_pid != 0' > events/fp/$e/filter; done; echo > trace; echo 1 > events/fp/enable")
    read_77(machine, 300)
    machine.check("echo 0 > events/fp/enable")
    entries, returns, krets = (lines(machine, name) for name in ("in", "out", "kret"))
    found = [line for line in entries if "count=77" in line]
    assert len(found) == 300 and re.fullmatch(r"\(vfs_read\+0x0/0x\w+\) file=0xffff\w+ count=77 pos=0xffff\w+", found[0])
    same = [re.search(r"file=\S+ count=77 pos=\S+", line).group() for line in found]
    assert [re.search(r"file=\S+ count=77 pos=\S+", line).group() for line in returns if "count=77" in line] == same
    assert [re.search(r"file=\S+ count=77 pos=\S+", line).group() for line in krets if "count=77" in line] == same
    assert all(re.fullmatch(r"\(\w+\+0x\w+/0x\w+ <- vfs_read\) file=\S+ count=77 pos=\S+ arg4=77 n=77", line)
               for line in returns if "count=77" in line)
    assert all(line.endswith(" ret=77") for line in krets if "count=77" in line)


def test_an_argument_on_the_stack_is_kept_until_the_return(machine):
    words = "len populate last=$arg7"
    define(machine, f"f:fp/in do_mmap {words}", f"f:fp/out do_mmap%return {words}", f"r:fp/kret do_mmap {words}")
    machine.check("echo 1 > events/fp/enable; chrt -p 1 > /dev/null; echo 0 > events/fp/enable")
    found = [[re.search(r"len=\d+ populate=(0xffff\w+) last=\1$", line).group() for line in lines(machine, name)]
             for name in ("in", "out", "kret")]
    assert found[0] and found[0] == found[1] == found[2]


def test_there_may_be_more_returns_than_users_of_fgraph(machine):
    functions = machine.check("grep '^vfs_\\|^__x64_sys_' available_filter_functions | head -n 24").split()
    define(machine, *(f"f:many/e{i} {name}%return" for i, name in enumerate(functions)), "f:fp/out vfs_read%return count $retval",
           "f:fp/again vfs_read%return count $retval")
    assert len(functions) == 24
    machine.check("echo 1 > events/many/enable; echo 1 > events/fp/enable")
    read_77(machine, 3)
    machine.check("echo 0 > events/fp/enable; echo 0 > events/many/enable")
    for name in "out", "again":
        assert len([line for line in lines(machine, name) if line.endswith("count=77 arg2=77")]) == 3
    assert machine.check("cat enabled_functions") == ""


def test_filters_histograms_and_instances(machine):
    define(machine, "f:fp/in vfs_read count")
    machine.check("mkdir instances/other; echo 'count == 77' > instances/other/events/fp/in/filter; "
                  "echo 'hist:keys=count' > events/fp/in/trigger; echo 1 > instances/other/events/fp/in/enable")
    read_77(machine, 5)
    assert machine.run("echo -:fp/in >> dynamic_events").status == 1  # it is enabled
    machine.check("echo 0 > instances/other/events/fp/in/enable")
    assert [line.split()[-1] for line in lines(machine, "in", "instances/other/trace")] == ["count=77"] * 5
    assert lines(machine, "in") == []
    assert re.search(r"\{ count: +77 \} hitcount: +5\n", machine.check("cat events/fp/in/hist"))
    machine.check("echo '!hist:keys=count' > events/fp/in/trigger; rmdir instances/other")


def test_several_probes_are_one_event(machine):
    define(machine, "f:fp/io vfs_read count", "f:fp/io vfs_write count")
    machine.check("echo 1 > events/fp/io/enable")
    read_77(machine)
    machine.check("echo '-:fp/io vfs_read' >> dynamic_events")
    read_77(machine)
    machine.check("echo 0 > events/fp/io/enable")
    places = [line.split("+")[0] for line in lines(machine, "io") if line.endswith("count=77")]
    assert places == ["(vfs_read", "(vfs_write", "(vfs_write"]
    assert machine.check("cat dynamic_events") == "f:fp/io vfs_write count=count\n"
    machine.check("echo -:fp/io >> dynamic_events")
    assert machine.check("cat dynamic_events") == ""


# A caret before the place of the error. Those of Linux's own syntax tests are run by make ftracetest.
WRONG = {
    "f ^no_such_function": "Invalid probed address or symbol",
    "f ^name_show": "The symbol is not unique",
    "f vfs_read^%back": "Invalid probed address suffix",
    "f^10 vfs_read": "Maxactive is not for kprobe",
    "f^5000 vfs_read%return": "Maxactive is too big",
    "f vfs_read ^%ax": "Invalid fetch argument",
    "f vfs_read ^$arg5": "This variable is not found at this probe point",
    "f vfs_read $arg1:^texts": "Unknown type is specified",
    "f vfs_read ^$arg1:string": "This type does not fit for string.",
    "f vfs_read%return x=count y=^nix": "This variable is not found at this probe point",
    "f kfree%return ^$retval": "This function returns 'void' type",
    "t sched_switch ^$retval": "$retval is not available on probe",
    "t sched_switch prev->^nix": "This field is not found.",
    "t sched_switch ^$arg5": "This variable is not found at this probe point",
    "t^1 sched_switch": "Maxactive is not for kprobe",
    "t no_such_tracepoint ^prev": "No BTF entry for this probe point",
}


def test_a_wrong_command_is_refused_with_its_place(machine):
    for marked, error in WRONG.items():
        command = marked.replace("^", "")
        assert machine.run(f"echo > error_log; echo '{command}' >> dynamic_events").status == 1, command
        said = machine.check("tail -n 3 error_log")
        assert re.fullmatch(rf"\[ *\d+\.\d+\] trace_fprobe: error: {re.escape(error)}\n  Command: {re.escape(command)}\n"
                            rf" {{{len('  Command: ') + marked.index('^')}}}\^\n", said), (command, said)


def test_more_arguments_than_a_call_can_keep_are_refused(machine):
    fits = " ".join(f"a{n}=$arg{n} b{n}=$arg{n}" for n in range(1, 9))
    # The types of modules are not known, so any number is taken for an argument.
    define(machine, f"f:fp/ok trace_events_sample:simple_thread%return {fits}")
    assert machine.run(f"echo 'f:fp/no trace_events_sample:simple_thread%return {fits} c=$arg9' >> dynamic_events").status == 1
    assert "trace_fprobe: error: Too many entry arguments specified" in machine.check("tail -n 3 error_log")


def test_a_tracepoint_shows_what_its_event_shows(machine):
    define(machine, "t:tp/switch sched_switch prev=prev->pid next=next->pid comm=next->comm:string",
           "t:tp/numbers sched_switch a=+0($arg2) b=$arg3 c=$arg4:u32", "t:tp/alloc kmem_cache_alloc name:string bytes_req gfp=$arg6:x32")
    machine.check("echo > trace; echo 1 > events/sched/sched_switch/enable; echo 1 > events/tp/enable; echo 1 > events/kmem/kmem_cache_alloc/enable; "
                  "taskset -c 0 sh -c 'ls; ls; :' > /dev/null; echo 0 > events/tp/enable; echo 0 > events/enable")
    text = machine.fetch("cat trace")
    events = re.findall(r": sched_switch: .*prev_pid=(\d+) .* next_comm=(.*) next_pid=(\d+) ", text)
    probes = re.findall(r': switch: \(__traceiter_sched_switch\+0x0/0x\w+\) prev=(\d+) next=(\d+) comm="(.*)"', text)
    assert len(probes) > 3  # to each ls and back: they share a CPU with the shell that waits for them
    shown = {(prev, new, comm) for prev, comm, new in events}  # it was on before the probe, and is off after it
    assert all(probe in shown for probe in probes)
    assert re.search(r': alloc: \(__traceiter_kmem_cache_alloc\S+ name="\w+" bytes_req=\d+ gfp=0x\w+$', text, re.M), text[-2000:]


@pytest.mark.soak
def test_no_hit_is_lost_in_interrupts_that_come_during_a_hit(machine):
    words = " ".join(f"w{n}=+{8 * n}($arg1):x64" for n in range(12))  # of pt_regs: a hit takes long
    define(machine, f"t:tp/enter sys_enter {words}", f"t:tp/exit sys_exit {words}", "t:tp/tick local_timer_entry vector")
    # The probe begins to count before the event does, and is read after it.
    machine.check("echo 1 > events/tp/enable; for event in tp/tick irq_vectors/local_timer_entry; do echo hist:keys=cpu > events/$event/trigger; done; "
                  "hackbench -g 1 -l 300 > /dev/null")
    ticks, hits = (int(re.search(r"Hits: (\d+)", machine.check(f"cat events/{event}/hist"))[1])
                   for event in ("irq_vectors/local_timer_entry", "tp/tick"))
    machine.check("for event in irq_vectors/local_timer_entry tp/tick; do echo '!hist:keys=cpu' > events/$event/trigger; done")
    assert hits >= ticks > 100


def test_events_wait_for_their_module_and_come_back_with_it(machine):
    define(machine, "t:mod/point foo_bar a=$arg2:s32 text=+0($arg1):string", "f:mod/func trace_events_sample:simple_thread $arg1",
           "f:mod/sleep trace_events_sample:sleep_a_second", "f:mod/back trace_events_sample:sleep_a_second%return")
    machine.check("echo 1 > events/mod/enable")
    for _ in range(2):
        machine.check("echo > trace; modprobe trace-events-sample; until grep -q point: trace; do sleep 0.1; done")
        text = machine.check("cat trace; rmmod trace-events-sample")
        assert re.search(r': point: \(__traceiter_foo_bar\+0x0/0x\w+ \[trace_events_sample\]\) a=0 text="plain"$', text, re.M), text
        assert re.search(r": func: \(simple_thread\+0x0/0x\w+ \[trace_events_sample\]\) arg1=0x0$", text, re.M), text
        assert re.search(r": sleep: \(sleep_a_second\+0x0/0x\w+ \[trace_events_sample\]\)$", text, re.M), text
        assert re.search(r": back: \(simple_thread\S+ \[trace_events_sample\] <- sleep_a_second\)$", text, re.M), text
    assert machine.check("cat enabled_functions") == ""


@pytest.mark.parametrize("tracer", ["nop", "function", "function_graph"])
def test_a_stack_begins_with_the_probed_function_or_its_caller(machine, tracer):
    machine.check(f"echo vfs_read > set_ftrace_filter; echo {tracer} > current_tracer")
    for place, first in (("f:fp/s vfs_read", "vfs_read"), ("f:fp/s vfs_read%return", "ksys_read")):
        machine.check(f"echo '{place}' > dynamic_events; echo > trace; echo 1 > options/stacktrace; "
                      "echo 1 > events/fp/s/enable; head /proc/uptime; echo 0 > events/fp/s/enable; echo 0 > options/stacktrace")
        trace = machine.check("cat trace")
        stacks = re.findall(r" s: \(.*\n(?:.*<stack trace>|.*/\*.*<stack trace>.*)\n => (\w+)\n", trace)
        assert stacks and set(stacks) == {first}, (place, trace[-3000:])
    machine.check("echo nop > current_tracer; echo > set_ftrace_filter")
