/*
 * Checks the file of a module; see elf.h. After elf_validate() no index or offset is checked again.
 */
#include "kernel/module/elf.h"

#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/printk/printk.h"

#define MAX_FILE_SIZE (128UL << 20)
#define MAX_ALIGN     4096 /* of a region */

static int refuse(const char *why)
{
	pr_err("module: %s\n", why);
	return -ENOEXEC;
}

static bool in_file(const struct load_info *info, u64 offset, u64 size)
{
	return offset <= info->len && size <= info->len - offset;
}

static const char *at_offset(const struct load_info *info, u64 offset)
{
	return (const char *)info->hdr + offset;
}

static int check_header(struct load_info *info)
{
	static const u8 ident[7] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 }; /* 64 bits, little-endian */
	const struct elf_header *hdr = info->hdr;

	if (info->len < sizeof(*hdr) || info->len > MAX_FILE_SIZE)
		return refuse("Invalid ELF header len");
	if (memcmp(hdr->ident, ident, sizeof(ident)))
		return refuse("Invalid ELF header magic: != \177ELF");
	if (hdr->type != 1)
		return refuse("Invalid ELF header type: not relocatable");
	if (hdr->machine != ELF_MACHINE_KERNEL)
		return refuse("Invalid architecture in ELF header");
	if (hdr->shentsize != sizeof(struct elf_section))
		return refuse("Invalid ELF section header size");
	if (hdr->shoff % 8 || !in_file(info, hdr->shoff, hdr->shnum * sizeof(struct elf_section)))
		return refuse("Invalid ELF section header overflow");
	if (!hdr->shnum || hdr->shstrndx == SHN_UNDEF || hdr->shstrndx >= hdr->shnum)
		return refuse("Invalid ELF section name index");
	info->sechdrs = (struct elf_section *)at_offset(info, hdr->shoff);
	return 0;
}

/* A section that lies in the file, and ends with a NUL. */
static bool is_strings(const struct load_info *info, unsigned index)
{
	const struct elf_section *section = &info->sechdrs[index];

	return section->type != SHT_NOBITS && section->size &&
	       !at_offset(info, section->offset)[section->size - 1];
}

static int check_section(const struct load_info *info, unsigned index)
{
	const struct elf_section *section = &info->sechdrs[index];

	if (section->type != SHT_NOBITS && !in_file(info, section->offset, section->size))
		return refuse("Invalid ELF section offset/size");
	if (section->size > MAX_FILE_SIZE)
		return refuse("Invalid ELF section size");
	if (section->addralign & (section->addralign - 1) || section->addralign > MAX_ALIGN)
		return refuse("Invalid ELF section alignment");
	return 0;
}

/* An array of entries that are read where they are in the file. */
static bool is_table(const struct elf_section *section, size_t entry)
{
	return section->entsize == entry && section->size % entry == 0 && section->offset % 8 == 0;
}

/* Remembers the sections with a meaning of their own. */
static int note_section(struct load_info *info, unsigned index)
{
	const struct elf_section *section = &info->sechdrs[index];
	const char *name = section_name(info, index);

	if (section->type == SHT_SYMTAB) {
		if (info->index.sym)
			return refuse("More than one symbol table");
		info->index.sym = index;
	} else if (section->type == SHT_REL) {
		return refuse("REL relocations are not supported");
	} else if (strcmp(name, ".gnu.linkonce.this_module") == 0) {
		if (info->index.mod)
			return refuse("Only one .gnu.linkonce.this_module section must exist.");
		info->index.mod = index;
	} else if (strcmp(name, ".modinfo") == 0) {
		info->index.info = index;
	} else if (strcmp(name, "__versions") == 0) {
		info->index.versions = index;
	}
	return 0;
}

static int check_sections(struct load_info *info)
{
	const struct elf_header *hdr = info->hdr;
	const struct elf_section *strings = &info->sechdrs[hdr->shstrndx];

	for (unsigned i = 0; i < hdr->shnum; i++)
		if (check_section(info, i))
			return -ENOEXEC;
	if (!is_strings(info, hdr->shstrndx))
		return refuse("Invalid ELF section name table");
	info->secstrings = at_offset(info, strings->offset);
	for (unsigned i = 0; i < hdr->shnum; i++) {
		if (info->sechdrs[i].name >= strings->size)
			return refuse("Invalid ELF section name");
		if (i && note_section(info, i))
			return -ENOEXEC;
	}
	return 0;
}

