/*
 * What areas use. mmap_lock of the address space is held for reading or writing; the functions take
 * page_table_lock. A page counts as shared if several entries of page tables show it.
 */
#pragma once

#include "kernel/vm/mm.h"

#define PSS_SHIFT 12 /* pss has so many bits behind the point */

/* Sums, in bytes. */
struct vm_usage {
	u64 rss;
	u64 pss[NR_MM_COUNTERS]; /* each page divided by the entries that show it; by enum
				    mm_counter */
	u64 shared, private;     /* parts of rss */
	u64 anonymous;           /* the part of rss that belongs to no file */
	u64 locked;              /* as pss, of areas with VM_LOCKED */
};

/* Adds an area to the sums. */
void vma_usage(const struct vm_area_struct *vma, struct vm_usage *sum);

/* The first page from addr on, below end, that the page tables have; end: none. mmap_lock held. */
unsigned long vm_next_present(const struct mm_struct *mm, unsigned long addr, unsigned long end);

/* The bits of an entry of pagemap, as Linux's admin-guide/mm/pagemap.rst has them. */
#define PM_PRESENT        (1ULL << 63)
#define PM_FILE           (1ULL << 61) /* of a file, or of shared memory */
#define PM_MMAP_EXCLUSIVE (1ULL << 56) /* no other entry shows the page */

/* The entry for the page at addr. show_frame: with the number of the page frame in bits 0 to 54. */
u64 pagemap_entry(struct mm_struct *mm, unsigned long addr, bool show_frame);
