"""busybox's shell and commands: words, quoting, redirection, status, jobs, and error messages."""
import re

import pytest

from nop5 import eventually, kill, listing, resources, resources_return_to, tasks


@pytest.mark.parametrize("line, expected", [
    ("echo one two", "one two"),
    ("echo   one    two  ", "one two"),
    ("echo 'one   two'", "one   two"),
    ('echo "one   two"', "one   two"),
    (r"echo one\ \ two", "one  two"),
    (r"""echo 'a"b' "a'b" """, """a"b a'b"""),
    (r"""echo 'a\nb' """, r"a\nb"),
    (r'''echo "a\"b\\c" ''', r'a"b\c'),
    (r"echo \; \# \> \& \$", "; # > & $"),
    ("echo ';' '#' '>' '&' '$?'", "; # > & $?"),
    ('echo "x;y" "a>b" "c&d" "e#f"', "x;y a>b c&d e#f"),
    ("echo a'b'\"c\"d", "abcd"),
    ("echo ''", ""),
    ("echo x '' y", "x  y"),
    ("echo a#b", "a#b"),
    ("echo before # echo after", "before"),
    ("# nothing at all", None),
    ("", None),
    ("   ", None),
    ("echo -e 'a\\tb'", "a\tb"),
    ("echo -ne 'a\\tb' -n; echo", "a\tb -n"),
    ("echo -1 -x --", "-1 -x --"),
    ("echo one; echo two", "one\ntwo"),
    ("echo one ;echo two;", "one\ntwo"),
])
def test_words_and_quotes_are_sh(nop5, line, expected):
    assert nop5.check(line) == ("" if expected is None else expected + "\n")


def test_every_redirection_is_done_in_its_turn(nop5):
    nop5.check("mkdir /tmp/turn; cd /tmp/turn")
    nop5.check("echo one > a > b >> c")
    assert nop5.check("cat a b c; wc a").split()[:2] == ["one", "0"]
    result = nop5.run("echo two > c > /nowhere/d > e")
    assert result.status == 1 and result.lines == ["-/bin/sh: can't create /nowhere/d: nonexistent directory"]
    assert nop5.check("ls").split() == ["a", "b", "c"]
    nop5.check("echo three > a; echo four > b")
    assert nop5.check("cat < a < b") == "four\n"
    nop5.check("rm a b c; cd; rmdir /tmp/turn")


def test_ctrl_c_ends_all_commands_of_the_line(nop5):
    """Also when it arrives as the first command ends. (A signal to a task that has just ended is lost, as in Linux.)"""
    for _ in range(50):
        nop5.send("echo started; sleep 1000; echo never\n")
        nop5.expect(r"^started\r\n")
        nop5.type_interrupts()
        assert b"never\r" not in nop5.before


def test_echo_n_leaves_the_newline_out(nop5):
    nop5.check("echo -n abc > /tmp/f; echo -n def >> /tmp/f; echo >> /tmp/f")
    assert nop5.check("cat /tmp/f; rm /tmp/f") == "abcdef\n"


@pytest.mark.parametrize("line, status", [
    ("echo x", 0), ("cat /nowhere", 1), ("no-such-command", 127), ("grep absent /proc/version", 1),
    ("grep nop5 /proc/version", 0), ("cat /nowhere; echo fine", 0), ("echo fine; cat /nowhere", 1)])
def test_status_is_the_last_commands(nop5, line, status):
    assert nop5.run(line).status == status


def test_status_expands_in_quotes_and_words(nop5):
    assert nop5.command_output('cat /nowhere; echo "<$?>" a$?b').endswith("\n<1> a1b\n")
    assert nop5.check("echo '$?'") == "$?\n"


def test_dollar_dollar_is_the_shells_pid(nop5):
    pid = nop5.check("echo $$").strip()
    assert pid.isdigit() and nop5.check("echo $$").strip() == pid
    assert re.search(rf"^ *{pid} .*/bin/sh$", nop5.check("ps"), re.M)


def test_each_command_is_a_task_of_its_own(nop5):
    pids = [nop5.check("cat /proc/self/stat").split()[0] for _ in range(3)]
    assert len(set(pids)) == 3 and nop5.check("echo $$").strip() not in pids


def test_an_unknown_command_is_named(nop5):
    result = nop5.run("frobnicate now")
    assert result.status == 127
    assert "-/bin/sh: frobnicate: not found" in result.lines


@pytest.mark.parametrize("quote", "'\"")
def test_an_unclosed_quote_asks_for_the_rest_of_the_text(nop5, quote):
    nop5.send(f"echo {quote}abc\n")
    nop5.expect(r"^> (\x1b\[6n)?")
    assert nop5.check(f"def{quote}") == "abc\ndef\n"


@pytest.mark.parametrize("line, status, error", [
    ("echo >", 2, "-/bin/sh: syntax error: unexpected newline"), ("echo <", 2, "-/bin/sh: syntax error: unexpected newline"),
    ("echo a | ; echo b", 2, '-/bin/sh: syntax error: unexpected ";"'),
    ("cat < /nowhere", 1, "-/bin/sh: can't open /nowhere: no such file")])
