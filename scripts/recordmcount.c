/*
 * Adds the list of an object's ftrace call sites to the object (host program, uses libelf).
 *
 *	recordmcount OBJECT...
 *
 * With -pg -mfentry each function begins with `call __fentry__`. The kernel needs the address of
 * each such call. The linker collects the addresses from the sections __mcount_loc. gcc writes that
 * section with -mrecord-mcount; clang cannot. This program writes the section for any compiler. A
 * call of a function in another object has a relocation, so each relocation against __fentry__ is a
 * site:
 *
 *	.rela.text	     offset 1  R_X86_64_PLT32  __fentry__ - 4	       is the call e8 at .text+0
 *	.rela__mcount_loc    offset 0  R_X86_64_64     .text + 0	       is added for it
 *
 * An object that already has the section, or has no such call, stays as it is. The program reports
 * an error in an object and then ends with status 1. It writes the object only if it found no error.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTION	    "__mcount_loc"
#define RELA_PREFIX ".rela"
#define CALL_OPCODE 0xe8

static const char *path; /* of the current object, for messages */

static struct {
	Elf *elf;
	size_t names; /* index of the section with the sections' names */
	Elf_Scn *symtab;
	GElf_Shdr symtab_header;
	Elf_Data *symbols;
	size_t num_symbols;
} object;

/* The content of the new section and its relocations. */
static Elf64_Rela *sites;
static size_t num_sites;

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "recordmcount: %s: ", path);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void *allocate(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p)
		fail("out of memory");
	return p;
}

static GElf_Shdr header_of(Elf_Scn *section)
{
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header))
		fail("a section header is missing: %s", elf_errmsg(-1));
	return header;
}

static const char *name_of(Elf_Scn *section)
{
	const char *name = elf_strptr(object.elf, object.names, header_of(section).sh_name);

	if (!name)
		fail("section %zu has no name: %s", elf_ndxscn(section), elf_errmsg(-1));
	return name;
}

static Elf_Data *data_of(Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);

	if (!data || (!data->d_buf && data->d_size))
		fail("cannot read section %s: %s", name_of(section), elf_errmsg(-1));
	return data;
}

static GElf_Sym symbol_at(size_t index)
{
	GElf_Sym symbol;

	if (index >= object.num_symbols || !gelf_getsym(object.symbols, (int)index, &symbol))
		fail("there is no symbol %zu", index);
	return symbol;
}

static bool is_fentry(size_t symbol_index)
{
	const char *name = elf_strptr(object.elf, object.symtab_header.sh_link,
				      symbol_at(symbol_index).st_name);

	if (!name)
		fail("symbol %zu has no name: %s", symbol_index, elf_errmsg(-1));
	return !strcmp(name, "__fentry__");
}

static void open_object(int fd)
{
	GElf_Ehdr header;
	size_t count;

	object.elf = elf_begin(fd, ELF_C_RDWR, NULL);
	if (!object.elf)
		fail("%s", elf_errmsg(-1));
	if (elf_kind(object.elf) != ELF_K_ELF || !gelf_getehdr(object.elf, &header))
		fail("not an ELF file");
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    header.e_machine != EM_X86_64)
		fail("not for x86_64");
	if (header.e_type != ET_REL)
		fail("not a relocatable object");
	if (elf_getshdrnum(object.elf, &count) || !count)
		fail("no section headers: is the file cut off?");
	if (elf_getshdrstrndx(object.elf, &object.names))
		fail("the sections have no names: %s", elf_errmsg(-1));
}

/* Finds the symbol table, and returns whether the object needs the section. */
static bool survey_sections(void)
{
	Elf_Scn *section = NULL;
	bool wanted = true;

	object.symtab = NULL;
	while ((section = elf_nextscn(object.elf, section))) {
		if (header_of(section).sh_type == SHT_SYMTAB)
			object.symtab = section;
		if (!strcmp(name_of(section), SECTION))
			wanted = false;
	}
	if (!object.symtab)
		return false; /* no symbols, so no calls */
	object.symtab_header = header_of(object.symtab);
	object.symbols = data_of(object.symtab);
	object.num_symbols = object.symbols->d_size / sizeof(Elf64_Sym);
	return wanted;
}

/*
 * Returns a symbol that can serve as base for addresses in the section of that index: the section's
 * own symbol, else one that no other object can override. *value is its offset in the section.
 */
static size_t base_symbol(size_t section_index, GElf_Addr *value)
{
	/*
	 * LAB 1: Look at each symbol. Number 0 means that there is none.
	 * Starts as:
	 *	(void)section_index, (void)value;
	 *	return 0;
	 */
	size_t found = 0;

	for (size_t i = 1; i < object.num_symbols; i++) {
		GElf_Sym symbol = symbol_at(i);

		if (symbol.st_shndx != section_index || GELF_ST_BIND(symbol.st_info) == STB_WEAK)
			continue;
		if (!found || GELF_ST_TYPE(symbol.st_info) == STT_SECTION) {
			found = i;
			*value = symbol.st_value;
		}
		if (GELF_ST_TYPE(symbol.st_info) == STT_SECTION)
			break;
	}
	return found;
	/* END LAB 1 */
}

static void add_site(size_t symbol, Elf64_Sxword addend)
{
	/* The array is full at each power of two, and then doubles. */
	if (!(num_sites & (num_sites - 1))) {
		size_t room = num_sites ? 2 * num_sites : 1;

		sites = realloc(sites, room * sizeof(*sites));
		if (!sites)
			fail("out of memory");
	}
	sites[num_sites] = (Elf64_Rela){
		.r_offset = num_sites * sizeof(Elf64_Addr),
		.r_info = ELF64_R_INFO(symbol, R_X86_64_64),
		.r_addend = addend,
	};
	num_sites++;
}

