"""scripts/boot and make, as scripts written by other people use them (shared/interfaces.md)."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from nop5 import ROOT, eventually, finish, host, is_running
import boot_machine
import built
import oops
from stopwatch import family

sys.path[:0] = [str(ROOT / "tests/bench"), str(ROOT / "tests")]

import compare  # noqa: E402
import subjects  # noqa: E402


def boot_script(*arguments, stdin=""):
    return host([ROOT / "scripts/boot", *arguments], cwd=ROOT, input=stdin, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_boot_prints_what_the_commands_print_and_nothing_else(images):
    result = boot_script("--cpus", "2", "--elf", "echo one two", "cat /proc/sys/kernel/panic_on_oops")
    assert result.stdout == "one two\n1\n"
    assert result.returncode == 0


def test_boot_reads_commands_from_standard_input(images):
    result = boot_script("--cpus", "1", "--elf", stdin="echo first\necho 'second  line'\n")
    assert (result.stdout, result.returncode) == ("first\nsecond  line\n", 0)


def test_boot_says_1_when_a_command_failed(images):
    result = boot_script("--cpus", "1", "--elf", "cat /nowhere", "echo on")
    assert result.returncode == 1
    assert "No such file or directory" in result.stdout and result.stdout.endswith("on\n")


def test_boot_says_which_command_failed(images):
    result = boot_script("--cpus", "1", "--elf", "true", "(exit 7)", "true")
    assert (result.stdout, result.stderr, result.returncode) == ("", "scripts/boot: '(exit 7)' ended with status 7\n", 1)


def test_boot_ends_after_the_first_failure_if_asked(images):
    result = boot_script("--cpus", "1", "--elf", "--fail-fast", "echo first", "false", "echo third")
    assert (result.stdout, result.returncode) == ("first\n", 1)


@pytest.mark.parametrize("command", ["echo 'open", "for i in 1 2", "echo $(echo"], ids=["quote", "loop", "bracket"])
def test_boot_ends_at_a_command_that_is_not_finished(images, command):
    result = boot_script("--cpus", "1", "--elf", "--json", command, "echo never")
    said = json.loads(result.stdout)
    assert (result.returncode, said["status"], said["commands"]) == (1, 1, [])
    assert said["message"].startswith(f"{command!r} is not finished")


def test_boot_says_all_as_json(images):
    result = boot_script("--cpus", "1", "--elf", "--json", "printf 'a\\nb'", "false", "poweroff -f")
    said = json.loads(result.stdout)
    assert (said["status"], said["message"], said["log"], result.stderr) == (1, "'false' ended with status 1\n", "", "")
    assert [(each["command"], each["output"], each["status"]) for each in said["commands"][:2]] == [("printf 'a\\nb'", "a\nb", 0), ("false", "", 1)]
    # With -f it does not ask init: the machine is off before the command ends.
    assert said["commands"][2]["status"] is None and all(each["seconds"] > 0 for each in said["commands"])


def test_boot_says_a_crash_as_json(images):
    result = boot_script("--cpus", "1", "--elf", "--json", "echo up", "echo c > /proc/sysrq-trigger")
    said = json.loads(result.stdout)
    assert (result.returncode, said["status"], [each["output"] for each in said["commands"]]) == (3, 3, ["up\n"])
    assert "Kernel panic - not syncing" in said["message"]


def test_boot_limits_the_whole_run(images):
    result = boot_script("--cpus", "1", "--elf", "--limit", "5", *["sleep 1"] * 100)
    assert result.returncode == 2
    assert "time-out after 5 s of the whole run while running 'sleep 1'" in result.stderr


def test_boot_takes_a_process_that_init_ends_at_power_off_for_no_failure(images):
    """As `poweroff` itself if its CPU has run init before it could end."""
    assert boot_script("--elf", "sleep 1000 & poweroff; wait $!").returncode == 0
    assert boot_script("--cpus", "1", "--elf", "sh -c 'kill $$'").returncode == 1


@pytest.mark.parametrize("command", ["sleep 100000", "while :; do echo more; usleep 10000; done"])
def test_boot_says_2_on_a_time_out(images, command):
    """Whether the console is silent, or has something to say for ever."""
    result = boot_script("--cpus", "1", "--elf", "--timeout", "3", command)
    assert result.returncode == 2 and f"while running {command!r}" in result.stderr


def test_boot_says_3_on_a_panic_with_the_report_on_standard_error(images):
    result = boot_script("--elf", "echo c > /proc/sysrq-trigger")
    assert result.returncode == 3
    assert "Kernel panic - not syncing" in result.stderr
    assert "Kernel panic" not in result.stdout


def test_boot_says_3_on_an_oops(images):
    result = boot_script("--elf", "--kernel", "nop5-test", "echo EXCEPTION > /sys/kernel/debug/provoke-crash/DIRECT")
    assert result.returncode == 3
    assert "BUG: kernel NULL pointer dereference" in result.stderr


def test_boot_says_1_when_no_self_test_matches(images):
    result = boot_script("--cpus", "1", "--append", "selftest=nothing.like.this")
    assert result.returncode == 1
    assert "# No test matches nothing.like.this\n" in result.stdout
    assert result.stderr == "scripts/boot: no self-test matches the pattern of selftest=\n"


@pytest.mark.parametrize("line", [
    "BUG: kernel NULL pointer dereference, address: 0000000000000008", "Oops: 0002 [#1] PREEMPT SMP",
    "debug exception: 0000 [#1] PREEMPT SMP", "kernel BUG at kernel/main.c:7! (x)",
    "watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [sh:4]", "Kernel panic - not syncing: x"])
def test_a_report_begins_with_the_first_line_of_each_kind_of_oops(line):
    first = f"[    1.000001] {line}\r\n".encode()
    rest = b"[    1.000002] RIP: 0010:f+0x1/0x2\r\n[    1.000003] ---[ end trace 0 ]---\r\n"
    found = oops.report(b"[    1.000000] hello: BUG\r\n" + first + rest + b"nop5:/# ")
    assert found == (first + rest).replace(b"\r", b"")


class Told(boot_machine.Machine):
    """A machine that says what the test gives it, whatever is typed."""

    def __init__(self, *said):
        self.process, self.timeout, self.limit = SimpleNamespace(pid=os.getpid()), 300, None
        self.pending, self.said = b"", iter(said)

    def receive(self, more_to_send):
        self.pending += next(self.said)
        return b""


@pytest.mark.parametrize("place", range(8))
def test_messages_of_the_kernel_may_split_the_echo_of_the_question_for_the_status(place):
    """The real-time throttle's message came behind an "e", and the run waited until its time was over."""
    question, message = b"echo $?\r\n", b"\n[    3.000001] sched: RT throttling activated\n[   33.381099] x: y\n"
    split = question[:place] + message + question[place:]
    machine = Told(b"ls 3\r\n3\r\nnop5:/# ", split, b"0\r\nnop5:/# ")
    assert (machine.run("ls 3"), machine.pending) == ((b"3\n", 0), b"")