def test_a_bad_line_is_refused_and_the_shell_goes_on(nop5, line, status, error):
    result = nop5.run(line)
    assert (result.lines, result.status) == ([error], status)
    assert nop5.check("echo on") == "on\n"


def test_two_hundred_arguments_arrive(nop5):
    words = [f"w{i}" for i in range(200)]
    assert nop5.check("echo " + " ".join(words)).split() == words


def test_a_script_may_have_a_line_and_a_word_of_100_000_bytes(nop5):
    nop5.check("( echo -n 'echo '; dd if=/dev/zero bs=100000 count=1 2> /dev/null | tr '\\0' y; echo; echo 'echo on' ) > /tmp/long")
    assert nop5.check("sh /tmp/long | wc") .split() == ["2", "2", "100004"]
    nop5.check("rm /tmp/long")


def test_background_job_runs_beside_the_shell_and_wait_reaps_it(nop5):
    nop5.run("sleep 1000 &")
    eventually(lambda: len(tasks(nop5, "sleep")) == 1)  # the task has the shell's name before
    kill(nop5, "sleep")
    assert not tasks(nop5, "sleep")


def test_a_background_job_that_reads_the_terminal_is_stopped(nop5):
    nop5.run("cat &")
    assert "Stopped (tty input)" in eventually(lambda: nop5.check("jobs") if "Stopped" in nop5.check("jobs") else "")
    nop5.send("fg\n")
    nop5.expect(r"^cat\r\n")
    nop5.send("word\n")
    nop5.expect(r"^word\r\nword\r")
    nop5.send(b"\x04")
    nop5.wait_prompt()
    assert nop5.check("jobs") == ""


def test_wait_waits_for_all_jobs(nop5):
    nop5.check("echo 'sleep 1; echo done >> /tmp/jobs' > /tmp/job")
    for _ in range(5):
        nop5.run("sh /tmp/job &")
    nop5.run("wait")
    assert nop5.check("cat /tmp/jobs") == "done\n" * 5
    nop5.check("rm /tmp/jobs /tmp/job")


def test_a_background_jobs_files_are_its_own(nop5):
    nop5.check("mkdir /tmp/d")
    nop5.check("cd /tmp/d")
    nop5.run("sleep 1 &")
    assert nop5.check("pwd") == "/tmp/d\n"
    nop5.run("wait")
    nop5.check("cd")
    assert nop5.check("pwd") == "/\n"
    nop5.check("rmdir /tmp/d")


def test_sh_runs_a_script_with_its_own_directory_and_status(nop5):
    nop5.check("echo 'cd /proc' > /tmp/s; echo 'echo in; pwd' >> /tmp/s; echo 'cat /nowhere' >> /tmp/s")
    result = nop5.run("sh /tmp/s")
    assert result.lines[:2] == ["in", "/proc"] and result.status == 1
    assert nop5.check("pwd") == "/\n"
    assert nop5.run("sh /nowhere").status != 0
    nop5.check("rm /tmp/s")


def test_the_output_of_a_redirected_builtin_reaches_the_file_only(nop5):
    assert nop5.check("help > /tmp/help") == ""
    assert nop5.check("grep -c 'Built-in commands' /tmp/help") == "1\n"
    nop5.check("rm /tmp/help")


def test_each_applet_of_busybox_and_each_program_of_nop5_is_found(nop5):
    assert int(nop5.check("busybox --list | wc -l")) > 250
    nop5.check("busybox --list > /tmp/names; echo hackbench stress dis trace-export chrt >> /tmp/names")
    assert nop5.run("for name in $(cat /tmp/names); do type $name > /dev/null || echo $name; done").output == ""
    nop5.check("rm /tmp/names")


def test_head_tail_grep_wc(nop5):
    nop5.check("for i in $(seq 30); do echo line $i; done > /tmp/n")
    assert nop5.check("head -n 2 /tmp/n") == "line 1\nline 2\n"
    assert nop5.check("head -2 /tmp/n") == nop5.check("head -n2 /tmp/n") == "line 1\nline 2\n"
    assert nop5.check("head /tmp/n").splitlines()[-1] == "line 10"
    assert nop5.check("tail -n 2 /tmp/n") == "line 29\nline 30\n"
    assert nop5.check("tail -2 /tmp/n") == "line 29\nline 30\n"
    assert nop5.check("tail /tmp/n").splitlines()[0] == "line 21"
    assert nop5.check("grep 'ne 3' /tmp/n") == "line 3\nline 30\n"
    assert nop5.check("grep -c 'line 1' /tmp/n") == "11\n"
    assert nop5.check("grep -v line /tmp/n; echo") == "\n"
    assert nop5.check("grep -v -c 'line 1' /tmp/n") == "19\n"
    assert nop5.check("grep -c 'line 30' /tmp/n /proc/version") == "/tmp/n:1\n/proc/version:0\n"
    assert nop5.run("grep absent /tmp/n /nowhere").status == 2
    assert nop5.check("wc /tmp/n").split() == ["30", "60", str(9 * 7 + 21 * 8), "/tmp/n"]
    assert nop5.check("head -n 3 < /tmp/n").count("\n") == 3
    assert nop5.check("head -1 /tmp/n | cat /proc/version - | tail -1") == "line 1\n"
    nop5.check("rm /tmp/n")


