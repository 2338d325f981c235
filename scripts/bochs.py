"""Bochs as the machine of scripts/boot: it boots the ISO image, and the first serial port is a pseudo-terminal.

Bochs differs from QEMU in ways that this file hides:

- Debian's build has the debugger in it, which waits for commands before the first instruction: a file with `c` continues.
- A display is a must. The one for terminals needs a terminal: a pseudo-terminal, whose output nobody sees. It opens one more for
  the screen of the machine, and writes to it whenever the cursor blinks. Bochs stands still when nobody reads it: after 12 kB.
- Each way to end the emulation is an error of Bochs, with status 1. The log says which one it was.
- There is no isa-debug-exit. After a panic the CPUs stand still, and the emulation does not end.
- A reset boots again. QEMU ends instead, because scripts/boot asks for that (-no-reboot).
"""
import contextlib
import fcntl
import glob
import os
import pty
import re
import shutil
import subprocess
import tempfile
import termios
import threading
import time
import tty

from session import release_signals
from stopwatch import Stopwatch

MODEL = "corei7_skylake_x"  # x2APIC, TSC deadline, PCID, SMEP, SMAP, XSAVE, AVX-512
BIOS = "/usr/share/bochs/BIOS-bochs-latest"
VGA_BIOS = "/usr/share/vgabios/vgabios.bin"
TERMINAL = "/usr/lib/*/bochs/plugins/libbx_term_gui.so"
SECONDS_TO_START = 60
LOCAL_FLAGS = 3  # an index of what tcgetattr() returns

CONFIGURATION = """\
cpu: model={model}, count={cpus}, ips=50000000, quantum=16, reset_on_triple_fault=0
memory: guest={mib}, host={mib}
romimage: file={bios}
vgaromimage: file={vga_bios}
ata0-master: type=cdrom, path="{iso}", status=inserted
boot: cdrom
com1: enabled=1, mode=term, dev={serial}
display_library: term
log: {directory}/log
clock: sync=none
panic: action=fatal
"""

POWER_OFF = b"soft power off"
TRIPLE_FAULT = b"3rd (13) exception with no resolution"
RESET = b"Reset(HARDWARE) called"


class CannotStart(Exception):
    """Bochs is not installed, or refuses its configuration."""


def missing_packages():
    """The Debian packages that --bochs needs and that are not installed."""
    present = {"bochs": shutil.which("bochs"), "bochs-term": glob.glob(TERMINAL),
               "bochsbios": os.path.exists(BIOS), "vgabios": os.path.exists(VGA_BIOS)}
    return [package for package, found in present.items() if not found]


def mebibytes(text):
    """The size that qemu -m means by text."""
    match = re.fullmatch(r"(\d+)([MmGg]?)", text)
    if not match:
        raise CannotStart(f"--mem {text}: not a number of megabytes (256M) or gigabytes (1G)")
    return int(match[1]) * (1024 if match[2] in ("G", "g") else 1)


class Bochs:
    """A running Bochs. out and into are the file descriptor of the first serial port."""

    name = "Bochs"
    at_once = 8  # bytes: its UART has room for 16, and loses those that come while the kernel is slow to take them

    def __init__(self, iso, cpus, mem, model=None):
        if missing_packages():
            raise CannotStart(f"--bochs needs Debian's packages: apt install {' '.join(missing_packages())}")
        self.directory = tempfile.TemporaryDirectory(prefix="nop5-bochs-")
        self.screen, self.displayed = b"", 0
        self.out, terminal = pty.openpty()
        self.into = self.out
        self.configure(model=model or MODEL, cpus=cpus, mib=mebibytes(mem), iso=os.path.abspath(iso),
                       serial=os.ttyname(terminal), bios=BIOS, vga_bios=VGA_BIOS)
        self.start()
        try:
            self.wait_until_it_has_opened(terminal)
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise
        os.close(terminal)
        self.watch_display()

    def configure(self, **values):
        for name, text in ("configuration", CONFIGURATION.format(directory=self.directory.name, **values)), ("debugger", "c\n"):
            with open(os.path.join(self.directory.name, name), "w", encoding="utf-8") as file:
                file.write(text)

    def start(self):
        """Start Bochs on a pseudo-terminal of its own, which sends it SIGHUP if this program dies."""
        def begin():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            release_signals()

        ours, terminal = pty.openpty()
        directory = self.directory.name
        self.process = subprocess.Popen(
            ["bochs", "-q", "-f", f"{directory}/configuration", "-rc", f"{directory}/debugger"],
            stdin=terminal, stdout=terminal, stderr=terminal, env=dict(os.environ, TERM="xterm"), start_new_session=True,
            preexec_fn=begin)
        os.close(terminal)
        threading.Thread(target=self.watch_screen, args=(ours,), daemon=True).start()

    def watch_screen(self, terminal):
        """Read the terminal, so that Bochs can always write. The last text tells why Bochs does not start."""
        try:
            while data := os.read(terminal, 65536):
                self.screen = (self.screen + data)[-4096:]
        except OSError:  # Bochs has ended
            pass
        os.close(terminal)

    def watch_display(self):
        """Find the screen of the machine among Bochs' files, and read it: displayed counts its bytes."""
        directory = f"/proc/{self.process.pid}"
        for number in os.listdir(f"{directory}/fd"):
            with contextlib.suppress(FileNotFoundError):
                if os.readlink(f"{directory}/fd/{number}").endswith("/ptmx"):
                    with open(f"{directory}/fdinfo/{number}", encoding="ascii") as info:
                        index = re.search(r"^tty-index:\s*(\d+)$", info.read(), re.M)[1]
                    display = os.open(f"/dev/pts/{index}", os.O_RDONLY | os.O_NOCTTY)
                    threading.Thread(target=self.read_display, args=(display,), daemon=True).start()

    def read_display(self, display):
        try:
            while data := os.read(display, 65536):
                self.displayed += len(data)
        except OSError:  # Bochs has ended
            pass
        os.close(display)

    def wait_until_it_has_opened(self, serial):
        """Bochs opens the serial port's terminal, and lets it change characters (`onlcr`, `isig`): undo that."""
        stopwatch = Stopwatch(self.process.pid)
        while termios.tcgetattr(serial)[LOCAL_FLAGS] & termios.ICANON:
            if self.process.poll() is not None or stopwatch.seconds() > SECONDS_TO_START:
                errors = re.findall(rb">>PANIC<< ([^\r\n]*)", self.log() + self.screen)
                raise CannotStart("Bochs does not start: " + b"; ".join(errors[:1]).decode("utf-8", "replace"))
            time.sleep(0.02)
        tty.setraw(serial, termios.TCSANOW)

    def log(self):
        try:
            with open(os.path.join(self.directory.name, "log"), "rb") as log:
                return log.read()
        except FileNotFoundError:
            return b""

    def has_reset(self):
        """The machine boots for the second time. (The first reset is the power-on.)"""
        return self.log().count(RESET) > 1

    def wait(self, seconds):
        """The status that QEMU would end with: 0 after a power-off, a triple fault or a reset."""
        status = self.process.wait(seconds)
        log = self.log()
        return 0 if POWER_OFF in log or TRIPLE_FAULT in log or log.count(RESET) > 1 else status

    def triple_fault(self):
        return TRIPLE_FAULT in self.log()
