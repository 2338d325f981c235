/*
 * The loader's reading of a module: whatever file it gets, it refuses the file or gives each section a place in which
 * all its bytes lie, and relocations write only there.
 * sources: kernel/module/elf.c kernel/module/layout.c arch/x86_64/module/module.c
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/module/elf.h"

int printk(const char *fmt, ...)
{
	static char text[2048];
	va_list args;
	int length;

	va_start(args, fmt);
	length = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return length;
}

static void read_texts(const struct load_info *info)
{
	size_t sink = 0;

	for (const char *text = NULL; (text = get_next_modinfo(info, "parm", text));)
		sink += strlen(text);
	for (unsigned i = 0; i < info->hdr->shnum; i++)
		sink += strlen(section_name(info, i));
	for (unsigned i = 0; i < info->num_symbols; i++)
		sink += strlen(info->strtab + info->symbols[i].name);
	if (sink > 1UL << 40 || !info->name || strlen(info->name) >= MODULE_NAME_LEN)
		abort();
}

/* As simplify_symbols(), with one address for all that is imported. */
static void set_symbols(struct load_info *info)
{
	for (unsigned i = 1; i < info->num_symbols; i++) {
		struct elf_symbol *symbol = &info->symbols[i];

		if (!symbol->shndx)
			symbol->value = 0xffffffff80100000UL;
		else if (symbol->shndx < info->hdr->shnum && info->region[symbol->shndx] != LOAD_REGIONS)
			symbol->value += info->sechdrs[symbol->shndx].addr;
	}
}

static void load(struct load_info *info)
{
	unsigned count;

	for (unsigned region = 0; region < LOAD_REGIONS; region++) {
		info->base[region] = 0xffffffffc0000000UL + region * 0x8000000UL;
		info->image[region] = calloc(1, info->region_size[region] + 1);
	}
	copy_sections(info);
	set_symbols(info);
	apply_relocations(info);
	(void)section_objects(info, "__param", 8, &count);
	for (unsigned region = 0; region < LOAD_REGIONS; region++)
		free(info->image[region]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of exactly this size, which the loader may change. ASan sees each byte behind its end. */
	struct load_info info = { .hdr = malloc(size ? size : 1), .len = size };
	size_t total = 0;

	memcpy(info.hdr, data, size);
	if (elf_validate(&info) == 0) {
		read_texts(&info);
		info.region = malloc(info.hdr->shnum);
		if (layout_sections(&info) == 0) {
			for (unsigned region = 0; region < LOAD_REGIONS; region++)
				total += info.region_size[region];
			if (total < 16 << 20) /* sections without bytes in the file may be large */
				load(&info);
		}
		free(info.region);
	}
	free(info.hdr);
	return 0;
}
