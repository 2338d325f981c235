/*
 * The kernel's page tables: 4-level, one set for all CPUs (Intel SDM 3A 4.5).
 *
 * init_mm's tables are written under init_mm_lock; entries are read without it. A caller that takes
 * a mapping away or lessens its rights flushes with flush_tlb_kernel_range() before it relies on
 * that; set_memory_*() and unmap_kernel_range() do it themselves.
 */
#pragma once

#include "kernel/compiler.h"

#define VMALLOC_START   0xffffc90000000000UL
#define VMALLOC_END     0xffffe90000000000UL
#define TEXT_AREA_START 0xffffffffa0000000UL /* trampolines, within reach of the image */
#define TEXT_AREA_END   0xffffffffc0000000UL
#define FIXMAP_START    0xffffffffffe00000UL /* device pages mapped before vmalloc works */

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
 * Map the page at phys at the page-aligned kernel address addr; addr was not mapped (-EEXIST). Any
 * context but NMI. -ENOMEM when no page table can be had. PAGE_KERNEL | executable is refused:
 * -EPERM.
 */
int map_kernel_page(unsigned long addr, phys_addr_t phys, pgprot_t prot);
/*
 * Take [start, end) out of the tables, on all CPUs; holes are fine. The pages are the caller's to
 * free afterwards. Page tables stay. Task context once other CPUs run.
 */
void unmap_kernel_range(unsigned long start, unsigned long end);
/*
 * The same without the flush: until flush_tlb_kernel_range(), CPUs may still use the old
 * translations. For many ranges that one flush will do. Any context but NMI.
 */
void clear_kernel_range(unsigned long start, unsigned long end);
/* The physical address that a kernel address is mapped to, or ~0. Any context. */
phys_addr_t kernel_virt_to_phys(unsigned long addr);
/*
 * The leaf entry for addr (NULL when not mapped) and the size it maps: 4 KiB or 2 MiB. Any context.
 */
u64 *lookup_address(unsigned long addr, unsigned long *size);

/*
 * Change the rights of mapped pages, splitting large ones where needed, and flush all CPUs. Never
 * makes a page writable and executable at once: -EPERM. Task context once other CPUs run.
 */
int set_memory_ro(unsigned long addr, unsigned long numpages);
int set_memory_rw(unsigned long addr, unsigned long numpages);
int set_memory_x(unsigned long addr, unsigned long numpages);
int set_memory_nx(unsigned long addr, unsigned long numpages);

/* Forget cached translations of [start, end) on all CPUs. Task context once other CPUs run. */
void flush_tlb_kernel_range(unsigned long start, unsigned long end);

/*
 * Boot, before vmalloc: map a device's registers, size bytes within a page, for good and uncached.
 * NULL where no device can be: in RAM, beyond what the CPU addresses, across pages, not aligned as
 * registers are. Panics when the slots run out.
 */
void *fixmap_device(phys_addr_t phys, size_t size);
/*
 * Make [phys, phys + size) readable at __va(phys): firmware tables that lie outside usable RAM.
 * NULL when that is not possible. Boot CPU or task context.
 */
const void *map_firmware(phys_addr_t phys, size_t size);

/* One range of equal rights and equal entry size in the page tables. */
struct page_table_range {
	unsigned long start, end;
	unsigned long entry_size; /* 4 KiB or 2 MiB or 1 GiB */
	/* PRESENT, RW, USER, PWT, PCD, GLOBAL, NX; as the CPU combines the levels */
	pgprot_t prot;
};
/*
 * The first range at or above addr: true and *range, or false when nothing more is mapped. Start
 * with addr 0 and go on with range.end until that is 0. Reads the real tables. Any context.
 */
bool page_table_next_range(unsigned long addr, struct page_table_range *range);
/* How many 4 KiB pages are mapped writable and executable at once: 0. */
u64 page_table_count_wx(void);
/* The name of the area that addr lies in, "Direct Mapping". Never NULL. */
const char *page_table_area_name(unsigned long addr);
/* Pages of the page allocator that hold page tables; older ones are not in its total either. */
u64 page_table_pages(void);
