"""Debian's gdb, gdbserver and ltrace, unmodified, inside nop5, and the host's gdb on a program inside, over the second serial line.

All of it is in `make soak` only, because it downloads some packages. A session is a list of gdb's commands, and regular
expressions that its output has in this order. The output of Linux 6.1 has them, too (tools/linux-ref, the same root file system).
"""
import subprocess

import pytest

from conftest import machine_with
from exporting import SocketPort
from gdb_prompts import QUIET, HostGdb
from nop5 import ROOT, has_in_order, said

pytestmark = pytest.mark.soak
DONE = r"\[Inferior 1 \(process \d+\) exited normally\]"

SESSIONS = {
    "calls": ("calls", ["break inner if value == 3", "run", "info args", "bt", "step", "next", "print twice", "finish", "print add(20, 22)", "hbreak add",
                        "continue", "info breakpoints", "delete", "break ymm_here", "continue", "print $ymm0.v4_int64", "info auxv", "info proc mappings", "continue"],
              [r"^Breakpoint 1, inner \(value=3\)", r"^value = 3$", r"^#2 .* in main \(argc=", r"^\$1 = 6$", r"^Value returned is \$2 = 7$", r"^\$3 = 42$",
               r"^Breakpoint 2, add \(a=8, b=1\)", r"hw breakpoint", r"^\$4 = \{1, 2, 3, 4\}$", r"AT_PAGESZ .* 4096$", r"r-xp .*/debuggee$", r"\[stack\]$", DONE]),
    "steps": ("calls", ["break outer if value == 2", "run", "stepi 10", "x/i $pc", "advance add", "up", "down", "return 5", "next", "tbreak printf", "continue",
                        "finish", "record", "next", "reverse-next", "record stop", "kill"],
              [r"^Breakpoint 1, outer \(value=2\)", r"^=> 0x\w+ <inner\+16>:", r"^add \(a=6, b=1\)", r"^#1 .* in inner \(value=3\)", r"^outer \(value=2\)",
               r"^Temporary breakpoint 2, .* in printf", r"^No more reverse-execution history", r"killed\]$"]),
    "watch": ("threads", ["break main", "run", "watch watched", "continue", "rwatch counter", "continue", "delete", "awatch watched", "continue", "continue",
                          "delete", "watch watched if watched == 7", "continue", "print counter", "delete", "continue"],
              [r"^Hardware watchpoint 2: watched", r'^Thread 2 "debuggee" hit Hardware watchpoint 2', r"^Old value = 0\nNew value = 1$", r"hit Hardware read watchpoint 3: counter",
               r"^Value = 0$", r"hit Hardware access \(read/write\) watchpoint 4", r"^Value = 1$", r"^Old value = 1\nNew value = 2$",
               r'^Thread 4 "debuggee" hit Hardware watchpoint 5', r"^Old value = 6\nNew value = 7$", r"^\$1 = 6$", r"^watched 9$", DONE]),
    "five": ("threads", ["break main", "run", "hbreak add", "hbreak inner", "hbreak outer", "watch watched", "watch counter", "continue"],
             [r"^Could not insert hardware watchpoint 6\.$", r"too many hardware breakpoints"]),
    "threads": ("spin", ["break all_here", "run", "info threads", "thread apply all bt 1", "set scheduler-locking on", "next", "set scheduler-locking off",
                         "thread 2", "frame function spinner", "set var go_on = 0", "continue"],
                [r'^Thread 1 "debuggee" hit Breakpoint 1, all_here', r'^\* 1 +Thread .* "debuggee" all_here', r"^  4 +Thread ", r"^Thread 4 ", r"^Thread 1 ",
                 r"^\[Switching to thread 2 ", r" in spinner \(name=0x0\)", r"^all joined$", DONE]),
    "nonstop": ("spin", ["set non-stop on", "break all_here", "run", "info threads", "set var go_on = 0", "continue -a"],
                [r"hit Breakpoint 1, all_here", r"^  4 +Thread .* \(running\)$", r"^all joined$", DONE]),
    "catch": ("fork", ["catch fork", "catch vfork", "catch syscall wait4", "run"] + ["continue"] * 6,
              [r"^Catchpoint 1 \(forked process \d+\)", r"^Catchpoint 3 \(call to syscall wait4\)", r"^Catchpoint 3 \(returned from syscall wait4\)",
               r"^Catchpoint 2 \(vforked process \d+\)", r"^Catchpoint 3 \(call to", r"^Catchpoint 3 \(returned from", r"^status 3$", DONE]),
    "follow": ("fork", ["set follow-fork-mode child", "break add", "catch exec", "run", "continue", "info inferiors"],
               [r"^\[Attaching after .* fork to child process \d+\]", r"hit Breakpoint 1, add \(a=1, b=2\)", r"is executing new program: /usr/bin/busybox",
                r"hit Catchpoint 2 \(exec'd /usr/bin/busybox\)", r"^\* 2 +process \d+"]),
    "both": ("fork", ["set detach-on-fork off", "set schedule-multiple on", "break add", "run", "info inferiors", "kill inferiors 1 2"],
             [r"^\[New inferior 2 \(process \d+\)\]", r"^Thread 2\.1 \"debuggee\" hit Breakpoint 1\.2, add \(a=1, b=2\)", r"^  1 +process \d+", r"^\* 2 +process \d+"]),
    "signals": ("signals", ["catch signal SIGUSR1", "run", "print $_siginfo.si_signo", "delete", "handle SIGUSR1 stop print nopass", "continue",
                            "handle SIGUSR1 nostop print pass", "break on_signal", "signal SIGUSR1", "bt 2", "finish", "continue"],
                [r"^Catchpoint 1 \(signal SIGUSR1\)", r"^\$1 = 10$", r"^Program received signal SIGUSR1", r"^Breakpoint 2, on_signal \(signal=10\)",
                 r"^#1  <signal handler called>$", r"^counter 10$", DONE]),
    "checkpoint": ("calls", ["break inner", "run", "checkpoint", "continue", "print value", "restart 1", "print value", "kill"],
                   [r"^\$1 = 2$", r"^Switching to ", r"^\$2 = 1$"]),
    "core": ("crash", ["run", "bt", "print $_siginfo._sifields._sigfault.si_addr", "generate-core-file /tmp/gen.core", "kill", "core-file /tmp/gen.core", "bt"],
             [r"^Program received signal SIGSEGV", r"^#0 +main ", r"^\$1 = \(void \*\) 0x10$", r"^Saved corefile /tmp/gen.core$",
              r"^Program terminated with signal SIGSEGV", r"^#0 +main "]),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    program = tmp_path_factory.mktemp("debuggee") / "debuggee"
    subprocess.run(["gcc", "-g", "-O0", "-pthread", "-o", program, ROOT / "tests/boot/data/debuggee.c"], check=True)
    return program


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    return SocketPort(tmp_path_factory.mktemp("port"))


@pytest.fixture(scope="module")
def machine(images, program, port):
    directory = program.parent
    for name, (_, commands, _) in SESSIONS.items():
        (directory / f"{name}.gdb").write_text("".join(line + "\n" for line in QUIET + commands))
    packages = ["gdb", "gdbserver", "ltrace", "bash", program, *(f"{path}:root/{path.name}" for path in directory.glob("*.gdb"))]
    with machine_with(images, "debuggers", packages, cpus=4, mem="2G", extra=port.arguments) as machine:
        machine.check("cd /root; export HOME=/root TERM=dumb")
        yield machine


@pytest.mark.parametrize("name", SESSIONS)
def test_session_of_gdb_prints_what_it_prints_on_linux(machine, name):
    part, _, patterns = SESSIONS[name]
    text = said(machine, f"gdb -nx -batch -x {name}.gdb --args /usr/bin/debuggee {part} < /dev/null")
    has_in_order(text, patterns)
    assert "could not convert" not in text  # scripts/rootfs brings libc's converters along with gdb


def spinning(machine):
    """Starts a program of four threads in the background, and returns its PID."""
    machine.check("debuggee spin > /tmp/spun & pid=$!; until [ $(ls /proc/$pid/task | wc -l) = 4 ]; do :; done")
    return machine.check("echo $pid").strip()


def test_gdb_attaches_to_threads_and_lets_them_go(machine):
    pid = spinning(machine)
    text = said(machine, f"gdb -nx -batch -p {pid} -ex 'info threads' -ex 'print go_on' -ex detach < /dev/null")
    has_in_order(text, [r"^  4 +Thread ", r"^\$1 = 1$", r"^\[Inferior 1 \(process \d+\) detached\]$"])
    assert "Saved corefile /tmp/g" in said(machine, f"gcore -o /tmp/g {pid}")
    has_in_order(said(machine, f"gdb -nx -batch -ex 'info threads' -ex 'print go_on' /usr/bin/debuggee /tmp/g.{pid}"), [r"^  4 +Thread ", r"^\$1 = 1$"])
    said(machine, f"gdb -nx -batch -p {pid} -ex 'set var go_on = 0' -ex detach < /dev/null")
    assert machine.check("wait $pid; cat /tmp/spun") == "all joined\n"


def test_gdb_reads_a_core_file_of_the_kernel(machine):
    machine.run("cd /tmp; rm -f core; (ulimit -c unlimited; debuggee crash); cd /root")
    text = said(machine, "gdb -nx -batch -ex bt -ex 'print $_siginfo._sifields._sigfault.si_addr' -ex 'x/i $pc' /usr/bin/debuggee /tmp/core")
    has_in_order(text, [r"^Program terminated with signal SIGSEGV", r"^#0 +main ", r"^\$1 = \(void \*\) 0x10$", r"^=> 0x\w+ <main\+\d+>:\tmov +%eax,\(%rbx\)$"])


def serve(machine, arguments):
    machine.check(f"gdbserver {arguments} > /tmp/served 2>&1 & until grep -q 'Listening\\|debugging using' /tmp/served; do :; done")


def test_gdb_debugs_through_gdbserver_on_the_loopback_interface(machine):
    serve(machine, "127.0.0.1:1234 /usr/bin/debuggee threads")
    commands = ["target remote 127.0.0.1:1234", "break main", "continue", "watch watched if watched == 5", "continue", "info threads", "delete",
                "hbreak worker", "continue", "delete", "continue"]
    text = said(machine, "gdb -nx -batch " + " ".join(f"-ex '{command}'" for command in commands) + " /usr/bin/debuggee < /dev/null")
    has_in_order(text, [r"^Breakpoint 1, main ", r'^Thread 3 "debuggee" hit Hardware watchpoint 2', r"^Old value = 4\nNew value = 5$", r"^\* 3 +Thread ",
                        r'^Thread 4 "debuggee" hit Breakpoint 3, worker', DONE])
    assert "watched 9\n" in machine.check("wait $!; cat /tmp/served")


def test_gdbserver_of_several_runs_starts_what_gdb_asks_for(machine):
    """The target extended-remote of gdb: gdbserver --multi has no program, and outlives those that it debugs."""
    serve(machine, "--multi 127.0.0.1:1234")
    commands = ["target extended-remote 127.0.0.1:1234", "set remote exec-file /usr/bin/debuggee", "break outer", "run", "set args crash", "kill",
                "delete", "run", "print $_siginfo._sifields._sigfault.si_addr", "continue", "monitor exit"]
    text = said(machine, "gdb -nx -batch " + " ".join(f"-ex '{command}'" for command in commands) + " /usr/bin/debuggee < /dev/null")
    has_in_order(text, [r"^Breakpoint 1, outer \(value=0\)", r"killed\]$", r"^Program received signal SIGSEGV", r"^\$1 = \(void \*\) 0x10$",
                        r"^Program terminated with signal SIGSEGV"])
    machine.check("wait $!; ! pidof gdbserver")


def test_gdbserver_attaches_to_threads(machine):
    pid = spinning(machine)
    serve(machine, f"--attach 127.0.0.1:1234 {pid}")
    commands = ["target remote 127.0.0.1:1234", "info threads", "print go_on", "set var go_on = 0", "detach"]
    text = said(machine, "gdb -nx -batch " + " ".join(f"-ex '{command}'" for command in commands) + " /usr/bin/debuggee < /dev/null")
    has_in_order(text, [r"^  4 +Thread ", r"^\$1 = 1$", r"detached\]$"])
    assert machine.check("wait $!; cat /tmp/spun") == "all joined\n"


def test_gdb_of_the_host_debugs_a_program_over_the_second_serial_line(machine, program, port):
    machine.check("ls -l /dev/ttyS1 | grep -q '4, *65'")
    serve(machine, "/dev/ttyS1 /usr/bin/debuggee spin")
    gdb = HostGdb(program, "set sysroot /nowhere", f"target remote {port.path}")
    try:
        gdb.say("break all_here", r"Breakpoint 1 at ")
        gdb.say("continue", r"hit Breakpoint 1, all_here \(\)")
        gdb.say("info threads", r"  4 +Thread ")
        gdb.say("print $ymm0", r"v8_int32")
        gdb.say("finish", r"main \(argc=2")
        gdb.say("next", r"\d+\t+pthread_join\(threads")
        gdb.say("print add(20, 22)", r"\$2 = 42")
        gdb.say("watch counter", r"Hardware watchpoint 2: counter")
        gdb.say("continue", r"hit Hardware watchpoint 2: counter\s+Old value = \d+\s+New value = \d+")
        gdb.say("delete")
        gdb.say("continue", r"Continuing\.")
        gdb.tty.sendintr()
        gdb.tty.expect(r"received signal SIGINT, Interrupt\.")
        gdb.say("set var go_on = 0")
        gdb.say("continue", r"exited normally\]")
    finally:
        gdb.close()
    # A serial line has no end: gdbserver waits for the next packet.
    machine.check("until grep -q 'Child exited with status 0' /tmp/served; do :; done; kill -9 $!")
    assert "all joined\n" in machine.check("cat /tmp/served")


@pytest.mark.parametrize("arguments, patterns", [
    ("debuggee calls", [r'^strcmp\("calls", "calls"\) += 0$', r'^printf\("outer %d\\n", 11', r"^\+\+\+ exited \(status 0\) \+\+\+$"]),
    ("-x add debuggee calls", [r"^add\(2, 1, .*\) += 3$", r"^add\(10, 1, .*\) += 11$"]),
    ("-c debuggee signals", [r"^% time ", r" raise$", r" total$"]),
    ("-S debuggee signals", [r"^SYS_brk\(0\) ", r"^raise\(10", r"^SYS_tgkill\(", r"^--- SIGUSR1 \(User defined signal 1\) ---$", r"^SYS_rt_sigreturn\("]),
])
def test_ltrace_prints_calls_as_on_linux(machine, arguments, patterns):
    has_in_order(said(machine, f"ltrace {arguments}"), patterns)
