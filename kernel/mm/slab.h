/* Slab caches and kmalloc. */
#pragma once

#include "kernel/mm/page_alloc.h"

struct kmem_cache;

/* A cache of objects of one size. NULL when memory is short. Task context. */
struct kmem_cache *kmem_cache_create(const char *name, size_t size, size_t align);
/* All objects must have been freed; reports those that were not. Task context. */
void kmem_cache_destroy(struct kmem_cache *cache);
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp);
void kmem_cache_free(struct kmem_cache *cache, void *object);

/* size 0 gives NULL. At least 8-byte aligned, powers of two naturally aligned. Any size up to 4 MiB. */
void *kmalloc(size_t size, gfp_t gfp);
void kfree(const void *object); /* NULL is fine */
size_t ksize(const void *object);
void *krealloc(const void *object, size_t size, gfp_t gfp);

static inline void *kzalloc(size_t size, gfp_t gfp)
{
	return kmalloc(size, gfp | __GFP_ZERO);
}

/* NULL when n * size overflows. */
static inline void *kcalloc(size_t n, size_t size, gfp_t gfp)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? NULL : kzalloc(bytes, gfp);
}

char *kstrdup(const char *s, gfp_t gfp);
char *kstrndup(const char *s, size_t max, gfp_t gfp);
void *kmemdup(const void *src, size_t size, gfp_t gfp);
__printf(2, 3) char *kasprintf(gfp_t gfp, const char *fmt, ...);

/* Objects in use in all caches: equal before and after means nothing leaked. */
u64 slab_objects_in_use(void);
