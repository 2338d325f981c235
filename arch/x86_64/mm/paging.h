/*
 * Internal to the page-table code, which finds tables by physical address. All other code uses
 * pgtable.h.
 */
#pragma once

#include "arch/mm/pgtable.h"
#include "kernel/locking/spinlock.h"

#define PMD_SIZE       0x200000UL
#define PUD_SIZE       0x40000000UL
#define PGD_SIZE       0x8000000000UL
#define PTRS_PER_TABLE 512
/* Flags of an entry that points to a table. Only the last level restricts access. */
#define TABLE_FLAGS (_PAGE_PRESENT | _PAGE_RW | _PAGE_ACCESSED)

enum table_level { LEVEL_PTE = 1, LEVEL_PMD, LEVEL_PUD, LEVEL_PGD };

extern u64 swapper_pg_dir[PTRS_PER_TABLE]; /* the root table of all CPUs */
extern spinlock_t init_mm_lock;

/*
 * Returns a pointer to the entries of a table. Before the direct map exists, all tables appear in
 * one window: the pointer is valid until the next call.
 */
u64 *table_ptr(phys_addr_t table);
/* Adds to the number that page_table_pages() returns. Any context. */
void count_page_tables(int tables);
/* Returns the address of a zeroed table, or 0. Boot, or init_mm_lock held. */
phys_addr_t alloc_table(void);
/*
 * Returns the entry of that level for addr. Allocates missing tables above it if create is true.
 * Returns NULL if a table is missing or cannot be allocated, or if a larger page covers addr.
 */
u64 *walk_to(unsigned long addr, enum table_level level, bool create);
static inline unsigned table_index(unsigned long addr, enum table_level level)
{
	return (addr >> (12 + 9 * (level - 1))) & (PTRS_PER_TABLE - 1);
}
/* Boot, after memblock_init(): replaces the boot page tables by the final ones. */
void paging_init(void);
