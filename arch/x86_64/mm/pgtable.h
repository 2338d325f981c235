/*
 * The kernel's page tables: 4 levels, one set for all CPUs (Intel SDM 3A 4.5).
 *
 * Entries are written under init_mm_lock and read without it. A caller that removes a mapping or
 * reduces its rights must call flush_tlb_kernel_range() before it depends on the change.
 * set_memory_*() and unmap_kernel_range() flush themselves.
 */
#pragma once

#include "kernel/compiler.h"

#define VMALLOC_START 0xffffc90000000000UL
#define VMALLOC_END   0xffffe90000000000UL
#define TEXT_AREA_START                                                                            \
	0xffffffffa0000000UL /* trampolines, within reach of a near call from the image */
#define TEXT_AREA_END 0xffffffffc0000000UL
#define MODULES_START 0xffffffffc0000000UL /* kernel/module/memory.c; within reach as well */
#define MODULES_END   0xffffffffe0000000UL
#define FIXMAP_START  0xffffffffffe00000UL /* device pages mapped before vmalloc works */

#define _PAGE_PRESENT  (1UL << 0)
#define _PAGE_RW       (1UL << 1)
#define _PAGE_USER     (1UL << 2)
#define _PAGE_PWT      (1UL << 3)
#define _PAGE_PCD      (1UL << 4)
#define _PAGE_ACCESSED (1UL << 5)
#define _PAGE_DIRTY    (1UL << 6)
#define _PAGE_PSE      (1UL << 7)
#define _PAGE_GLOBAL   (1UL << 8)
#define _PAGE_NX       (1UL << 63)
#define PTE_PFN_MASK   0x000ffffffffff000UL

typedef u64 pgprot_t;
#define PAGE_KERNEL                                                                                \
	(_PAGE_PRESENT | _PAGE_RW | _PAGE_ACCESSED | _PAGE_DIRTY | _PAGE_GLOBAL | _PAGE_NX)
#define PAGE_KERNEL_RO      (_PAGE_PRESENT | _PAGE_ACCESSED | _PAGE_DIRTY | _PAGE_GLOBAL | _PAGE_NX)
#define PAGE_KERNEL_ROX     (_PAGE_PRESENT | _PAGE_ACCESSED | _PAGE_DIRTY | _PAGE_GLOBAL)
#define PAGE_KERNEL_NOCACHE (PAGE_KERNEL | _PAGE_PCD | _PAGE_PWT)

/*
 * Maps the page at phys at the page-aligned kernel address addr. -EEXIST if addr is mapped, -ENOMEM
 * without memory for a page table, -EPERM for an executable mapping. Any context but NMI.
 */
int map_kernel_page(unsigned long addr, phys_addr_t phys, pgprot_t prot);
/*
 * Removes the mappings of [start, end) on all CPUs. Parts that are not mapped are ignored. The
 * caller frees the pages afterwards. Page tables are not freed. Task context when other CPUs run.
 */
void unmap_kernel_range(unsigned long start, unsigned long end);
/*
 * Does the same without the flush: CPUs may use the old translations until
 * flush_tlb_kernel_range(). One flush can then serve many ranges. Any context but NMI.
 */
void clear_kernel_range(unsigned long start, unsigned long end);
/* Returns the physical address of a mapped kernel address, or ~0. Any context. */
phys_addr_t kernel_virt_to_phys(unsigned long addr);
/*
 * Returns the leaf entry for addr, or NULL if addr is not mapped, and the size that the entry maps:
 * 4 KiB or 2 MiB. Any context.
 */
u64 *lookup_address(unsigned long addr, unsigned long *size);

/*
 * Change the rights of mapped pages, split large pages if needed, and flush all CPUs. A change that
 * would make a page writable and executable gives -EPERM. The direct map's mapping of the same page
 * becomes read-only and writable with it. Task context when other CPUs run.
 */
int set_memory_ro(unsigned long addr, unsigned long numpages);
int set_memory_rw(unsigned long addr, unsigned long numpages);
int set_memory_x(unsigned long addr, unsigned long numpages);
int set_memory_nx(unsigned long addr, unsigned long numpages);

/*
 * Discards the cached translations of [start, end) on all CPUs. Task context when other CPUs run.
 */
void flush_tlb_kernel_range(unsigned long start, unsigned long end);

/*
 * Boot, before vmalloc: maps the registers of a device, uncached, for ever. They must lie within
 * one page. NULL where no device can be: in RAM, beyond the CPU's physical addresses, across a page
 * boundary, or not aligned like registers. Panics when all slots are in use.
 */
void *fixmap_device(phys_addr_t phys, size_t size);
/*
 * Makes [phys, phys + size) readable at __va(phys), for firmware tables outside usable RAM. NULL if
 * that is not possible. Boot CPU or task context.
 */
const void *map_firmware(phys_addr_t phys, size_t size);

/* One range of equal rights and equal entry size. */
struct page_table_range {
	unsigned long start, end;
	unsigned long entry_size; /* 4 KiB, 2 MiB or 1 GiB */
	/* PRESENT, RW, USER, PWT, PCD, GLOBAL and NX, combined over the levels as the CPU does */
	pgprot_t prot;
};
/*
 * Finds the first mapped range at or above addr. Returns false if none follows. Start with addr 0
 * and continue with range.end until that is 0. Reads the real tables. Any context.
 */
bool page_table_next_range(unsigned long addr, struct page_table_range *range);
/* Returns how many 4 KiB pages are mapped both writable and executable. The result must be 0. */
u64 page_table_count_wx(void);
/* Returns the name of the area that contains addr, such as "Direct Mapping". Never NULL. */
const char *page_table_area_name(unsigned long addr);
/*
 * Returns how many pages of the page allocator are page tables. Tables from before the page
 * allocator are not counted.
 */
u64 page_table_pages(void);
