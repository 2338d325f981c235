"""A stopwatch for a process, by which scripts/boot and the tests judge that a machine hangs.

A limit in seconds of the host's clock says nothing on a host that other work keeps busy. So this stopwatch
stands still while the process waits for a CPU of the host: Linux counts that time for each thread, in
/proc/PID/task/TID/schedstat (Documentation/scheduler/sched-stats.rst). Where there is no such file the
stopwatch shows plain time.
"""
import os
import time


def family(pid):
    """A process and its descendants."""
    children = {}
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(name))
        except (OSError, ValueError, IndexError):  # no process, or it has just ended
            pass
    found = [pid]
    for parent in found:
        found += children.get(parent, [])
    return found


def waited(pid):
    """{thread: nanoseconds that it has waited for a CPU of the host}, of a process and its descendants."""
    found = {}
    if not os.path.exists("/proc/self/schedstat"):
        return found
    for process in family(pid):
        try:
            for thread in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{thread}/schedstat", encoding="ascii") as file:
                    found[thread] = int(file.read().split()[1])
        except (OSError, ValueError, IndexError):
            pass
    return found


class Stopwatch:
    """Seconds since it was made, without those in which a thread of the process or of a descendant waited for a CPU.

    Several threads wait at the same time: from one call of seconds() to the next the longest wait counts. So a process
    that has ended, and the one that has taken its turn, each count for their time. Waits count from the first call on:
    what each thread has waited takes longer to read than most tests wait.
    """

    def __init__(self, pid):
        self.pid = pid
        self.start = self.looked = self.counted = time.monotonic()
        self.before = None
        self.waits = 0

    def seconds(self):
        now = time.monotonic()
        total = waited(self.pid)
        if self.before is not None:
            longest = max((ns - self.before.get(thread, 0) for thread, ns in total.items()), default=0) / 1e9
            self.waits += min(longest, now - self.counted)
        self.before, self.counted = total, now
        return now - self.start - self.waits

    def exceeds(self, limit):
        """Whether it shows more seconds than limit. Looks at most once a second, so it may be asked for each byte."""
        now = time.monotonic()
        if now - self.looked < min(limit, 1):
            return False
        self.looked = now
        return self.seconds() > limit
