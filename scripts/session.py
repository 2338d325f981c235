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
def session(command, **options):
    """
    A Popen whose session ends with the block. A signal that comes while the process starts waits until the block has begun: an
    exception out of Popen() would leave behind a process that nobody knows.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        process = subprocess.Popen(command, start_new_session=True, **options,
                                   preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask))
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            yield process
        finally:
            end_session(process)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
