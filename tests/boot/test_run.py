"""`make run`: the console on this terminal, with the size of its window."""
import os
import signal
import socket
import termios

import pexpect
import pytest

import boot_run
from nop5 import ROOT
from stopwatch import family

PROMPT = "nop5:/# "


@pytest.fixture
def terminal(images):
    made = pexpect.spawn(str(ROOT / "scripts/boot"), ["--run", "--elf", "--cpus", "2", "--build", str(images)], dimensions=(33, 101),
                         encoding="utf-8", timeout=300)
    made.expect_exact(PROMPT)
    yield made
    made.close(force=True)


def run(terminal, command):
    """The output of a command. Its echo is not looked at: the shell draws its line again when it hears of another size of the window."""
    terminal.sendline(f"echo be''gin; {command}; echo e''nd")
    terminal.expect("begin\r+\n")
    terminal.expect("end\r+\n")
    output = terminal.before.replace("\r", "").strip()
    terminal.expect_exact(PROMPT)
    return output


def test_the_size_of_the_window_comes_from_the_terminal_and_follows_it(terminal):
    assert run(terminal, "until [ \"$(stty size)\" ]; do usleep 10000; done 2>/dev/null; stty size") == "33 101"
    terminal.setwinsize(40, 120)
    run(terminal, "until [ \"$(stty size)\" = '40 120' ]; do usleep 10000; done")
    assert run(terminal, "tty") == "/dev/console"


def test_a_terminal_without_a_size_tells_none(monkeypatch):
    ours, theirs = socket.socketpair()
    for size in ((0, 0), (101, 33)):
        monkeypatch.setattr(os, "get_terminal_size", lambda _, size=size: os.terminal_size(size))
        boot_run.tell_size(ours)
    assert theirs.recv(64) == b"33 101\n"


def qemu_of(terminal):
    return next(pid for pid in family(terminal.pid) if os.readlink(f"/proc/{pid}/exe").endswith("qemu-system-x86_64"))


def test_a_machine_that_ends_leaves_the_terminal_as_it_was(terminal):
    """Even if QEMU could not tidy up, and an editor in the machine had the screen."""
    raw = termios.tcgetattr(terminal.child_fd)
    run(terminal, "printf '\\033[?1047h\\033[?25l'")
    os.kill(qemu_of(terminal), signal.SIGKILL)
    terminal.expect(pexpect.EOF)
    assert "\x1b[?1047l\x1b[?25h\x1b[0m" in terminal.before
    assert termios.tcgetattr(terminal.child_fd)[3] & termios.ICANON and not raw[3] & termios.ICANON


def test_run_says_that_the_machine_is_off(terminal):
    terminal.sendline("reboot")
    terminal.expect_exact("scripts/boot: the machine is off (after `reboot`, too); `make run` starts it again")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
