"""A running emulator at whose first serial port commands are typed. For scripts/boot."""

import os
import re
import select
import subprocess
import sys

import oops
from stopwatch import Stopwatch

# The output of a command may lack its last newline: the prompt then follows on the same line. A
# message of the kernel may follow the prompt.
PROMPT = re.compile(rb"(?:^|\n|\r)nop5:\S*# |nop5:\S*# (?=\Z|\[ *\d+\.\d{6}\] )")
# The shell asks the terminal for the position of the cursor, and erases the line behind the cursor.
TERMINAL_CODES = re.compile(rb"\x1b\[(?:6n|J)")
ANY_PROMPT = re.compile(rb"nop5:\S*# ")
NEWLINE = re.compile(rb"\n")
MESSAGES = rb"(?:\r?\n(?:\[ *\d+\.\d{6}\] [^\n]*\n)+)?"
STATUS = re.compile(rb"(?:^|\n)(\d+)\r?\n(?=(?:[^\n]*\n)*?[^\n]*nop5:\S*# )")
END_OF_PANIC = b"---[ end Kernel panic"
# The last line of a kernel that refuses its machine (boot_refuse()). It stands before the first prompt.
REFUSAL = re.compile(rb"^(?:\[ *\d+\.\d{6}\] )?nop5 needs [^\n]*\n", re.M)
PROMPT_OR_REFUSAL = re.compile(rb"(%s)|%s" % (REFUSAL.pattern, PROMPT.pattern), re.M)
# What the shell shows when a line has not ended the command: an open quote, a missing `done`.
UNFINISHED = "unfinished> "
PROMPT_OR_UNFINISHED = re.compile(rb"%s|(?:^|\n)(%s)\Z" % (PROMPT.pattern, UNFINISHED.encode()))


class TimedOut(Exception):
    """The kernel did not answer in time; the text says which time."""


class Ended(Exception):
    """The emulator has ended, or will do nothing more."""


class Unfinished(Exception):
    """The shell waits for the rest of a command."""


def echo_of(command):
    """What the terminal shows of a typed line. Messages of the kernel may split it."""
    return re.compile(MESSAGES.join(re.escape(bytes([byte])) for byte in command) + rb"\r?\n")


QUESTION = b"echo $?"
ASKED = echo_of(QUESTION)


class Machine:
    """A running emulator, and what its first serial port has sent.

    timeout: seconds for the boot and for each command; limit: for all of them. They are those of a Stopwatch.
    """

    def __init__(self, emulator, *, timeout, limit=None, verbose=False):
        self.emulator, self.process = emulator, emulator.process
        self.timeout, self.limit, self.verbose = timeout, limit, verbose
        self.whole = Stopwatch(self.process.pid)
        self.log = b""  # everything that the console has sent
        self.pending = b""  # the part of it that belongs to no command yet
        self.unanswered = 0  # bytes that were typed, and for which none has come back
        self.refused = False  # the kernel does not run on this machine
        os.set_blocking(self.emulator.into, False)

    def receive(self, more_to_send=b""):
        """Wait a second for bytes from the console, and send meanwhile. Returns the rest that is still to be sent.

        An emulator may lose what finds the FIFO of its UART full. It gets at_once bytes, and more when their echo has come, or
        nothing for a second.
        """
        out, into, at_once = self.emulator.out, self.emulator.into, self.emulator.at_once
        may_send = more_to_send and self.unanswered < at_once
        ready, writable, _ = select.select([out], [into] if may_send else [], [], 1)
        if self.emulator.has_reset():
            self.process.kill()
        if writable:
            try:
                sent = os.write(into, more_to_send[:at_once - self.unanswered])
                more_to_send = more_to_send[sent:]
                self.unanswered += sent
            except BlockingIOError:
                pass
            except BrokenPipeError:
                more_to_send = b""
        if not ready and not writable:
            self.unanswered = 0
        if ready:
            try:
                data = os.read(out, 65536)
            except OSError:  # EIO: Bochs has closed the terminal
                data = b""
            if not data:
                raise Ended
            self.log += data
            self.unanswered = max(self.unanswered - len(data), 0)
            self.pending = TERMINAL_CODES.sub(b"", self.pending + data)
            if self.verbose:
                sys.stderr.buffer.write(data)
                sys.stderr.buffer.flush()
        return more_to_send

    def expect(self, pattern, to_send=b"", start=0):
        """Wait until pattern matches the pending text behind start, and return the match."""
        stopwatch, late = Stopwatch(self.process.pid), None
        while True:
            match = pattern.search(self.pending, start)
            if match and not to_send:
                return match
            if END_OF_PANIC in self.pending:
                raise Ended
            if late:
                raise TimedOut(late)
            # What has come until now is still read.
            if stopwatch.exceeds(self.timeout):
                late = f"{self.timeout:g} s"
            elif self.limit is not None and self.whole.exceeds(self.limit):
                late = f"{self.limit:g} s of the whole run"
            to_send = self.receive(to_send)

    def wait_for_prompt(self):
        match = self.expect(PROMPT_OR_REFUSAL)
        if match[1]:
            self.refused = True
            raise Ended
        self.pending = self.pending[match.end():]

    def prepare(self):
        """Give the terminal so many columns that the shell does not break the lines that it shows, and the shell its second prompt."""
        end = self.expect(NEWLINE, f"stty rows 24 cols 9999; PS2='{UNFINISHED}'\n".encode()).end()
        end = self.expect(PROMPT, start=end).end()
        self.pending = self.pending[end:]

    def run(self, command):
        """Type a line, wait for the prompt, and return the output and the status of the line."""
        newline = self.expect(NEWLINE, command.encode() + b"\n")
        answer = self.expect(PROMPT_OR_UNFINISHED, start=newline.start())
        if answer[1]:
            raise Unfinished
        end = answer.end()
        # The question for the status also shows that the text was a prompt, because only a shell answers.
        self.expect(ASKED, QUESTION + b"\n", end)
        asked = list(ASKED.finditer(self.pending))[-1].start()
        status = self.expect(STATUS, start=asked)
        output = self.pending[:asked]
        echo = echo_of(command.encode()).search(output)
        shown = echo.end() if echo else newline.end()
        prompt = list(ANY_PROMPT.finditer(output))[-1]
        end = self.expect(PROMPT, start=status.end() - 1).end()
        self.pending = self.pending[end:]
        if status.group(1) != b"0":
            self.restore_status(int(status.group(1)))
        return output[shown:prompt.start()].replace(b"\r\n", b"\n"), int(status.group(1))

    def restore_status(self, status):
        """The question for the status has changed `$?`: set it again, for the next COMMAND."""
        command = b"(exit %d)" % status
        newline = self.expect(NEWLINE, command + b"\n")
        end = self.expect(PROMPT, start=newline.start()).end()
        self.pending = self.pending[end:]

    def stop(self):
        """Kill the emulator if it still runs. Returns its status, or None if it was killed."""
        try:
            return self.emulator.wait(0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def wait(self):
        """The machine has closed the console, or said its last word: read the rest, and return the emulator's status."""
        stopwatch = Stopwatch(self.process.pid)
        silent = self.refused or END_OF_PANIC in self.log
        try:
            while not stopwatch.exceeds(1 if silent else 10):
                self.receive()
        except Ended:
            pass
        try:
            return self.emulator.wait(1 if silent else 30)
        except subprocess.TimeoutExpired:
            return self.stop()

    def report(self):
        return oops.report(self.log)
