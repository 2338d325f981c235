"""What scripts/boot says: the output of the commands, or one JSON object (--json), and complaints on standard error."""

import json
import sys


def complain(message, text=b""):
    sys.stdout.flush()
    sys.stderr.write(f"scripts/boot: {message}\n")
    sys.stderr.flush()
    sys.stderr.buffer.write(text)
    sys.stderr.buffer.flush()


def plain(output):
    return output.replace(b"\r\n", b"\n")


class Text:
    """The output of the commands and nothing else. Standard error says which one failed."""

    def answer(self, command, output, status, _seconds, failed):
        """A command has ended. status is None if the machine was off before the shell could tell it."""
        sys.stdout.buffer.write(plain(output))
        sys.stdout.buffer.flush()
        if failed:
            complain(f"{command!r} ended with status {status}")

    def log(self, output):
        """The console of a machine that has ended before the first prompt."""
        sys.stdout.buffer.write(plain(output))
        sys.stdout.buffer.flush()

    def complain(self, message, text=b""):
        complain(message, text)

    def end(self, status):
        """The status of the whole run."""


class Json:
    """One object: `status` of the run, `message` (why it is not 0, and the kernel's report), `log` (the console of a
    machine that ended before the first prompt), and `commands`, each with its `command`, `output`, `status`, `seconds`."""

    def __init__(self):
        self.said = {"status": None, "message": "", "log": "", "commands": []}

    def answer(self, command, output, status, seconds, failed):
        text = plain(output).decode("utf-8", "replace")
        self.said["commands"].append({"command": command, "output": text, "status": status, "seconds": round(seconds, 3)})
        if failed:
            self.complain(f"{command!r} ended with status {status}")

    def log(self, output):
        self.said["log"] = plain(output).decode("utf-8", "replace")

    def complain(self, message, text=b""):
        self.said["message"] += f"{message}\n{plain(text).decode('utf-8', 'replace')}"

    def end(self, status):
        self.said["status"] = status
        print(json.dumps(self.said, ensure_ascii=False, indent=1))