def test_messages_of_the_kernel_may_split_the_echo_of_a_command():
    machine = Told(b"l", b"\n[    3.000001] x: y\ns 3\r\n", b"3\r\nnop5:/# ", b"echo $?\r\n", b"0\r\nnop5:/# ")
    assert machine.run("ls 3") == (b"3\n", 0)


def test_boot_passes_memory_cpus_and_command_line(images):
    result = boot_script("--iso", "--cpus", "3", "--mem", "64M", "--append", "hello=there",
                         "cat /proc/cmdline", "grep -c processor /proc/cpuinfo")
    assert "hello=there" in result.stdout.splitlines()[0]
    assert result.stdout.splitlines()[1] == "3"


@pytest.mark.parametrize("arguments, message", [
    (["--no-such-option", "ls"], "usage: "),
    (["--cpus", "0", "ls"], "--cpus must be at least 1"),
    (["--build", "/nowhere", "ls"], "/nowhere/nop5.elf is missing: run make first"),
    (["--build", "/nowhere", "--append", "selftest"], "/nowhere/nop5-test.elf is missing: run make test-kernel first"),
    (["--qemu=-no-such-option", "ls"], "QEMU ended with status 1 before the kernel said anything"),
], ids=["option", "cpus", "build", "test-kernel", "qemu"])
def test_boot_says_4_when_it_could_not_begin(images, arguments, message):
    result = boot_script(*arguments)
    assert result.returncode == 4
    assert message in result.stderr and "Traceback" not in result.stderr and not result.stdout


