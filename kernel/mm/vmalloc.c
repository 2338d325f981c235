/*
 * vmalloc() and ioremap(): ranges of kernel addresses, found first-fit in a tree, mapped page by
 * page.
 *
 * Each area has an unmapped page behind it: an access beyond the end faults. The search for a hole
 * walks the areas in order. That is fast enough, because the number of areas is small: kernel
 * stacks have slots of their own (stack.c). search_from is a hint: no hole lies below it.
 */
#include "kernel/mm/vmalloc.h"

#include "arch/mm/pgtable.h"
#include "kernel/bug.h"
#include "kernel/error_injection.h"
#include "kernel/export.h"
#include "kernel/lib/bitops.h"
#include "kernel/lib/rbtree.h"
#include "kernel/lib/string.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/internal.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/stack.h"

#define AREA_START STACK_AREA_END

static DEFINE_SPINLOCK(vmap_lock);
static struct rb_root vmap_areas;              /* [vmap_lock] */
static unsigned long search_from = AREA_START; /* [vmap_lock] all addresses below it are in use */
static unsigned long mapped_pages;             /* [A] by vmalloc() */

unsigned long vmalloc_pages(void)
{
	return READ_ONCE(mapped_pages);
}

bool is_vmalloc_addr(const void *addr)
{
	return (unsigned long)addr >= VMALLOC_START && (unsigned long)addr < VMALLOC_END;
}

/* The first area that ends above addr. vmap_lock held. */
static struct vmap_area *first_area_above(unsigned long addr)
{
	struct rb_node *node = vmap_areas.rb_node;
	struct vmap_area *found = NULL;

