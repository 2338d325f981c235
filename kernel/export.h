/*
 * Symbols that modules may use. EXPORT_SYMBOL() stands behind the function or the object that it
 * exports. EXPORT_SYMBOL_GPL() exports to modules with a license that is compatible with the GPL,
 * as in Linux; the interfaces that are GPL-only there are GPL-only here, so that a module needs the
 * same MODULE_LICENSE() on both.
 *
 * Each symbol has a version, a CRC of the headers that declare it. scripts/symvers computes it, and
 * the linker knows it as the address of __crc_NAME. A module carries the versions that it was built
 * with, and is refused if they differ.
 */
#pragma once

#include "kernel/linker_table.h"

/* The module that the code is in; NULL: the kernel itself. */
#ifdef MODULE
extern struct module __this_module;
#define THIS_MODULE (&__this_module)
#else
#define THIS_MODULE ((struct module *)NULL)
#endif

struct kernel_symbol {
	const void *value;
	const char *name;
	const char *crc; /* the address is the number */
	u64 gpl_only;
};

#if defined(NOP5_HOST)
#define EXPORT_SYMBOL(symbol)
#define EXPORT_SYMBOL_GPL(symbol)
#else
#define EXPORT_SYMBOL(symbol)     __EXPORT_SYMBOL(symbol, 0)
#define EXPORT_SYMBOL_GPL(symbol) __EXPORT_SYMBOL(symbol, 1)
#define __EXPORT_SYMBOL(symbol, gpl)                                                               \
	extern const char __crc_##symbol[];                                                        \
	static const struct kernel_symbol __ksymtab_##symbol LINKER_TABLE_ENTRY(                   \
		rodata, ksymtab, #symbol) = { (const void *)&symbol, #symbol, __crc_##symbol,      \
					      gpl }
#endif
