"""Programs of busybox that use the whole screen, or another terminal: they read keys, set modes, and ask for the size."""
import pytest

from clones import machine_at_prompt


@pytest.fixture(scope="module")
def machine(images):
    machine = machine_at_prompt(build=images, cpus=2)
    machine.check("stty rows 24 cols 80")
    yield machine
    machine.check("stty | grep -q '^speed 115200 baud'")
    machine.close()


@pytest.fixture(autouse=True)
def modes_stay(machine):
    """A program that has set modes of the terminal gives them back."""
    before = machine.check("stty -a")
    yield
    assert machine.check("stty -a") == before


def test_vi_edits_a_file(machine):
    machine.check("printf 'one\\ntwo\\nthree\\n' > /tmp/text")
    machine.send("vi /tmp/text\n")
    machine.expect(r"- /tmp/text.*1/3")  # the line of state at the bottom
    machine.send(b"jdd")      # the second line goes
    machine.send(b"ofour five\x1b")  # a line below
    machine.expect(r"- /tmp/text \[Modified\] 3/3")  # a key right behind ESC would be one of its sequences
    machine.send(b"\x1b[D\x1b[Dx")  # two characters to the left
    machine.send(b":%s/three/3/\n")
    machine.send(b":wq\n")
    machine.wait_prompt()
    assert machine.check("cat /tmp/text") == "one\n3\nfour fve\n"


def test_vi_is_stopped_and_goes_on(machine):
    machine.check("echo old > /tmp/text")
    machine.send("vi /tmp/text\n")
    machine.expect(r"- /tmp/text.*1/1")
    machine.send(b"\x1a")
    machine.wait_prompt()
    assert "Stopped" in machine.check("jobs")
    machine.send("fg\n")
    machine.expect(r"- /tmp/text")
    machine.send(b"xZZ")
    machine.wait_prompt()
    assert machine.check("cat /tmp/text") == "ld\n"


def test_less_shows_pages_and_finds_a_word(machine):
    machine.check("seq 1000 > /tmp/numbers")
    machine.send("less /tmp/numbers\n")
    machine.expect(r"K22\r\n\x1b\[K23\r\n.*/tmp/numbers")
    machine.send(b" ")
    machine.expect(r"K45\r\n\x1b\[K46\r\n")
    machine.send(b"/777\r")
    machine.expect(r"777.*K799\r\n")
    machine.send(b"q")
    machine.wait_prompt()


def test_more_waits_for_a_key(machine):
    machine.send("more /tmp/numbers\n")
    machine.expect(r"--More-- ")
    machine.send(b" ")
    machine.expect(r"^40\r\n.*--More-- ")
    machine.send(b"q")
    machine.wait_prompt()


def test_top_shows_the_tasks_until_q(machine):
    machine.send("top -d 1\n")
    machine.expect(r"Mem: \d+K used, \d+K free")
    machine.expect(r"CPU: +\d+% usr +\d+% sys +\d+% nic +\d+% idle")
    machine.expect(r"Load average: [\d.]+ [\d.]+ [\d.]+ \d+/\d+ \d+")
    machine.expect(r"PID +PPID USER +STAT +VSZ %VSZ .*%CPU COMMAND")
    machine.expect(r"\d+ +1 root +S .* -?sh")
    machine.expect(r"Mem: \d+K used")  # the second round
    machine.send(b"q")
    machine.wait_prompt()


def test_watch_repeats_a_command_until_it_is_interrupted(machine):
    machine.check("echo 0 > /tmp/n")
    machine.send("watch -n 1 'read n < /tmp/n; echo round $n; echo $((n + 1)) > /tmp/n'\n")
    machine.expect(r"Every 1.0s: read n")
    machine.expect(r"round 2\r")
    machine.type_interrupts()  # more than once: watch ignores ^C while its command runs (system(3))


def test_su_gives_another_user_a_shell(machine):
    machine.send("su -s /bin/sh nobody\n")
    machine.wait_prompt()
    assert machine.check("id") == "uid=65534(nobody) gid=65534(nogroup) groups=65534(nogroup)\n"
    assert machine.run("cat /proc/kcore").output == "cat: can't open '/proc/kcore': Permission denied\n"
    machine.send("exit\n")
    machine.wait_prompt()
    assert machine.check("id -u") == "0\n"


def test_a_change_of_the_size_is_told_to_the_job_in_the_foreground(machine):
    machine.send("trap 'stty size' WINCH; (sleep 1; stty rows 30 cols 100) & wait $!; trap - WINCH\n")
    machine.expect(r"^30 100\r")
    machine.wait_prompt()
    machine.check("wait; stty rows 24 cols 80")