static int check_symbols(struct load_info *info)
{
	const struct elf_section *table = &info->sechdrs[info->index.sym];
	u64 names;

	if (!info->index.sym)
		return refuse("module has no symbols (stripped?)");
	if (!is_table(table, sizeof(struct elf_symbol)) || table->link >= info->hdr->shnum ||
	    !is_strings(info, table->link))
		return refuse("Invalid ELF symbol table");
	info->index.str = table->link;
	info->symbols = (struct elf_symbol *)at_offset(info, table->offset);
	info->num_symbols = (unsigned)(table->size / sizeof(struct elf_symbol));
	info->strtab = at_offset(info, info->sechdrs[table->link].offset);
	names = info->sechdrs[table->link].size;
	for (unsigned i = 0; i < info->num_symbols; i++) {
		const struct elf_symbol *symbol = &info->symbols[i];

		if (symbol->name >= names)
			return refuse("Invalid ELF symbol name");
		if (symbol->shndx >= info->hdr->shnum && symbol->shndx < SHN_LORESERVE)
			return refuse("Invalid ELF symbol section");
		if (symbol->shndx && symbol->shndx < info->hdr->shnum &&
		    symbol->value > info->sechdrs[symbol->shndx].size)
			return refuse("Invalid ELF symbol value");
	}
	return 0;
}

static int check_relocations(const struct load_info *info)
{
	for (unsigned i = 1; i < info->hdr->shnum; i++) {
		const struct elf_section *section = &info->sechdrs[i];

		if (section->type != SHT_RELA)
			continue;
		if (section->info >= info->hdr->shnum)
			return refuse("Invalid ELF relocation target");
		if (!(info->sechdrs[section->info].flags & SHF_ALLOC))
			continue; /* of debug information: not used */
		if (section->link != info->index.sym || !is_table(section, sizeof(struct elf_rela)))
			return refuse("Invalid ELF relocation section");
	}
	return 0;
}

static int check_versions(const struct load_info *info)
{
	const struct elf_section *section = &info->sechdrs[info->index.versions];
	const struct modversion_info *versions;

	if (!info->index.versions)
		return 0;
	if (section->type == SHT_NOBITS || section->offset % 8 || section->size % sizeof(*versions))
		return refuse("Invalid __versions section");
	versions = (const void *)at_offset(info, section->offset);
	for (u64 i = 0; i < section->size / sizeof(*versions); i++)
		if (strnlen(versions[i].name, MODULE_NAME_LEN) == MODULE_NAME_LEN)
			return refuse("Invalid __versions section");
	return 0;
}

/* A name that can be a file in sysfs. */
static bool is_module_name(const char *name)
{
	size_t length = name ? strlen(name) : 0;

	if (!length || length >= MODULE_NAME_LEN || name[0] == '.')
		return false;
	for (; *name; name++)
		if (*name == '/' || *name <= ' ' || *name > '~')
			return false;
	return true;
}

static int check_module(struct load_info *info)
{
	const struct elf_section *mod = &info->sechdrs[info->index.mod];

	if (!info->index.info || !is_strings(info, info->index.info))
		return refuse("Invalid .modinfo section");
	if (!info->index.mod)
		return refuse("No module found in object");
	if (mod->type != SHT_PROGBITS || !(mod->flags & SHF_ALLOC) || !(mod->flags & SHF_WRITE) ||
	    mod->addralign < __alignof__(struct module) ||
	    is_init_section(section_name(info, info->index.mod)))
		return refuse("Invalid .gnu.linkonce.this_module section");
	if (mod->size != sizeof(struct module))
		return refuse(
			".gnu.linkonce.this_module section size must match the kernel's built "
			"struct module size at run time");
	info->name = get_modinfo(info, "name");
	return is_module_name(info->name) ? 0 : refuse("Invalid module name");
}

int elf_validate(struct load_info *info)
{
	int error = check_header(info);

	if (!error)
		error = check_sections(info);
	if (!error)
		error = check_symbols(info);
	if (!error)
		error = check_relocations(info);
	if (!error)
		error = check_versions(info);
	return error ? error : check_module(info);
}

const char *get_next_modinfo(const struct load_info *info, const char *tag, const char *prev)
{
	const struct elf_section *section = &info->sechdrs[info->index.info];
	const char *start = at_offset(info, section->offset), *end = start + section->size;
	size_t length = strlen(tag);

	for (const char *p = prev ? prev + strlen(prev) + 1 : start; p < end; p += strlen(p) + 1)
		if (strncmp(p, tag, length) == 0 && p[length] == '=')
			return p + length + 1;
	return NULL;
}

const char *get_modinfo(const struct load_info *info, const char *tag)
{
	return get_next_modinfo(info, tag, NULL);
}
