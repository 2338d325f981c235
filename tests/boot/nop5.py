"""nop5 in QEMU, for tests: boot an image, type commands, read their output.

Nothing here sleeps and hopes, and no test judges by the host's clock: a reader waits for a text. It calls the machine hung
after HANG seconds of a Stopwatch, which stands still while QEMU waits for a CPU of the host. NOP5_HANG=30 in the
environment makes that shorter while you work on something.
"""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

import pexpect
import pexpect.fdpexpect

import hang

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
HANG = int(os.environ.get("NOP5_HANG", "300"))
MONITOR = 20  # seconds for an answer of QEMU's monitor, when the machine is hung anyway
TICK = 1  # seconds between two looks at the stopwatch
PAUSE = 0.01  # seconds between two questions: what the test waits for needs the CPU

sys.path.insert(0, str(ROOT / "scripts"))
import oops  # noqa: E402
from stopwatch import Stopwatch  # noqa: E402

# A task of this command line, named sleep, has left its CPU for certain, and comes back, because a signal wakes it. (A timer may
# expire before the task that has started it leaves the CPU: then `sleep 0.01` does not sleep at all.)
SLEEP = "(sleep 1000 & until grep -q sleep /proc/$!/wchan; do :; done; kill $!; wait $!; true) 2> /dev/null"

PROMPT = r"nop5:(/\S*)(?: \((\d+)\))?# "
PROMPT_WITH_STATUS = "nop5:$PWD ($?)# "
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
STAMP = re.compile(r"^\[ *\d+\.\d{6}\] ?", re.M)

EXIT_POWEROFF = 0
EXIT_PANIC = 33

OVMF = [("/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"),
        ("/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd"),
        ("/usr/share/edk2/ovmf/OVMF_CODE.fd", "/usr/share/edk2/ovmf/OVMF_VARS.fd")]


class Died(Exception):
    """QEMU ended or hung while a test waited for some output."""


@dataclass
class Result:
    """The output of one command, without its echo, and its exit status."""
    output: str
    status: int

    @property
    def lines(self):
        return self.output.splitlines()

    @property
    def quiet(self):
        """The output without the kernel's own messages."""
        return [l for l in self.lines if not STAMP.match(l)]


def ovmf(directory):
    """QEMU's arguments for UEFI firmware, with its variables in directory. scripts/install-deps installs the firmware."""
    for code, variables in OVMF:
        if os.path.exists(code):
            copy = Path(directory) / "OVMF_VARS.fd"
            shutil.copy(variables, copy)
            return ["-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={code}",
                    "-drive", f"if=pflash,format=raw,unit=1,file={copy}"]
    raise FileNotFoundError("no UEFI firmware: " + ", ".join(code for code, _ in OVMF))


def expect(tty, patterns, pid, seconds=HANG):
    """Wait for one of the patterns on a pexpect terminal, and return its index.

    The last pattern is pexpect.TIMEOUT: its index means that process pid hangs.
    """
    stopwatch = Stopwatch(pid)
    while (found := tty.expect_list(patterns, timeout=TICK)) == len(patterns) - 1:
        if stopwatch.seconds() > seconds:
            break
    return found


