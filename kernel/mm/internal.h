/* Declarations for the files of kernel/mm only. */
#pragma once

#include "kernel/lib/rbtree.h"
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

/* vmalloc.c: a range of addresses in use, with its guard page. */
struct vmap_area {
	struct rb_node node;      /* [vmap_lock] by address */
	unsigned long start, end; /* constant */
	bool borrowed;          /* constant: what it maps is not its own: ioremap(), vmap_ring() */
	struct vmap_area *next; /* of the areas that vfree_many() frees */
};
/* A range for size bytes and the guard page. NULL: memory or addresses are short. As vmalloc(). */
struct vmap_area *alloc_vmap_area(size_t size, bool borrowed);
/* The area that begins at addr, or NULL. */
struct vmap_area *find_vmap_area(unsigned long addr);
/* Unmaps a chain of areas, which may be empty, and frees them with their own pages. As vfree(). */
void free_vmap_areas(struct vmap_area *areas);
