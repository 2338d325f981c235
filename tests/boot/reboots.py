"""A machine that restarts inside the same QEMU, which keeps the RAM, as a warm reboot does."""
import random
import re
import socket

from firmware import GdbServer
from test_docs import blocks, pattern, steps

RESET = ("-action", "reboot=reset")


def words_of(page):
    """The command line that a page about reboots asks for."""
    return re.search(r"^```\n(reserve_mem=.*)\n```", page.read_text(), re.M).group(1)


def wait_for_restart(nop5):
    """Wait for the prompt of the next boot."""
    nop5.expect("Command line: ")
    nop5.prepared = False
    nop5.wait_prompt()


def run_page(nop5, page, before_the_crash=None):
    """Run the console-reboot blocks of a page, and compare what they print. A command with PANIC restarts the machine."""
    for number, _, lines in blocks(page, "console-reboot"):
        for directory, command, output in steps(lines):
            if "PANIC" in command:
                if before_the_crash:
                    nop5.check(before_the_crash)
                nop5.send(command + "\n")
                wait_for_restart(nop5)
                continue
            if directory != nop5.directory:
                nop5.check(f"cd {directory}")
            said = "".join(l + "\n" for l in nop5.run(command).lines)
            assert re.fullmatch(pattern(output), said), f"{page.name}:{number}: {command} printed:\n{said}"


def area(nop5, name):
    """(start, size) of a reserved area."""
    found = re.search(rf"reserve_mem: {name} at (0x\w+), (\d+) KiB", nop5.check("dmesg"))
    return int(found[1], 16), int(found[2]) * 1024


def reset_with_flips(nop5, directory, ranges, bits, seed):
    """Flip that many bits, at random places of the ranges [(start, size)], while the machine is stopped, and reset it."""
    flips, path = random.Random(seed), directory / f"gdb{seed}"
    nop5.ask_qemu("stop")
    nop5.ask_qemu(f"gdbserver unix:{path},server=on,wait=off")
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        memory = GdbServer(connection)
        assert memory.ask("Qqemu.PhyMemMode:1") == "OK"
        for _ in range(bits):
            start, size = flips.choice(ranges)
            at = start + flips.randrange(size)
            memory.write(at, bytes([memory.read(at, 1)[0] ^ 1 << flips.randrange(8)]))
        nop5.ask_qemu("system_reset")
        memory.detach()
        wait_for_restart(nop5)
    nop5.ask_qemu("gdbserver none")
