/* Physical pages: the early allocator, struct page, and the buddy allocator. */
#pragma once

#include "kernel/atomic.h"
#include "kernel/lib/list.h"
#include "kernel/mm/gfp.h"

#define PAGE_SHIFT 12
#define PAGE_SIZE  4096UL
#define PAGE_MASK  (~(PAGE_SIZE - 1))
#define MAX_ORDER  11 /* blocks of 4 KiB << 0..10 */

struct vm_mapping;

/*
 * Describes a page frame. One for each frame below the end of RAM; 32 bytes. The owner of an
 * allocated page may use lru and private. In a block, only those of the first page are used.
 */
struct page {
	u8 flags; /* PG_*: [zone lock], or used by the owner */
	u8 order; /* of the free or allocated block that begins with this page */
	u16 slab; /* in every page of a slab: the number of the cache; else 0 */
	union {
		u32 inuse;         /* slab: objects that are not on its freelist [cache lock] */
		atomic_t refcount; /* user page: see kernel/mm/user_page.h */
	};
	union {
		/* free: in a list of the zone [zone lock]; slab: in a list of the cache */
		struct list_head lru;
		struct { /* user page of a file or of shared memory [owner of the mapping] */
			struct vm_mapping *mapping; /* NULL: anonymous, or no longer in a file */
			unsigned long index;        /* its place in the file, in pages */
		};
	};
	union {
		unsigned long private;
		void *freelist;      /* slab: its first free object [cache lock] */
		unsigned long state; /* user page: PAGE_* of kernel/mm/user_page.h [A] */
	};
};
BUILD_BUG_ON(sizeof(struct page) != 32);

#define PG_BUDDY 0x01 /* first page of a free block in the buddy allocator */
#define PG_PCP   0x02 /* free, in a per-CPU cache */
#define PG_LARGE 0x04 /* first page of a block that is one kmalloc() object */

/*
 * Early boot, before mem_init(): memory that is never freed. memblock_init() takes the usable RAM
 * from boot_info, and reserves the first 64 KiB, the image and the modules. Boot CPU only.
 */
void memblock_init(void);
/*
 * Allocates physical memory: the lowest gap from 1 MiB on. Panics if memory is short. The _phys_
 * functions do not zero the memory, because paging_init() calls them before it is writable.
 */
phys_addr_t memblock_phys_alloc(size_t size, size_t align);
/* The same from 64 KiB on and below limit, for real-mode code. 0: no memory. */
phys_addr_t memblock_phys_alloc_below(size_t size, size_t align, phys_addr_t limit);
/* Zeroed memory in the direct map. */
void *memblock_alloc(size_t size, size_t align);
void memblock_reserve(phys_addr_t base, size_t size);
phys_addr_t memblock_end_of_ram(void);
/* Gives the usable region with that index, counted from 0, page-aligned. False: no such region. */
bool memblock_region(unsigned index, phys_addr_t *base, phys_addr_t *end);
/* Gives the next usable range that is not reserved. *cursor is 0 at the start. For mem_init(). */
bool memblock_next_free(phys_addr_t *cursor, phys_addr_t *base, phys_addr_t *end);

/*
 * After setup_per_cpu_areas(): gives the free memory to the buddy allocator. kmalloc() works from
 * here on.
 */
void mem_init(void);
extern bool mem_init_done; /* set by mem_init(): alloc_pages() works, memblock_alloc() must not be
			      used any more */
/*
 * Frees memory that the boot has reserved, such as a module: the whole pages between base and end
 * that are usable RAM. Task context, while init sections exist.
 */
void free_boot_memory(phys_addr_t base, phys_addr_t end);
/* Unmaps the init sections and frees their pages. Task context. */
void free_initmem(void);

/*
 * kernel/process/: whether the current task is a program without CAP_SYS_ADMIN. Any context. NULL:
 * there are no programs.
 */
extern bool (*alloc_is_user_hook)(void);

/*
 * Allocates a block of 1 << order pages, aligned to its size. NULL: memory is short. This is
 * reported at most once in 5 s, and never with __GFP_NOWARN. free_pages() needs the same order. Any
 * context but NMI, as gfp allows.
 */
struct page *alloc_pages(gfp_t gfp, unsigned order);
void free_pages(struct page *page, unsigned order);
void *get_free_pages(gfp_t gfp, unsigned order); /* an address in the direct map, or NULL */
void free_pages_addr(void *addr, unsigned order);
#define get_free_page(gfp) get_free_pages(gfp, 0)
#define free_page(addr)    free_pages_addr(addr, 0)

#ifdef NOP5_HOST /* memory of the test */
extern unsigned long host_page_offset;
#define PAGE_OFFSET host_page_offset
#else
#define PAGE_OFFSET 0xffff888000000000UL
#endif
#define KERNEL_IMAGE_BASE 0xffffffff80000000UL
#define __va(phys)        ((void *)((unsigned long)(phys) + PAGE_OFFSET))

/* The physical address of an address in the direct map or in the image. Any context. */
static __always_inline phys_addr_t __pa(const void *addr)
{
	unsigned long a = (unsigned long)addr;

	return a >= KERNEL_IMAGE_BASE ? a - KERNEL_IMAGE_BASE : a - PAGE_OFFSET;
}

extern struct page *mem_map;      /* starts with page frame 0; constant after mem_init() */
extern struct page *vmemmap_base; /* another name of mem_map, for the formats of events */
extern unsigned long max_pfn;     /* the length of mem_map */

static __always_inline struct page *phys_to_page(phys_addr_t phys)
{
	return mem_map + (phys >> PAGE_SHIFT);
}

static __always_inline phys_addr_t page_to_phys(const struct page *page)
{
	return (phys_addr_t)(page - mem_map) << PAGE_SHIFT;
}

/* addr must be in the direct map. */
static __always_inline struct page *virt_to_page(const void *addr)
{
	return phys_to_page((unsigned long)addr - PAGE_OFFSET);
}

static __always_inline void *page_address(const struct page *page)
{
	return __va(page_to_phys(page));
}

/* The pages that the allocator manages, free or not. Any context. */
unsigned long total_pages(void);
struct meminfo {
	u64 total, free, slab, vmalloc, page_tables, kernel_stack, shmem, committed; /* bytes */
};
/* Any context. */
void si_meminfo(struct meminfo *info);

/* The pages of the files of all tmpfs: tmpfs counts those that it makes or, with a minus, frees.
 * Any context. */
void count_shmem_pages(s64 pages);
u64 shmem_bytes(void);
/* Pages that programs have been promised: kernel/vm/ counts them. Atomic. Any context. */
extern atomic64_t vm_committed_as;