class Nop5:
    """One virtual machine. boot: "elf" (PVH, no loader), "bios" or "uefi" (GRUB from the ISO).

    initrd: the root file system; the default is that of the build, or else of the default build, "" is none, as for self-tests.
    icount: time is a count of instructions, 2^shift ns for each, and CPUs take turns: seconds of waiting pass in an instant with a shift of 6.
    kernel: "nop5", or "nop5-test" with the self-tests, benches and provokers; the default when append begins them.
    """

    def __init__(self, boot="elf", build=BUILD, cpus=4, mem="256M", cpu="max", append="",
                 icount=False, shift=0, directory=None, extra=(), kernel=None, initrd=None):
        selftest = re.search(r"(?:^|\s)selftest(?:[\s=]|$)", append)
        kernel = kernel or ("nop5-test" if selftest else "nop5")
        self.prepared, self.cpus, self.elf = False, cpus, Path(build) / f"{kernel}.elf"
        if selftest and initrd is None:
            initrd = ""  # the self-tests mount the kernel's file systems themselves
        root = initrd
        if root is None:
            own = Path(build) / "rootfs.cpio"
            root = own if own.exists() else BUILD / "rootfs.cpio"
        self.monitor, monitor = socket.socketpair()
        if icount and cpus > 1:
            cpu += ",tcg-cpuid=off"  # scripts/boot says why
        command = ["qemu-system-x86_64", "-accel", "tcg" if icount else "tcg,thread=multi",
                   "-cpu", cpu, "-smp", str(cpus), "-m", mem, "-display", "none", "-no-reboot",
                   "-nodefaults", "-device", "isa-debug-exit,iobase=0xf4,iosize=0x04",
                   "-chardev", "stdio,id=com1,signal=off", "-serial", "chardev:com1",
                   "-chardev", f"socket,id=mon,fd={monitor.fileno()}", "-mon", "chardev=mon"]
        if icount:
            command += ["-icount", f"shift={shift},sleep=off", "-seed", "1"]
        if boot == "elf":
            command += ["-kernel", str(Path(build) / f"{kernel}.elf"), "-append", append]
            if root:
                command += ["-initrd", str(root)]
        else:
            image = Path(build) / f"{kernel}.iso"
            if append or initrd is not None:
                image = append_to_iso(Path(build) / f"{kernel}.elf", append, directory, root)
            command += ["-cdrom", str(image), "-boot", "d"]
        if boot == "uefi":
            command += ovmf(directory)
        command += list(extra)
        self.command = command
        # QEMU writes the serial line byte by byte: into a pipe this costs the host half of what it costs into a socket.
        self.qemu = subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     pass_fds=(monitor.fileno(),))
        monitor.close()
        self.transcript = []
        self.tty = pexpect.fdpexpect.fdspawn(self.qemu.stdout.fileno(), timeout=TICK,
                                             maxread=65536, searchwindowsize=4096)
        self.tty.logfile_read = self
        self.directory = self.status = None
        self.before = b""

    # pexpect writes its log through these two methods.
    def write(self, data):
        self.transcript.append(data)

    def flush(self):
        pass

    @property
    def text(self):
        """The output on the serial line so far."""
        return b"".join(self.transcript).decode("utf-8", "replace").replace("\r\n", "\n")

    @property
    def says(self):
        """What a failed test shows of the output: the beginning of the first oops or panic, and the last lines."""
        report = oops.report(b"".join(self.transcript)).decode("utf-8", "replace")
        if len(report) < 6000:
            return self.text[-6000:] if report in self.text[-6000:] else f"{report}[...]\n{self.text[-6000:]}"
        return f"{report[:6000]}\n[...]\n{self.text[-3000:]}"

    @property
    def alive(self):
        return self.qemu.poll() is None

    def expect(self, pattern, timeout=None):
        """Wait until the machine prints pattern, a regular expression, and return the match."""
        timeout = timeout or HANG
        patterns = [re.compile(pattern.encode(), re.M | re.S), pexpect.EOF, pexpect.TIMEOUT]
        found = expect(self.tty, patterns, self.qemu.pid, timeout)
        if found:
            why = ["has ended", f"has not said {pattern!r} within {timeout} s"][found - 1]
            raise Died(f"nop5 {why}; it said last:\n{self.says}\n{self.where_it_hangs() if found == 2 else ''}")
        self.before = self.tty.before
        return self.tty.match

    def where_it_hangs(self):
        """Where each CPU is, for the report of a machine that says nothing more."""
        self.monitor.settimeout(MONITOR)
        try:
            return hang.where(self.ask_qemu, self.cpus, self.elf)
        except (OSError, Died) as error:
            return f"QEMU's monitor: {error!r}"
        finally:
            self.monitor.settimeout(None)

    def wait_prompt(self):
        self.take_prompt(self.expect(PROMPT))
        if not self.prepared:
            self.prepared = True
            # The shell breaks the lines that it shows at the width of the terminal.
            self.command_output(f"stty cols 9999; PS1='{PROMPT_WITH_STATUS}'")
        return self

    def take_prompt(self, match):
        """Keep what a prompt says. The first one, and that of another shell, say no status."""
        self.directory = match.group(1).decode()
        self.status = match.group(2) and int(match.group(2))

    def send(self, text):
        """Type text. A thread types a long text, because QEMU reads it no faster than the kernel does."""
        data = text if isinstance(text, bytes) else text.encode()
        if len(data) < 4096:
            self.write_line(data)
            return None
        writer = threading.Thread(target=self.write_line, args=(data,), daemon=True)
        writer.start()
        return writer

    def write_line(self, data):
        """Write data to the serial line, and wait while it is full."""
        while data:
            data = data[self.qemu.stdin.write(data):]

    def command_output(self, command):
        """Type command, wait for the prompt, and return the output between the echo and the prompt."""
        self.send(command + "\n")
        self.wait_prompt()
        # The shell edits the line itself. It asks the terminal where the cursor is, and erases what is behind it.
        text = ESCAPE.sub("", self.before.decode("utf-8", "replace")).replace("\r\n", "\n")
        # A message of the kernel may have come before the echo.
        _, echo, output = text.partition(command + "\n")
        return output if echo else text.partition("\n")[2]

    def run(self, command):
        """The output and the exit status of one command line."""
        output = self.command_output(command)
        if self.status is not None:
            return Result(output, self.status)
        status = [l for l in self.command_output("echo $?").splitlines() if l.strip().isdigit()]
        return Result(output, int(status[-1]))

    def start(self, command):
        """Start a command, and wait until it is in the foreground. What is typed before that goes to the shell."""
        self.send(f"""sh -c 'echo st""arted; exec {command}'\n""")
        self.expect(r"^started\r\n")

    def interrupt(self, command):
        """Start a command that does not end by itself, and type ^C until the prompt comes back."""
        self.start(command)
        self.type_interrupts()

    def type_interrupts(self):
        """Type ^C until the prompt comes back."""
        for number in range(HANG):
            self.send(b"\x03")
            try:
                match = self.expect(PROMPT, timeout=1)
            except Died:
                if not self.alive:
                    raise
                continue
            self.take_prompt(match)
            if number:
                self.pass_prompts()
            return
        raise Died(f"^C does not help; nop5 said last:\n{self.says}")

    def pass_prompts(self):
        """Read the prompts that the shell may still print for each ^C after the first one. Keeps $? and self.before."""
        before = self.before
        self.send("status=$?; echo 'no' more; (exit $status)\n")
        self.expect(r"^no more\r\n")
        before += self.before
        self.wait_prompt()
        self.before = before

    def check(self, command):
        """Run a command that must succeed, and return its output."""
        result = self.run(command)
        assert result.status == 0, f"{command!r} gave {result.status}: {result.output}"
        return result.output

    def fetch(self, command):
        """The same for an output of more than 20 kB: the serial line costs the host 1.7 s of CPU time for a MB of text, and 0.2 s
        if the machine packs it."""
        return self.fetch_bytes(command).decode("utf-8", "replace")

    def fetch_bytes(self, command):
        """The same for an output of any bytes."""
        # Hexadecimal, because base64 may spell "BUG" and what else tests look for in all that a machine has said.
        packed = self.check(f"(set -o pipefail; ({command}) | gzip | xxd -p)").splitlines()
        return zlib.decompress(bytes.fromhex("".join(line for line in packed if not STAMP.match(line))), wbits=31)

    def wait_exit(self, status=None, progress=None):
        """Read until QEMU ends, and return its exit status. It must be status, if that is given. A line that matches
        progress shows that the machine does not hang: the limit counts from there."""
        patterns = [re.compile(progress.encode())] if progress else []
        while (found := expect(self.tty, [*patterns, pexpect.EOF, pexpect.TIMEOUT], self.qemu.pid)) < len(patterns):
            pass
        if found == len(patterns) + 1:
            raise Died(f"QEMU does not end; nop5 said last:\n{self.says}")
        code = self.qemu.wait()
        if status is not None:
            assert code == status, f"QEMU ended with {code}, not {status}:\n{self.says}"
        return code

    def poweroff(self):
        self.send("poweroff\n")
        self.wait_exit(EXIT_POWEROFF)

    def qemu_command(self, line):
        """Give QEMU's monitor a command, such as `nmi`."""
        self.monitor.sendall(line.encode() + b"\n")

    def ask_qemu(self, line):
        """Give QEMU's monitor a command, and return the answer up to the next prompt."""
        prompt, answer = b"(qemu) ", b""
        self.qemu_command(line)
        while not answer.endswith(prompt) or line.encode() not in answer:
            data = self.monitor.recv(65536)
            if not data:
                raise Died(f"QEMU has ended instead of answering {line!r}")
            answer += data
        return answer.decode()

    def close(self):
        if self.alive:
            self.qemu.kill()
        self.qemu.wait()
        for pipe in (self.qemu.stdin, self.qemu.stdout, self.qemu.stderr):
            pipe.close()
        self.monitor.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def append_to_iso(elf, append, directory, root):
    """Make an ISO image with a GRUB that passes append and a root file system to the kernel."""
    result = Path(directory) / "nop5.iso"
    subprocess.run([ROOT / "scripts/mkiso", elf, result, append], check=True, env=dict(os.environ, INITRD=str(root)))
    return result


