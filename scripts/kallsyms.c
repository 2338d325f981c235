/*
 * Writes the kernel's symbol table into the kernel (host program).
 *
 *	kallsyms size ELF	print the size of the table in bytes
 *	kallsyms fill ELF OUT	copy ELF to OUT with the table in its section .kallsyms
 *
 * The build links twice: first without space for the table, to learn its size, then with that much
 * space at the end of rodata. The size depends only on the names, and the second link changes no
 * name. The table is written in place, so no address moves. kernel/kallsyms.c reads the table. Its
 * layout, all numbers little-endian:
 *
 *	header		struct kallsyms_header
 *	u32 offset[]	of each symbol from KERNEL_BASE, ascending
 *	u32 by_name[]	the indices of the symbols in the order of their names
 *	u32 marker[]	the position in names of every 64th symbol
 *	u16 token[256]	the position in tokens of the text of each byte value
 *	tokens		texts, each with its NUL
 *	names		for each symbol a length byte and that many byte values; their texts
 *			together are the type letter and the name
 *
 * Byte pair encoding shortens the names: the most frequent pair of byte values gets an unused value
 * of its own, again and again.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_BASE    0xffffffff80000000ULL
#define MAGIC          0x6d79736bU /* "ksym" */
#define MARKER_STEP    64
#define NAME_LEN       128 /* KSYM_NAME_LEN */
#define TOKEN_TEXT_MAX NAME_LEN

/*
 * ELF-64 object file format, figures 4-2, 4-8 and 4-14. Not from <elf.h>, because some hosts lack
 * it.
 */
struct elf_header {
	unsigned char ident[16];
	uint16_t type, machine;
	uint32_t version;
	uint64_t entry, phoff, shoff;
	uint32_t flags;
	uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

struct elf_section {
	uint32_t name, type;
	uint64_t flags, addr, offset, size;
	uint32_t link, info;
	uint64_t addralign, entsize;
};

struct elf_symbol {
	uint32_t name;
	unsigned char info, other;
	uint16_t shndx;
	uint64_t value, size;
};

enum { SHT_SYMTAB = 2, SHT_NOBITS = 8 };
enum { SHF_WRITE = 1, SHF_EXECINSTR = 4 };
enum { SHN_LORESERVE = 0xff00 };
enum { STB_LOCAL = 0, STB_WEAK = 2 };
enum { STT_NOTYPE = 0, STT_OBJECT = 1, STT_FUNC = 2, STT_SECTION = 3, STT_FILE = 4 };

struct kallsyms_header {
	uint32_t magic, size;
	uint32_t num_symbols;
	uint32_t offsets, by_name, markers, token_index, tokens,
		names; /* offsets from the start of the header */
};

struct symbol {
	uint64_t address;
	unsigned rank;  /* order among symbols of one address: the first names the address */
	unsigned order; /* index in the ELF file */
	unsigned length;
	unsigned char text[NAME_LEN]; /* type letter and name; shortened later */
	char *name;
};

static unsigned char *elf;
static size_t elf_size;
static struct elf_section *sections;
static unsigned num_sections;
static const char *section_names;

static struct symbol *symbols;
static unsigned num_symbols;

static unsigned char pair[256][2]; /* the two values that a pair value replaces */
static bool is_pair[256];

static void fail(const char *message)
{
	fprintf(stderr, "kallsyms: %s\n", message);
	exit(1);
}

static void *allocate(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		fail("out of memory");
	return p;
}

static void read_elf(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct elf_header *header;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < (long)sizeof(*header))
		fail("cannot read the ELF file");
	rewind(file);
	elf_size = size;
	elf = allocate(elf_size);
	if (fread(elf, 1, elf_size, file) != elf_size)
		fail("cannot read the ELF file");
	fclose(file);
	header = (struct elf_header *)elf;
	if (memcmp(elf, "\177ELF\2\1", 6) || header->shentsize != sizeof(*sections))
		fail("not a little-endian ELF-64 file");
	if (header->shoff + (uint64_t)header->shnum * sizeof(*sections) > elf_size)
		fail("the section headers are cut off");
	sections = (struct elf_section *)(elf + header->shoff);
	num_sections = header->shnum;
	section_names = (const char *)elf + sections[header->shstrndx].offset;
}

static struct elf_section *find_section(const char *name)
{
	for (unsigned i = 0; i < num_sections; i++)
		if (!strcmp(section_names + sections[i].name, name))
			return &sections[i];
	fail("a section is missing");
	return NULL;
}

