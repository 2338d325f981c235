/* Changes and reads the kernel's page tables after boot. */
#include "arch/mm/paging.h"

#include "arch/mm/tlb.h"
#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/sections.h"

DEFINE_SPINLOCK(init_mm_lock);

static bool is_writable_and_executable(u64 entry)
{
	return (entry & _PAGE_RW) && !(entry & _PAGE_NX);
}

u64 *lookup_address(unsigned long addr, unsigned long *size)
{
	u64 *entry = walk_to(addr, LEVEL_PTE, false);

	*size = PAGE_SIZE;
	if (!entry) {
		entry = walk_to(addr, LEVEL_PMD, false);
		*size = PMD_SIZE;
		if (!entry || !(*entry & _PAGE_PSE))
			return NULL;
	}
	return (*entry & _PAGE_PRESENT) ? entry : NULL;
}

phys_addr_t kernel_virt_to_phys(unsigned long addr)
{
	unsigned long size;
	const u64 *entry = lookup_address(addr, &size);

	if (!entry)
		return ~0UL;
	return (*entry & PTE_PFN_MASK & ~(size - 1)) | (addr & (size - 1));
}

int map_kernel_page(unsigned long addr, phys_addr_t phys, pgprot_t prot)
{
	unsigned long flags;
	int error = 0;
	u64 *entry;

	if (!(prot & _PAGE_NX))
		return -EPERM;
	spin_lock_irqsave(&init_mm_lock, flags);
	entry = walk_to(addr, LEVEL_PTE, true);
	if (!entry)
		error = -ENOMEM;
	else if (*entry & _PAGE_PRESENT)
		error = -EEXIST;
	else
		WRITE_ONCE(*entry, phys | prot);
	spin_unlock_irqrestore(&init_mm_lock, flags);
	return error;
}

/* Replaces a 2 MiB entry by a table of 4 KiB entries with the same rights. init_mm_lock held. */
static int split_large_page(unsigned long addr)
{
	phys_addr_t table = alloc_table();
	u64 *large = walk_to(addr, LEVEL_PMD, false);
	u64 *small;

	if (!table)
		return -ENOMEM;
	small = table_ptr(table);
	for (unsigned i = 0; i < PTRS_PER_TABLE; i++)
		small[i] = (*large & ~_PAGE_PSE) + i * PAGE_SIZE;
	smp_wmb(); /* complete the table before a page walk can find it */
	WRITE_ONCE(*large, table | TABLE_FLAGS);
	return 0;
}

/*
 * Returns the 4 KiB entry of a mapped address, and splits a large page for it. NULL and *error if
 * that fails. init_mm_lock held.
 */
static u64 *small_entry(unsigned long addr, int *error)
{
	unsigned long size;
	u64 *entry = lookup_address(addr, &size);

	*error = entry ? 0 : -EINVAL;
	if (entry && size != PAGE_SIZE) {
		*error = split_large_page(addr);
		entry = *error ? NULL : walk_to(addr, LEVEL_PTE, false);
	}
	return entry;
}

/*
 * A change of rights. It changes nothing unless it can change all pages. alias_set and alias_clear
 * apply to the direct map's mapping of the same page.
 */
struct rights_change {
	u64 set, clear;
	u64 alias_set, alias_clear;
};

static int check_rights(unsigned long addr, unsigned long numpages, const struct rights_change *c)
{
	int error = 0;

	for (unsigned long i = 0; i < numpages && !error; i++) {
		const u64 *entry = small_entry(addr + i * PAGE_SIZE, &error);

		if (entry && is_writable_and_executable((*entry | c->set) & ~c->clear))
			error = -EPERM;
		else if (entry && (c->alias_set | c->alias_clear))
			small_entry((unsigned long)__va(*entry & PTE_PFN_MASK), &error);
	}
	return error;
}

static void change_entry(unsigned long addr, u64 set, u64 clear)
{
	int error;
	u64 *entry = small_entry(addr, &error);

	WRITE_ONCE(*entry, (*entry | set) & ~clear);
}

static int change_rights(unsigned long addr, unsigned long numpages, const struct rights_change *c)
{
	unsigned long flags;
	int error;

	spin_lock_irqsave(&init_mm_lock, flags);
	error = check_rights(addr, numpages, c);
	for (unsigned long i = 0; i < numpages && !error; i++) {
		unsigned long page = addr + i * PAGE_SIZE;

		if (c->alias_set | c->alias_clear)
			change_entry((unsigned long)__va(kernel_virt_to_phys(page)), c->alias_set,
				     c->alias_clear);
		change_entry(page, c->set, c->clear);
	}
	spin_unlock_irqrestore(&init_mm_lock, flags);
	if (error)
		return error;
	flush_tlb_kernel_range(addr, addr + numpages * PAGE_SIZE);
	return 0;
}

static bool is_direct_map(unsigned long addr)
{
	return addr >= PAGE_OFFSET && addr < VMALLOC_START;
}

static int change_with_alias(unsigned long addr, unsigned long numpages,
			     const struct rights_change *c)
{
	int error = change_rights(addr, numpages, c);

	if (!error && (c->alias_set | c->alias_clear))
		flush_tlb_all();
	return error;
}

int set_memory_ro(unsigned long addr, unsigned long numpages)
{
	struct rights_change change = { .clear = _PAGE_RW };

	if (!is_direct_map(addr))
		change.alias_clear = _PAGE_RW;
	return change_with_alias(addr, numpages, &change);
}

int set_memory_rw(unsigned long addr, unsigned long numpages)
{
	struct rights_change change = { .set = _PAGE_RW };

	if (!is_direct_map(addr))
		change.alias_set = _PAGE_RW;
	return change_with_alias(addr, numpages, &change);
}

int set_memory_x(unsigned long addr, unsigned long numpages)
{
	const struct rights_change alias_first = { .alias_clear = _PAGE_RW };
	int error;

	if (is_direct_map(addr))
		return -EPERM;
	/* No CPU may write through an old translation when the first CPU can execute the page. */
	error = change_rights(addr, numpages, &alias_first);
	if (error)
		return error;
	flush_tlb_all();
	return change_rights(addr, numpages, &(struct rights_change){ .clear = _PAGE_NX });
}

int set_memory_nx(unsigned long addr, unsigned long numpages)
{
	const struct rights_change alias_after = { .alias_set = _PAGE_RW };
	int error = change_rights(addr, numpages, &(struct rights_change){ .set = _PAGE_NX });

	if (error || is_direct_map(addr))
		return error;
	error = change_rights(addr, numpages, &alias_after);
	flush_tlb_all(); /* without it a write through the alias could still meet the old rights */
	return error;
}

void clear_kernel_range(unsigned long start, unsigned long end)
{
	unsigned long flags, size;

	spin_lock_irqsave(&init_mm_lock, flags);
	for (unsigned long addr = start; addr < end; addr += size) {
		u64 *entry = lookup_address(addr, &size);

		if (entry && size != PAGE_SIZE && (!IS_ALIGNED(addr, size) || end - addr < size)) {
			int error;

			entry = small_entry(addr, &error);
			WARN_ON(error);
			size = PAGE_SIZE;
		}
		if (entry)
			WRITE_ONCE(*entry, 0);
		else
			size = PAGE_SIZE;
	}
	spin_unlock_irqrestore(&init_mm_lock, flags);
}

void unmap_kernel_range(unsigned long start, unsigned long end)
{
	clear_kernel_range(start, end);
	flush_tlb_kernel_range(start, end);
}
