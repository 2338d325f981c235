/* The checks of a DEBUG build at each allocation and free of a slab object. */
#include "kernel/mm/slab_internal.h"

#include "arch/unwind/stacktrace.h"
#include "kernel/lib/string.h"
#include "kernel/printk/printk.h"

#define SLAB_GUARD  0xbbbbbbbbbbbbbbbbULL
#define SLAB_FREE   0x66726565U
#define SLAB_USED   0x75736564U
#define POISON_USED 0x5a /* fills a new object */
#define SLAB_PAD    0xcc /* fills the rest of an object that is larger than the request */

static void report(const struct kmem_cache *cache, const void *object, const char *what)
{
	const struct slab_track *track = slab_track(cache, object);

	pr_err("BUG %s: %s: object %px, %s by %pS\n", cache->name, what, object,
	       track->state == SLAB_USED ? "allocated" : "freed", track->user);
	dump_stack();
}

void slab_debug_init(const struct kmem_cache *cache, void *object)
{
	struct slab_track *track = slab_track(cache, object);

	memset(object, POISON_FREE, ALIGN(cache->object_size, 8));
	*track = (struct slab_track){ .guard = SLAB_GUARD, .state = SLAB_FREE };
}

void slab_debug_alloc(const struct kmem_cache *cache, void *object, size_t size, const void *user)
{
	struct slab_track *track = slab_track(cache, object);
	size_t bytes = ALIGN(cache->object_size, 8);

	if (!object)
		return;
	if (memchr_inv(object, POISON_FREE, bytes) || track->guard != SLAB_GUARD ||
	    track->state != SLAB_FREE)
		report(cache, object, "modified after free");
	memset(object, POISON_USED, size);
	memset((char *)object + size, SLAB_PAD, bytes - size);
	*track = (struct slab_track){
		.guard = SLAB_GUARD, .size = (u32)size, .state = SLAB_USED, .user = user
	};
}

bool slab_debug_free(const struct kmem_cache *cache, void *object, const void *user)
{
	const struct page *page = virt_to_page(object);
	const struct page *slab =
		mem_map + ALIGN_DOWN((unsigned long)(page - mem_map), BIT(cache->order));
	struct slab_track *track = slab_track(cache, object);
	size_t bytes = ALIGN(cache->object_size, 8), offset;

	if (page->slab != cache->id) {
		pr_err("BUG %s: freed into the wrong cache: object %px is of %s\n", cache->name,
		       object, page->slab ? slab_cache(page->slab)->name : "none");
		dump_stack();
		return false;
	}
	offset = (size_t)((char *)object - (char *)page_address(slab));
	if (offset % cache->size || offset / cache->size >= cache->objects) {
		pr_err("BUG %s: free of %px, which is no object's start\n", cache->name, object);
		dump_stack();
		return false;
	}
	if (track->state == SLAB_FREE) {
		report(cache, object, "double free");
		return false;
	}
	if (track->guard != SLAB_GUARD || track->state != SLAB_USED ||
	    memchr_inv((char *)object + track->size, SLAB_PAD, bytes - track->size)) {
		report(cache, object, "written beyond its end");
		return false; /* its neighbour may be damaged, too: it is safer not to use the
				 object again */
	}
	memset(object, POISON_FREE, bytes);
	track->state = SLAB_FREE;
	track->user = user;
	return true;
}

size_t slab_debug_size(const struct kmem_cache *cache, const void *object)
{
	return slab_track(cache, object)->size;
}
