"""QEMU on this terminal (make run): tells the machine the size of the window, and leaves the terminal as it was.

The size goes to the third serial port, where /etc/init.d/window in the machine asks for it.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import termios
import threading

# The normal screen, the cursor, no colours, and lines that wrap: an editor in a machine that crashes changes all of these.
CLEAN = "\x1b[?1047l\x1b[?25h\x1b[0m\x1b[?7h"
WINDOW = "-chardev socket,id=window,fd={} -device isa-serial,index=2,iobase=0x3e8,irq=5,chardev=window"


def tell_size(port):
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    if not columns or not rows:  # a terminal that nobody has told its size, as that of `docker run -t` or of script(1)
        return
    with contextlib.suppress(OSError):  # the machine has ended
        port.sendall(f"{rows} {columns}\n".encode())


def answer(port):
    """Tell the size each time when the machine asks for it."""
    with contextlib.suppress(OSError):
        while port.recv(64):
            tell_size(port)


def run(command):
    """Run QEMU, and return its status. QEMU has the keyboard, ^C too. A reboot ends it (-no-reboot), and it does not say so."""
    if not sys.stdout.isatty() or not sys.stdin.isatty():
        return wait(subprocess.Popen(command))
    saved = termios.tcgetattr(sys.stdin)
    ours, theirs = socket.socketpair()
    process = subprocess.Popen([*command, *WINDOW.format(theirs.fileno()).split()], pass_fds=[theirs.fileno()])
    theirs.close()
    threading.Thread(target=answer, args=(ours,), daemon=True).start()
    signal.signal(signal.SIGWINCH, lambda *_: tell_size(ours))
    try:
        return wait(process)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, saved)
        print(CLEAN, end="", flush=True)


def wait(process):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for QEMU
    try:
        status = process.wait()
    finally:
        process.terminate()  # a signal has ended the wait
        process.wait()
    if not status:
        print("scripts/boot: the machine is off (after `reboot`, too); `make run` starts it again", file=sys.stderr)
    return status