/*
 * Returns whether a relocation against __fentry__ belongs to a call. Otherwise the code only takes
 * the address.
 */
static bool is_call(Elf_Scn *text, const GElf_Rela *rela)
{
	/*
	 * LAB 1: Look at the flags of the section, the type of the relocation, and the byte of the code in
	 * front of it.
	 * Starts as:
	 *	(void)text, (void)rela;
	 *	return false;
	 */
	Elf_Data *code = data_of(text);

	if (!(header_of(text).sh_flags & SHF_EXECINSTR))
		return false;
	if (rela->r_offset < 1 || rela->r_offset > code->d_size || code->d_size - rela->r_offset < 4)
		fail("%s+%#llx: a relocation outside the section", name_of(text),
		     (unsigned long long)rela->r_offset);
	switch (GELF_R_TYPE(rela->r_info)) {
	case R_X86_64_PLT32:
	case R_X86_64_PC32:
		return ((unsigned char *)code->d_buf)[rela->r_offset - 1] == CALL_OPCODE;
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
		fail("%s+%#llx: __fentry__ through the GOT: compile with -fno-pic", name_of(text),
		     (unsigned long long)rela->r_offset);
	default:
		return false;
	}
	/* END LAB 1 */
}

/* Collects the sites from one section of relocations. */
static void find_calls(Elf_Scn *relocations)
{
	GElf_Shdr header = header_of(relocations);
	Elf_Scn *text = elf_getscn(object.elf, header.sh_info);
	Elf_Data *data = data_of(relocations);
	size_t count = data->d_size / sizeof(Elf64_Rela), base = 0;
	GElf_Addr base_value = 0;

	/*
	 * LAB 1: Call add_site() for each relocation of a call of __fentry__.
	 * Starts as:
	 *	(void)text, (void)count, (void)base, (void)base_value;
	 *	(void)is_fentry, (void)is_call, (void)base_symbol, (void)add_site;
	 */
	for (size_t i = 0; i < count; i++) {
		GElf_Rela rela;

		if (!gelf_getrela(data, (int)i, &rela))
			fail("%s has no entry %zu", name_of(relocations), i);
		if (!is_fentry(GELF_R_SYM(rela.r_info)))
			continue;
		if (elf_ndxscn(object.symtab) != header.sh_link)
			fail("%s belongs to another symbol table", name_of(relocations));
		if (!is_call(text, &rela))
			continue;
		if (!base && !(base = base_symbol(header.sh_info, &base_value)))
			fail("%s has no symbol that could be pointed at", name_of(text));
		add_site(base, (Elf64_Sxword)(rela.r_offset - 1 - base_value));
	}
	/* END LAB 1 */
}

static Elf_Data *new_data(Elf_Scn *section, void *buffer, size_t size, Elf_Type type, size_t align)
{
	Elf_Data *data = elf_newdata(section);

	if (!data)
		fail("%s", elf_errmsg(-1));
	data->d_buf = buffer;
	data->d_size = size;
	data->d_type = type;
	data->d_align = align;
	data->d_version = EV_CURRENT;
	return data;
}

static Elf_Scn *new_section(GElf_Shdr header, void *buffer, Elf_Type type)
{
	Elf_Scn *section = elf_newscn(object.elf);

	if (!section)
		fail("%s", elf_errmsg(-1));
	new_data(section, buffer, header.sh_size, type, header.sh_addralign);
	if (!gelf_update_shdr(section, &header))
		fail("%s", elf_errmsg(-1));
	return section;
}

static void add_sections(void)
{
	static char names[] = RELA_PREFIX SECTION;
	Elf_Scn *name_section = elf_getscn(object.elf, object.names);
	GElf_Word name = header_of(name_section).sh_size;
	Elf_Scn *table;

	new_data(name_section, names, sizeof(names), ELF_T_BYTE, 1);
	table = new_section((GElf_Shdr){ .sh_name = name + strlen(RELA_PREFIX),
					 .sh_type = SHT_PROGBITS,
					 .sh_flags = SHF_ALLOC,
					 .sh_size = num_sites * sizeof(Elf64_Addr),
					 .sh_addralign = sizeof(Elf64_Addr) },
			    allocate(num_sites, sizeof(Elf64_Addr)), ELF_T_ADDR);
	new_section((GElf_Shdr){ .sh_name = name,
				 .sh_type = SHT_RELA,
				 .sh_flags = SHF_INFO_LINK,
				 .sh_size = num_sites * sizeof(*sites),
				 .sh_entsize = sizeof(*sites),
				 .sh_link = elf_ndxscn(object.symtab),
				 .sh_info = elf_ndxscn(table),
				 .sh_addralign = sizeof(Elf64_Addr) },
		    sites, ELF_T_RELA);
	if (elf_update(object.elf, ELF_C_WRITE) < 0)
		fail("cannot write: %s", elf_errmsg(-1));
}

static void record(void)
{
	int fd = open(path, O_RDWR);

	if (fd < 0)
		fail("%s", strerror(errno));
	open_object(fd);
	num_sites = 0;
	sites = NULL;
	if (survey_sections()) {
		Elf_Scn *section = NULL;

		while ((section = elf_nextscn(object.elf, section)))
			if (header_of(section).sh_type == SHT_RELA)
				find_calls(section);
		if (num_sites)
			add_sections();
	}
	elf_end(object.elf);
	free(sites);
	if (close(fd))
		fail("%s", strerror(errno));
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: recordmcount OBJECT...\n");
		return 2;
	}
	elf_version(EV_CURRENT);
	for (int i = 1; i < argc; i++) {
		path = argv[i];
		record();
	}
	return 0;
}
