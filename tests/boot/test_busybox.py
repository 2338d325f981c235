"""Debian's busybox as PID 1 and as the shell: programs that nobody here wrote run unchanged."""
import re

import pytest

from clones import machine_at_prompt
from nop5 import eventually


@pytest.fixture(scope="module")
def machine(images):
    machine = machine_at_prompt(build=images, cpus=2)
    yield machine
    machine.close()


def test_init_runs_the_script_of_the_inittab_and_a_shell(machine):
    assert "Run /init as init process" in machine.text
    assert machine.check("cat /proc/1/comm") == "init\n"
    assert machine.check("echo $PPID") == "1\n"
    assert "tracefs on /sys/kernel/tracing" in machine.check("mount")


def test_a_script_computes_loops_and_calls_functions(machine):
    machine.check("echo 'f() { echo \"<$1>\"; }' > /tmp/s")
    machine.check("echo 'i=0; while [ $i -lt 300 ]; do i=$((i+1)); done; f $i' >> /tmp/s")
    machine.check("echo 'for x in a b c; do (f $x); done; case abc in a*) f star;; esac; exit 7' >> /tmp/s")
    result = machine.run("sh /tmp/s")
    assert result.output == "<300>\n<a>\n<b>\n<c>\n<star>\n"
    assert result.status == 7


def test_pipes_join_programs(machine):
    assert machine.check("seq 1 1000 | grep 7 | sort -rn | head -n 3 | tr '\\n' ' '; echo") == "997 987 979 \n"
    assert machine.check("cat /bin/busybox | md5sum") == machine.check("md5sum < /bin/busybox")
    assert machine.check("awk 'BEGIN { while (i < 10) s += ++i; print s }'") == "55\n"
    assert machine.check("echo one two | sed 's/\\(.*\\) \\(.*\\)/\\2 \\1/'") == "two one\n"


def test_files_are_packed_and_unpacked_as_they_were(machine):
    machine.check("mkdir -p /tmp/in/sub; echo text > /tmp/in/sub/f; ln -s sub/f /tmp/in/link; ln /tmp/in/sub/f /tmp/in/hard")
    machine.check("dd if=/dev/zero of=/tmp/in/big bs=4k count=300 2> /dev/null")
    machine.check("cd /tmp; tar cf t.tar in; mkdir out; cd out; tar xf ../t.tar")
    assert machine.check("cat /tmp/out/in/link; diff -r /tmp/in /tmp/out/in; ls -l /tmp/out/in/hard | cut -c1-15; cd /").startswith(
        "text\n-rw-r--r--    2")
    machine.check("rm -r /tmp/in /tmp/out /tmp/t.tar")


def test_a_missing_program_and_a_killed_one_give_the_shells_statuses(machine):
    assert machine.run("/tmp/absent").status == 127
    assert machine.run("sh -c 'kill -9 $$'").status == 137
    assert machine.run("echo x > /tmp/plain; /tmp/plain").status == 126
    assert "Permission denied" in machine.run("/tmp/plain").output


def test_too_long_an_argument_is_too_long(machine):
    result = machine.run("/bin/echo $(dd if=/dev/zero bs=140000 count=1 2> /dev/null | tr '\\0' a) > /dev/null")
    assert "Argument list too long" in result.output and result.status == 126


def test_adjtimex_reads_the_clock_and_adjusts_nothing(machine):
    assert "return value: 5 (clock not synchronized)" in machine.check("adjtimex")
    result = machine.run("adjtimex -f 65536")
    assert result.status == 1 and "Operation not permitted" in result.output
    assert re.search(r"freq.adjust: +0 ", machine.check("adjtimex"))


def test_a_refused_write_says_why(machine):
    result = machine.run("echo nonsense > /sys/kernel/tracing/current_tracer")
    assert result.output == "sh: write error: Invalid argument\n"
    assert result.status == 1


def test_a_job_is_stopped_continued_and_ended_from_the_keyboard(machine):
    machine.check("mkfifo /tmp/fifo; echo -n > /tmp/continued; echo 'trap \"cat /tmp/answer; echo >> /tmp/continued\" CONT' > /tmp/job")
    machine.check("echo 'echo started; while :; do read -t 1 x <> /tmp/fifo; done' >> /tmp/job; echo -n > /tmp/answer")
    machine.send("sh /tmp/job\n")
    machine.expect(r"^started\r")
    machine.send(b"\x1a")
    machine.wait_prompt()
    assert re.search(r"\[1\]\+  Stopped +sh /tmp/job", machine.check("jobs"))
    machine.check("bg")
    assert re.search(r"\[1\]\+  Running +sh /tmp/job", machine.check("jobs"))
    eventually(lambda: machine.check("cat /tmp/continued") == "\n")
    machine.check("echo in front > /tmp/answer")
    machine.send("fg\n")
    machine.expect(r"^in front\r")  # the shell gives the job the terminal, and then SIGCONT
    machine.send(b"\x03")
    machine.wait_prompt()
    assert machine.check("jobs") == ""
    machine.check("rm /tmp/fifo /tmp/continued /tmp/job /tmp/answer")


def test_the_line_is_edited_kept_in_the_history_and_completed(machine):
    machine.send(b"echo onw\x7fe\n")
    machine.expect(r"^one\r")
    machine.wait_prompt()
    machine.send(b"\x1b[A")  # the last line again
    machine.expect(r"echo one")
    machine.send(b"\n")
    machine.expect(r"^one\r")
    machine.wait_prompt()
    machine.send(b"cat /etc/hostn\t")
    machine.expect(r"/etc/hostname")
    machine.send(b"\n")
    machine.expect(r"^nop5\r")
    machine.wait_prompt()


def test_the_calls_of_a_program_are_traced(machine):
    machine.check("cd /sys/kernel/tracing; echo 1 > events/syscalls/sys_enter_openat/enable")
    machine.check("echo > trace; cat /etc/hostname; echo 0 > events/syscalls/sys_enter_openat/enable")
    assert re.search(r"cat-\d+ .* sys_openat\(", machine.check("cat trace"))
    machine.check("echo > trace; cd /")


def test_all_functions_traced_while_programs_run(machine):
    machine.check("cd /sys/kernel/tracing; echo function_graph > current_tracer")
    machine.check("for i in 1 2 3 4 5 6 7 8 9 10; do seq 1 50 | sort | md5sum > /dev/null; done")
    machine.check("echo function > current_tracer; seq 1 50 | sort -n | tail -n 1")
    machine.check("echo nop > current_tracer; cd /")


def test_memory_comes_back_when_programs_end(machine):
    work = "for i in 1 2 3 4 5 6 7 8 9 10; do seq 1 20 | sort | wc -l > /dev/null; done"
    free = "grep MemFree /proc/meminfo"
    machine.check(work)
    before = int(machine.check(free).split()[1])
    for _ in range(5):
        machine.check(work)
    after = int(machine.check(free).split()[1])
    assert before - after < 200, f"{before} kB were free, and then {after} kB"


def test_poweroff_ends_the_machine(images):
    machine = machine_at_prompt(build=images, cpus=2)
    machine.poweroff()
    machine.close()
