/* Inside the page-table code: tables by physical address. Everyone else uses pgtable.h. */
#pragma once

#include "arch/pgtable.h"
#include "kernel/locking/spinlock.h"

#define PMD_SIZE       0x200000UL
#define PUD_SIZE       0x40000000UL
#define PGD_SIZE       0x8000000000UL
#define PTRS_PER_TABLE 512
/* An entry that leads to the next table: the leaf alone decides on rights. */
#define TABLE_FLAGS (_PAGE_PRESENT | _PAGE_RW | _PAGE_ACCESSED)

enum table_level { LEVEL_PTE = 1, LEVEL_PMD, LEVEL_PUD, LEVEL_PGD };

extern u64 swapper_pg_dir[PTRS_PER_TABLE]; /* the root that every CPU uses */
extern spinlock_t init_mm_lock;

/*
 * A table's entries. Until paging_init() has built the direct map they are seen through one window:
 * the pointer is good until the next call.
 */
u64 *table_ptr(phys_addr_t table);
/* A zeroed table, or 0. Boot, or init_mm_lock held. */
phys_addr_t alloc_table(void);
/*
 * The entry of level that covers addr; missing tables above it are made if create. NULL when one is
 * missing (or cannot be had), or when a larger page covers addr.
 */
u64 *walk_to(unsigned long addr, enum table_level level, bool create);
static inline unsigned table_index(unsigned long addr, enum table_level level)
{
	return (addr >> (12 + 9 * (level - 1))) & (PTRS_PER_TABLE - 1);
}
/* Boot, after memblock_init(): replaces the boot page tables by the final ones. */
void paging_init(void);
