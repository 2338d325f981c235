/* Helpers of the memory self-tests: contents that show damage, and sums that show leaks. */
#pragma once

#include "kernel/mm/page_alloc.h"
#include "selftest/selftest.h"

/*
 * memory_fill() writes a sequence that seed determines. memory_intact(): true if it is unchanged.
 */
void memory_fill(void *p, size_t size, u32 seed);
bool memory_intact(const void *p, size_t size, u32 seed);

/* All free memory: a list of pages, and a list of the free objects of kmalloc's slabs. */
struct memory_taken {
	void *pages, *objects;
};
/*
 * Waits first for what callbacks would free a little later. Until memory_give_back() the caller
 * stays on one CPU: the caches of the others have free memory, which only they can take.
 */
void memory_take_all(struct memory_taken *taken);
/* Frees one page. False if none is left. */
bool memory_give_page(struct memory_taken *taken);
void memory_give_back(struct memory_taken *taken);

/*
 * The bytes that are free or that the allocators use themselves. The value is the same before and
 * after a test that frees all its memory, once the kworkers have done their work. Does not include
 * objects in kmalloc's larger blocks.
 */
u64 memory_accounted(void);
/* Waits until the sum equals before. Fails the test if that does not happen. */
void memory_expect_accounted(struct selftest *test, u64 before);
/* The number of slab objects in use, for memory_expect_objects(). */
u64 memory_objects(void);
void memory_expect_objects(struct selftest *test, u64 before);
