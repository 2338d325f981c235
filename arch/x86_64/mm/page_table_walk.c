/*
 * Reads the real page tables as ranges, for /sys/kernel/debug/page_tables and for the count of
 * pages that are writable and executable.
 */
#include "arch/mm/paging.h"

#include "kernel/mm/page_alloc.h"

#define RANGE_FLAGS                                                                                \
	(_PAGE_PRESENT | _PAGE_RW | _PAGE_USER | _PAGE_PWT | _PAGE_PCD | _PAGE_GLOBAL | _PAGE_NX)
#define CANONICAL_HOLE_START 0x0000800000000000UL
#define CANONICAL_HOLE_END   0xffff800000000000UL

static unsigned long level_size(enum table_level level)
{
	return 1UL << (12 + 9 * (level - 1));
}

/*
 * Finds the page that covers addr. Returns true for a page, false for an unmapped area; in both
 * cases *size is its aligned size in bytes. The rights combine all levels: each level must allow
 * writing and user mode, and one level is enough to forbid execution.
 */
static bool page_at(unsigned long addr, unsigned long *size, pgprot_t *prot)
{
	phys_addr_t table = __pa(swapper_pg_dir);
	pgprot_t all = _PAGE_RW | _PAGE_USER, any = 0;

	for (enum table_level level = LEVEL_PGD;; level--) {
		u64 entry = READ_ONCE(table_ptr(table)[table_index(addr, level)]);

		*size = level_size(level);
		if (!(entry & _PAGE_PRESENT))
			return false;
		all &= entry;
		any |= entry & _PAGE_NX;
		if (level == LEVEL_PTE || (entry & _PAGE_PSE)) {
			*prot = (entry & RANGE_FLAGS & ~(_PAGE_RW | _PAGE_USER | _PAGE_NX)) | all |
				any;
			return true;
		}
		table = entry & PTE_PFN_MASK;
	}
}

/*
 * Returns the address after the aligned block of size bytes that contains addr. Skips the
 * non-canonical hole. 0 at the end of the address space.
 */
static unsigned long next_address(unsigned long addr, unsigned long size)
{
	unsigned long next = ALIGN_DOWN(addr, size) + size;

	return next == CANONICAL_HOLE_START ? CANONICAL_HOLE_END : next;
}

bool page_table_next_range(unsigned long addr, struct page_table_range *range)
{
	unsigned long size;
	pgprot_t prot;

	while (!page_at(addr, &size, &prot)) {
		addr = next_address(addr, size);
		if (addr == 0)
			return false;
	}
	*range = (struct page_table_range){ .start = addr, .entry_size = size, .prot = prot };
	do {
		addr = next_address(addr, size);
		range->end = addr;
	} while (addr != 0 && page_at(addr, &size, &prot) && size == range->entry_size &&
		 prot == range->prot &&
		 page_table_area_name(addr) == page_table_area_name(range->start));
	return true;
}

u64 page_table_count_wx(void)
{
	struct page_table_range range = { .end = 0 };
	u64 count = 0;

	while (page_table_next_range(range.end, &range)) {
		if ((range.prot & _PAGE_RW) && !(range.prot & _PAGE_NX))
			count += (range.end - range.start) / PAGE_SIZE;
		if (range.end == 0)
			break;
	}
	return count;
}

const char *page_table_area_name(unsigned long addr)
{
	if (addr < CANONICAL_HOLE_START)
		return "User Space";
	if (addr < PAGE_OFFSET)
		return "Guard Hole";
	if (addr < VMALLOC_START)
		return "Direct Mapping";
	if (addr < VMALLOC_END)
		return "vmalloc() Area";
	if (addr < KERNEL_IMAGE_BASE)
		return "Unused";
	if (addr < TEXT_AREA_START)
		return "Kernel Image";
	if (addr < TEXT_AREA_END)
		return "Text Area";
	if (addr < MODULES_END)
		return "Modules";
	if (addr < FIXMAP_START)
		return "Unused";
	return "Fixmap";
}
