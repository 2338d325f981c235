/*
 * A module as an ELF file: checking it, sorting its sections into regions, relocating it. These
 * functions know no other part of the kernel than strings and messages, so that the host compiles
 * them, too (tests/fuzz/fuzz_module.c). ELF-64 object file format, figures 4-2 to 4-14.
 */
#pragma once

#include "kernel/lib/string.h"
#include "kernel/module/module.h"

struct elf_header {
	u8 ident[16];
	u16 type, machine;
	u32 version;
	u64 entry, phoff, shoff;
	u32 flags;
	u16 ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

struct elf_section {
	u32 name, type;
	u64 flags, addr, offset, size;
	u32 link, info;
	u64 addralign, entsize;
};

struct elf_symbol {
	u32 name;
	u8 info, other;
	u16 shndx;
	u64 value, size;
};

struct elf_rela {
	u64 offset, info;
	s64 addend;
};

enum {
	SHT_PROGBITS = 1,
	SHT_SYMTAB = 2,
	SHT_STRTAB = 3,
	SHT_RELA = 4,
	SHT_NOTE = 7,
	SHT_NOBITS = 8,
	SHT_REL = 9
};
enum { SHF_WRITE = 1, SHF_ALLOC = 2, SHF_EXECINSTR = 4 };
enum { SHN_UNDEF = 0, SHN_LORESERVE = 0xff00, SHN_ABS = 0xfff1, SHN_COMMON = 0xfff2 };
enum { STB_LOCAL = 0, STB_GLOBAL = 1, STB_WEAK = 2 };
enum { STT_NOTYPE = 0, STT_OBJECT = 1, STT_FUNC = 2, STT_SECTION = 3, STT_FILE = 4 };
#define ELF_ST_BIND(info) ((info) >> 4)
#define ELF_ST_TYPE(info) ((info)&0xf)

/* One symbol that the module imports, with its version. The format is Linux's: tools read it. */
struct modversion_info {
	u64 crc;
	char name[MODULE_NAME_LEN];
};

/*
 * What is known of a file while it is loaded. The file is in memory, and its section headers and
 * symbols are changed there. Only the loading task sees it.
 */
struct load_info {
	struct elf_header *hdr;
	size_t len;
	struct elf_section *sechdrs; /* addr: where the section will be, once it has a place */
	const char *secstrings;
	struct elf_symbol *symbols;
	unsigned num_symbols;
	const char *strtab;
	struct {
		unsigned sym, str, mod, info, versions; /* indices of sections; 0: none */
	} index;
	const char *name; /* of the module; constant text in the file */
	/*
	 * From layout_sections(), for each section: its region, or LOAD_REGIONS: it is not loaded.
	 */
	u8 *region;
	size_t region_size[LOAD_REGIONS];
	/*
	 * Where the bytes of a region are written: the region itself, or a buffer: for per-CPU
	 * variables, and on the host.
	 */
	u8 *image[LOAD_REGIONS];
	unsigned long base[LOAD_REGIONS]; /* the address that the region has when it runs */
};

/*
 * Checks everything that later steps rely on: all offsets, sizes, names and indices. Sets hdr to
 * name in info, for which the caller has set hdr and len; hdr is aligned to 8 bytes. 0 or -ENOEXEC,
 * after a message.
 */
int elf_validate(struct load_info *info);
/* Returns the text of a tag in .modinfo, or NULL. */
const char *get_modinfo(const struct load_info *info, const char *tag);
/* The next text after one that get_modinfo() returned; prev NULL: the first. */
const char *get_next_modinfo(const struct load_info *info, const char *tag, const char *prev);
/* Returns the index of the section of that name that will be loaded, or 0. */
unsigned find_section(const struct load_info *info, const char *name);
/* The same, for a table with entries of that size: where it is, and *count entries. NULL: none. */
void *section_objects(const struct load_info *info, const char *name, size_t size, unsigned *count);
static inline const char *section_name(const struct load_info *info, unsigned index)
{
	return info->secstrings + info->sechdrs[index].name;
}
/* True if the section is needed only until init has returned. */
static inline bool is_init_section(const char *name)
{
	return strncmp(name, ".init", 5) == 0 || strcmp(name, "__mcount_loc") == 0 ||
	       strncmp(name, ".BTF", 4) == 0;
}

#define PERCPU_ALIGN 64U /* at most, of the per-CPU variables of a module */
/*
 * Gives each section with SHF_ALLOC a region, and in sechdrs[].addr its offset there. info->region
 * has shnum elements. 0 or -ENOEXEC: rights that no region has, or too large.
 */
int layout_sections(struct load_info *info);
/*
 * Copies the sections to their images, and replaces the offsets in sechdrs[].addr by addresses.
 */
void copy_sections(struct load_info *info);
/* Where the bytes of a loaded section are. */
u8 *section_image(const struct load_info *info, unsigned index);
/*
 * Applies all relocations of loaded sections. Symbols have their final values. 0 or -ENOEXEC, after
 * a message.
 */
int apply_relocations(const struct load_info *info);

/* ---- arch/module/module.c ---- */

#define ELF_MACHINE_KERNEL 62 /* EM_X86_64 */

/*
 * Writes the value of a symbol plus the addend to the place `to`, which has room bytes in its
 * section, and will run at address `at`. 0; -ENOEXEC: unknown type; -ERANGE: the value does not
 * fit; -EINVAL: the place is not empty, or too short.
 */
int arch_relocate(u8 *to, size_t room, unsigned long at, unsigned type, unsigned long value);
