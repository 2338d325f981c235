/* The user half of page tables: finds, allocates and removes tables. */
#include "arch/user/user_pgtable.h"

#include "arch/mm/paging.h"
#include "kernel/bug.h"
#include "kernel/lib/string.h"

#define USER_TABLE_FLAGS (TABLE_FLAGS | _PAGE_USER)
#define USER_END         0x800000000000UL
#define KERNEL_HALF      (PTRS_PER_TABLE / 2) /* the first entry of the kernel's half */

u64 vm_get_page_prot(unsigned long vm_flags)
{
	u64 prot = _PAGE_PRESENT | _PAGE_USER | _PAGE_ACCESSED | _PAGE_DIRTY;

	if (!(vm_flags & VM_ACCESS_FLAGS))
		return _PAGE_PROTNONE | _PAGE_USER | _PAGE_ACCESSED | _PAGE_DIRTY | _PAGE_NX;
	if ((vm_flags & VM_WRITE) && (vm_flags & VM_SHARED))
		prot |= _PAGE_RW;
	if (!(vm_flags & VM_EXEC))
		prot |= _PAGE_NX;
	return prot;
}

u64 *pgd_alloc(void)
{
	u64 *pgd = get_free_page(GFP_KERNEL | __GFP_NOWARN);

	if (!pgd)
		return NULL;
	memset(pgd, 0, PAGE_SIZE / 2);
	memcpy(pgd + KERNEL_HALF, swapper_pg_dir + KERNEL_HALF, PAGE_SIZE / 2);
	count_page_tables(1);
	return pgd;
}

void pgd_free(u64 *pgd)
{
	free_page(pgd);
	count_page_tables(-1);
}

static __always_inline u64 *table_of(u64 entry)
{
	return __va(entry & PTE_PFN_MASK);
}

u64 *user_pte(const struct mm_struct *mm, unsigned long addr)
{
	u64 *table = mm->pgd;

	for (enum table_level level = LEVEL_PGD; level > LEVEL_PTE; level--) {
		u64 entry = READ_ONCE(table[table_index(addr, level)]);

		if (!entry)
			return NULL;
		table = table_of(entry);
	}
	return &table[table_index(addr, LEVEL_PTE)];
}

bool user_virt_to_phys(const struct mm_struct *mm, unsigned long addr, phys_addr_t *phys)
{
	const u64 *entry = addr < USER_END ? user_pte(mm, addr) : NULL;
	u64 pte = entry ? READ_ONCE(*entry) : 0;

	if (!(pte & _PAGE_PRESENT))
		return false;
	*phys = (pte & PTE_PFN_MASK) + (addr & (PAGE_SIZE - 1));
	return true;
}

u64 *user_pte_alloc(struct mm_struct *mm, unsigned long addr)
{
	u64 *table = mm->pgd;

	lockdep_assert_held(&mm->page_table_lock);
	for (enum table_level level = LEVEL_PGD; level > LEVEL_PTE; level--) {
		u64 *entry = &table[table_index(addr, level)];

		if (unlikely(!*entry)) {
			void *new = get_free_page(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);

			if (!new)
				return NULL;
			count_page_tables(1);
			mm->pgtables++;
			/* The table is zero before other CPUs find it: user_pte() has no lock. */
			smp_store_release(entry, __pa(new) | USER_TABLE_FLAGS);
		}
		table = table_of(*entry);
	}
	return &table[table_index(addr, LEVEL_PTE)];
}

static unsigned long level_size(enum table_level level)
{
	return 1UL << (12 + 9 * (level - 1));
}

u64 *user_pte_next(const struct mm_struct *mm, unsigned long *addr, unsigned long end)
{
	/*
	 * LAB 11: An empty entry of a higher table stands for many pages: skip them all.
	 * Starts as: for (; *addr < end; *addr += PAGE_SIZE) {
	 *	u64 *pte = user_pte(mm, *addr);
	 *
	 *	if (pte)
	 *		return pte;
	 * }
	 * return NULL;
	 */
	unsigned long at = *addr;

	while (at < end) {
		u64 *table = mm->pgd;
		enum table_level level = LEVEL_PGD;

		while (level > LEVEL_PTE) {
			u64 entry = READ_ONCE(table[table_index(at, level)]);

			if (!entry)
				break;
			table = table_of(entry);
			level--;
		}
		if (level == LEVEL_PTE) {
			*addr = at;
			return &table[table_index(at, LEVEL_PTE)];
		}
		at = ALIGN_DOWN(at, level_size(level)) + level_size(level);
	}
	return NULL;
	/* END LAB 11 */
}

/* The range of a call of free_user_tables(). */
struct table_range {
	struct mm_struct *mm;
	unsigned long start, end, floor, ceiling;
	void (*free)(struct page *table, void *arg);
	void *arg;
};

/*
 * Frees the tables below one table of that level, which serves addresses from base on: those that
 * lie between floor and ceiling.
 */
static void free_below(const struct table_range *range, u64 *table, enum table_level level,
		       unsigned long base)
{
	unsigned long size = level_size(level);
	unsigned long first = max(range->start, base);
	unsigned long last = min(range->end - 1, base + PTRS_PER_TABLE * size - 1);

	for (unsigned i = table_index(first, level); i <= table_index(last, level); i++) {
		unsigned long at = base + i * size;

		if (!table[i])
			continue;
		if (level > LEVEL_PMD)
			free_below(range, table_of(table[i]), level - 1, at);
		if (at >= range->floor && at + size <= range->ceiling) {
			range->free(pte_page(table[i]), range->arg);
			WRITE_ONCE(table[i], 0);
			range->mm->pgtables--;
			count_page_tables(-1);
		}
	}
}

void free_user_tables(struct mm_struct *mm, unsigned long start, unsigned long end,
		      unsigned long floor, unsigned long ceiling,
		      void (*free)(struct page *table, void *arg), void *arg)
{
	const struct table_range range = {
		.mm = mm,
		.start = start,
		.end = end,
		.floor = floor,
		.ceiling = ceiling ? ceiling : USER_END,
		.free = free,
		.arg = arg,
	};

	free_below(&range, mm->pgd, LEVEL_PGD, 0);
}
