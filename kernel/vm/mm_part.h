/*
 * What other rooms keep for an address space, in tables of their own. A room adds an entry to the
 * table; kernel/vm/mm_struct.c calls the functions of all entries. Task context.
 */
#pragma once

#include "kernel/linker_table.h"

struct mm_struct;

struct mm_part {
	/*
	 * mm is a complete copy of old, for fork(2), and has not run. mmap_lock of old is held for
	 * writing. 0 or -ENOMEM: then exit() is called for mm. NULL: nothing is to be copied.
	 */
	int (*copy)(struct mm_struct *old, struct mm_struct *mm);
	/* The last user of mm has gone, and its areas are still there. No lock of mm is held. */
	void (*exit)(struct mm_struct *mm);
};

/* static const struct mm_part name MM_PART(name) = { … }; */
#define MM_PART(name) LINKER_TABLE_ENTRY(rodata, mm_parts, #name)