	lockdep_assert_held(&vmap_lock);
	while (node) {
		struct vmap_area *area = rb_entry(node, struct vmap_area, node);

		if (area->end > addr) {
			found = area;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

/* vmap_lock held. */
static void insert_area(struct vmap_area *area)
{
	struct rb_node **link = &vmap_areas.rb_node, *parent = NULL;

	lockdep_assert_held(&vmap_lock);
	while (*link) {
		parent = *link;
		if (area->start < rb_entry(parent, struct vmap_area, node)->start)
			link = &parent->rb_left;
		else
			link = &parent->rb_right;
	}
	rb_link_node(&area->node, parent, link);
	rb_insert_color(&area->node, &vmap_areas);
}

static struct vmap_area *next_area(struct vmap_area *area)
{
	struct rb_node *node = rb_next(&area->node);

	return node ? rb_entry(node, struct vmap_area, node) : NULL;
}

/* Finds the first hole of size bytes. 0: none. vmap_lock held. */
static unsigned long find_hole(size_t size)
{
	struct vmap_area *area = first_area_above(search_from);
	unsigned long start = search_from;
	bool first_fit = true;

	while (area && area->start - start < size) {
		first_fit = first_fit && area->start == start;
		start = area->end;
		area = next_area(area);
	}
	if (size > VMALLOC_END - start)
		return 0;
	if (first_fit)
		search_from = start + size;
	return start;
}

struct vmap_area *alloc_vmap_area(size_t size, bool borrowed)
{
	struct vmap_area *area;

	if (!size || size > VMALLOC_END - AREA_START - 2 * PAGE_SIZE)
		return NULL;
	size = ALIGN(size, PAGE_SIZE) + PAGE_SIZE;
	area = kmalloc(sizeof(*area), GFP_KERNEL);
	if (!area)
		return NULL;
	area->borrowed = borrowed;
	area->next = NULL;
	spin_lock(&vmap_lock);
	area->start = find_hole(size);
	area->end = area->start + size;
	if (area->start)
		insert_area(area);
	spin_unlock(&vmap_lock);
	if (!area->start) {
		kfree(area);
		return NULL;
	}
	return area;
}

/*
 * Adds the pages of an area to a list, if they are the area's. Unmaps it without a flush.
 */
static void unmap_area(const struct vmap_area *area, struct list_head *pages)
{
	unsigned long end = area->end - PAGE_SIZE;

	for (unsigned long addr = area->start; addr < end && !area->borrowed; addr += PAGE_SIZE) {
		phys_addr_t phys = kernel_virt_to_phys(addr);

		if (phys == ~0UL)
			break; /* vmalloc_gfp() found no memory for the rest */
		list_add(&phys_to_page(phys)->lru, pages);
	}
	clear_kernel_range(area->start, end);
}

/* Makes the addresses of an area free again, and frees the area. */
static void release_area(struct vmap_area *area)
{
	spin_lock(&vmap_lock);
	rb_erase(&area->node, &vmap_areas);
	search_from = min(search_from, area->start);
	spin_unlock(&vmap_lock);
	kfree(area);
}

/*
 * One flush serves all areas. It comes before pages and addresses are free, because CPUs may still
 * use them.
 */
void free_vmap_areas(struct vmap_area *areas)
{
	unsigned long start = ~0UL, end = 0, count = 0;
	struct page *page, *next;
	LIST_HEAD(pages);

	for (struct vmap_area *area = areas; area; area = area->next) {
		unmap_area(area, &pages);
		start = min(start, area->start);
		end = max(end, area->end);
	}
	if (areas)
		flush_tlb_kernel_range(start, end);
	list_for_each_entry_safe (page, next, &pages, lru) {
		free_pages(page, 0);
		count++;
	}
	__atomic_fetch_sub(&mapped_pages, count, __ATOMIC_RELAXED);
	while (areas) {
		struct vmap_area *area = areas;

		areas = area->next;
		release_area(area);
	}
}

static void *vmalloc_gfp(size_t size, gfp_t gfp)
{
	struct vmap_area *area;

	/* Fails before it takes all free pages for a request that is too large. */
	if (DIV_ROUND_UP(size, PAGE_SIZE) > nr_free_pages()) {
		if (size)
			warn_alloc(gfp, (unsigned)fls64((size - 1) >> PAGE_SHIFT));
		return NULL;
	}
	area = alloc_vmap_area(size, false);
	if (!area)
		return NULL;
	for (unsigned long addr = area->start; addr < area->end - PAGE_SIZE; addr += PAGE_SIZE) {
		struct page *page = alloc_pages(gfp, 0);

		if (!page)
			goto fail;
		if (map_kernel_page(addr, page_to_phys(page), PAGE_KERNEL)) {
			free_pages(page, 0);
			goto fail;
		}
		__atomic_fetch_add(&mapped_pages, 1, __ATOMIC_RELAXED);
	}
	return (void *)area->start;
fail:
	free_vmap_areas(area);
	return NULL;
}

void *vmalloc(size_t size)
{
	return vmalloc_gfp(size, GFP_KERNEL);
}
EXPORT_SYMBOL(vmalloc);
ALLOW_ERROR_INJECTION(vmalloc, NULL);

void *vzalloc(size_t size)
{
	return vmalloc_gfp(size, GFP_KERNEL | __GFP_ZERO);
}
EXPORT_SYMBOL(vzalloc);
ALLOW_ERROR_INJECTION(vzalloc, NULL);

void *kvzalloc(size_t size, gfp_t gfp)
{
	return size <= PAGE_SIZE ? kzalloc(size, gfp) : vmalloc_gfp(size, gfp | __GFP_ZERO);
}
EXPORT_SYMBOL(kvzalloc);
ALLOW_ERROR_INJECTION(kvzalloc, NULL);

struct vmap_area *find_vmap_area(unsigned long addr)
{
	struct vmap_area *area;

	spin_lock(&vmap_lock);
	area = first_area_above(addr);
	spin_unlock(&vmap_lock);
	return area && area->start == addr ? area : NULL;
}

void vfree_many(const void *const *addrs, size_t count)
{
	struct vmap_area *areas = NULL;

	for (size_t i = 0; i < count; i++) {
		struct vmap_area *area;

		if (!addrs[i])
			continue;
		area = find_vmap_area((unsigned long)addrs[i]);
		if (WARN_ON(!area || area->borrowed))
			continue;
		area->next = areas;
		areas = area;
	}
	free_vmap_areas(areas);
}

void vfree(const void *addr)
{
	vfree_many(&addr, 1);
}
EXPORT_SYMBOL(vfree);

void kvfree(const void *addr)
{
	if (is_vmalloc_addr(addr))
		vfree(addr);
	else
		kfree(addr);
}
EXPORT_SYMBOL(kvfree);

void *ioremap(phys_addr_t phys, size_t size)
{
	unsigned long offset = phys % PAGE_SIZE;
	struct vmap_area *area;

	if (!size || phys + size < phys)
		return NULL;
	area = alloc_vmap_area(size + offset, true);
	if (!area)
		return NULL;
	for (unsigned long at = 0; at < area->end - PAGE_SIZE - area->start; at += PAGE_SIZE) {
		if (map_kernel_page(area->start + at, phys - offset + at, PAGE_KERNEL_NOCACHE)) {
			free_vmap_areas(area);
			return NULL;
		}
	}
	return (void *)(area->start + offset);
}

void iounmap(void *addr)
{
	struct vmap_area *area;

	if (!addr)
		return;
	area = find_vmap_area((unsigned long)addr & PAGE_MASK);
	if (!WARN_ON(!area || !area->borrowed))
		free_vmap_areas(area);
}
