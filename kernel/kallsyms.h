/*
 * The kernel's symbol table in the kernel: addresses to names and back.
 *
 * scripts/kallsyms makes the table from the linked ELF file, and the build writes it into the room
 * that the linker left for it in rodata. It never changes, and what was added is read under RCU, so
 * everything here may be called in any context, NMI included, from the first C line on.
 */
#pragma once

#include "kernel/lib/list.h"

/* The longest name with its NUL; longer ones are cut. And with +0x…/0x… behind it. */
#define KSYM_NAME_LEN   128
#define KSYM_MODULE_LEN 32 /* " [module]" with its NUL */
#define KSYM_SYMBOL_LEN (KSYM_NAME_LEN + 2 * 18 + 4 + KSYM_MODULE_LEN)

/*
 * Code that was made at run time: a name for it, shown with that of its maker as Linux shows a
 * symbol of a module.
 */
struct kallsyms_dynamic {
	struct list_head list; /* [kallsyms] */
	unsigned long address, size;
	const char *name, *module;
};
/* Task context. From kallsyms_del() on it may be freed after a grace period of RCU. */
void kallsyms_add(struct kallsyms_dynamic *symbol);
void kallsyms_del(struct kallsyms_dynamic *symbol);
/*
 * The one with that index, counted from 0: its fields, copied into *symbol; false past the end.
 * Any context.
 */
bool kallsyms_get_dynamic(unsigned index, struct kallsyms_dynamic *symbol);

/* An index for kallsyms_get() goes from 0 to this - 1, in the order of addresses. */
unsigned kallsyms_num_symbols(void);
/*
 * The symbol with that index: its address, its nm(1) letter (T text, R rodata, D data, B bss,
 * W weak; lower case when local) and its name. Each may be NULL. False past the end.
 */
bool kallsyms_get(unsigned index, unsigned long *address, char *type, char name[KSYM_NAME_LEN]);

/*
 * The symbol that covers address: returns namebuf with its name, the symbol's size in bytes (up to
 * the next symbol) and the distance of address from its start; NULL outside the image and what was
 * added. size and offset may be NULL.
 */
const char *kallsyms_lookup(unsigned long address, unsigned long *size, unsigned long *offset,
			    char namebuf[KSYM_NAME_LEN]);
/* The address of the symbol with that name (of local symbols with one name: the lowest), or 0. */
unsigned long kallsyms_lookup_name(const char *name);
/* Call fn with the address of each symbol of that name, the lowest first, until it returns not 0;
 * returns that, else 0. */
int kallsyms_on_each_match_symbol(int (*fn)(void *data, unsigned long address), const char *name,
				  void *data);
/* Call fn for each symbol in the order of addresses until it returns not 0; returns that. */
int kallsyms_on_each_symbol(int (*fn)(void *data, const char *name, unsigned long address),
			    void *data);

/*
 * Print "name+0x12/0x34" for address, with " [module]" behind it for code that was added, "0x…"
 * when no symbol covers it, and return the length. The
 * backtrace form looks up address - 1: a return address may lie just behind its function.
 * sprint_symbol_no_offset prints the name alone. buffer holds KSYM_SYMBOL_LEN bytes.
 */
int sprint_symbol(char *buffer, unsigned long address);
int sprint_symbol_no_offset(char *buffer, unsigned long address);
int sprint_backtrace(char *buffer, unsigned long address);

/* True when address lies in the kernel's text, or in init text that has not been freed yet. */
bool is_kernel_text(unsigned long address);
/* free_initmem() says that init text is no longer there. */
void kallsyms_init_text_freed(void);
