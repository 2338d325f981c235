"""Where the CPUs of a hung machine are, for the report of the test that waited.

QEMU's monitor gives the registers and the stack of each CPU, without any help from the kernel. The words of a stack that point
into the kernel's text are most of its return addresses, and some left over from earlier calls.
"""
import bisect
import re
import subprocess

WORDS = 160             # of each stack
KERNEL = 0xffffffff80000000
LONGEST = 0x4000        # of a function, in bytes


class Symbols:
    def __init__(self, elf):
        table = subprocess.run(["nm", elf], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        rows = [line.split() for line in table.splitlines()]
        self.code = sorted((int(row[0], 16), row[2]) for row in rows if len(row) == 3 and row[1] in "tTwW")

    def name(self, address):
        """name+0xoffset, or None if the address is not in a function."""
        i = bisect.bisect_right(self.code, (address, "\x7f"))
        if address < KERNEL or i == 0:
            return None
        begin, name = self.code[i - 1]
        return f"{name}+{address - begin:#x}" if address - begin < LONGEST else None


def where(ask, cpus, elf):
    """A few lines for each CPU. ask: gives QEMU's monitor a command, and returns its answer."""
    symbols, lines = Symbols(elf), []
    ask("stop")
    for cpu in range(cpus):
        ask(f"cpu {cpu}")
        registers = ask("info registers")
        state = re.search(r"RIP=([0-9a-f]+) RFL=([0-9a-f]+) .*?CPL=(\d) .*?HLT=(\d)", registers)
        stack = re.search(r"RSP=([0-9a-f]+)", registers)
        if not state or not stack:
            lines.append(f"CPU {cpu}: {registers}")
            continue
        ip = int(state[1], 16)
        lines.append(f"CPU {cpu}: {symbols.name(ip) or hex(ip)} flags {state[2]} ring {state[3]}{' halted' * int(state[4])}")
        lines.append(" ".join(re.findall(r"\b(?:R[A-DS][XIP]|R8|R9|R1\d) ?=[0-9a-f]+", registers)))
        words = re.findall(r"0x([0-9a-f]{16})\b", ask(f"x/{WORDS}gx 0x{stack[1]}"))
        lines += [f"    {name}" for word in words if (name := symbols.name(int(word, 16)))]
    ask("cont")
    return "\n".join(lines)
