"""Changes the firmware's ACPI tables in the machine's memory before the kernel reads them.

QEMU starts stopped (`-S`). The module uses QEMU's gdb server to run to the kernel's entry, to read and write memory,
and to continue.
"""
import os
import select
import socket
import struct
import subprocess

from nop5 import HANG, TICK, Died, Stopwatch


class GdbServer:
    """A client of QEMU's gdb server, over a connected socket."""

    def __init__(self, connection):
        self.connection = connection
        self.received = b""

    def byte(self):
        """The next byte that QEMU sends."""
        if not self.received:
            self.receive()
        byte, self.received = self.received[:1], self.received[1:]
        return byte

    def receive(self):
        """Wait for bytes from QEMU. A kernel that never reaches a breakpoint has QEMU send none."""
        stopwatch = Stopwatch(os.getpid())
        while not select.select([self.connection], [], [], TICK)[0]:
            if stopwatch.seconds() > HANG:
                raise Died("QEMU's gdb server does not answer")
        self.received = self.connection.recv(4096)
        if not self.received:
            raise Died("QEMU has ended")

    def ask(self, packet):
        data = packet.encode()
        self.connection.sendall(b"$%s#%02x" % (data, sum(data) & 255))
        while self.byte() != b"$":
            pass  # skip the acknowledgement "+"
        answer = b""
        while (byte := self.byte()) != b"#":
            answer += byte
        self.byte(), self.byte()  # the checksum
        self.connection.sendall(b"+")
        return answer.decode()

    def read(self, address, size):
        return b"".join(bytes.fromhex(self.ask(f"m{at:x},{min(1024, address + size - at):x}"))
                        for at in range(address, address + size, 1024))

    def write(self, address, data):
        assert self.ask(f"M{address:x},{len(data):x}:{data.hex()}") == "OK"

    def run_to(self, address):
        assert self.ask(f"Z1,{address:x},1") == "OK"
        assert self.ask("c").startswith("T05")
        assert self.ask(f"z1,{address:x},1") == "OK"

    def detach(self):
        assert self.ask("D") == "OK"


class Tables:
    """The ACPI tables in memory by signature, found from the root pointer. Each write corrects the checksum."""

    def __init__(self, memory):
        self.memory = memory
        low = memory.read(0xe0000, 0x20000)
        self.rsdp = 0xe0000 + low.index(b"RSD PTR ")
        self.address = {"RSDT": self.word(self.rsdp + 16)}
        for entry in struct.unpack(f"<{(self.length('RSDT') - 36) // 4}I", self.bytes("RSDT")[36:]):
            self.address[memory.read(entry, 4).decode()] = entry

    def word(self, address):
        return struct.unpack("<I", self.memory.read(address, 4))[0]

    def length(self, table):
        return self.word(self.address[table] + 4)

    def bytes(self, table):
        return self.memory.read(self.address[table], self.length(table))

    def write(self, table, offset, data):
        content = bytearray(self.bytes(table))
        content[offset:offset + len(data)] = data
        content[9] = 0
        content[9] = -sum(content) & 255
        self.memory.write(self.address[table], bytes(content))

    def set_madt(self, *entries, local_apic=0xfee00000):
        """Replace the entries of the MADT. The new ones must not take more space."""
        content = self.bytes("APIC")[:36] + struct.pack("<II", local_apic, 1) + b"".join(entries)
        assert len(content) <= self.length("APIC")
        self.memory.write(self.address["APIC"] + 4, struct.pack("<I", len(content)))
        self.write("APIC", 8, content[8:])


def local_apic(apic_id, flags=1):
    return struct.pack("<BBBBI", 0, 8, apic_id, apic_id, flags)


def io_apic(address=0xfec00000, gsi_base=0):
    return struct.pack("<BBBBII", 1, 12, 0, 0, address, gsi_base)


def override(irq, gsi):
    return struct.pack("<BBBBIH", 2, 10, 0, irq, gsi, 0)


def entry_point(elf):
    """Return the physical address at which QEMU enters the image."""
    symbols = subprocess.run(["nm", elf], text=True, stdout=subprocess.PIPE, check=True).stdout
    return next(int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" pvh_entry"))


def boot_with_tables(boot, directory, build, change, **arguments):
    """Boot, and call change(tables) before the kernel's first instruction."""
    path = directory / "gdb"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        machine = boot(wait=False, extra=["-S", "-chardev", f"socket,id=gdb,path={path}", "-gdb", "chardev:gdb"],
                       **arguments)
        connection = listener.accept()[0]
    with connection:
        gdb = GdbServer(connection)
        gdb.run_to(entry_point(build / "nop5.elf"))
        change(Tables(gdb))
        gdb.detach()
    return machine
