"""Runs commands on a running machine through its `trace-export -l` (docs/trace-export.md)."""
import io
import secrets
import signal
import threading
import time

import trace_link

PATIENCE = 3.0  # seconds without an answer before a hint for the user


class Interrupt:
    """The first ^C only sets `came`, so that it interrupts no operation; the second one raises KeyboardInterrupt.

    Only the main thread can handle signals. In another thread, as in a worker of pytest, ^C keeps its meaning.
    """

    def __enter__(self):
        self.came = False
        self.handles = threading.current_thread() is threading.main_thread()
        if self.handles:
            self.before = signal.signal(signal.SIGINT, self.note)
        return self

    def note(self, *_arguments):
        if self.came:
            raise KeyboardInterrupt
        self.came = True

    def __exit__(self, *_error):
        if self.handles:
            signal.signal(signal.SIGINT, self.before)


class Remote:
    """The machine at the other end of a line. `say` prints a message for the user."""

    def __init__(self, line, say):
        self.line, self.say = line, say
        self.answered = False

    def begin(self, word, command, receiver):
        """Repeats the request until the machine answers. Raises Broken when the line is closed."""
        text = trace_link.request(word, receiver.expected, command)
        started, told, asked = time.monotonic(), self.answered, 0.0
        while not receiver.session:
            if time.monotonic() - asked > trace_link.SILENCE:
                asked = time.monotonic()
                self.line.write(text)
            self.pump(receiver)
            if not told and time.monotonic() - started > PATIENCE:
                told = True
                self.say("no answer yet: `trace-export -l &` at the machine's prompt lets this program run commands there")
        self.answered = True

    def pump(self, receiver):
        if not trace_link.pump(self.line, receiver):
            raise trace_link.Broken("the machine has gone")

    def finish(self, receiver, progress=lambda: None):
        """Waits for the end of the command and of the transfer. Returns the command's status. ^C ends the command, a
        second ^C ends the waiting."""
        with Interrupt() as interrupt:
            while not trace_link.finished(receiver):
                self.pump(receiver)
                progress()
                if interrupt.came and not receiver.stopping:
                    self.say("\n^C: ending the command; ^C again leaves it")
                    receiver.stopping = True
                    self.line.write(receiver.stop_line())
        if receiver.end["status"] == "failed":
            raise trace_link.Broken(f"the machine says: {receiver.end['error']}")
        return int(receiver.end["exit"])

    def receiver(self, journal, print_output):
        return trace_link.Receiver(journal, secrets.randbelow(0xfffffffe) + 1, print_output)

    def run(self, command):
        """Returns a command's output and status."""
        output = bytearray()
        receiver = self.receiver(io.BytesIO(), output.extend)
        self.begin("run", command, receiver)
        status = self.finish(receiver)
        if receiver.stopping:
            raise KeyboardInterrupt
        return bytes(output), status

    def record(self, command, receiver, progress):
        """Runs a command while the machine sends its trace to the receiver. Returns the command's status."""
        self.begin("record", command, receiver)
        status = self.finish(receiver, progress.show)
        progress.show(last=True)
        return status