def listing(machine):
    """The tasks as [(PID, name)], without the one that reads them."""
    text = machine.run("cat /proc/self/stat /proc/[0-9]*/stat 2> /dev/null").output  # a task may end while cat reads
    reader, *found = re.findall(r"^(\d+) \((.*)\) \S", text, re.M)
    return [task for task in found if task != reader]


def count_tasks(machine):
    """The number of tasks without kworkers, because their number varies."""
    return sum("kworker" not in name for _, name in listing(machine))


def resources(machine):
    """The least of several readings: a command that has ended leaves its PID and its credentials to a grace period, and so
    a reading may contain those of the command before it."""
    readings = [resources_now(machine) for _ in range(4)]
    return {what: min(reading[what] for reading in readings) for what in readings[0]}


def resources_return_to(machine, before):
    """Wait until the machine uses the same resources as before. A failure shows both."""
    eventually(lambda: resources(machine) == before, lambda: f"before {before}, now {resources(machine)}")


def resources_now(machine):
    """The resources that a load must return: tasks, kB outside the caches of freed memory, and objects in slab caches.

    The kernel keeps free stacks, objects in the per-CPU caches, and page tables. Kworkers come and go; each has four
    objects (objects_now() in selftest/lib/memory.c names them). The function waits until no callback waits for a grace period.
    """
    assert eventually(lambda: "waiting: 0\n" * 2 == "".join(re.findall(
        r"waiting: \d+\n", machine.check("cat /sys/kernel/debug/rcu_tasks"))))
    def kworkers(tasks):
        return [pid for pid, name in tasks if "kworker" in name]

    tasks, after = listing(machine), None
    while after is None or kworkers(after) != kworkers(tasks):  # a kworker came or went during the reading
        tasks = after or tasks
        # One task reads all: no second one is ending. Its own status is among those of the others.
        text = machine.run("cat /proc/meminfo /proc/slabinfo /proc/self/stat /proc/[0-9]*/status 2> /dev/null").output
        after = listing(machine)
    memory = {k: int(v) for k, v in re.findall(r"^(\w+): +(\d+) kB$", text, re.M)}
    used = memory["MemTotal"] - sum(memory[k] for k in ("MemFree", "Slab", "KernelStack", "PageTables"))
    # The shell keeps its history in memory of its own, and so on. The reader shares pages with its parent.
    reader = re.search(r"^(\d+) \(", text, re.M)
    used -= sum(int(size) for pid, size in re.findall(r"^Pid:\t(\d+)$(?:(?!^Pid:).)*?^RssAnon:\s+(\d+) kB$", text, re.M | re.S)
                if reader and pid != reader[1])
    objects = sum(map(int, re.findall(r"^\S+ +(\d+) +\d+ .*: slabdata", text, re.M)))
    return {"tasks": len(tasks) - len(kworkers(tasks)), "kB": used, "objects": objects - 4 * len(kworkers(tasks))}


