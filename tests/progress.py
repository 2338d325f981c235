"""The line that says how far a test run is: done, all, failed, time left. Only a terminal gets it.

How many tests there are, and how long each took, is what the run before has written to build/test/times.json.
"""
import json
import sys
import time


class Progress:
    """Counts tests as they end. workers tests run at the same time."""

    def __init__(self, path, workers):
        self.path = path
        self.workers = workers
        self.shown = sys.stdout.isatty()
        try:
            self.times = json.loads(path.read_text())
        except (OSError, ValueError):
            self.times = {}
        self.all = 0
        self.done = self.failed = 0
        self.expected = {}  # seconds of the tests that have not ended
        self.start = time.monotonic()

    def expect(self, names):
        """These tests will run, too."""
        self.all += len(names)
        self.expected.update({name: self.times.get(name, 0) for name in names})

    def ended(self, name, seconds, failed):
        """One test has ended. A name that expect() did not get counts as one more test."""
        if self.expected.pop(name, None) is None:
            self.all += 1
        self.done += 1
        self.failed += failed
        if seconds is not None:
            self.times[name] = round(seconds, 3)
        self.show()

    def show(self):
        if not self.shown:
            return
        left = sum(self.expected.values()) / self.workers
        when = f"about {left / 60:.0f} min left" if left >= 60 else f"about {left:.0f} s left"
        text = f"{self.done} of {self.all} done, {self.failed} failed, {when}" if self.times else \
            f"{self.done} of {self.all} done, {self.failed} failed, {time.monotonic() - self.start:.0f} s so far"
        print(f"\r\x1b[K{text}", end="", flush=True)

    def say(self, text):
        """Print whole lines. A terminal gets only those that are not about a test that passed: it has the progress line."""
        if self.shown:
            print("\r\x1b[K", end="")
        print(text, end="" if text.endswith("\n") else "\n", flush=True)
        self.show()

    def close(self):
        if self.shown:
            print("\r\x1b[K", end="", flush=True)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.times, indent=0, sort_keys=True))
