"""gdb at its prompt: gdb of the machine, on its console, and gdb of the host, on a terminal of its own."""
import os
import re
import signal

import pexpect

from nop5 import ESCAPE, HANG, PROMPT, ROOT

QUIET = ["set pagination off", "set width 0", "set style enabled off"]
PROMPT_OF_GDB = r"\(gdb\) "
QUESTION = r"\(y or n\) "


def plain(data):
    return ESCAPE.sub("", data.decode("utf-8", "replace")).replace("\r", "")


def type_at_gdb(machine, command):
    """Types a command that gdb reads, or that starts it. Returns what is printed up to gdb's next prompt, or, when gdb has ended,
    up to the shell's. Says y when gdb asks."""
    said, line = "", command
    while True:
        machine.send(line + "\n")
        match = machine.expect(rf"{PROMPT}|{PROMPT_OF_GDB}|{QUESTION}")
        said += plain(machine.before)
        if not re.fullmatch(QUESTION.encode(), match.group(0)):
            break
        said += plain(match.group(0))
        line = "y"
    if match.group(1):
        machine.take_prompt(match)
    return said.partition(command + "\n")[2]


class HostGdb:
    """gdb of the host, in its root directory of nop5."""

    def __init__(self, program, *commands):
        self.tty = pexpect.spawn("gdb", ["-nx", "-q", str(program)], timeout=HANG, cwd=ROOT, env=dict(os.environ, TERM="dumb"))
        self.tty.setwinsize(50, 1000)
        for command in [*QUIET, "set confirm off", *commands]:
            self.say(command)

    def say(self, command, *patterns):
        """Gives gdb a command, and waits until it has printed the patterns."""
        self.tty.expect_exact("(gdb) ")
        self.tty.sendline(command)
        for pattern in patterns:
            self.tty.expect(pattern)

    def ask(self, command):
        """Gives gdb a command, and returns what it prints up to the next prompt."""
        self.say(command)
        self.tty.expect(rf"(?={PROMPT_OF_GDB})")
        return plain(self.tty.before).partition(command + "\n")[2]

    def close(self):
        # close(force=True) gives a killed gdb a tenth of a second, however slow the host is.
        self.tty.kill(signal.SIGKILL)
        self.tty.wait()
        self.tty.close()
