/*
 * What the core asks of the loader of modules. kernel/module/main.c and kernel/kallsyms_module.c
 * fill it in core initcalls, before the first module is loaded; it is constant afterwards. NULL:
 * there are no modules. The functions below, and those of kernel/kallsyms.h, call it. Any context.
 */
#pragma once

#include "kernel/compiler.h"

struct module_ops {
	void (*print)(void);
	/* kallsyms_lookup_module() */
	const char *(*lookup_symbol)(unsigned long address, unsigned long *size,
				     unsigned long *offset, char namebuf[], char module[]);
	/* kallsyms_get_module() */
	bool (*get_symbol)(unsigned index, unsigned long *address, char *type, char name[],
			   char module[]);
	/* kallsyms_find_in_module() */
	unsigned long (*find_symbol)(const char *module, const char *name);
};
extern struct module_ops module_ops;

/* Prints "Modules linked in: …" for an oops, unless there has been no module. */
static inline void print_modules(void)
{
	if (module_ops.print)
		module_ops.print();
}
