/* kmalloc() on the host: counts objects, and fails when a test wants. For host tests and fuzzers. */
#pragma once

#include <malloc.h>
#include <stdlib.h>

#include "kernel/mm/slab.h"

static long host_allocations_left = -1; /* successful allocations until one fails; -1: no limit */
static long host_objects;               /* allocated and not freed */

void *__kmalloc(size_t size, gfp_t gfp)
{
	if (host_allocations_left == 0)
		return NULL;
	if (host_allocations_left > 0)
		host_allocations_left--;
	host_objects++;
	return gfp & __GFP_ZERO ? calloc(1, size) : malloc(size);
}

void *kmalloc_trace(unsigned long id, gfp_t gfp, size_t size)
{
	(void)id;
	return __kmalloc(size, gfp);
}

void kfree(const void *object)
{
	host_objects -= object != NULL;
	free((void *)object);
}

size_t ksize(const void *object)
{
	return malloc_usable_size((void *)object);
}
