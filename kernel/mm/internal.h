/* Declarations for the files of kernel/mm only. */
#pragma once

#include "kernel/mm/page_alloc.h"

#define POISON_FREE 0x6b /* DEBUG: the bytes of freed memory, in slabs and pages, as in Linux */

/* Makes the kmalloc caches. Called by mem_init(). */
void slab_init(void);
/* Gives [base, end), page-aligned and unused, to the buddy allocator. Any context but NMI. */
void free_page_range(phys_addr_t base, phys_addr_t end);
/* Reports a failed allocation, at most once in 5 s. Any context. */
void warn_alloc(gfp_t gfp, unsigned order);

/* The values for si_meminfo(), in pages. Any context. */
unsigned long nr_free_pages(void);
unsigned long slab_pages(void);
unsigned long vmalloc_pages(void);
unsigned long kernel_stack_pages(void);