/* Returns the type letter that nm(1) prints. */
static char type_letter(const struct elf_symbol *symbol)
{
	const struct elf_section *section = &sections[symbol->shndx];
	unsigned bind = symbol->info >> 4, type = symbol->info & 15;
	char letter;

	if (bind == STB_WEAK)
		return type == STT_OBJECT ? 'V' : 'W';
	if (section->flags & SHF_EXECINSTR)
		letter = 'T';
	else if (!(section->flags & SHF_WRITE))
		letter = 'R';
	else
		letter = section->type == SHT_NOBITS ? 'B' : 'D';
	return bind == STB_LOCAL ? letter + 'a' - 'A' : letter;
}

/*
 * Returns whether the table needs the symbol: one of the image above KERNEL_BASE, and not one for
 * the assembler and the linker only.
 */
static bool wanted(const struct elf_symbol *symbol, const char *name)
{
	unsigned bind = symbol->info >> 4, type = symbol->info & 15;

	if (!*name || !strncmp(name, "..@", 3) || symbol->value < KERNEL_BASE || !symbol->shndx ||
	    symbol->shndx >= SHN_LORESERVE || type == STT_SECTION || type == STT_FILE)
		return false;
	/* a local label of NASM: function.label */
	return !(type == STT_NOTYPE && bind == STB_LOCAL && strchr(name, '.'));
}

/*
 * Orders several names of one address: functions and variables before labels, global before local.
 */
static unsigned rank(const struct elf_symbol *symbol)
{
	unsigned bind = symbol->info >> 4, type = symbol->info & 15;

	return (type == STT_NOTYPE) * 2 + (bind == STB_LOCAL);
}

