/*
 * Linker tables: arrays with entries from many files. The linker puts the entries together.
 *
 * One file defines a table and walks it. Any other file can add entries. The two files do not name
 * each other. A table has one of three kinds:
 *
 *	rodata	constant
 *	data	writable
 *	init	freed after the boot
 *
 * An entry lies in the section .table.KIND.NAME.1.KEY. The start and the end of the table are two
 * objects without size in .table.KIND.NAME.0 and .table.KIND.NAME.2. linker.ld has one line per
 * kind, which sorts these sections by name. So the entries of a table come in the order of their
 * keys, and for equal keys in the order of linking. The linker script names no table.
 *
 *	DEFINE_LINKER_TABLE(rodata, struct clock, clocks);	the file that walks it
 *
 *	static const struct clock tsc LINKER_TABLE_ENTRY(rodata, clocks, "tsc") = { … };
 *
 *	for_each_linker_table_entry (clock, clocks) …
 */
#pragma once

#include "kernel/compiler.h"

/*
 * Entries form an array. So the compiler must not give an entry a larger alignment. It does not if
 * the object has an explicit alignment.
 */
#define LINKER_TABLE_ALIGN 8

/* Attributes of an entry, which is a static object. kind and table are bare words, key a string. */
#ifdef NOP5_HOST
/*
 * The host's linker knows nothing of linker.ld. It makes symbols for the two ends of a section
 * whose name is a C name. The entries come in the order of linking.
 */
#define LINKER_TABLE_ENTRY(kind, table, key)   __used __aligned(8) __section(#table)
#define DEFINE_LINKER_TABLE(kind, type, table) extern type __start_##table[], __stop_##table[]
#define linker_table_start(table)              hide_pointer(__start_##table + 0)
#define linker_table_end(table)                hide_pointer(__stop_##table + 0)
#else
#define LINKER_TABLE_ENTRY(kind, table, key)                                                       \
	__used __aligned(LINKER_TABLE_ALIGN) __section(".table." #kind "." #table ".1." key)

/* Defines an empty table. type is const for the kind rodata. */
#define DEFINE_LINKER_TABLE(kind, type, table)                                                     \
	BUILD_BUG_ON(sizeof(type) % LINKER_TABLE_ALIGN != 0);                                      \
	static type __table_start_##table[0] __used __aligned(LINKER_TABLE_ALIGN)                  \
		__section(".table." #kind "." #table ".0");                                        \
	static type __table_end_##table[0] __used __aligned(LINKER_TABLE_ALIGN)                    \
		__section(".table." #kind "." #table ".2")

/*
 * The first entry, and the end of the last one. Only in the file that defines the table. The two
 * objects have no size: hide_pointer() keeps the compiler from concluding that the table is empty.
 */
#define linker_table_start(table) hide_pointer(__table_start_##table)
#define linker_table_end(table)   hide_pointer(__table_end_##table)

#endif

#define for_each_linker_table_entry(pos, table)                                                    \
	for (__typeof__(linker_table_start(table)) pos = linker_table_start(table),                \
						   pos##_end = linker_table_end(table);            \
	     pos < pos##_end; pos++)