def test_hexdump_shows_bytes_and_text(nop5):
    nop5.check("echo -e 'AB\\001~' > /tmp/h")
    line = nop5.check("hexdump -C /tmp/h").splitlines()[0]
    assert re.match(r"0*0 .*41 42 01 7e 0a", line), line
    assert "|AB.~.|" in line
    nop5.check("rm /tmp/h")


def test_time_reports_real_time_and_passes_the_status_on(nop5):
    result = nop5.run("time cat /nowhere")
    assert re.search(r"^real\s", result.output, re.M)
    assert result.status == 1


def test_time_counts_what_the_children_have_used(nop5):
    output = nop5.run("time stress -c 1 -t 1").output
    assert float(re.search(r"^user\s+0m ([\d.]+)s$", output, re.M)[1]) > 0


def test_free_and_uptime_agree_with_proc(nop5):
    total = int(re.search(r"MemTotal: +(\d+)", nop5.check("cat /proc/meminfo")).group(1))
    assert re.search(rf"^Mem: +{total} ", nop5.check("free"), re.M)
    assert re.search(r"\bup\b.*load average: \d+\.\d\d, \d+\.\d\d, \d+\.\d\d", nop5.check("uptime"))


def test_dmesg_has_stamps_of_seconds_and_micros(nop5):
    lines = nop5.check("dmesg").splitlines()
    assert "nop5 version" in lines[0] or any("nop5 version" in l for l in lines[:5])
    stamps = [float(re.match(r"\[ *(\d+\.\d{6})\] ", l).group(1)) for l in lines]
    assert len(stamps) > 10


def test_kill_of_a_pid_without_a_task_fails(nop5):
    result = nop5.run("kill 99999")
    assert result.status == 1 and "No such process" in result.output


def test_a_kernel_thread_cannot_be_killed(nop5):
    pid, = tasks(nop5, "rcu_sched")
    nop5.check(f"kill -9 {pid}; kill {pid}")  # root may; the thread ignores them, as on Linux
    nop5.check("ls / > /dev/null")
    assert (pid, "rcu_sched") in listing(nop5)


@pytest.mark.parametrize("line", ["sleep", "sleep x", "kill x", "taskset", "taskset -c 99 echo", "chrt -f 100 echo x",
                                  "hackbench -g", "hackbench -g 0", "hackbench -g 1001", "stress -x", "head -n x /proc/version", "mkdir", "rm", "cat -z"])
def test_a_bad_argument_gets_an_error_and_the_prompt(nop5, line):
    result = nop5.run(line)
    assert result.status != 0
    assert result.output.strip()


def test_nothing_leaks_through_errors(nop5):
    """A hundred failed commands leak no task and no memory."""
    for line in "no-such-command a b c", "cat /nowhere", "echo x > /nowhere/y", "sh /nowhere":
        nop5.check(f"echo '{line}' >> /tmp/errors")
    nop5.check("for i in $(seq 25); do cat /tmp/errors; done > /tmp/many; mv /tmp/many /tmp/errors")
    nop5.run("sh /tmp/errors")
    before = resources(nop5)
    for _ in range(3):
        nop5.run("sh /tmp/errors > /dev/null")
    resources_return_to(nop5, before)
    nop5.check("rm /tmp/errors")


@pytest.mark.parametrize("script, status", [("exit", 0), ("exit 3", 3), ("exit 259", 3), ("cat /nowhere\nexit", 1), ("exit 2; ls", 2),
                                            ("exit 4 &\nwait", 0), ("exit 5 | cat", 0), ("cat /nowhere; exit 0", 0)])
def test_exit_ends_a_script_with_its_status(nop5, script, status):
    nop5.check("echo -ne '" + script.replace("\n", "\\n") + "\\n' > /tmp/script; echo 'echo behind' >> /tmp/script")
    result = nop5.run("sh /tmp/script")
    ended = not script.startswith(("exit 4", "exit 5"))
    assert result.status == status and ("behind" in result.output) != ended


def test_exit_refuses_an_argument_that_is_no_number(nop5):
    result = nop5.run("exit many")
    assert (result.output, result.status) == ("-/bin/sh: exit: Illegal number: many\n", 2)


def test_after_exit_at_the_prompt_comes_another_shell(nop5):
    before = nop5.check("echo $$")
    nop5.send("exit 1\n")
    nop5.wait_prompt()
    assert nop5.check("echo $$") != before
