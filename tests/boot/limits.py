"""No test hangs the run: each has a limit, whatever it waits for, and leaves no process behind.

A test that waits in a system call, for a lock, or for the end of a process, does not come to a check of its own. So a thread
looks at a stopwatch (scripts/stopwatch.py: it stands still while the worker's processes wait for a CPU of the host). At the
limit it raises Hangs in the test and ends its processes: by a signal, which also ends a wait, if tests run on the main
thread. A worker of xdist may run them on another thread, where an exception comes only after the wait. A test that
does not end even so ends its process: xdist then fails the test, and starts another worker.

This is a plugin of pytest; conftest.py takes its hooks.
"""
import contextlib
import ctypes
import os
import signal
import sys
import threading
import time

import pytest

from nop5 import Stopwatch
from stopwatch import family

# Seconds after which a test hangs, and a long test: NOP5_LIMIT=60 makes both shorter.
LIMIT = int(os.environ.get("NOP5_LIMIT", "1200"))
LONG = int(os.environ.get("NOP5_LIMIT", str(6 * 3600)))
MARK = "NOP5_TEST_WORKER"
GRACE = 30  # seconds until a test must have ended after its processes
LOOK = 5  # seconds between two looks at the stopwatch


class Hangs(BaseException):
    """The test has not ended within its limit. No `except Exception` of a test may take it for something else."""


def raise_hangs(_number, _frame):
    raise Hangs


def interrupt(thread):
    """Raise Hangs in a thread."""
    if thread is threading.main_thread():
        signal.pthread_kill(thread.ident, signal.SIGALRM)
    else:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Hangs))


def pytest_sessionstart():
    """Prepare a process that runs tests.

    A shell that starts the run in the background, or nohup, ignores SIGINT or SIGHUP, and children inherit that: a program
    that a test ends by such a signal would stay. Children also inherit MARK: so orphans are found, too.
    """
    os.environ[MARK] = str(os.getpid())
    if threading.current_thread() is not threading.main_thread():
        return  # tests/run has set the signals before this process began
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGALRM, raise_hangs)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    with watch(item.nodeid, LONG if any(map(item.get_closest_marker, ("soak", "tools", "variant"))) else LIMIT):
        yield


@contextlib.contextmanager
def watch(name, limit):
    """Watch one test, which hangs after limit seconds."""
    begin, done, thread = ticks(), threading.Event(), threading.current_thread()

    def look():
        stopwatch = Stopwatch(os.getpid())
        while not done.wait(min(LOOK, limit)):
            if stopwatch.seconds() > limit:
                sys.__stderr__.write(f"\n{name} hangs: it has not ended within {limit} s; its processes are killed\n")
                victims = [pid for pid in processes() - {os.getpid()} if began(pid) >= begin]
                interrupt(thread)  # before the processes end, or the test might pass
                end(victims)
                if not done.wait(min(GRACE, 5 * limit)):
                    os._exit(70)
                return

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def processes():
    """The descendants of this process, and those orphans that descend from it."""
    found, mark = set(family(os.getpid())), f"{MARK}={os.getpid()}\0".encode()
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
            if mark in file.read():
                found.add(int(name))
    return found


def ticks():
    """The time in the unit in which Linux says when a process has begun."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))


def began(pid):
    """When a process has begun, in ticks; never, if it has ended."""
    with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return int(file.read().rpartition(")")[2].split()[19])
    return 0


def end(victims):
    """Kill processes. A machine that tests share may be among them: it boots again."""
    for pid in victims:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
