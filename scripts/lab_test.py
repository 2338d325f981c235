"""What the graded tests of labs/tests/ use: boot a student's kernel, type commands, run self-tests and host programs.

A test is a function test_NAME(lab). It returns, or raises Lost with what it expected and what it saw. Commands and
self-tests are answered together with a number that is new for each run (`nonce`), so that a kernel which just prints the
expected text earns nothing.
"""
import hashlib
import os
import random
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import oops

BOOT_FAILED = {1: "a command that failed", 2: "no answer in time", 3: "a crash of the kernel", 4: "no start of QEMU"}


class Lost(Exception):
    """The test is lost. Both texts complete the sentence "expected ..., but saw ..."."""

    def __init__(self, expected, seen):
        super().__init__(f"expected {expected}, but saw {seen}")
        self.expected, self.seen = expected, seen


def expect(condition, expected, seen):
    """Lose the test unless condition holds."""
    if not condition:
        raise Lost(expected, shorten(seen) or "nothing")


def shorten(text, limit=300):
    text = " / ".join(line.strip() for line in str(text).strip().splitlines() if line.strip())
    return text if len(text) <= limit else text[:limit] + "..."


@dataclass
class Answer:
    """What a command printed, and its status."""
    text: str
    status: int

    @property
    def lines(self):
        return self.text.splitlines()


@dataclass
class SelfTest:
    """The result of one in-kernel test, with its diagnostic lines."""
    ok: bool
    details: list[str]


# What a student's code may call on the host, too: printk() above all.
KERNEL_CALLS = "tests/host/stubs/kernel_calls.c"
# The folder of a build with the programs that run graded code on the host.
HOST_PROGRAMS = "host"


