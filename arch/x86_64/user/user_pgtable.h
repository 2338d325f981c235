/*
 * The user half of page tables: 4 levels, pages of 4 KiB.
 *
 * Each address space has a root table. Its upper half is a copy of the kernel's, whose entries are
 * all present since the boot and never change. The tables below the lower half belong to the
 * address space. page_table_lock protects entries and tables. But tables are only removed with
 * mmap_lock held for writing, too: so a holder of mmap_lock may walk to an entry without
 * page_table_lock, and take that lock before it relies on the value.
 *
 * All entries have the accessed bit, and writable ones the dirty bit: nop5 needs neither, and so
 * the CPU never writes to an entry.
 */
#pragma once

#include "arch/mm/pgtable.h"
#include "kernel/vm/mm_types.h"

#define _PAGE_SPECIAL  (1UL << 9)   /* ignored by the CPU: the page is not counted */
#define _PAGE_PROTNONE _PAGE_GLOBAL /* not present: there is a page, but no access is allowed */

static __always_inline bool pte_present(u64 pte)
{
	return pte & (_PAGE_PRESENT | _PAGE_PROTNONE);
}

static __always_inline struct page *pte_page(u64 pte)
{
	return phys_to_page(pte & PTE_PFN_MASK);
}

static __always_inline u64 mk_pte(const struct page *page, u64 prot)
{
	return page_to_phys(page) | prot;
}

static __always_inline u64 pte_mkwrite(u64 pte)
{
	return pte | _PAGE_RW | _PAGE_DIRTY;
}

static __always_inline u64 pte_wrprotect(u64 pte)
{
	return pte & ~_PAGE_RW;
}

/* The same page with other rights. */
static __always_inline u64 pte_modify(u64 pte, u64 prot)
{
	return (pte & (PTE_PFN_MASK | _PAGE_SPECIAL)) | prot;
}

static __always_inline void set_pte(u64 *pte, u64 value)
{
	WRITE_ONCE(*pte, value);
}

/*
 * The flags of an entry for an area with these VM_* flags. Writable only for VM_SHARED: in a
 * private area, the first write to a page makes a copy of it.
 */
u64 vm_get_page_prot(unsigned long vm_flags);

/* A root table with the kernel's half, or NULL. pgd_free(): all user tables are freed already. */
u64 *pgd_alloc(void);
void pgd_free(u64 *pgd);

/* The entry for addr, or NULL if there is no table for it. */
u64 *user_pte(const struct mm_struct *mm, unsigned long addr);
/* The same, but allocates tables. NULL: memory is short. page_table_lock held. */
u64 *user_pte_alloc(struct mm_struct *mm, unsigned long addr);
/*
 * The physical address of addr, which a program may be able to access. False: none. mm is loaded on
 * this CPU, and interrupts are off: tables are freed only after an interrupt here.
 */
bool user_virt_to_phys(const struct mm_struct *mm, unsigned long addr, phys_addr_t *phys);
/*
 * The entry for the first address from *addr on, below end, for which a table exists. *addr becomes
 * that address. NULL: there is none. The entries up to the next multiple of PTE_TABLE_SIZE follow.
 */
u64 *user_pte_next(const struct mm_struct *mm, unsigned long *addr, unsigned long end);
#define PTE_TABLE_SIZE 0x200000UL
/* The end of the part of [addr, end) whose entries are in one table. */
static inline unsigned long pte_table_end(unsigned long addr, unsigned long end)
{
	unsigned long next = ALIGN_DOWN(addr, PTE_TABLE_SIZE) + PTE_TABLE_SIZE;

	return min(next, end);
}
/*
 * Unlinks all tables that lie in [floor, ceiling), where there is no area, and serve addresses of
 * [start, end). Calls free(table, arg) for each; CPUs may use the table until they have flushed
 * their TLBs. page_table_lock held.
 */
void free_user_tables(struct mm_struct *mm, unsigned long start, unsigned long end,
		      unsigned long floor, unsigned long ceiling,
		      void (*free)(struct page *table, void *arg), void *arg);
