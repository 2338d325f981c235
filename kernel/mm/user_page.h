/*
 * User pages: pages that programs see in their address space. Each has a count of references: one
 * for each entry of a page table that shows it, one for the page cache, one for each other user.
 * The last put_page() frees the page. A page of the kernel has no such count, and never becomes a
 * user page, or back.
 */
#pragma once

#include "kernel/mm/page_alloc.h"

/* The kinds of pages that an address space counts. */
enum mm_counter { MM_ANONPAGES, MM_FILEPAGES, MM_SHMEMPAGES, NR_MM_COUNTERS };

/*
 * page->state. The two low bits are the kind, enum mm_counter, constant after the allocation. The
 * owner of a mapping defines the bits from PAGE_OWNER_SHIFT on, and uses atomic operations.
 */
#define PAGE_KIND_MASK   3UL
#define PAGE_OWNER_SHIFT 4

/*
 * A new page with one reference, of that kind (enum mm_counter), not zeroed unless gfp says so.
 * NULL: memory is short. Task context.
 */
static inline struct page *alloc_user_page(gfp_t gfp, unsigned kind)
{
	struct page *page = alloc_pages(gfp | __GFP_NOWARN, 0);

	if (page) {
		atomic_set(&page->refcount, 1);
		page->mapping = NULL;
		page->index = 0;
		page->state = kind;
	}
	return page;
}

static __always_inline unsigned page_kind(const struct page *page)
{
	return (unsigned)(page->state & PAGE_KIND_MASK);
}

static __always_inline int page_count(const struct page *page)
{
	return atomic_read(&page->refcount);
}

/* The caller has a reference already, or a lock under which the page has one. Any context. */
static __always_inline void get_page(struct page *page)
{
	atomic_inc(&page->refcount);
}

static __always_inline void put_page(struct page *page)
{
	if (atomic_dec_and_test(&page->refcount))
		free_pages(page, 0);
}
