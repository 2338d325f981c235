/* Copies of strings and memory in memory from kmalloc(). */
#include "kernel/lib/string.h"
#include "kernel/export.h"
#include "kernel/mm/slab.h"

void *kmemdup(const void *src, size_t size, gfp_t gfp)
{
	void *copy = kmalloc(size, gfp);

	return copy ? memcpy(copy, src, size) : NULL;
}
EXPORT_SYMBOL(kmemdup);

char *kstrndup(const char *s, size_t max, gfp_t gfp)
{
	size_t n;
	char *copy;

	if (!s)
		return NULL;
	n = strnlen(s, max);
	copy = kmalloc(n + 1, gfp);
	if (copy) {
		memcpy(copy, s, n);
		copy[n] = '\0';
	}
	return copy;
}

char *kstrdup(const char *s, gfp_t gfp)
{
	return kstrndup(s, SIZE_MAX - 1, gfp);
}
EXPORT_SYMBOL(kstrdup);

void *krealloc(const void *object, size_t size, gfp_t gfp)
{
	size_t old = ksize(object);
	void *copy;

	if (object && size && size <= old)
		return (void *)object;
	copy = kmalloc(size, gfp);
	if (copy && object)
		memcpy(copy, object, min(old, size));
	if (copy || !size)
		kfree(object);
	return copy;
}

/* Of slab.c. */
EXPORT_SYMBOL(kmem_cache_alloc);
EXPORT_SYMBOL(kmem_cache_free);
EXPORT_SYMBOL(__kmalloc);
EXPORT_SYMBOL(kmalloc_trace);
EXPORT_SYMBOL(kfree);
EXPORT_SYMBOL(kmem_cache_create);
EXPORT_SYMBOL(kmem_cache_destroy);
