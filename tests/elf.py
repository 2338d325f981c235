"""A small reader of ELF-64 files: symbols, sections, the table of call sites."""
import struct
from collections import namedtuple

Section = namedtuple("Section", "name type flags addr offset size link info align entsize")
Symbol = namedtuple("Symbol", "name info shndx value size")

SHT_SYMTAB, SHT_NOBITS = 2, 8
SHF_EXECINSTR = 4
STT_FUNC = 2


class Elf:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        shoff, = struct.unpack_from("<Q", self.data, 40)
        count, names = struct.unpack_from("<HH", self.data, 60)
        raw = [struct.unpack_from("<IIQQQQIIQQ", self.data, shoff + 64 * i) for i in range(count)]
        self.sections = [Section(self.text(raw[names][4] + r[0]), *r[1:]) for r in raw]

    def text(self, offset):
        return self.data[offset:self.data.index(b"\0", offset)].decode()

    def symbols(self):
        for section in self.sections:
            if section.type == SHT_SYMTAB:
                strings = self.sections[section.link].offset
                for offset in range(section.offset, section.offset + section.size, 24):
                    name, info, _, shndx, value, size = struct.unpack_from("<IBBHQQ", self.data, offset)
                    yield Symbol(self.text(strings + name), info, shndx, value, size)

    def functions(self):
        """Yield the functions that this file defines, without the parts that the compiler split off (.cold)."""
        for symbol in self.symbols():
            in_code = 0 < symbol.shndx < len(self.sections) and self.sections[symbol.shndx].flags & SHF_EXECINSTR
            if in_code and symbol.info & 15 == STT_FUNC and not symbol.name.endswith(".cold"):
                yield symbol

    def read(self, address, size):
        for section in self.sections:
            if section.type != SHT_NOBITS and section.addr <= address < section.addr + section.size:
                start = section.offset + address - section.addr
                return self.data[start:start + size]
        raise KeyError(hex(address))

    def build_id_note(self):
        """Return the ELF note that the linker has made of the file's hash, whole."""
        section, = (s for s in self.sections if s.name == ".note.gnu.build-id")
        return self.data[section.offset:section.offset + section.size]

    def call_sites(self):
        """Return the addresses in __mcount_loc of a linked image, in its order."""
        edges = {s.name: s.value for s in self.symbols() if s.name in ("__start_mcount_loc", "__stop_mcount_loc")}
        start, stop = edges["__start_mcount_loc"], edges["__stop_mcount_loc"]
        assert start % 8 == 0 and (stop - start) % 8 == 0
        if start == stop:
            return []
        return [address for address, in struct.iter_unpack("<Q", self.read(start, stop - start))]

    def static_branches(self):
        """Return (address, target, address of the key, bits) of each site of a linked image that has not run.

        Bit 0: a likely branch; bit 1: an instruction that becomes a call."""
        edges = {s.name: s.value for s in self.symbols() if s.name.endswith("_jump_entries")}
        start, end = edges["__table_start_jump_entries"], edges["__table_end_jump_entries"]
        found = []
        for offset, (code, target, key) in enumerate(struct.iter_unpack("<iiQ", self.read(start, end - start))):
            entry = start + 16 * offset
            found.append((entry + code, entry + 4 + target, key & ~3, key & 3))
        return found
