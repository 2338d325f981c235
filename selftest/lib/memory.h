/* What the memory self-tests share: contents that show damage, and the sum that shows leaks. */
#pragma once

#include "kernel/mm/page_alloc.h"
#include "selftest/selftest.h"

/* Fill size bytes with a sequence that seed determines; whether it is still what was filled in. */
void memory_fill(void *p, size_t size, u32 seed);
bool memory_intact(const void *p, size_t size, u32 seed);

/* All memory: pages, and what the slabs of kmalloc have left; each a list. */
struct memory_taken {
	void *pages, *objects;
};
void memory_take_all(struct memory_taken *taken);
/* One page goes back; false when there is none left. */
bool memory_give_page(struct memory_taken *taken);
void memory_give_back(struct memory_taken *taken);

/*
 * Bytes that are free or in the allocators' own use: the same before and after a test that freed
 * all it took, once work left to kworkers is done. Objects in kmalloc's larger blocks are not in
 * it.
 */
u64 memory_accounted(void);
/* Wait for the sum to be what it was; fails the test when that does not come. */
void memory_expect_accounted(struct selftest *test, u64 before);
/* Slab objects in use, for memory_expect_objects() to compare. */
u64 memory_objects(void);
void memory_expect_objects(struct selftest *test, u64 before);
