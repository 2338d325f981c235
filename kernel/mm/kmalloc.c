/* kmalloc(): a slab cache for each of a few sizes, and blocks of pages for larger ones. */
#include "kernel/bug.h"
#include "kernel/lib/bitops.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/kmem_events.h"
#include "kernel/mm/slab_internal.h"

static const u16 kmalloc_sizes[KMALLOC_CLASSES] = { 8,   16,  32,   64,   96,   128, 192,
						    256, 512, 1024, 2048, 4096, 8192 };
static struct kmem_cache kmalloc_caches[KMALLOC_CLASSES];
/* For sizes up to 256 bytes: the number of the cache, by (size - 1) / 8. */
static u8 kmalloc_small_ids[32];

static void *kmalloc_large(size_t size, gfp_t gfp)
{
	unsigned order = (unsigned)fls64((size - 1) >> PAGE_SHIFT);
	struct page *page = alloc_pages(gfp, order);

	if (!page)
		return NULL;
	page->flags |= PG_LARGE;
	return page_address(page);
}

/* Frees an object that is in no slab: a block of pages, or NULL. Anything else is an error. */
static noinline void kfree_large(const void *object)
{
	unsigned long offset = (unsigned long)object - PAGE_OFFSET;
	struct page *page = mem_map + (offset >> PAGE_SHIFT);

	if (!object)
		return;
	if (WARN_ON(offset >> PAGE_SHIFT >= max_pfn || !IS_ALIGNED(offset, PAGE_SIZE) ||
		    !(page->flags & PG_LARGE)))
		return; /* not from kmalloc(), or already freed */
	page->flags &= (u8)~PG_LARGE;
	free_pages(page, page->order);
}

static noinline void *kmalloc_zeroed(size_t size, gfp_t gfp, const void *user);

/* Allocates sizes that are not in the table: larger ones, and 0. */
static noinline void *kmalloc_rest(size_t size, gfp_t gfp, const void *user)
{
	unsigned id;
	void *object;

	if (!size || size > KMALLOC_MAX_SIZE)
		return NULL;
	if (size > KMALLOC_SLAB_MAX)
		return kmalloc_large(size, gfp);
	id = kmalloc_class(size) * SLAB_ID_STEP;
	object = slab_alloc_object(id, gfp);
	slab_debug_alloc(slab_cache(id), object, size, user);
	return object;
}

static __always_inline void *kmalloc_for(size_t size, gfp_t gfp, const void *user)
{
	size_t index = (size - 1) / 8; /* for size 0: a huge value */
	unsigned id;
	void *object;

	if (unlikely(gfp & __GFP_ZERO))
		return kmalloc_zeroed(size, gfp, user);
	if (unlikely(index >= ARRAY_SIZE(kmalloc_small_ids)))
		return kmalloc_rest(size, gfp, user);
	id = kmalloc_small_ids[index];
	object = slab_alloc_object(id, gfp);
	slab_debug_alloc(slab_cache(id), object, size, user);
	return object;
}

static noinline void *kmalloc_zeroed(size_t size, gfp_t gfp, const void *user)
{
	void *object = kmalloc_for(size, gfp & ~__GFP_ZERO, user);

	return object ? memset(object, 0, size) : NULL;
}

/* The bytes of the slot or of the pages that object has. */
static size_t kmalloc_room(const void *object)
{
	const struct page *page = virt_to_page(object);

	return page->slab ? slab_cache(page->slab)->size : PAGE_SIZE << page->order;
}

static noinline void *kmalloc_traced(size_t size, gfp_t gfp)
{
	const void *user = _CALLER_RET_IP_;
	void *object = kmalloc_for(size, gfp, user);

	trace_kmalloc((unsigned long)user, object, size, object ? kmalloc_room(object) : 0, gfp);
	return object;
}

void *__kmalloc(size_t size, gfp_t gfp)
{
	return trace_kmalloc_enabled() ? kmalloc_traced(size, gfp)
				       : kmalloc_for(size, gfp, SLAB_USER);
}

void *kmalloc_trace(unsigned long id, gfp_t gfp, size_t size)
{
	void *object;

	if (trace_kmalloc_enabled())
		return kmalloc_traced(size, gfp);
	object = slab_alloc_object(id, gfp);
	slab_debug_alloc(slab_cache(id), object, size, SLAB_USER);
	return object;
}

static __always_inline void kfree_for(const void *object, const void *user)
{
	unsigned long pfn = ((unsigned long)object - PAGE_OFFSET) >> PAGE_SHIFT;
	unsigned id;

	/* NULL is outside the direct map, too. */
	if (unlikely(pfn >= max_pfn || !(id = mem_map[pfn].slab)))
		kfree_large(object);
	else if (slab_debug_free(slab_cache(id), (void **)&object, user))
		slab_free_object(id, (void *)object);
}

static noinline void kfree_traced(const void *object)
{
	const void *user = _CALLER_RET_IP_;

	trace_kfree((unsigned long)user, object);
	kfree_for(object, user);
}

void kfree(const void *object)
{
	if (trace_kfree_enabled())
		kfree_traced(object);
	else
		kfree_for(object, SLAB_USER);
}

size_t ksize(const void *object)
{
	const struct page *page;

	if (!object)
		return 0;
	page = virt_to_page(object);
	if (!page->slab)
		return PAGE_SIZE << page->order;
	return slab_debug_size(slab_cache(page->slab), object);
}

void __init kmalloc_init(void)
{
	for (unsigned i = 0; i < KMALLOC_CLASSES; i++) {
		static char names[KMALLOC_CLASSES][16];

		snprintf(names[i], sizeof(names[i]), "kmalloc-%u", kmalloc_sizes[i]);
		/* So these caches get the numbers from 1 on. */
		BUG_ON(!slab_init_cache(&kmalloc_caches[i], names[i], kmalloc_sizes[i],
					min(kmalloc_sizes[i] & -kmalloc_sizes[i], (int)PAGE_SIZE)));
		BUG_ON(kmalloc_class(kmalloc_sizes[i]) != i + 1);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(kmalloc_small_ids); i++)
		kmalloc_small_ids[i] = (u8)(kmalloc_class((i + 1) * 8) * SLAB_ID_STEP);
}
