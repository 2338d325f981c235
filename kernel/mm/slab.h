/*
 * Slab caches and kmalloc.
 *
 * A DEBUG build fills objects (with 0x5a when allocated, 0x6b when freed), guards their ends, keeps
 * freed ones for a while, and records the stacks that allocated and freed them. It reports
 * overflows, writes after free, double frees and frees into the wrong cache, with both stacks and
 * the last events of the task.
 */
#pragma once

#include "kernel/mm/page_alloc.h"

struct kmem_cache;

#define KMALLOC_MAX_SIZE (PAGE_SIZE << (MAX_ORDER - 1))

/*
 * Makes a cache of objects of one size, at most 8 KiB. align 0 means 8. The name is copied. NULL:
 * memory is short, the size is not possible, or 127 caches exist. Task context.
 */
struct kmem_cache *kmem_cache_create(const char *name, size_t size, size_t align);
/* All objects must be freed. Else it reports that, and the cache stays. Task context. */
void kmem_cache_destroy(struct kmem_cache *cache);
/* The bytes of an object. Any context. */
size_t kmem_cache_size(const struct kmem_cache *cache);
/* NULL: memory is short. Any context but NMI, as gfp allows. */
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp);
/* Any context but NMI. NULL is fine. */
void kmem_cache_free(struct kmem_cache *cache, void *object);

/*
 * Allocates up to KMALLOC_MAX_SIZE bytes. NULL: size is 0, or memory is short. Objects are aligned
 * to 8 bytes; a size that is a power of two is aligned to itself (in a DEBUG build at most to a
 * page). Any context but NMI, as gfp allows.
 */
static __always_inline void *kmalloc(size_t size, gfp_t gfp);
void kfree(const void *object); /* NULL is fine */
/* The usable size: at least the size of the request. */
size_t ksize(const void *object);
/* As realloc(3). NULL: failure, and object is unchanged. */
void *krealloc(const void *object, size_t size, gfp_t gfp);

/*
 * The two halves of kmalloc(), under Linux's names. If size and gfp are constants, which is usual,
 * the compiler chooses the size class: from 1 for 8 bytes to KMALLOC_CLASSES for 8 KiB.
 */
#define KMALLOC_CLASSES  13
#define KMALLOC_SLAB_MAX 8192
void *__kmalloc(size_t size, gfp_t gfp);
void *kmalloc_trace(unsigned long id, gfp_t gfp, size_t size);
/* The step between the numbers of caches. Those of the size classes begin with SLAB_ID_STEP. */
#define SLAB_ID_STEP 16

/* size from 1 to KMALLOC_SLAB_MAX. */
static __always_inline unsigned kmalloc_class(size_t size)
{
	if (size <= 32)
		return size <= 8 ? 1 : size <= 16 ? 2 : 3;
	if (size <= 256)
		return size <= 64 ? 4 : size <= 96 ? 5 : size <= 128 ? 6 : size <= 192 ? 7 : 8;
	return 64 - (unsigned)__builtin_clzl(size -
					     1); /* 9 for 512; 1 more for each next power of two */
}

static __always_inline void *kmalloc(size_t size, gfp_t gfp)
{
	if (__builtin_constant_p(size) && size && size <= KMALLOC_SLAB_MAX &&
	    __builtin_constant_p(gfp) && !(gfp & __GFP_ZERO))
		return kmalloc_trace(kmalloc_class(size) * SLAB_ID_STEP, gfp, size);
	return __kmalloc(size, gfp);
}

static inline void *kzalloc(size_t size, gfp_t gfp)
{
	return kmalloc(size, gfp | __GFP_ZERO);
}

static inline void *kmalloc_array(size_t n, size_t size, gfp_t gfp)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? NULL : kmalloc(bytes, gfp);
}

/* NULL: memory is short, or n * size overflows. */
static inline void *kcalloc(size_t n, size_t size, gfp_t gfp)
{
	return kmalloc_array(n, size, gfp | __GFP_ZERO);
}

char *kstrdup(const char *s, gfp_t gfp);
char *kstrndup(const char *s, size_t max, gfp_t gfp);
void *kmemdup(const void *src, size_t size, gfp_t gfp);
__printf(2, 3) char *kasprintf(gfp_t gfp, const char *fmt, ...);
__printf(2, 0) char *kvasprintf(gfp_t gfp, const char *fmt, va_list args);

/*
 * Hook of the trace room, in a DEBUG build: an error was found, and pid is the task that has
 * allocated, freed or used the object. Prints what the task did before. Any context but NMI. NULL
 * early in the boot.
 */
extern void (*slab_report_hook)(pid_t pid);
/*
 * The number of objects in use in all caches, for leak tests. Exact only while no object is
 * allocated or freed.
 */
u64 slab_objects_in_use(void);

/* One cache, for /proc/slabinfo. */
struct slabinfo {
	unsigned place; /* its number */
	char name[24];
	unsigned long active_objs; /* in use */
	unsigned long num_objs;    /* in use or free */
	u32 object_size;           /* bytes */
	u32 objects_per_slab;
	u32 pages_per_slab;
	unsigned long active_slabs; /* not empty */
	unsigned long num_slabs;
};

/* Describes the first cache with a number >= place. False: none. Task context. */
bool get_slabinfo(unsigned place, struct slabinfo *info);