static int compare_addresses(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void read_symbols(void)
{
	struct elf_section *table = NULL;
	const struct elf_symbol *entries;
	const char *strings;
	size_t count;

	for (unsigned i = 0; i < num_sections; i++)
		if (sections[i].type == SHT_SYMTAB)
			table = &sections[i];
	if (!table)
		fail("there is no symbol table");
	entries = (const struct elf_symbol *)(elf + table->offset);
	strings = (const char *)elf + sections[table->link].offset;
	count = table->size / sizeof(*entries);
	symbols = allocate(count * sizeof(*symbols));
	for (size_t i = 0; i < count; i++) {
		const char *name = strings + entries[i].name;
		struct symbol *symbol = &symbols[num_symbols];

		if (!wanted(&entries[i], name))
			continue;
		symbol->address = entries[i].value;
		symbol->rank = rank(&entries[i]);
		symbol->order = i;
		symbol->text[0] = type_letter(&entries[i]);
		symbol->length = 1;
		while (symbol->length < NAME_LEN && name[symbol->length - 1]) {
			symbol->text[symbol->length] = name[symbol->length - 1];
			symbol->length++;
		}
		symbol->name = allocate(symbol->length);
		memcpy(symbol->name, symbol->text + 1, symbol->length - 1);
		num_symbols++;
	}
	qsort(symbols, num_symbols, sizeof(*symbols), compare_addresses);
}

static void replace_pair(struct symbol *symbol, const unsigned char old[2], unsigned char new)
{
	unsigned to = 0;

	for (unsigned from = 0; from < symbol->length; from++) {
		unsigned char value = symbol->text[from];

		if (from + 1 < symbol->length && value == old[0] &&
		    symbol->text[from + 1] == old[1]) {
			value = new;
			from++;
		}
		symbol->text[to++] = value;
	}
	symbol->length = to;
}

static unsigned text_length(unsigned value)
{
	return is_pair[value] ? text_length(pair[value][0]) + text_length(pair[value][1]) : 1;
}

/* Finds the most frequent pair, and returns how often it occurs. */
static unsigned commonest_pair(unsigned char best[2])
{
	static unsigned count[256][256];
	unsigned most = 0;

	memset(count, 0, sizeof(count));
	for (unsigned i = 0; i < num_symbols; i++)
		for (unsigned j = 0; j + 1 < symbols[i].length; j++)
			count[symbols[i].text[j]][symbols[i].text[j + 1]]++;
	for (unsigned a = 0; a < 256; a++) {
		for (unsigned b = 0; b < 256; b++) {
			if (count[a][b] <= most ||
			    text_length(a) + text_length(b) >= TOKEN_TEXT_MAX)
				continue;
			most = count[a][b];
			best[0] = a;
			best[1] = b;
		}
	}
	return most;
}

static void shorten_names(void)
{
	bool used[256] = { [0] = true }; /* never 0: it would end a text early */
	unsigned char best[2];

	for (unsigned i = 0; i < num_symbols; i++)
		for (unsigned j = 0; j < symbols[i].length; j++)
			used[symbols[i].text[j]] = true;
	for (unsigned value = 1; value < 256; value++) {
		if (used[value])
			continue;
		if (commonest_pair(best) < 4)
			return;
		memcpy(pair[value], best, 2);
		is_pair[value] = true;
		for (unsigned i = 0; i < num_symbols; i++)
			replace_pair(&symbols[i], best, value);
	}
}

/* The output buffer of the table. */
static struct {
	unsigned char *bytes;
	size_t size, room;
} out;

static void put(const void *bytes, size_t size)
{
	if (out.size + size > out.room) {
		out.room = (out.size + size) * 2;
		out.bytes = realloc(out.bytes, out.room);
		if (!out.bytes)
			fail("out of memory");
	}
	memcpy(out.bytes + out.size, bytes, size);
	out.size += size;
}

static void put_u32(uint32_t value)
{
	put(&value, sizeof(value));
}

static void put_text(unsigned value)
{
	unsigned char byte = value;

	if (is_pair[value]) {
		put_text(pair[value][0]);
		put_text(pair[value][1]);
	} else {
		put(&byte, 1);
	}
}

static void put_tokens(struct kallsyms_header *header)
{
	uint16_t at[256] = { 0 };
	size_t start = 0;

	header->token_index = out.size;
	put(at, sizeof(at)); /* overwritten below */
	header->tokens = start = out.size;
	for (unsigned value = 0; value < 256; value++) {
		at[value] = out.size - start;
		if (value)
			put_text(value);
		put("", 1);
	}
	memcpy(out.bytes + header->token_index, at, sizeof(at));
}

static int compare_names(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int difference = strcmp(symbols[x].name, symbols[y].name);

	if (difference)
		return difference;
	return x < y ? -1 : 1;
}

static void make_table(void)
{
	struct kallsyms_header header = { .magic = MAGIC, .num_symbols = num_symbols };
	uint32_t *by_name = allocate(num_symbols * sizeof(*by_name));
	uint32_t at = 0;

	shorten_names();
	put(&header, sizeof(header));
	header.offsets = out.size;
	for (unsigned i = 0; i < num_symbols; i++) {
		put_u32(symbols[i].address - KERNEL_BASE);
		by_name[i] = i;
	}
	qsort(by_name, num_symbols, sizeof(*by_name), compare_names);
	header.by_name = out.size;
	put(by_name, num_symbols * sizeof(*by_name));
	header.markers = out.size;
	for (unsigned i = 0; i < num_symbols; i++) {
		if (i % MARKER_STEP == 0)
			put_u32(at);
		at += 1 + symbols[i].length;
	}
	put_tokens(&header);
	header.names = out.size;
	for (unsigned i = 0; i < num_symbols; i++) {
		unsigned char length = symbols[i].length;

		put(&length, 1);
		put(symbols[i].text, length);
	}
	header.size = out.size;
	memcpy(out.bytes, &header, sizeof(header));
	free(by_name);
}

static void write_elf(const char *path)
{
	struct elf_section *section = find_section(".kallsyms");
	FILE *file;

	if (out.size > section->size)
		fail("the table does not fit into its room");
	if (section->type == SHT_NOBITS || section->offset + section->size > elf_size)
		fail(".kallsyms has no room in the file");
	memcpy(elf + section->offset, out.bytes, out.size);
	file = fopen(path, "wb");
	if (!file || fwrite(elf, 1, elf_size, file) != elf_size || fclose(file))
		fail("cannot write the new ELF file");
}

int main(int argc, char **argv)
{
	bool fill = argc == 4 && !strcmp(argv[1], "fill");

	if (!fill && !(argc == 3 && !strcmp(argv[1], "size"))) {
		fprintf(stderr, "usage: kallsyms size ELF | kallsyms fill ELF OUT\n");
		return 2;
	}
	read_elf(argv[2]);
	read_symbols();
	make_table();
	if (fill)
		write_elf(argv[3]);
	else
		printf("%zu\n", out.size);
	return 0;
}
