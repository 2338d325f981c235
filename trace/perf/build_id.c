/*
 * The build id of a program or library: a note that the linker makes of a hash of the file. perf
 * finds by it the same file on another machine.
 *
 * The file is the program's, and may change while it is read. So each number is copied once, and
 * then checked.
 */
#include "trace/perf/build_id.h"

#include "fs/exec/elf.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"

#define NT_GNU_BUILD_ID 3

struct elf_note {
	u32 name_size, desc_size, type;
};

static u32 find_in_notes(const u8 *notes, u64 size, u8 *id)
{
	while (size > sizeof(struct elf_note)) {
		struct elf_note note;
		u64 desc, end;

		memcpy(&note, notes, sizeof(note));
		desc = sizeof(note) + ALIGN((u64)note.name_size, 4UL);
		end = desc + ALIGN((u64)note.desc_size, 4UL);
		if (end > size)
			return 0;
		if (note.type == NT_GNU_BUILD_ID && note.name_size == sizeof("GNU") &&
		    !memcmp(notes + sizeof(note), "GNU", sizeof("GNU")) &&
		    note.desc_size <= PERF_BUILD_ID_MAX) {
			memcpy(id, notes + desc, note.desc_size);
			return note.desc_size;
		}
		notes += end;
		size -= end;
	}
	return 0;
}

u32 perf_find_build_id(const u8 *page, u8 id[PERF_BUILD_ID_MAX])
{
	struct elf64_hdr header;
	struct elf64_phdr segment;
	u32 found = 0;

	memset(id, 0, PERF_BUILD_ID_MAX);
	memcpy(&header, page, sizeof(header));
	if (memcmp(header.e_ident, "\177ELF", 4) || header.e_phoff > PAGE_SIZE ||
	    header.e_phentsize != sizeof(segment))
		return 0;
	for (u64 i = 0, at = header.e_phoff;
	     !found && i < header.e_phnum && at + sizeof(segment) <= PAGE_SIZE;
	     i++, at += sizeof(segment)) {
		memcpy(&segment, page + at, sizeof(segment));
		if (segment.p_type == PT_NOTE && segment.p_offset < PAGE_SIZE &&
		    segment.p_filesz <= PAGE_SIZE - segment.p_offset)
			found = find_in_notes(page + segment.p_offset, segment.p_filesz, id);
	}
	return found;
}
