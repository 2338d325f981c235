/* Names of a program that is linked to fixed addresses. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mdb.h"

static struct symbol *symbols;
static size_t symbol_count;

/* Adds the symbols of a table of the image. */
static void add_symbols(const char *image, const Elf64_Shdr *table, const Elf64_Shdr *strings)
{
	const Elf64_Sym *entries = (const Elf64_Sym *)(image + table->sh_offset);
	size_t count = table->sh_size / sizeof(*entries);

	symbols = calloc(count, sizeof(*symbols));
	for (size_t n = 0; symbols && n < count; n++)
		if (ELF64_ST_TYPE(entries[n].st_info) <= STT_FUNC && entries[n].st_shndx != SHN_UNDEF && entries[n].st_name)
			symbols[symbol_count++] =
				(struct symbol){ entries[n].st_value, entries[n].st_size, image + strings->sh_offset + entries[n].st_name };
}

void read_symbols(void)
{
	char path[32], *image;
	const Elf64_Ehdr *header;
	FILE *file;
	size_t size;

	symbol_count = 0;
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	file = fopen(path, "r");
	if (!file)
		return;
	fseek(file, 0, SEEK_END);
	size = (size_t)ftell(file);
	rewind(file);
	image = malloc(size); /* never freed: names are in it */
	header = (const Elf64_Ehdr *)image;
	if (image && size > sizeof(*header) && fread(image, 1, size, file) == size && !memcmp(image, ELFMAG, SELFMAG) &&
	    header->e_type == ET_EXEC) {
		const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + header->e_shoff);

		for (unsigned i = 0; i < header->e_shnum; i++)
			if (sections[i].sh_type == SHT_SYMTAB)
				add_symbols(image, &sections[i], &sections[sections[i].sh_link]);
	}
	fclose(file);
}

const struct symbol *symbol_of(uint64_t address)
{
	for (size_t i = 0; i < symbol_count; i++)
		if (address >= symbols[i].address && address - symbols[i].address < symbols[i].size)
			return &symbols[i];
	return NULL;
}

bool find_name(const char *name, uint64_t *address)
{
	for (size_t i = 0; i < symbol_count; i++) {
		if (!strcmp(symbols[i].name, name)) {
			*address = symbols[i].address;
			return true;
		}
	}
	return false;
}
