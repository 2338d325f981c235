/* Physical pages: the early allocator, struct page, and the buddy allocator. */
#pragma once

#include "kernel/atomic.h"
#include "kernel/lib/list.h"

#define PAGE_SHIFT 12
#define PAGE_SIZE 4096UL
#define PAGE_MASK (~(PAGE_SIZE - 1))
#define MAX_ORDER 11 /* blocks of 4 KiB << 0..10 */

#define GFP_KERNEL 0x01U /* may sleep to wait for locks; task context */
#define GFP_ATOMIC 0x02U /* any context but NMI */
#define __GFP_ZERO 0x100U
#define __GFP_NOWARN 0x200U

struct page {
	u32 flags;     /* PG_*: [zone lock] */
	u32 order;     /* of the free or allocated block this page heads */
	atomic_t refcount;
	u32 private;   /* the owner's */
	union {
		struct list_head lru; /* [zone lock] while free; else the owner's */
		struct {
			void *slab_cache; /* slab: the cache, and */
			void *freelist;	  /* its free objects */
		};
	};
};

/* Early boot, before mem_init(): memory that is never given back, zeroed; panics when there is none. */
void memblock_init(void); /* from boot_info */
/* The _phys_ forms do not touch the memory (not zeroed): paging_init() calls them before it is writable. */
phys_addr_t memblock_phys_alloc(size_t size, size_t align);
/* The same below limit: real-mode code. 0 when there is none. */
phys_addr_t memblock_phys_alloc_below(size_t size, size_t align, phys_addr_t limit);
void *memblock_alloc(size_t size, size_t align);
void memblock_reserve(phys_addr_t base, size_t size);
phys_addr_t memblock_end_of_ram(void);
/* Iterate over the usable RAM of the map: index from 0; false when there is no more. */
bool memblock_region(unsigned index, phys_addr_t *base, phys_addr_t *end);

/* Hand all free memory to the buddy allocator; kmalloc works from here on. */
void mem_init(void);
extern bool mem_init_done; /* set by mem_init(): alloc_pages() works, memblock_alloc() no more */
/* Give [begin, end) of the image (init sections) back: unmapped from the image, freed as pages. */
void free_initmem(void);

struct page *alloc_pages(gfp_t gfp, unsigned order); /* NULL when there is none */
void free_pages(struct page *page, unsigned order);
void *get_free_pages(gfp_t gfp, unsigned order); /* direct-map address or NULL */
void free_pages_addr(void *addr, unsigned order);
#define get_free_page(gfp) get_free_pages(gfp, 0)
#define free_page(addr) free_pages_addr(addr, 0)

struct page *virt_to_page(const void *direct_map_addr);
void *page_address(const struct page *page);
phys_addr_t page_to_phys(const struct page *page);
struct page *phys_to_page(phys_addr_t phys);

struct meminfo {
	u64 total, free, slab, vmalloc, page_tables, kernel_stack; /* bytes */
};
void si_meminfo(struct meminfo *info);

#define PAGE_OFFSET 0xffff888000000000UL
#define KERNEL_IMAGE_BASE 0xffffffff80000000UL
#define __va(phys) ((void *)((unsigned long)(phys) + PAGE_OFFSET))
/* Of a direct-map address or of an image symbol. */
phys_addr_t __pa(const void *addr);