def eventually(condition, says=None):
    """Ask again until condition() holds; return its value. After HANG seconds of this process it fails with says()."""
    stopwatch = Stopwatch(os.getpid())
    while not (result := condition()):
        if stopwatch.seconds() > HANG:
            raise Died(f"has not come true within {HANG} s: {says() if says else condition}")
        time.sleep(PAUSE)
    return result


def said(machine, command):
    """What a program has said, whatever its status is."""
    # Through a pipe: at `restart` gdb sets the positions in the program's files back, and in a file it would lose its own output.
    machine.run(f"({command}) 2>&1 | cat > /tmp/out")
    return machine.fetch("cat /tmp/out")


def has_in_order(text, patterns):
    """Asserts that text matches the regular expressions one after the other."""
    place = 0
    for pattern in patterns:
        found = re.compile(pattern, re.M).search(text, place)
        assert found, f"{pattern} is not in\n{text[place:]}\nof\n{text}"
        place = found.end()


def is_running(pid):
    """Whether a process of the host exists and has not ended. Whoever adopts an orphan may reap it late."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def host(command, **arguments):
    """Run a program of the host, as subprocess.run() does. The program hangs after HANG seconds of its stopwatch."""
    text = arguments.pop("input", None)
    check = arguments.pop("check", False)
    with tempfile.TemporaryFile() as given:
        if text is not None:  # not through a pipe: communicate() forgets what is left to send when its time is over
            given.write(text.encode() if isinstance(text, str) else text)
            given.seek(0)
            arguments["stdin"] = given
        with subprocess.Popen(command, **arguments) as process:
            output, errors = finish(process)
    if check and process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output, errors)
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def finish(process):
    """Wait for a program of the host, and return its output and errors."""
    stopwatch = Stopwatch(process.pid)
    while True:
        try:
            return process.communicate(timeout=TICK)
        except subprocess.TimeoutExpired as error:
            if stopwatch.seconds() > HANG:
                process.kill()
                output, errors = process.communicate()
                raise Died(f"{process.args} hangs; it said last:\n{output}\n{errors}") from error


def gdb_port(directory):
    """QEMU's arguments for a gdb that connects to directory / "gdb"."""
    return ["-chardev", f"socket,id=gdb,path={directory}/gdb,server=on,wait=off", "-gdb", "chardev:gdb"]


