/*
 * What a module may use: the symbols that the kernel and other modules export, and their versions.
 */
#include "kernel/errno.h"
#include "kernel/lib/sort.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/module/internal.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/mutex.h"

/* By name: the linker sorts the entries. */
DEFINE_LINKER_TABLE(rodata, const struct kernel_symbol, ksymtab);

/*
 * Its version stands for the layout of struct module and for the flags of the compiler: a module
 * that agrees on it can be looked at.
 */
void module_layout(void);
void module_layout(void)
{
}
EXPORT_SYMBOL(module_layout);

static const struct kernel_symbol *search(const struct kernel_symbol *symbols, size_t count,
					  const char *name)
{
	size_t first = partition_point(count, i, strcmp(symbols[i].name, name) < 0);

	return first < count && !strcmp(symbols[first].name, name) ? &symbols[first] : NULL;
}

static const struct kernel_symbol *search_kernel(const char *name)
{
	const struct kernel_symbol *first = linker_table_start(ksymtab);

	return search(first, (size_t)(linker_table_end(ksymtab) - first), name);
}

unsigned long kernel_symbol_value(const char *name)
{
	const struct kernel_symbol *symbol = search_kernel(name);

	return symbol ? (unsigned long)symbol->value : 0;
}

/* *owner: the module that exports it; NULL: the kernel. M. */
static const struct kernel_symbol *find_symbol(const char *name, struct module **owner)
{
	const struct kernel_symbol *symbol = search_kernel(name);
	struct module *mod;

	*owner = NULL;
	if (symbol)
		return symbol;
	list_for_each_entry (mod, &modules, list) {
		if (mod->state == MODULE_STATE_UNFORMED)
			continue;
		symbol = search(mod->syms, mod->num_syms, name);
		if (symbol) {
			*owner = mod;
			return symbol;
		}
	}
	return NULL;
}

/* ---- versions ---- */

static bool same_version(const struct load_info *info, const struct kernel_symbol *symbol)
{
	const struct elf_section *section = &info->sechdrs[info->index.versions];
	const struct modversion_info *versions =
		(const void *)((const char *)info->hdr + section->offset);

	for (u64 i = 0; i < section->size / sizeof(*versions); i++)
		if (strcmp(versions[i].name, symbol->name) == 0)
			return versions[i].crc == (u32)(unsigned long)symbol->crc;
	return false;
}

/* A module without any versions has been built without them: Linux needs force for that. */
static bool check_version(const struct load_info *info, const struct kernel_symbol *symbol,
			  bool ignore_versions)
{
	if (ignore_versions || (info->index.versions && same_version(info, symbol)))
		return true;
	pr_warn("%s: disagrees about version of symbol %s\n", info->name, symbol->name);
	return false;
}

int check_module_layout(const struct load_info *info, bool ignore_versions)
{
	return check_version(info, search_kernel("module_layout"), ignore_versions) ? 0 : -ENOEXEC;
}

/* ---- use of other modules ---- */

/* Notes that mod uses `used`, once. M. */
static int ref_module(struct module *mod, struct module *used)
{
	struct module_use *use;

	if (!used || used == mod)
		return 0;
	list_for_each_entry (use, &mod->uses, source)
		if (use->used == used)
			return 0;
	if (used->state != MODULE_STATE_LIVE || !try_module_get(used))
		return -EBUSY;
	use = kmalloc(sizeof(*use), GFP_KERNEL);
	if (!use) {
		module_put(used);
		return -ENOMEM;
	}
	use->user = mod;
	use->used = used;
	list_add(&use->list, &used->users);
	list_add(&use->source, &mod->uses);
	return 0;
}

void module_unload_uses(struct module *mod)
{
	struct module_use *use, *next;

	list_for_each_entry_safe (use, next, &mod->uses, source) {
		list_del(&use->list);
		list_del(&use->source);
		module_put(use->used);
		kfree(use);
	}
}

/* ---- the values of symbols ---- */

static int resolve_symbol(struct module *mod, const struct load_info *info, const char *name,
			  bool ignore_versions, bool gpl_ok, u64 *value)
{
	struct module *owner;
	const struct kernel_symbol *symbol = find_symbol(name, &owner);

	if (!symbol || (symbol->gpl_only && !gpl_ok))
		return -ENOENT;
	if (!check_version(info, symbol, ignore_versions))
		return -EINVAL;
	*value = (unsigned long)symbol->value;
	return ref_module(mod, owner);
}

static int value_of(struct module *mod, const struct load_info *info, struct elf_symbol *symbol,
		    bool ignore_versions, bool gpl_ok)
{
	const char *name = info->strtab + symbol->name;
	int error;

	switch (symbol->shndx) {
	case SHN_ABS:
		return 0;
	case SHN_COMMON:
		if (strcmp(name, "__gnu_lto_slim") != 0)
			pr_warn("%s: please compile with -fno-common\n", mod->name);
		return -ENOEXEC;
	case SHN_UNDEF:
		error = resolve_symbol(mod, info, name, ignore_versions, gpl_ok, &symbol->value);
		if (error == -ENOENT && ELF_ST_BIND(symbol->info) == STB_WEAK)
			return 0;
		if (error)
			pr_warn("%s: Unknown symbol %s (err %d)\n", mod->name, name, error);
		return error;
	default:
		if (symbol->shndx >= SHN_LORESERVE)
			return -ENOEXEC;
		if (info->region[symbol->shndx] != LOAD_REGIONS)
			symbol->value += info->sechdrs[symbol->shndx].addr;
		return 0;
	}
}

int simplify_symbols(struct module *mod, const struct load_info *info, bool ignore_versions,
		     bool gpl_ok)
{
	int result = 0;

	/* Reports all symbols that it does not find, and returns the last error. */
	for (unsigned i = 1; i < info->num_symbols; i++) {
		int error = value_of(mod, info, &info->symbols[i], ignore_versions, gpl_ok);

		if (error)
			result = error;
	}
	return result;
}

int verify_exported_symbols(const struct module *mod)
{
	for (unsigned i = 0; i < mod->num_syms; i++) {
		struct module *owner;

		if (!find_symbol(mod->syms[i].name, &owner))
			continue;
		pr_err("%s: exports duplicate symbol %s (owned by %s)\n", mod->name,
		       mod->syms[i].name, owner ? owner->name : "kernel");
		return -ENOEXEC;
	}
	return 0;
}
