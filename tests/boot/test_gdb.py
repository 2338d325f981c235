"""scripts/gdb: backtraces through code that is not C, and the commands of docs/debugging.md, with gdb on QEMU's stub.

All tests share one machine, on which a task reads /proc/uptime all the time, with pauses: most of the time goes to the start of gdb.
"""
import re
import shutil
import subprocess

import pytest

from nop5 import ROOT, Nop5, finish, gdb_port, listing
from test_docs import blocks, pattern, steps

PAGE = ROOT / "docs/debugging.md"
TRACING = "/sys/kernel/tracing"
READER = "while sleep 0.01; do head -n 1 /proc/uptime > /dev/null; done &"


class Debugged:
    """A machine, and gdb sessions on it."""

    def __init__(self, machine, directory, elf):
        self.machine, self.directory, self.elf = machine, directory, elf

    def gdb(self, *commands):
        """Stop the machine, give gdb the commands, and let the machine go on. Returns [output of each command]."""
        marked = [line for number, command in enumerate(commands) for line in (rf"echo @@{number}\n", command)]
        script = self.directory / "script"
        script.write_text("\n".join([
            "set pagination off", "set style enabled off", f"source {ROOT}/scripts/gdb/load.py", f"source {ROOT}/tests/boot/gdb_walk.py",
            f"target remote {self.directory}/gdb", *marked, r"echo @@end\n", "delete", "detach", ""]))
        process = subprocess.Popen(["gdb", "-batch", "-nx", self.elf, "-x", script], cwd=ROOT, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output, _ = finish(process)
        assert "@@end\n" in output, output
        parts = re.split(r"^@@(?:\d+|end)\n", output, flags=re.M)
        return parts[1:-1]

    def walk(self, breakpoint, low, high, *names):
        """Stop at the breakpoint, step through the code, and require the names in each backtrace."""
        return self.walk_after([f"hbreak {breakpoint}", "continue"], low, high, *names)

    def walk_after(self, commands, low, high, *names):
        *_, said = self.gdb(*commands, f"walk {low} {high} {' '.join(names)}")
        assert "bad backtrace" not in said, said
        return int(re.search(r"^walked (\d+) instructions$", said, re.M)[1])


def refused(command):
    """A command of gdb that prints the error that another one ends with."""
    return f"python\ntry: gdb.execute({command!r})\nexcept gdb.error as error: print(error)\nend"


@pytest.fixture(scope="module")
def debugged(images, tmp_path_factory):
    directory = tmp_path_factory.mktemp("gdb")
    elf = shutil.copy(images / "nop5.elf", directory)
    subprocess.run(["gdb-add-index", elf], check=True)  # without an index, each start of gdb takes the host half a second longer
    with Nop5(cpus=2, build=images, extra=gdb_port(directory)) as machine:
        machine.wait_prompt()
        machine.check(f"cd {TRACING}")
        machine.check(READER)
        yield Debugged(machine, directory, elf)


@pytest.fixture(autouse=True)
def nop_tracer(debugged):
    yield
    debugged.machine.check("echo nop > current_tracer; echo > set_ftrace_filter; echo > set_graph_function; echo > trace")


@pytest.mark.parametrize("tracer, instructions", [("function", 15), ("function_graph", 23)])
def test_each_instruction_of_a_trampoline_has_a_complete_backtrace(debugged, tracer, instructions):
    debugged.machine.check(f"echo vfs_read > set_ftrace_filter; echo {tracer} > current_tracer")
    where, = re.findall(r"call (0x[0-9a-f]+): the trampoline of", debugged.gdb("nop5-sites vfs_read")[0])
    steps_made = debugged.walk(f"*{where}", where, f"{where}+512", "vfs_read", "__x64_sys_read", "entry_SYSCALL_64_after_hwframe", "end")
    assert steps_made >= instructions


def test_the_arguments_of_a_traced_function_are_seen_through_the_trampoline(debugged):
    debugged.machine.check("echo vfs_read > set_ftrace_filter; echo function > current_tracer")
    *_, said = debugged.gdb("hbreak function_trace_call", "continue", "frame function vfs_read", "print count == 0 || count > 4096*1024", "print *file")
    assert "f_path" in said
    *_, traced, direct = debugged.gdb("hbreak function_trace_call", "continue", "frame function vfs_read", "print count", "print $rdx")
    assert traced.split("=")[1] == direct.split("=")[1]


def test_each_instruction_of_return_to_handler_leads_to_the_true_caller(debugged):
    debugged.machine.check("echo '*read* uptime_show' > set_ftrace_filter; echo __x64_sys_read > set_graph_function; echo function_graph > current_tracer")
    assert debugged.walk("return_to_handler", "&return_to_handler", "&return_to_handler_end", "return_to_handler", "__x64_sys_read",
                         "entry_SYSCALL_64_after_hwframe", "end") >= 14


@pytest.mark.parametrize("breakpoint, least", [("exception_14", 40), ("asm_common_interrupt", 40), ("ret_from_fork", 10)])
def test_each_instruction_of_an_entry_has_a_backtrace_to_the_end(debugged, breakpoint, least):
    assert debugged.walk(breakpoint, "&__entry_text_start", "&__entry_text_end", "end") >= least


def test_each_instruction_of_a_system_call_has_a_backtrace(debugged):
    """Of read(2), because it returns. Its first instruction still has the GS base of the program."""
    read = 'entry_SYSCALL_64 if $rax == 0 && $_streq($current()->comm, "head")'
    assert debugged.walk(read, "&__entry_text_start", "&__entry_text_end") >= 50


TASK_SWITCH = "&__switch_to", "(&__switch_to)+64", "__switch_to"
# $rsi: the next task. On its stack lies what it saved when it ran last, or what it is born with.
NEXT_RETURNS_TO = "((struct switch_frame *)((struct task_struct *)$rsi)->sp)->return_address"


def test_each_instruction_of_the_task_switch_has_a_backtrace_to_the_end(debugged):
    to_a_task_that_ran = f"__switch_to if {NEXT_RETURNS_TO} != (unsigned long)&ret_from_fork"
    assert debugged.walk(to_a_task_that_ran, *TASK_SWITCH, "__schedule", "end") >= 20


def test_the_switch_to_a_new_task_has_a_backtrace_to_where_the_task_begins(debugged):
    to_a_new_task = f"hbreak __switch_to if {NEXT_RETURNS_TO} == (unsigned long)&ret_from_fork"
    until_its_stack = ["set scheduler-locking on", "stepi 8", "set scheduler-locking off"]
    assert debugged.walk_after([to_a_new_task, "continue", *until_its_stack], *TASK_SWITCH, "ret_from_fork", "end") >= 12


def test_each_instruction_of_a_detour_leads_to_the_probed_function(debugged):
    machine = debugged.machine
    machine.check("echo 'p:x vfs_read+6' > kprobe_events; echo 1 > events/kprobes/x/enable")
    while "[OPTIMIZED]" not in machine.check("cat /sys/kernel/debug/kprobes/list"):
        pass
    names = "vfs_read __x64_sys_read entry_SYSCALL_64_after_hwframe end"
    _, _, named, entry, copies = debugged.gdb("hbreak kprobe_detour_entry", "continue", "backtrace 3",
                                              f"walk &kprobe_detour_entry (char*)&kprobe_detour_entry+170 {names}",
                                              f"walk 0xffffffffa0000000 0xffffffffc0000000 {names}")
    machine.check("echo 0 > events/kprobes/x/enable; echo > kprobe_events")
    assert re.search(r"^#1 .*in <detour of the kprobe at vfs_read\+6> \(\)\n#2 .*in vfs_read \(", named, re.M), named
    assert "bad backtrace" not in entry + copies, entry + copies
    assert "walked 61 instructions" in entry and "walked 3 instructions" in copies, entry + copies


def test_the_backtrace_of_an_nmi_goes_on_with_the_interrupted_stack(debugged):
    _, _, _, bottom, _, distance = debugged.gdb("hbreak do_nmi", "monitor nmi", "continue", "backtrace -5", "frame function do_nmi",
                                                "print (long)$rsp - (long)$current()->stack")
    assert not 0 <= int(distance.split("=")[1]) < 16384, "do_nmi runs on a stack of its own"
    assert re.search(r"entry_SYSCALL_64_after_hwframe|cpu_startup_entry|ret_from_fork|<ring 3>", bottom), bottom


def test_the_trace_of_a_hung_kernel_can_be_read(debugged):
    debugged.machine.check("echo 0 > tracing_on; echo > trace; echo 1 > tracing_on; echo hello from ring 3 > trace_marker; echo 0 > tracing_on")
    wanted = [line.split(": ", 2)[-1].strip() for line in debugged.machine.check("cat trace").splitlines() if not line.startswith("#")]
    said, = debugged.gdb("nop5-trace")
    assert said.splitlines()[0] == f"# {len(wanted)} entries"
    assert said.splitlines()[1].endswith(": hello from ring 3")
    debugged.machine.check("echo 1 > tracing_on")


def test_the_trace_has_the_entries_that_cat_shows_in_the_same_order(debugged):
    machine = debugged.machine
    machine.check("echo 'vfs_read vfs_open' > set_ftrace_filter; echo function > current_tracer")
    machine.check("for i in $(seq 20); do head -n 1 /proc/uptime; done > /dev/null; echo 0 > tracing_on")
    shown = re.findall(r"^ *(\S+)-(\d+) +\[(\d+)\] \S+ +([\d.]+): (.*)$", machine.check("tail -n 200 trace"), re.M)
    said, = debugged.gdb("nop5-trace -n 200")
    machine.check("echo 1 > tracing_on")
    found = re.findall(r"^ *(\S+)-(\d+) +\[(\d+)\] +([\d.]+): (.*)$", said, re.M)
    assert len(found) > 20 and [entry[1:] for entry in found] == [entry[1:] for entry in shown]


def test_an_event_has_the_fields_of_its_format_file(debugged):
    debugged.machine.check("echo > trace; echo 1 > events/sched/sched_process_exit/enable; cat /dev/null; echo 0 > events/sched/sched_process_exit/enable")
    said, = debugged.gdb("nop5-trace")
    assert re.search(r"sched_process_exit: comm=cat pid=\d+ prio=120", said), said[-2000:]


def test_nop5_ps_shows_what_ps_shows(debugged):
    shown = listing(debugged.machine)
    said, = debugged.gdb("nop5-ps")
    found = {pid: name.strip("[]") for pid, name in re.findall(r"^[* ] +(\d+) +\d+ [A-Z] +\d+ 0x[0-9a-f]+ (.*)$", said, re.M)}
    for pid, name in shown:
        # What READER starts may have ended since then. exe is busybox before it takes its name.
        if name not in ("head", "sleep", "cat", "sh", "exe") and "kworker" not in name:
            assert found[pid] == name
    assert len(re.findall(r"^\*", said, re.M)) == 2


def test_the_log_is_that_of_dmesg(debugged):
    shown = [line for line in debugged.machine.check("dmesg").splitlines() if line.startswith("[")]
    said, = debugged.gdb("nop5-dmesg")
    assert said.splitlines()[:len(shown)] == shown


def test_a_program_gets_names_from_the_file_on_the_host(debugged):
    said = debugged.gdb("hbreak *__x64_sys_read if $_streq($current()->comm, \"head\")", "continue", "nop5-add-program /bin/busybox", refused("nop5-add-program /bin/ls"))
    assert said[2] == "/bin/busybox: symbols at 0x0 above those of the file\n"
    assert said[3] == "the task has no file ls mapped\n"


def test_commands_say_in_one_line_what_they_cannot_do(debugged):
    wrong = {"nop5-sites no_such_function": "no function no_such_function has a call site", "nop5-trace nowhere": "there is no instance nowhere",
             "nop5-stack 99999": "there is no task 99999", "nop5-dmesg many": "nop5-dmesg [COUNT]",
             "print $percpu(nr_cpu_ids)": "not a per-CPU variable", "print $current(7)": "there is no CPU 7"}
    assert [text.strip() for text in debugged.gdb(*map(refused, wrong))] == list(wrong.values())


def test_the_blocks_of_the_page_print_what_it_shows(debugged):
    parts = sorted([(number, "console", lines) for number, _, lines in blocks(PAGE, "console")]
                   + [(number, "gdb", lines) for number, info, lines in blocks(PAGE, "gdb") if "check" in info.split()])
    assert sum(language == "gdb" for _, language, _ in parts) >= 5
    for number, language, lines in parts:
        if language == "console":
            for _, command, _ in steps(lines):
                if not command.startswith("while"):  # the fixture has begun it
                    debugged.machine.check(command)
            continue
        commands = [line[len("(gdb) "):] for line in lines if line.startswith("(gdb) ")]
        shown = [text.splitlines()[1:] for text in ("\n" + "\n".join(lines)).split("\n(gdb) ")[1:]]
        for command, wanted, said in zip(commands, shown, debugged.gdb(*commands)):
            assert re.fullmatch(pattern(wanted), said), f"debugging.md:{number}: {command} printed:\n{said}"