def gdb(directory, *commands, build=BUILD, kernel="nop5"):
    """Attach gdb to that machine, which is stopped on return. The first `continue` among commands resumes it."""
    script = [f"target remote {directory}/gdb", r"echo ready\n", *commands, "delete", "detach"]
    process = subprocess.Popen(["gdb", "-batch", "-nx", Path(build) / f"{kernel}.elf", *(f"-ex={command}" for command in script)],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while (line := process.stdout.readline()) != "ready\n":
        assert line, "gdb has ended"
    return process


def tasks(machine, comm):
    """The PIDs of the tasks with this name."""
    return [pid for pid, name in listing(machine) if re.search(rf"\b{comm}\b", name)]


CLOCK_NANOSLEEP = 230  # the number of the system call


def start_sleeper(machine):
    """Start a `sleep` that does not end by itself. Return its PID when it sleeps and has left its CPU."""
    machine.check("sleep 100000 &")
    pid = int(machine.check("echo $!"))
    eventually(lambda: machine.check(f"cat /proc/{pid}/syscall").startswith(f"{CLOCK_NANOSLEEP} "))
    return pid


def kill(machine, comm):
    """Kill the shell's background jobs with this name."""
    for pid in tasks(machine, comm):
        machine.run(f"kill {pid}")
    machine.run("wait")


@dataclass
class Ktap:
    """The report of the self-tests: passed tests, and failed tests with their diagnostics."""
    passed: list
    failed: list
    totals: tuple


def parse_ktap(text):
    """Read the KTAP report in a serial log. Lines may have time stamps."""
    passed, failed, totals, suite, notes = [], [], None, "", []
    for line in STAMP.sub("", text).splitlines():
        if match := re.match(r"\s+# Subtest: (\S+)", line):
            suite, notes = match.group(1), []
        elif match := re.match(r"\s+(ok|not ok) \d+ (\S+)", line):
            name = f"{suite}.{match.group(2)}"
            if match.group(1) == "ok":
                passed.append(name)
            else:
                failed.append(f"{name}: " + "; ".join(notes))
            notes = []
        elif match := re.match(r"# Totals: pass:(\d+) fail:(\d+)", line):
            totals = int(match.group(1)), int(match.group(2))
        elif match := re.match(r"\s+# (.*)", line):
            notes.append(match.group(1))
    return Ktap(passed, failed, totals)
