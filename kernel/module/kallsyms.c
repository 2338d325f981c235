/* Makes the tables of a module's own symbols: one that stays, and one of its init regions. */
#include "kernel/errno.h"
#include "kernel/lib/sort.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/module/internal.h"

static bool is_init_region(unsigned region)
{
	return region >= MOD_INIT_TEXT;
}

/*
 * The region of a symbol that has a name worth showing; MOD_REGIONS or above: it has none, or is a
 * per-CPU variable, which is nowhere but in the copies.
 */
static unsigned region_of(const struct load_info *info, const struct elf_symbol *symbol)
{
	const char *name = info->strtab + symbol->name;
	unsigned type = ELF_ST_TYPE(symbol->info);

	if (!symbol->shndx || symbol->shndx >= info->hdr->shnum || !*name ||
	    (name[0] == '.' && name[1] == 'L') || type == STT_SECTION || type == STT_FILE)
		return MOD_REGIONS;
	return info->region[symbol->shndx];
}

static char letter_of(const struct elf_symbol *symbol, unsigned region, bool bss)
{
	static const char letters[] = { 't', 'r', 'd' };
	char letter = bss ? 'b' : letters[region % 3];

	return ELF_ST_BIND(symbol->info) == STB_LOCAL ? letter : (char)(letter - 'a' + 'A');
}

static int compare_symbols(const void *a, const void *b)
{
	const struct kallsyms_symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void sort_symbols(struct kallsyms_symbol *symbols, unsigned count)
{
	for (unsigned i = 1; i < count; i++) {
		if (symbols[i - 1].address > symbols[i].address) {
			sort(symbols, count, sizeof(*symbols), compare_symbols);
			return;
		}
	}
}

/* Each symbol extends to the next one, or to the end of its region. */
static void set_sizes(const struct module *mod, struct kallsyms_symbol *symbols, unsigned count)
{
	unsigned long next = 0;

	for (unsigned i = count; i--;) {
		unsigned long end = symbols[i].address;

		for (unsigned region = 0; region < MOD_REGIONS; region++)
			if (within_module_region(mod, region, symbols[i].address))
				end = mod->memory[region].base + mod->memory[region].size;
		if (i + 1 < count && symbols[i + 1].address != symbols[i].address)
			next = symbols[i + 1].address;
		if (next && next < end)
			end = next;
		symbols[i].size = (u32)(end - symbols[i].address);
	}
}

static struct kallsyms_table *make_table(const struct module *mod, const struct load_info *info,
					 bool init)
{
	size_t names = 0, used = 0, head = sizeof(struct kallsyms_table);
	struct kallsyms_symbol *symbols;
	struct kallsyms_table *table;
	unsigned count = 0;
	char *text;

	for (unsigned i = 0; i < info->num_symbols; i++) {
		unsigned region = region_of(info, &info->symbols[i]);

		if (region >= MOD_REGIONS || is_init_region(region) != init)
			continue;
		count++;
		names += strlen(info->strtab + info->symbols[i].name) + 2;
	}
	table = kvzalloc(head + count * sizeof(*symbols) + names, GFP_KERNEL);
	if (!table)
		return NULL;
	symbols = (struct kallsyms_symbol *)(table + 1);
	text = (char *)(symbols + count);
	table->module = mod->name;
	table->count = count;
	table->symbols = symbols;
	table->names = text;
	count = 0;
	for (unsigned i = 0; i < info->num_symbols; i++) {
		const struct elf_symbol *symbol = &info->symbols[i];
		const char *name = info->strtab + symbol->name;
		unsigned region = region_of(info, symbol);

		if (region >= MOD_REGIONS || is_init_region(region) != init)
			continue;
		symbols[count].address = symbol->value;
		symbols[count++].name = (u32)used;
		text[used++] =
			letter_of(symbol, region, info->sechdrs[symbol->shndx].type == SHT_NOBITS);
		memcpy(text + used, name, strlen(name) + 1);
		used += strlen(name) + 1;
	}
	sort_symbols(symbols, count);
	set_sizes(mod, symbols, count);
	return table;
}

int module_make_symbols(struct module *mod, const struct load_info *info)
{
	mod->symbols = make_table(mod, info, false);
	mod->init_symbols = make_table(mod, info, true);
	return mod->symbols && mod->init_symbols ? 0 : -ENOMEM;
}
