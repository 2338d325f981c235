"""The program data/probed.c, into which tests and benches put uprobes."""
import re
import subprocess

from nop5 import ROOT

DATA = ROOT / "tests/boot/data"


def build(directory):
    """Compile the program. Return (the program, {symbol: address}, {symbol: offset in the file})."""
    directory.mkdir(exist_ok=True)
    program = directory / "probed"
    subprocess.run(["musl-gcc", "-static", "-no-pie", "-O2", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Werror", "-o", program,
                    DATA / "probed.c", "-lpthread"], check=True)
    addresses = {name: int(address, 16) for address, _, name in
                 (line.split() for line in subprocess.check_output(["nm", program], text=True).splitlines() if line[0] == "0")}
    loads = [[int(word, 16) for word in line.split()[1:6]] for line in
             subprocess.check_output(["readelf", "-lW", program], text=True).splitlines() if line.split()[:1] == ["LOAD"]]
    offsets = {name: address - load[1] + load[0] for name, address in addresses.items() for load in loads
               if load[1] <= address < load[1] + load[4]}
    return program, addresses, offsets


def instructions(program, function, base, only=""):
    """The offsets of the instructions of a function, or of those that begin with only; base is the address minus the offset."""
    text = subprocess.check_output(["objdump", "-d", "--no-show-raw-insn", f"--disassemble={function}", program], text=True)
    return [int(address, 16) - base for address in re.findall(rf"^ +([0-9a-f]+):\t{only}", text, re.M)]
