/*
 * The allocator of memory for code that is generated at run time. A page of the text area has 64
 * granules of 64 bytes, with one bit for each. A page is filled with int3 before it becomes
 * executable. It is never writable after that: the owner of a piece writes through the private
 * alias. Empty pages are unmapped, but one is kept: else a tracer that is switched on and off would
 * change the page tables of all CPUs each time.
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

static u64 granule_mask(unsigned first, unsigned count)
{
	return (count == 64 ? ~0UL : (1UL << count) - 1) << first;
}

static unsigned free_number(void)
{
	unsigned number = 0;

	while (number < MAX_PAGES && test_bit(number, numbers_used))
		number++;
	return number;
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

static struct text_page *add_page(void)
{
	struct text_page *page = kzalloc(sizeof(*page), GFP_KERNEL);

	if (!page)
		return NULL;
	page->number = free_number();
	page->memory = page->number < MAX_PAGES ? get_free_page(GFP_KERNEL) : NULL;
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

unsigned long text_area_alloc(size_t size)
{
	unsigned count = (unsigned)DIV_ROUND_UP(size, GRANULE), first = GRANULES;
	struct text_page *page, *found = NULL;
	unsigned long addr = 0;

	if (!count || count > GRANULES)
		return 0;
	mutex_lock(&text_area_mutex);
	list_for_each_entry (page, &text_pages, list) {
		first = find_room(page, count);
		if (first < GRANULES) {
			found = page;
			break;
		}
	}
	if (!found) {
		found = add_page();
		first = 0;
	}
	if (found) {
		nr_empty_pages -= !found->used;
		found->used |= granule_mask(first, count);
		nr_granules += count;
		addr = page_address_of(found) + first * GRANULE;
	}
	mutex_unlock(&text_area_mutex);
	return addr;
}

static struct text_page *page_of(unsigned long addr)
{
	struct text_page *page;

	list_for_each_entry (page, &text_pages, list)
		if (page_address_of(page) == ALIGN_DOWN(addr, PAGE_SIZE))
			return page;
	return NULL;
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

void text_area_free(unsigned long addr, size_t size)
{
	unsigned count = (unsigned)DIV_ROUND_UP(size, GRANULE);
	struct text_page *page;
	u64 mask;

	mutex_lock(&text_area_mutex);
	page = page_of(addr);
	mask = granule_mask((unsigned)(addr % PAGE_SIZE / GRANULE), count);
	if (WARN_ON(!page || (page->used & mask) != mask))
		goto unlock;
	fill_with_int3(addr, count);
	page->used &= ~mask;
	nr_granules -= count;
	nr_empty_pages += !page->used;
	if (!page->used && nr_empty_pages > 1)
		remove_page(page);
unlock:
	mutex_unlock(&text_area_mutex);
}

void text_area_stats_read(struct text_area_stats *stats)
{
	mutex_lock(&text_area_mutex);
	stats->pages = nr_pages;
	stats->bytes = nr_granules * GRANULE;
	mutex_unlock(&text_area_mutex);
}
