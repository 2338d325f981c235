/*
 * The allocator of memory for code that is generated at run time. A page of the text area has 64
 * granules of 64 bytes, with one bit for each. A page is filled with int3 before it becomes
 * executable. It is never writable after that: the owner of a piece writes through the private
 * alias. Empty pages are unmapped, but one is kept: else a tracer that is switched on and off would
 * change the page tables of all CPUs each time. A piece that is larger than a page has pages of its
 * own, but the rest of the last page is for others.
 */
#include "arch/patch/text_area.h"

#include "arch/mm/pgtable.h"
#include "arch/patch/text_patch.h"
#include "kernel/bug.h"
#include "kernel/lib/list.h"
#include "kernel/lib/string.h"
#include "kernel/sched/mutex.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"

#define GRANULE   64U
#define GRANULES  (PAGE_SIZE / GRANULE) /* bits of text_page.used */
#define MAX_PAGES 4096U                 /* 16 MiB of code, at the beginning of the area */
#define INT3      0xcc

BUILD_BUG_ON(GRANULES != 64);

/* All [text_area_mutex]. */
struct text_page {
	struct list_head list;
	unsigned number; /* index in the area */
	void *memory;    /* in the direct map, read-only while it is executable */
	u64 used;        /* one bit for each granule */
};

static DEFINE_MUTEX(text_area_mutex); /* before text_patch_mutex */
static LIST_HEAD(text_pages);
static unsigned long numbers_used[MAX_PAGES / 64];
static unsigned nr_pages, nr_empty_pages, nr_granules;

static unsigned long page_address_of(const struct text_page *page)
{
	return TEXT_AREA_START + page->number * PAGE_SIZE;
}

static struct text_page *page_of(unsigned long addr)
{
	struct text_page *page;

	list_for_each_entry (page, &text_pages, list)
		if (page_address_of(page) == ALIGN_DOWN(addr, PAGE_SIZE))
			return page;
	return NULL;
}

static u64 granule_mask(unsigned first, unsigned count)
{
	return (count == 64 ? ~0UL : (1UL << count) - 1) << first;
}

/* Returns the first of count free numbers in a row, or MAX_PAGES. */
static unsigned free_numbers(unsigned count)
{
	unsigned number = 0, row = 0;

	for (; number < MAX_PAGES && row < count; number++)
		row = test_bit(number, numbers_used) ? 0 : row + 1;
	return row == count ? number - count : MAX_PAGES;
}

static int map_page(struct text_page *page)
{
	unsigned long addr = page_address_of(page);
	int error = map_kernel_page(addr, __pa(page->memory), PAGE_KERNEL_RO);

	if (error)
		return error;
	error = set_memory_x(addr, 1);
	if (error)
		unmap_kernel_range(addr, addr + PAGE_SIZE);
	return error;
}

static struct text_page *add_page(unsigned number)
{
	struct text_page *page = number < MAX_PAGES ? kzalloc(sizeof(*page), GFP_KERNEL) : NULL;

	if (!page)
		return NULL;
	page->number = number;
	page->memory = get_free_page(GFP_KERNEL);
	if (!page->memory)
		goto free;
	memset(page->memory, INT3, PAGE_SIZE);
	if (map_page(page))
		goto free_memory;
	set_bit(page->number, numbers_used);
	list_add_tail(&page->list, &text_pages);
	nr_pages++;
	nr_empty_pages++;
	return page;

free_memory:
	free_page(page->memory);
free:
	kfree(page);
	return NULL;
}

static void remove_page(struct text_page *page)
{
	unsigned long addr = page_address_of(page);

	WARN_ON(set_memory_nx(addr, 1));
	unmap_kernel_range(addr, addr + PAGE_SIZE);
	clear_bit(page->number, numbers_used);
	list_del(&page->list);
	nr_pages--;
	nr_empty_pages--;
	free_page(page->memory);
	kfree(page);
}

/* Returns the first of count free granules in a row, or GRANULES if there are none. */
static unsigned find_room(const struct text_page *page, unsigned count)
{
	for (unsigned first = 0; first + count <= GRANULES; first++)
		if (!(page->used & granule_mask(first, count)))
			return first;
	return GRANULES;
}

static unsigned long use_granules(struct text_page *page, unsigned first, unsigned count)
{
	nr_empty_pages -= !page->used;
	page->used |= granule_mask(first, count);
	nr_granules += count;
	return page_address_of(page) + first * GRANULE;
}

static unsigned long alloc_in_page(unsigned count)
{
	unsigned first = GRANULES;
	struct text_page *page;

	list_for_each_entry (page, &text_pages, list) {
		first = find_room(page, count);
		if (first < GRANULES)
			return use_granules(page, first, count);
	}
	page = add_page(free_numbers(1));
	return page ? use_granules(page, 0, count) : 0;
}

/* Pages in a row, which add_page() adds behind all others. */
static unsigned long alloc_pages_in_row(unsigned count)
{
	unsigned pages = DIV_ROUND_UP(count, GRANULES), number = free_numbers(pages), i;
	unsigned long addr = 0;

	for (i = 0; i < pages; i++)
		if (!add_page(number + i))
			break;
	if (i < pages) {
		while (i--)
			remove_page(list_last_entry(&text_pages, struct text_page, list));
		return 0;
	}
	for (; i; i--, number++) {
		unsigned here = min(count, (unsigned)GRANULES);
		struct text_page *page = page_of(TEXT_AREA_START + number * PAGE_SIZE);
		unsigned long at = use_granules(page, 0, here);

		addr = addr ?: at;
		count -= here;
	}
	return addr;
}

unsigned long text_area_alloc(size_t size)
{
	unsigned count = (unsigned)DIV_ROUND_UP(size, GRANULE);
	unsigned long addr;

	if (!count || size > MAX_PAGES * PAGE_SIZE)
		return 0;
	mutex_lock(&text_area_mutex);
	addr = count > GRANULES ? alloc_pages_in_row(count) : alloc_in_page(count);
	mutex_unlock(&text_area_mutex);
	return addr;
}

static void fill_with_int3(unsigned long addr, unsigned count)
{
	u8 int3[8 * GRANULE];

	memset(int3, INT3, sizeof(int3));
	while (count) {
		unsigned n = min(count, (unsigned)sizeof(int3) / GRANULE);

		WARN_ON(text_patch_fill(addr, int3, n * GRANULE));
		addr += n * GRANULE;
		count -= n;
	}
}

static void free_in_page(unsigned long addr, unsigned count)
{
	u64 mask = granule_mask((unsigned)(addr % PAGE_SIZE / GRANULE), count);
	struct text_page *page = page_of(addr);

	if (WARN_ON(!page || (page->used & mask) != mask))
		return;
	fill_with_int3(addr, count);
	page->used &= ~mask;
	nr_granules -= count;
	nr_empty_pages += !page->used;
	if (!page->used && nr_empty_pages > 1)
		remove_page(page);
}

void text_area_free(unsigned long addr, size_t size)
{
	unsigned count = (unsigned)DIV_ROUND_UP(size, GRANULE);

	mutex_lock(&text_area_mutex);
	while (count) {
		unsigned here = min(count, (unsigned)(GRANULES - addr % PAGE_SIZE / GRANULE));

		free_in_page(addr, here);
		addr += here * GRANULE;
		count -= here;
	}
	mutex_unlock(&text_area_mutex);
}

void text_area_stats_read(struct text_area_stats *stats)
{
	mutex_lock(&text_area_mutex);
	stats->pages = nr_pages;
	stats->bytes = nr_granules * GRANULE;
	mutex_unlock(&text_area_mutex);
}
