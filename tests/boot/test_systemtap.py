"""SystemTap's bpf runtime: scripts that Debian's stap translates on the host, and Debian's stapbpf runs inside nop5.

All of it is in `make soak` only, because it downloads packages. stap takes the symbols and types of a kernel from the file vmlinux in the
kernel's build directory: from nop5.elf. The scripts without a probe in the kernel print the same on Linux 6.1, and there a probe at the offset
of vfs_read() counts its calls, too.
"""
import os
import subprocess

import pytest

from conftest import root_with
from nop5 import BUILD, Nop5, has_in_order

pytestmark = pytest.mark.soak
WORK = BUILD / "systemtap"
PACKAGES = ("systemtap", "systemtap-common", "systemtap-runtime")
# What stap reads in the build directory of a kernel.
FILES = {".config": "CONFIG_64BIT=y\nCONFIG_X86_64=y\nCONFIG_BPF_SYSCALL=y\nCONFIG_KPROBES=y\n", "include/config/kernel.release": "6.1.0\n", "Makefile": "", "Module.symvers": ""}
# {name: (script, regular expressions that its output has in this order)}
SCRIPTS = {
    "begin": ('probe begin { printf("hello %d\\n", 42); exit() }', ["hello 42"]),
    "timers": ('global n; probe timer.s(1) { n++; printf("tick %d\\n", n); if (n == 3) exit() } probe end { printf("end %d\\n", n) }', ["tick 1", "tick 2", "tick 3", "end 3"]),
    "milliseconds": ('global n; probe timer.ms(100) { n++; if (n == 5) { printf("five\\n"); exit() } }', ["five"]),
    "function": ('function fib(n) { a = 0; b = 1; for (i = 0; i < n; i++) { c = a + b; a = b; b = c } return a } probe begin { printf("fib %d\\n", fib(10)); exit() }', ["fib 55"]),
    "error": ('probe begin { error("stop") }', ["ERROR: .*stop", "Number of errors: 1"]),
    "array": ('global c, n; probe begin { c["a"] = 1; c["b"] = 5; c["a"] += 2; foreach (k in c) n += c[k]; printf("%d %d %d\\n", c["a"], c["b"], n); exit() }', ["3 5 8"]),
    "entry": ('global n; probe kernel.function("vfs_read") { n++ } probe timer.s(2) { printf("reads %d\\n", n); exit() }', ["reads [1-9]"]),
    "variable": ('global n; probe kernel.function("vfs_read") { if ($count == 1234) n++ } probe timer.s(2) { printf("reads %d\\n", n); exit() }', ["reads [1-9]"]),
    "return": ('global n; probe kernel.function("vfs_read").return { n++ } probe timer.s(2) { printf("returns %d\\n", n); exit() }', ["returns [1-9]"]),
    "tasks": ('global n; probe kernel.function("vfs_read") { n[pid()]++ } probe timer.s(2) { exit() } probe end { foreach (p in n) printf("pid %d: %d\\n", p, n[p]) }',
              [r"pid \d+: [1-9]"]),
}


def translate(directory, kernel):
    """Translates the scripts into programs NAME.bo of a directory."""
    WORK.mkdir(parents=True, exist_ok=True)
    tools = WORK / "tools"
    if not tools.exists():
        subprocess.run(["apt-get", "-qq", "download", *PACKAGES], check=True, cwd=WORK)
        for package in WORK.glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, tools], check=True)
    tree = WORK / "kernel"
    for name, text in FILES.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    (tree / "vmlinux").unlink(missing_ok=True)
    os.link(kernel, tree / "vmlinux")
    directory.mkdir(parents=True, exist_ok=True)
    shared = tools / "usr/share/systemtap"
    variables = {**os.environ, "SYSTEMTAP_TAPSET": str(shared / "tapset"), "SYSTEMTAP_RUNTIME": str(shared / "runtime"), "SYSTEMTAP_DIR": str(WORK / "own")}
    for name, (script, _) in SCRIPTS.items():
        subprocess.run([tools / "usr/bin/stap", "--runtime=bpf", "-p4", "-a", "x86_64", "-r", tree, "-m", name, "-e", script], check=True, cwd=directory, env=variables)
    return tools / "usr/bin/stapbpf"


@pytest.fixture(scope="module")
def machine(images):
    stapbpf = translate(WORK / "root/root", images / "nop5.elf")
    with Nop5(build=images, cpus=2, mem="512M", initrd=root_with(images, "systemtap", [stapbpf, WORK / "root"])) as machine:
        machine.wait_prompt()
        machine.check("(while :; do dd if=/dev/zero of=/dev/null bs=1234 count=2; done) >/dev/null 2>&1 &")
        yield machine


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_prints_what_it_prints_on_linux(machine, name):
    machine.run(f"stapbpf /root/{name}.bo > /tmp/out 2>&1")
    has_in_order(machine.fetch("cat /tmp/out"), SCRIPTS[name][1])
