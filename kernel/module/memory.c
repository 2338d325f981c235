/*
 * The memory of modules: regions in the module area, found first-fit in a sorted list, mapped page
 * by page. A region is RW while it is filled. Then its rights become final. No page is ever
 * writable and executable: map_kernel_page() and set_memory_x() see to that.
 */
#include "arch/mm/pgtable.h"
#include "kernel/bug.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/module/internal.h"
#include "kernel/sched/mutex.h"

struct module_area {
	struct list_head list;    /* [memory_mutex] by address */
	unsigned long start, end; /* constant; with the unmapped page behind the region */
};

static DEFINE_MUTEX(memory_mutex); /* before the locks of page tables and of pages */
static LIST_HEAD(areas);           /* [memory_mutex] */

/* Puts the area into the first hole that is large enough. False: there is none. */
static bool place_area(struct module_area *area, size_t size)
{
	unsigned long start = MODULES_START;
	struct module_area *next;

	list_for_each_entry (next, &areas, list) {
		if (next->start - start >= size)
			break;
		start = next->end;
	}
	if (size > MODULES_END - start)
		return false;
	area->start = start;
	area->end = start + size;
	list_add_tail(&area->list, &next->list);
	return true;
}

/* Unmaps and frees the pages of an area, as far as it has any. */
static void free_pages_of(const struct module_area *area)
{
	unsigned long end = area->end - PAGE_SIZE;
	struct page *page, *next;
	LIST_HEAD(pages);

	for (unsigned long addr = area->start; addr < end; addr += PAGE_SIZE) {
		phys_addr_t phys = kernel_virt_to_phys(addr);

		if (phys == ~0UL)
			break;
		list_add(&phys_to_page(phys)->lru, &pages);
	}
	unmap_kernel_range(area->start, end);
	list_for_each_entry_safe (page, next, &pages, lru)
		free_pages(page, 0);
}

static bool map_pages(const struct module_area *area)
{
	for (unsigned long addr = area->start; addr < area->end - PAGE_SIZE; addr += PAGE_SIZE) {
		struct page *page = alloc_pages(GFP_KERNEL | __GFP_ZERO, 0);

		if (!page)
			return false;
		if (map_kernel_page(addr, page_to_phys(page), PAGE_KERNEL)) {
			free_pages(page, 0);
			return false;
		}
	}
	return true;
}

static void remove_area(struct module_area *area)
{
	mutex_lock(&memory_mutex);
	list_del(&area->list);
	mutex_unlock(&memory_mutex);
	kfree(area);
}

unsigned long module_memory_alloc(size_t size)
{
	struct module_area *area = kmalloc(sizeof(*area), GFP_KERNEL);
	bool placed;

	if (!area)
		return 0;
	mutex_lock(&memory_mutex);
	placed = place_area(area, ALIGN(size, PAGE_SIZE) + PAGE_SIZE);
	mutex_unlock(&memory_mutex);
	if (!placed) {
		kfree(area);
		return 0;
	}
	if (!map_pages(area)) {
		free_pages_of(area);
		remove_area(area);
		return 0;
	}
	return area->start;
}

void module_memory_free(struct module_memory *memory)
{
	struct module_area *area, *found = NULL;
	unsigned long size, pages;
	const u64 *entry;

	if (!memory->base)
		return;
	mutex_lock(&memory_mutex);
	list_for_each_entry (area, &areas, list)
		if (area->start == memory->base)
			found = area;
	mutex_unlock(&memory_mutex);
	if (WARN_ON(!found))
		return;
	pages = (found->end - found->start) / PAGE_SIZE - 1;
	entry = lookup_address(memory->base, &size);
	if (entry && !(*entry & _PAGE_NX))
		WARN_ON(set_memory_nx(found->start, pages));
	if (entry && !(*entry & _PAGE_RW)) /* in the direct map, too */
		WARN_ON(set_memory_rw(found->start, pages));
	free_pages_of(found);
	remove_area(found);
	memory->base = memory->size = 0;
}

static int protect(const struct module_memory *memory, bool text)
{
	unsigned long pages = DIV_ROUND_UP(memory->size, PAGE_SIZE);
	int error;

	if (!memory->base)
		return 0;
	if (text) /* what follows the text on its last page traps */
		memset((void *)(memory->base + memory->size), 0xcc,
		       pages * PAGE_SIZE - memory->size);
	error = set_memory_ro(memory->base, pages);
	return error || !text ? error : set_memory_x(memory->base, pages);
}

int module_memory_protect(const struct module *mod)
{
	for (unsigned region = 0; region < MOD_REGIONS; region++) {
		bool text = region == MOD_TEXT || region == MOD_INIT_TEXT;
		int error = 0;

		if (region != MOD_DATA && region != MOD_INIT_DATA)
			error = protect(&mod->memory[region], text);
		if (error)
			return error;
	}
	return 0;
}