@pytest.fixture
def built_tree(tmp_path):
    """A tree with a build of two kernels and a root file system. set_time(NAME, T) sets the time of the last change."""
    def set_time(name, when):
        os.utime(tmp_path / name, (when, when))

    dep_files = {"kernel/main": "kernel/main.c kernel/main.h", "selftest/t": "selftest/t.c kernel/tested.h"}
    for name in ("scripts/built.py", "kernel/main.c", "kernel/main.h", "kernel/tested.h", "kernel/unused.h", "kernel/.main.c.swp",
                 "selftest/t.c", "user/dis.c", "build/nop5.elf", "build/nop5-test.elf", "build/rootfs.cpio"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
        set_time(name, 1000)
    for name, needed in dep_files.items():
        (tmp_path / "build/obj" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"build/obj/{name}.d").write_text(f"build/obj/{name}.o: {needed}\n")
    return tmp_path, set_time


@pytest.mark.parametrize("changed, old", [
    ("kernel/main.c", ["nop5", "nop5-test"]), ("kernel/main.h", ["nop5", "nop5-test"]), ("kernel/tested.h", ["nop5-test"]),
    ("selftest/t.c", ["nop5-test"]), ("user/dis.c", ["rootfs"]), ("kernel/unused.h", []), ("kernel/.main.c.swp", [])])
def test_an_image_is_old_if_a_file_that_it_is_built_of_is_newer(built_tree, changed, old):
    tree, set_time = built_tree
    set_time(changed, 1001)
    newer = {name: built.newer_than_kernel(tree / "build", name) for name in ("nop5", "nop5-test")}
    newer["rootfs"] = built.newer_than_rootfs(tree / "build/rootfs.cpio")
    assert newer == {name: changed if name in old else None for name in newer}


def test_boot_says_that_an_image_is_older_than_its_sources_and_boots_it(images, built_tree):
    tree, set_time = built_tree
    set_time("kernel/main.c", 1001)
    for image in ("nop5.elf", "rootfs.cpio"):
        shutil.copyfile(images / image, tree / "build" / image)
        set_time(f"build/{image}", 1000)
    result = boot_script("--build", tree / "build", "--cpus", "1", "echo up")
    assert (result.stdout, result.returncode) == ("up\n", 0)
    assert result.stderr == f"scripts/boot: {tree}/build/nop5.elf is older than kernel/main.c: make builds it again\n"
    set_time("build/nop5.elf", 1002)
    assert boot_script("--build", tree / "build", "--cpus", "1", "echo up").stderr == ""


def test_boot_says_4_without_qemu(images, tmp_path):
    result = host([ROOT / "scripts/boot", "ls"], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                  env={"PATH": str(tmp_path)})
    assert result.returncode == 4 and "QEMU does not start" in result.stderr and "Traceback" not in result.stderr


def test_boot_keeps_the_status_of_a_command_for_the_next_one(images):
    result = boot_script("--cpus", "1", "--elf", "nosuch", "echo $?", "echo $?", "cat /nowhere", "echo $? $?")
    assert [line for line in result.stdout.splitlines() if ":" not in line] == ["127", "0", "1 1"]


def test_boot_ends_quietly_when_its_output_is_not_read(images):
    process = subprocess.Popen([ROOT / "scripts/boot", "--cpus", "1", "--elf", *2 * ["head -n 4000 /proc/kallsyms"]], cwd=ROOT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline()  # the rest is more than a pipe holds
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 128 + signal.SIGPIPE


def connected(path):
    """A connection to a UNIX socket, or None: nobody listens there yet."""
    link = socket.socket(socket.AF_UNIX)
    try:
        link.connect(str(path))
    except OSError:
        link.close()
        return None
    return link


def test_boot_gives_a_second_serial_port_as_a_socket(images, tmp_path):
    path = tmp_path / "a,b"
    # The machine asks until somebody answers.
    process = subprocess.Popen([ROOT / "scripts/boot", "--cpus", "1", "--elf", "--ttyS1", path, "exec 3<> /dev/ttyS1",
                                "until read -t 1 answer <&3; do echo ready >&3; done; echo $answer"], cwd=ROOT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with eventually(lambda: connected(path)) as link, link.makefile("rw") as line:
        assert "ready" in line.readline()
        line.write("from outside\n")
        line.flush()
        output, errors = finish(process)
    assert (output, errors, process.returncode) == ("from outside\n", "", 0)


def test_boot_takes_no_other_file_for_the_socket_of_a_serial_port(images, tmp_path):
    (tmp_path / "file").write_text("mine")
    result = boot_script("--ttyS1", tmp_path / "file", "true")
    assert (result.returncode, result.stderr) == (4, f"scripts/boot: {tmp_path}/file is no socket: QEMU would delete it\n")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_boot_takes_qemu_along_when_it_is_ended(images, number):
    process = subprocess.Popen([ROOT / "scripts/boot", "--cpus", "1", "--elf", "echo begun", "sleep 1000"], cwd=ROOT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == "begun\n"
    qemu = [pid for pid in family(process.pid) if pid != process.pid]
    assert len(qemu) == 1
    process.send_signal(number)
    output, errors = finish(process)
    assert process.returncode == 128 + number and not errors
    assert not os.path.exists(f"/proc/{qemu[0]}")


END_AT_THE_START_OF_QEMU = """\
import os, signal, subprocess
fork_exec = subprocess._fork_exec
def fork_exec_and_end(arguments, *others):
    pid = fork_exec(arguments, *others)
    if "qemu" in str(arguments[0]):
        open(__file__ + ".pid", "w").write(str(pid))
        os.kill(os.getpid(), signal.SIGTERM)
    return pid
subprocess._fork_exec = fork_exec_and_end
"""


@pytest.mark.parametrize("options", [[], ["--debug"]])
def test_boot_takes_qemu_along_when_it_is_ended_before_it_knows_qemu(images, tmp_path, options):
    (tmp_path / "sitecustomize.py").write_text(END_AT_THE_START_OF_QEMU)
    result = host([ROOT / "scripts/boot", "--cpus", "1", *options], env=dict(os.environ, PYTHONPATH=str(tmp_path)), input="")
    assert result.returncode == 128 + signal.SIGTERM
    assert not is_running((tmp_path / "sitecustomize.py.pid").read_text())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_debug_takes_qemu_and_gdb_along_when_it_is_ended(images, number):
    process = subprocess.Popen([ROOT / "scripts/boot", "--debug", "--cpus", "1", "--initrd", images / "rootfs.cpio"], cwd=ROOT, text=True,
                               env=dict(os.environ, GDBFLAGS=r"-ex 'echo gdb is here\n'"),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    while (line := process.stdout.readline()) != "gdb is here\n":
        assert line, "gdb has ended"
    children = [pid for pid in family(process.pid) if pid != process.pid]
    names = {Path(f"/proc/{pid}/comm").read_text().strip() for pid in children}
    assert {"qemu-system-x86", "gdb"} <= names
    process.send_signal(number)
    finish(process)
    assert process.returncode == 128 + number
    assert not [pid for pid in children if os.path.exists(f"/proc/{pid}")]


def test_icount_boots_in_the_same_number_of_instructions_each_time(images):
    """--icount makes the TSC a count: two boots agree to the instruction, until interrupts drive the console.

    From then on it counts how fast the host takes the characters.
    """
    runs = [boot_script("--elf", "--icount", "--cpus", "1", "cat /sys/kernel/debug/boot_time") for _ in range(2)]
    assert runs[0].returncode == 0
    assert re.search(r"^prompt +\d+ +\d+$", runs[0].stdout, re.M)
    assert runs[0].stdout.partition("prompt")[0] == runs[1].stdout.partition("prompt")[0]


def test_a_report_of_a_hung_machine_says_where_its_cpus_are(nop5):
    report = nop5.where_it_hangs()
    assert re.search(r"^CPU 0: .*^CPU 1: .*^CPU 2: .*^CPU 3: ", report, re.M | re.S), report
    assert re.search(r"^    (do_idle|cpu_startup_entry)\+0x", report, re.M), report
    assert nop5.check("echo on") == "on\n"


def test_icount_boots_several_cpus_too(images):
    result = boot_script("--elf", "--icount", "hackbench -g 1 -l 10", "grep -c processor /proc/cpuinfo")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "4"


def test_make_help_lists_each_target():
    result = subprocess.run(["make", "help"], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True)
    listed = {word for line in result.stdout.splitlines() for word in line.removeprefix("make ").split()[:1]}
    assert {"run", "test", "bench", "debug", "help", "clean", "soak"} <= listed, result.stdout


def test_a_second_make_does_nothing(images):
    """Incremental: with nothing changed, nothing is compiled, linked or packed."""
    result = subprocess.run(["make"], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
    assert not [l for l in result.stdout.splitlines() if l.split()[:1] and l.split()[0] in ("CC", "NASM", "LD", "ISO")]


def test_the_image_keeps_call_sites_for_the_function_tracer(images):
    """Every C function but the notrace ones begins with a call of __fentry__ that __mcount_loc lists."""
    headers = subprocess.run(["objdump", "-h", images / "nop5.elf"], text=True, stdout=subprocess.PIPE, check=True).stdout
    symbols = subprocess.run(["nm", images / "nop5.elf"], text=True, stdout=subprocess.PIPE, check=True).stdout
    table = {l.split()[2]: int(l.split()[0], 16) for l in symbols.splitlines() if len(l.split()) == 3}
    assert ".text" in headers and "__fentry__" in table
    sites = (table["__stop_mcount_loc"] - table["__start_mcount_loc"]) // 8
    assert sites > 500


HANGING = '''
import subprocess, time

def test_waits_for_a_program_that_ignores_signals():
    subprocess.run(["sh", "-c", "trap '' INT HUP TERM; sleep 1000"])

def test_sleeps_beside_an_orphan():
    subprocess.run(["sh", "-c", "setsid sleep 1000 & echo orphan $!"])
    time.sleep(1000)

def test_interrupts_a_program():
    with subprocess.Popen(["sleep", "1000"]) as program:
        program.send_signal(2)

def test_passes():
    pass
'''


PYTEST = "import pytest, sys, threading; run = lambda: pytest.main(sys.argv[1:]); "
ON_THE_MAIN_THREAD = PYTEST + "run()"
ON_ANOTHER_THREAD = PYTEST + "thread = threading.Thread(target=run); thread.start(); thread.join()"


def run_hanging(directory, program, *arguments):
    """Run HANGING as nohup in the background does, with SIGINT and SIGHUP ignored. Returns the output and {test: result}."""
    (directory / "test_hanging.py").write_text(HANGING)
    result = host(["sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh", sys.executable, "-c", program, "-p", "limits", "-p", "no:cacheprovider",
                   "-v", "-rA", *arguments, str(directory)], cwd=directory, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                  env=dict(os.environ, PYTHONPATH=str(ROOT / "tests/boot"), NOP5_LIMIT="1", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"))
    return result.stdout, dict(re.findall(r"^test_hanging.py::(\w+) (PASSED|FAILED)", result.stdout, re.M))


def test_a_test_that_hangs_is_named_and_ended_with_its_processes_and_the_next_one_runs(tmp_path):
    output, results = run_hanging(tmp_path, ON_THE_MAIN_THREAD)
    assert list(results.values()) == ["FAILED", "FAILED", "PASSED", "PASSED"], output
    assert output.count("hangs: it has not ended within 1 s") == 2
    orphan = re.search(r"orphan (\d+)", output).group(1)
    eventually(lambda: not is_running(orphan))


def test_a_test_on_another_thread_ends_with_its_processes_or_with_the_worker(tmp_path):
    output, results = run_hanging(tmp_path, ON_ANOTHER_THREAD, "-k", "not interrupts")
    assert list(results.values()) == ["FAILED"], output
    assert output.rstrip().endswith("test_hanging.py::test_sleeps_beside_an_orphan"), output


def test_each_test_has_a_subject():
    for kind in ("boot", "host", "fuzz"):
        found = {name for subject in subjects.ALL.values() for name in subjects.matching(kind, getattr(subject, kind))}
        assert found == set(subjects.matching(kind, ("test_*", "fuzz_*")))


def test_each_pattern_of_a_subject_and_each_of_its_folders_exists():
    for subject in subjects.ALL.values():
        assert [folder for folder in subject.folders if not (ROOT / folder).exists() and not list((ROOT / folder).parent.glob(Path(folder).name + "*"))] == []
        for kind in ("boot", "host", "fuzz"):
            assert [pattern for pattern in getattr(subject, kind) if not subjects.matching(kind, (pattern,))] == []


@pytest.mark.parametrize("path, names", [
    ("fs/proc/task/base.c", ["proc"]), ("trace/livepatch/core.c", ["livepatch"]), ("tests/boot/test_rcu.py", ["rcu"]), ("LICENSE", [])])
def test_a_change_concerns_the_subject_of_its_folder(path, names):
    assert subjects.concerned([path]) == names


@pytest.fixture
def bare(tmp_path):
    """An environment with the commands that every system has, and no tools to build or test with."""
    for name in ("sh", "sed", "awk", "cat", "mkdir", "make", "printf", "cmp", "rm", "mv", "id", "find", "sort", "head", "tr", "getconf", "seq"):
        (tmp_path / name).symlink_to(shutil.which(name))
    return {"PATH": str(tmp_path)}


@pytest.mark.parametrize("variables, packages", [
    ([], {"gcc", "nasm", "xorriso", "grub-common"}), (["CC=clang"], {"clang", "nasm"}), (["MCOUNT=script"], {"gcc", "nasm"}),
], ids=["gcc", "clang", "recordmcount"])
def test_make_without_its_tools_names_the_packages(bare, tmp_path, variables, packages):
    result = host(["make", f"O={tmp_path}/build", *variables], cwd=ROOT, env=bare, text=True, stdout=subprocess.PIPE,
                  stderr=subprocess.STDOUT)
    assert result.returncode == 2
    line = re.search(r"^  Debian, Ubuntu: apt install (.*)$", result.stdout, re.M).group(1)
    assert packages <= set(line.split()) and "make run" in result.stdout
    assert "No such file" not in result.stdout and "CC " not in result.stdout


@pytest.mark.parametrize("purpose, needed, not_needed", [
    ("run", {"qemu-system-x86"}, {"ovmf", "gdb", "python3-pytest", "kernelshark"}),
    ("bench", {"qemu-system-x86"}, {"gdb", "clang", "clang-format-14", "kernelshark", "npm"}),
    ("test", {"clang", "clang-format-14", "gdb"}, {"kernelshark", "xvfb", "imagemagick", "npm"}),
    ("tools", {"kernelshark", "xvfb", "imagemagick", "npm", "chromium"}, {"clang-format-14", "gdb"}),
    ("book", {"pandoc"}, {"gcc", "qemu-system-x86"}),
    ("web", {"emscripten", "gcc", "npm"}, {"qemu-system-x86", "chromium"}),
])
def test_each_purpose_installs_what_it_needs(bare, purpose, needed, not_needed):
    result = host([ROOT / "scripts/install-deps", "--check", purpose], env=bare, text=True, stdout=subprocess.PIPE,
                  stderr=subprocess.PIPE)
    packages = set(re.search(r"^  Debian, Ubuntu: apt install (.*)$", result.stderr, re.M).group(1).split())
    assert result.returncode == 1 and needed <= packages and not packages & not_needed


def test_nothing_is_said_when_nothing_is_missing():
    result = host([ROOT / "scripts/install-deps", "--check", "test"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_readme_shows_what_make_compare_measures():
    table = (ROOT / "README.md").read_text().partition(compare.BEGIN)[2].partition(compare.END)[0]
    shown = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| ")][1:]
    assert shown == [what for what, _ in compare.ROWS.values()]