class TestedTree:
    """A tree with a student's solution, built into build/, as the tests of a lab see it."""

    def __init__(self, tree, *, timeout, seed, build_error=""):
        self.tree = Path(tree)
        self.build = self.tree / "build"
        self.timeout = timeout
        self.build_error = build_error
        self.random = random.Random(seed)  # to choose functions, sizes, orders
        self.nonce = f"{random.SystemRandom().getrandbits(48):012x}"

    def need_kernel(self):
        if self.build_error:
            raise Lost("a kernel that builds without warnings", shorten(self.build_error))

    def run_boot(self, commands, options):
        """The output and the status of scripts/boot."""
        self.need_kernel()
        result = subprocess.run([sys.executable, self.tree / "scripts/boot", "--build", self.build, "--timeout", str(self.timeout),
                                 *options, "--", *commands], stdin=subprocess.DEVNULL, text=True, errors="replace",
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return result

    def initrd(self, archive=None):
        """The options of scripts/boot for a root file system: this one, or that of the kernel under test, if it has programs."""
        archive = archive or self.build / "rootfs.cpio"
        return ["--initrd", archive if archive.exists() else "none"]

    def boot(self, *commands, cpus=2, append="", kernel="nop5", build=None, initrd=None, icount=False):
        """Boot, type the commands, and return their Answers. A crash or a time-out loses the test. icount: an instruction takes 1 ns."""
        number = random.SystemRandom().randrange(10**8, 10**9)
        typed = [f"{command}\necho $?:{number}''{n:03}" for n, command in enumerate(commands)]
        options = ["--cpus", str(cpus), "--kernel", kernel, *self.initrd(initrd), *(["--icount"] if icount else [])]
        if build:
            options += ["--build", build]
        result = self.run_boot(typed, options + (["--append", append] if append else []))
        answers, rest = [], result.stdout
        for n, command in enumerate(commands):
            mark = re.search(rf"(\d+):{number}{n:03}\n", rest)
            if not mark:
                raise Lost(f"an answer to `{command}`", f"{BOOT_FAILED.get(result.returncode, 'none')}: {last_words(result)}")
            answers.append(Answer(rest[:mark.start()], int(mark[1])))
            rest = rest[mark.end():]
        if result.returncode > 1:
            raise Lost("a kernel that stays up", f"{BOOT_FAILED[result.returncode]}: {last_words(result)}")
        return answers

    def boot_log(self, *, cpus=2, append="", build=None):
        """Boot, and return what the console shows up to the prompt and a first command."""
        options = ["--verbose", "--cpus", str(cpus), *self.initrd(), *(["--build", build] if build else [])]
        result = self.run_boot(["echo"], options + (["--append", append] if append else []))
        if "nop5:/# " not in result.stderr:
            raise Lost("a kernel that boots", f"{BOOT_FAILED.get(result.returncode, 'none')}: {last_words(result)}")
        return result.stderr.replace("\r\n", "\n")

    def crash(self, *, cpus=1, append="", build=None, commands=("true",)):
        """Boot a kernel that must panic, and return its report."""
        options = ["--cpus", str(cpus), *self.initrd(), *(["--build", build] if build else [])]
        result = self.run_boot(commands, options + (["--append", append] if append else []))
        expect(result.returncode == 3, "a panic", BOOT_FAILED.get(result.returncode, "a kernel that went on"))
        return result.stderr

    def selftests(self, glob, *, cpus=2, append="", icount=False):
        """Run the self-tests that match, and return {name: SelfTest}. A crash or a time-out loses the test."""
        result = self.run_boot([], ["--cpus", str(cpus), *(["--icount"] if icount else []), "--append", f"selftest={glob} selftest_nonce={self.nonce} {append}"])
        text = re.sub(r"^\[ *\d+\.\d+\] ", "", (result.stdout + result.stderr).replace("\r\n", "\n"), flags=re.M)
        found, details = {}, []
        for line in text.splitlines():
            if match := re.match(rf"    (not ok|ok) \d+ (\w+) # {self.nonce}$", line):
                found[match[2]] = SelfTest(match[1] == "ok", details)
                details = []
            elif line.startswith("    # ") and "Subtest:" not in line:
                details.append(line[6:])
        if report := oops.report(result.stderr.encode()):
            raise Lost(f"self-tests {glob} without a report of the kernel", shorten(report.decode().splitlines()[0]))
        if "# Totals: " not in text:
            raise Lost(f"self-tests {glob} that come to an end",
                       f"{BOOT_FAILED.get(result.returncode, 'none')} after {len(found)} of them: {last_words(result)}")
        return found

    def selftest(self, name, **arguments):
        """Run one self-test, SUITE.NAME, which must pass."""
        short = name.partition(".")[2]
        result = self.selftests(name, **arguments).get(short)
        expect(result, f"a result of the self-test {name}", "none")
        expect(result.ok, f"the self-test {name} to pass", "; ".join(line.removeprefix(f"{short}: ") for line in result.details))

    def run(self, *command, cwd=None, check=None, env=None):
        """Run a program on the host. check: what it is expected to do, if it must succeed."""
        result = subprocess.run([str(word) for word in command], cwd=cwd or self.tree, text=True, errors="replace",
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env=dict(os.environ, **env) if env else None)
        if check:
            expect(result.returncode == 0, check, f"status {result.returncode} of {Path(command[0]).name}: {result.stdout[-600:]}")
        return result

    def rebuild(self, *variables, change=None):
        """Build the kernel once more with these variables of make, in a copy of the tree, which change(copy) may change. Returns the build directory."""
        self.need_kernel()
        copy = self.tree.with_name(self.tree.name + "-copy")
        subprocess.run(["rm", "-rf", copy], check=True)
        subprocess.run(["cp", "-a", self.tree, copy], check=True)
        if change:
            change(copy)
        self.run("make", "-s", *variables, "build/nop5.elf", cwd=copy, check=f"the kernel to build with {' '.join(variables)}")
        return copy / "build"

    def host_program(self, source, *, options=(), sanitize=True):
        """Compile a C program of labs/tests/ for the host, with the kernel sources that its line `sources:` names. The tests of one grading share
        it, because their tree is the same: the next grading begins with an empty folder (lab_grade.py)."""
        source = self.tree / "labs/tests" / source
        options = [*(["-fsanitize=address,undefined"] if sanitize else []), *options]
        directory = self.build / HOST_PROGRAMS / hashlib.sha1(" ".join(options).encode()).hexdigest()
        program = directory / source.stem
        if program.exists():
            return program
        directory.mkdir(parents=True, exist_ok=True)
        named = re.search(r"sources: *(.*)", source.read_text())
        patterns = named[1].split() if named else []
        sources = [str(path.relative_to(self.tree)) for pattern in patterns for path in sorted(self.tree.glob(pattern))]
        for n, name in enumerate(sources):
            if name.endswith(".asm"):
                sources[n] = directory / f"{source.stem}-{Path(name).stem}.o"
                self.run("nasm", "-f", "elf64", "-I.", "-Iarch/x86_64/include/", "-o", sources[n], name, check=f"{name} to assemble")
        made = directory / f"{source.stem}.new"  # its own name only when it is complete
        self.run("cc", "-std=gnu11", "-g", "-O1", "-DNOP5_HOST", "-I.", "-Itests/host/stubs", "-Ilabs/tests", "-Iarch/x86_64/include",
                 f"-I{self.build}/include", *options, "-o", made, source, *sources, KERNEL_CALLS, check=f"{source.name} to compile with your files")
        return made.rename(program)

    def guest_program(self, source, directory):
        """Compile a C program of labs/tests/ for the kernel under test, into a directory for rootfs()."""
        self.need_kernel()
        directory.mkdir(parents=True, exist_ok=True)
        self.run(os.environ.get("MUSL_CC", "musl-gcc"), "-std=gnu11", "-O1", "-static", "-o", directory / Path(source).stem,
                 self.tree / "labs/tests" / source, check=f"{source} to compile")

    def rootfs(self, added):
        """A root file system with the contents of the directory `added`, for boot(initrd=)."""
        self.need_kernel()
        archive = self.build / "lab.cpio"
        programs = [path for path in sorted((self.build / "user").iterdir()) if path.is_file() and os.access(path, os.X_OK)]
        self.run(self.tree / "scripts/rootfs", archive, *programs, added, check="scripts/rootfs to make a root file system")
        return archive


# What scripts/boot says of a command that was not true. The test judges that itself.
FAILED_COMMAND = re.compile(r"scripts/boot: ['\"].* ended with status \d+$")


def last_words(result):
    """The lines of a failed boot that tell most."""
    lines = [line for line in result.stderr.splitlines() if line.strip() and not FAILED_COMMAND.match(line)]
    told = [line for line in lines if re.search(r"panic|BUG|Oops|triple fault|\[#\d+\]", line)]
    words = told[:3] or lines[:1] + lines[1:][-2:]  # the complaint of scripts/boot, and the end of the console's output
    text = re.sub(r"^(scripts/boot: time-out after \S+ s) while running .*; the last lines:$", r"\1; the last lines:", "\n".join(words), flags=re.M)
    return shorten(text.removesuffix("; the last lines:") or "nothing")


def quoted(words):
    return ", ".join(f"`{word}`" for word in words)
