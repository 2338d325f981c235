/*
 * Slab caches and kmalloc.
 *
 * A DEBUG build fills objects (0x5a when given out, 0x6b when freed), guards their ends, remembers
 * who allocated and freed them, and reports overflows, use after free, double frees and frees into
 * the wrong cache with the cache's name and the object's address.
 */
#pragma once

#include "kernel/mm/page_alloc.h"

struct kmem_cache;

#define KMALLOC_MAX_SIZE (PAGE_SIZE << (MAX_ORDER - 1))

/*
 * A cache of objects of one size, at most 8 KiB; align 0 means 8. The name is copied. NULL when
 * memory is short, the size impossible, or there are 127 caches already. Task context.
 */
struct kmem_cache *kmem_cache_create(const char *name, size_t size, size_t align);
/* All objects must have been freed; else it reports them and leaves the cache. Task context. */
void kmem_cache_destroy(struct kmem_cache *cache);
/* NULL when memory is short. Any context but NMI, as gfp says. */
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp);
/* Any context but NMI. NULL is fine. */
void kmem_cache_free(struct kmem_cache *cache, void *object);

/*
 * size 0 gives NULL. At least 8-byte aligned, powers of two naturally aligned (in a DEBUG build up
 * to a page). Any size up to KMALLOC_MAX_SIZE. Any context but NMI, as gfp says.
 */
void *kmalloc(size_t size, gfp_t gfp);
void kfree(const void *object); /* NULL is fine */
/* The bytes that may be used: at least what was asked for. */
size_t ksize(const void *object);
/* As realloc(3): on failure NULL, and object is as it was. */
void *krealloc(const void *object, size_t size, gfp_t gfp);

static inline void *kzalloc(size_t size, gfp_t gfp)
{
	return kmalloc(size, gfp | __GFP_ZERO);
}

static inline void *kmalloc_array(size_t n, size_t size, gfp_t gfp)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? NULL : kmalloc(bytes, gfp);
}

/* NULL when n * size overflows. */
static inline void *kcalloc(size_t n, size_t size, gfp_t gfp)
{
	return kmalloc_array(n, size, gfp | __GFP_ZERO);
}

char *kstrdup(const char *s, gfp_t gfp);
char *kstrndup(const char *s, size_t max, gfp_t gfp);
void *kmemdup(const void *src, size_t size, gfp_t gfp);
__printf(2, 3) char *kasprintf(gfp_t gfp, const char *fmt, ...);
__printf(2, 0) char *kvasprintf(gfp_t gfp, const char *fmt, va_list args);

/* Objects in use in all caches: equal before and after, nothing leaked. Exact when all is quiet. */
u64 slab_objects_in_use(void);
