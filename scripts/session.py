"""A process in a session of its own, which ends with the one that has started it."""
import contextlib
import os
import signal
import subprocess

ENDING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


def end_session(process):
    """Kill the process and what it has left behind: its process group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe:
            pipe.close()


@contextlib.contextmanager
def signals_held():
    """
    A signal that comes within the block takes effect at its end: an exception out of Popen() would leave behind a process that
    nobody knows. What starts there calls release_signals() first.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def release_signals():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


@contextlib.contextmanager
def session(command, **options):
    """A Popen whose session ends with the block."""
    process = None
    try:
        with signals_held():
            process = subprocess.Popen(command, start_new_session=True, preexec_fn=release_signals, **options)
        yield process
    finally:
        if process:
            end_session(process)
