/* Pages of others at addresses of vmalloc(); rings are mapped twice. */
#include "arch/mm/pgtable.h"
#include "kernel/bug.h"
#include "kernel/mm/internal.h"
#include "kernel/mm/vmalloc.h"

/* Maps the pages so many times, one behind the other. */
static void *map_pages(struct page *const *pages, size_t count, size_t times)
{
	struct vmap_area *area = alloc_vmap_area(times * count * PAGE_SIZE, true);

	if (!area)
		return NULL;
	for (size_t i = 0; i < times * count; i++) {
		if (map_kernel_page(area->start + i * PAGE_SIZE, page_to_phys(pages[i % count]),
				    PAGE_KERNEL)) {
			free_vmap_areas(area);
			return NULL;
		}
	}
	return (void *)area->start;
}

void *vmap(struct page *const *pages, size_t count)
{
	return map_pages(pages, count, 1);
}

void *vmap_ring(struct page *const *pages, size_t count)
{
	return map_pages(pages, count, 2);
}

void vunmap(const void *addr)
{
	struct vmap_area *area;

	if (!addr)
		return;
	area = find_vmap_area((unsigned long)addr);
	if (!WARN_ON(!area || !area->borrowed))
		free_vmap_areas(area);
}
