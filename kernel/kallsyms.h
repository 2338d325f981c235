/*
 * The symbol table of the kernel, in the kernel: from addresses to names and back.
 *
 * scripts/kallsyms makes the table from the linked ELF file. The linker reserves space for it in
 * rodata, and the build writes it there. The table never changes, and symbols of generated code are
 * read under RCU. So all functions may be called in any context, NMI included, from the first line
 * of C on.
 */
#pragma once

#include "kernel/lib/list.h"
#include "kernel/module_ops.h"

/* The longest name with its NUL; longer names are cut. */
#define KSYM_NAME_LEN   128
#define KSYM_MODULE_LEN 60 /* " [module]" with its NUL */
/* With +0x…/0x… and the module. */
#define KSYM_SYMBOL_LEN (KSYM_NAME_LEN + 2 * 18 + 4 + KSYM_MODULE_LEN)

/*
 * The symbol of code that was made at run time. It is shown with a module, the part of the kernel
 * that made the code, as Linux shows the symbols of its modules.
 */
struct kallsyms_dynamic {
	struct list_head list; /* [kallsyms] */
	unsigned long address, size;
	const char *name, *module;
};
/*
 * Add and remove a symbol. After kallsyms_del() and an RCU grace period it may be freed. Task
 * context.
 */
void kallsyms_add(struct kallsyms_dynamic *symbol);
void kallsyms_del(struct kallsyms_dynamic *symbol);
/*
 * Copies the symbol with that index, counted from 0, into *symbol. False: no such index. Any
 * context.
 */
bool kallsyms_get_dynamic(unsigned index, struct kallsyms_dynamic *symbol);

/* One symbol of a module. Constant. */
struct kallsyms_symbol {
	unsigned long address;
	u32 size; /* up to the next symbol, or to the end of the region */
	u32 name; /* position in the table's names: the nm(1) letter, then the name with its NUL */
};

/* The symbols of a module, in the order of addresses. Constant while it is in the list. */
struct kallsyms_table {
	struct list_head list; /* [kallsyms] */
	const char *module;
	/*
	 * The code has been freed, but entries of traces may have its addresses. Other tables are
	 * searched first. Any context reads.
	 */
	bool gone;
	unsigned count;
	const struct kallsyms_symbol *symbols;
	const char *names;
};
/*
 * Add and remove a table. After kallsyms_del_table() and an RCU grace period it may be freed. Task
 * context.
 */
void kallsyms_add_table(struct kallsyms_table *table);
void kallsyms_del_table(struct kallsyms_table *table);
/*
 * Copies the symbol with that index, counted from 0 over all tables. module has KSYM_MODULE_LEN
 * bytes. False: no such index. Any context.
 */
static inline bool kallsyms_get_module(unsigned index, unsigned long *address, char *type,
				       char name[KSYM_NAME_LEN], char module[])
{
	return module_ops.get_symbol && module_ops.get_symbol(index, address, type, name, module);
}
/*
 * As kallsyms_lookup(), for symbols of modules. module, with KSYM_MODULE_LEN bytes, may be NULL.
 * Any context.
 */
static inline const char *kallsyms_lookup_module(unsigned long address, unsigned long *size,
						 unsigned long *offset, char namebuf[KSYM_NAME_LEN],
						 char module[])
{
	return module_ops.lookup_symbol
		       ? module_ops.lookup_symbol(address, size, offset, namebuf, module)
		       : NULL;
}
/* The address of a symbol of that module (NULL: of any), or 0. Any context. */
static inline unsigned long kallsyms_find_in_module(const char *module, const char *name)
{
	return module_ops.find_symbol ? module_ops.find_symbol(module, name) : 0;
}

/* The number of symbols. kallsyms_get() counts them from 0, in the order of addresses. */
unsigned kallsyms_num_symbols(void);
/*
 * Gives the address, the nm(1) letter (T text, R rodata, D data, B bss, W weak; lower case: local)
 * and the name of a symbol. Each of the three pointers may be NULL. False: no such index.
 */
bool kallsyms_get(unsigned index, unsigned long *address, char *type, char name[KSYM_NAME_LEN]);

/*
 * Finds the symbol that covers address. Writes its name to namebuf, its size in bytes (up to the
 * next symbol) to *size, and the distance of address from its start to *offset. Returns namebuf;
 * NULL: no symbol. size and offset may be NULL.
 */
const char *kallsyms_lookup(unsigned long address, unsigned long *size, unsigned long *offset,
			    char namebuf[KSYM_NAME_LEN]);
/*
 * The address of the symbol with that name, or 0. Of several local symbols: the lowest address.
 * "MODULE:NAME" is a symbol of a module; the kernel's are searched before those of modules.
 */
unsigned long kallsyms_lookup_name(const char *name);
/*
 * Calls fn with the address of each symbol of that name, the lowest first, until fn returns a value
 * other than 0. Returns this value, or 0.
 */
int kallsyms_on_each_match_symbol(int (*fn)(void *data, unsigned long address), const char *name,
				  void *data);
/* The same for all symbols, in the order of addresses. */
int kallsyms_on_each_symbol(int (*fn)(void *data, const char *name, unsigned long address),
			    void *data);

/*
 * Print "name+0x12/0x34" for address, or "0x…" if no symbol covers it, and return the length. For
 * symbols of generated code, " [module]" follows. sprint_backtrace() looks up address - 1, because
 * a return address may lie just behind its function. sprint_symbol_no_offset() prints the name
 * alone. buffer has KSYM_SYMBOL_LEN bytes.
 */
int sprint_symbol(char *buffer, unsigned long address);
int sprint_symbol_no_offset(char *buffer, unsigned long address);
int sprint_backtrace(char *buffer, unsigned long address);

/* True when address lies in the kernel's text, or in init text that is not freed yet. */
bool is_kernel_text(unsigned long address);
/* Called by free_initmem(): init text no longer exists. */
void kallsyms_init_text_freed(void);
