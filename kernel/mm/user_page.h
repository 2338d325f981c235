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
 * Makes each page of an allocated block a user page with one reference, which put_page() or
 * put_user_pages() drops; so the pages become free one by one. Memory that is never freed keeps
 * this reference. No other task knows the pages.
 */
static inline void init_user_pages(struct page *page, unsigned long pages, unsigned kind)
{
	for (; pages; pages--, page++) {
		page->order = 0;
		page->mapping = NULL;
		page->index = 0;
		page->state = kind;
		atomic_set(&page->refcount, 1);
	}
}

/*
 * A new page with one reference, of that kind (enum mm_counter), not zeroed unless gfp says so.
 * NULL: memory is short. Task context.
 */
static inline struct page *alloc_user_page(gfp_t gfp, unsigned kind)
{
	struct page *page = alloc_pages(gfp | __GFP_NOWARN, 0);

	if (page)
		init_user_pages(page, 1, kind);
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

/* 1 << order new user pages that are contiguous memory: an address in the direct map, or NULL. */
static inline void *get_user_pages(gfp_t gfp, unsigned order, unsigned kind)
{
	void *addr = get_free_pages(gfp, order);

	if (addr)
		init_user_pages(virt_to_page(addr), BIT(order), kind);
	return addr;
}

static inline void put_user_pages(void *addr, unsigned order)
{
	for (unsigned i = 0; i < BIT(order); i++)
		put_page(virt_to_page(addr) + i);
}
