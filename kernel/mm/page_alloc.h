/* Physical pages: the early allocator, struct page, and the buddy allocator. */
#pragma once

#include "kernel/atomic.h"
#include "kernel/lib/list.h"

#define PAGE_SHIFT 12
#define PAGE_SIZE  4096UL
#define PAGE_MASK  (~(PAGE_SIZE - 1))
#define MAX_ORDER  11 /* blocks of 4 KiB << 0..10 */

#define GFP_KERNEL   0x01U /* leaves a reserve for GFP_ATOMIC; task context */
#define GFP_ATOMIC   0x02U /* any context but NMI */
#define GFP_NOWAIT   0x04U /* the same, but leaves the reserve too: tasks that hold a spinlock */
#define __GFP_ZERO   0x100U
#define __GFP_NOWARN 0x200U /* the caller expects a failure: no message */

/*
 * One per page frame below the end of RAM, 32 bytes. An allocated page belongs to its owner, who
 * may use lru and private as it likes; of a block, only the first page's are used.
 */
struct page {
	u8 flags;  /* PG_*: [zone lock], or the owner's */
	u8 order;  /* of the free or allocated block that this page heads */
	u16 slab;  /* slab page: the cache's number (in every page of the slab), else 0 */
	u32 inuse; /* slab: objects not on its freelist [cache lock] */
	struct list_head lru; /* free: in its zone list [zone lock]; slab: in its cache's list */
	union {
		unsigned long private;
		void *freelist; /* slab: its first free object [cache lock] */
	};
};
BUILD_BUG_ON(sizeof(struct page) != 32);

#define PG_BUDDY 0x01 /* heads a free block in the buddy allocator */
#define PG_FRONT 0x02 /* free, in a CPU's front */
#define PG_LARGE 0x04 /* heads a block that is one kmalloc() object */

/*
 * Early boot, before mem_init(): memory that is never given back. memblock_init() takes the usable
 * RAM from boot_info and reserves the first 64 KiB, the image and the modules. Boot CPU only.
 */
void memblock_init(void);
/*
 * Physical memory; panics when there is none. The lowest that fits, 1 MiB and up. The _phys_ forms
 * do not touch the memory (not zeroed): paging_init() calls them before it is writable.
 */
phys_addr_t memblock_phys_alloc(size_t size, size_t align);
/* The same below limit and from 64 KiB on: real-mode code. 0 when there is none. */
phys_addr_t memblock_phys_alloc_below(size_t size, size_t align, phys_addr_t limit);
/* Zeroed memory in the direct map. */
void *memblock_alloc(size_t size, size_t align);
void memblock_reserve(phys_addr_t base, size_t size);
phys_addr_t memblock_end_of_ram(void);
/* Iterate over the usable RAM, page-aligned: index from 0; false when there is no more. */
bool memblock_region(unsigned index, phys_addr_t *base, phys_addr_t *end);
/* Iterate over what is usable and not reserved; *cursor from 0. For mem_init(). */
bool memblock_next_free(phys_addr_t *cursor, phys_addr_t *base, phys_addr_t *end);

/* After setup_per_cpu_areas(): free memory goes to the buddies; kmalloc works from here on. */
void mem_init(void);
extern bool mem_init_done; /* set by mem_init(): alloc_pages() works, memblock_alloc() no more */
/* Give the init sections back: unmapped from the image, freed as pages. Task context. */
void free_initmem(void);

/*
 * A block of 1 << order pages, aligned to its size, or NULL when there is none (reported, but not
 * more than once in 5 s, unless __GFP_NOWARN). Freed with the same order. Any context but NMI, as
 * gfp says.
 */
struct page *alloc_pages(gfp_t gfp, unsigned order);
void free_pages(struct page *page, unsigned order);
void *get_free_pages(gfp_t gfp, unsigned order); /* direct-map address or NULL */
void free_pages_addr(void *addr, unsigned order);
#define get_free_page(gfp) get_free_pages(gfp, 0)
#define free_page(addr)    free_pages_addr(addr, 0)

#ifdef NOP5_HOST /* an arena of the test's */
extern unsigned long host_page_offset;
#define PAGE_OFFSET host_page_offset
#else
#define PAGE_OFFSET 0xffff888000000000UL
#endif
#define KERNEL_IMAGE_BASE 0xffffffff80000000UL
#define __va(phys)        ((void *)((unsigned long)(phys) + PAGE_OFFSET))

/* Of a direct-map address or of an image symbol. Any context. */
static __always_inline phys_addr_t __pa(const void *addr)
{
	unsigned long a = (unsigned long)addr;

	return a >= KERNEL_IMAGE_BASE ? a - KERNEL_IMAGE_BASE : a - PAGE_OFFSET;
}

extern struct page *mem_map;  /* of page frame 0; constant after mem_init() */
extern unsigned long max_pfn; /* mem_map's length */

static __always_inline struct page *phys_to_page(phys_addr_t phys)
{
	return mem_map + (phys >> PAGE_SHIFT);
}

static __always_inline phys_addr_t page_to_phys(const struct page *page)
{
	return (phys_addr_t)(page - mem_map) << PAGE_SHIFT;
}

/* The address must be one of the direct map. */
static __always_inline struct page *virt_to_page(const void *addr)
{
	return phys_to_page((unsigned long)addr - PAGE_OFFSET);
}

static __always_inline void *page_address(const struct page *page)
{
	return __va(page_to_phys(page));
}

struct meminfo {
	u64 total, free, slab, vmalloc, page_tables, kernel_stack; /* bytes */
};
/* Any context. */
void si_meminfo(struct meminfo *info);
