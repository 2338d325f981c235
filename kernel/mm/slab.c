/*
 * Slab caches: objects of one size, cut from blocks of pages, with a per-CPU list of free objects.
 *
 *      kmalloc, kmem_cache_alloc               this CPU only, interrupts off,
 *         |  pop            ^  push            a dozen instructions
 *         v                 |
 *      struct cpu_slab: the free objects of this CPU, linked through their first words
 *         ^  refill         |  drain           a batch at a time, under the lock of the cache
 *         |                 v
 *      slabs: 1 << order pages each. The struct of the first page has freelist and inuse.
 *         |   A slab with free objects is in cache->partial, a full slab in no list.
 *         v
 *      page allocator
 *
 * Caches have numbers. The number is the index of the cache's struct cpu_slab in the per-CPU area,
 * and struct page has it for every page of a slab. So kfree() finds the struct cpu_slab from an
 * address, without reading the cache. For its slab, an object in a struct cpu_slab is in use.
 */
#include "kernel/mm/slab_internal.h"

#include "kernel/bug.h"
#include "kernel/lib/string.h"
#include "kernel/mm/kmem_events.h"

DEFINE_PER_CPU(struct cpu_slab, cpu_slabs[SLAB_MAX_CACHES]);
struct kmem_cache *slab_caches[SLAB_MAX_CACHES];

static struct page *slab_of(const struct kmem_cache *cache, const void *object)
{
	unsigned long pfn = ((unsigned long)object - PAGE_OFFSET) >> PAGE_SHIFT;

	return mem_map + ALIGN_DOWN(pfn, BIT(cache->order));
}

/* Moves up to n objects from slabs to *list. Returns their number. Cache lock held. */
static unsigned take_objects(struct kmem_cache *cache, void **list, unsigned n)
{
	unsigned taken = 0;

	lockdep_assert_held(&cache->lock);
	while (taken < n && !list_empty(&cache->partial)) {
		struct page *slab = list_first_entry(&cache->partial, struct page, lru);

		if (!slab->inuse)
			cache->empty_slabs--;
		while (taken < n && slab->freelist) {
			void *object = slab->freelist;

			slab->freelist = *slab_link(cache, object);
			slab->inuse++;
			*slab_link(cache, object) = *list;
			*list = object;
			taken++;
		}
		if (!slab->freelist)
			list_del(&slab->lru);
	}
	cache->taken += taken;
	return taken;
}

/* Makes a slab with all objects on its freelist. It is not in the cache yet. */
static struct page *new_slab(struct kmem_cache *cache, gfp_t gfp)
{
	struct page *slab = alloc_pages(gfp & ~__GFP_ZERO, cache->order);
	char *object;

	if (!slab)
		return NULL;
	for (unsigned i = 0; i < BIT(cache->order); i++)
		slab[i].slab = cache->id;
	slab->inuse = 0;
	slab->freelist = NULL;
	object = (char *)page_address(slab) + cache->objects * cache->size;
	for (unsigned i = 0; i < cache->objects; i++) {
		object -= cache->size;
		slab_debug_init(cache, object);
		*slab_link(cache, object) = slab->freelist;
		slab->freelist = object;
	}
	return slab;
}

void free_slab(struct kmem_cache *cache, struct page *slab)
{
	for (unsigned i = 0; i < BIT(cache->order); i++)
		slab[i].slab = 0;
	free_pages(slab, cache->order);
}

/* Fills the empty list of this CPU, and takes one object. NULL: memory is short. Interrupts off. */
static void *refill_cpu_slab(struct kmem_cache *cache, gfp_t gfp)
{
	struct cpu_slab *cpu_slab = this_cpu_ptr(&CPU_SLAB(cache->id));
	void *list = NULL, *object;
	struct page *slab;
	unsigned n;

	DEBUG_BUG_ON(!irqs_disabled());
	spin_lock(&cache->lock);
	n = take_objects(cache, &list, cache->batch + 1);
	spin_unlock(&cache->lock);
	if (!n) {
		slab = new_slab(cache, gfp);
		if (!slab)
			return NULL;
		spin_lock(&cache->lock);
		list_add(&slab->lru, &cache->partial);
		cache->slabs++;
		cache->empty_slabs++;
		n = take_objects(cache, &list, cache->batch + 1);
		spin_unlock(&cache->lock);
	}
	object = list;
	cpu_slab->objects = *slab_link(cache, object);
	cpu_slab->room = cpu_slab->high - ((int)n - 1);
	return object;
}

void drain_cpu_slab(struct kmem_cache *cache, struct cpu_slab *cpu_slab, unsigned n)
{
	struct page *slab, *next;
	LIST_HEAD(empty);

	DEBUG_BUG_ON(!irqs_disabled());
	spin_lock(&cache->lock);
	for (; n && cpu_slab->objects; n--) {
		void *object = cpu_slab->objects;

		cpu_slab->objects = *slab_link(cache, object);
		cpu_slab->room++;
		slab = slab_of(cache, object);
		if (!slab->freelist)
			list_add(&slab->lru, &cache->partial);
		*slab_link(cache, object) = slab->freelist;
		slab->freelist = object;
		cache->taken--;
		if (--slab->inuse)
			continue;
		/*
		 * Keeps one empty slab, so that a free and an allocation in turn do not free and
		 * allocate pages each time.
		 */
		list_del(&slab->lru);
		if (cache->empty_slabs) {
			cache->slabs--;
			list_add(&slab->lru, &empty);
		} else {
			cache->empty_slabs++;
			list_add_tail(&slab->lru, &cache->partial);
		}
	}
	spin_unlock(&cache->lock);
	list_for_each_entry_safe (slab, next, &empty, lru)
		free_slab(cache, slab);
}

noinline void *slab_alloc_slow(unsigned long id, gfp_t gfp, unsigned long flags)
{
	void *object = refill_cpu_slab(slab_cache(id), gfp);

	local_irq_restore(flags);
	return object;
}

noinline void slab_free_slow(unsigned id, unsigned long flags)
{
	struct kmem_cache *cache = slab_cache(id);

	drain_cpu_slab(cache, this_cpu_ptr(&CPU_SLAB(id)), cache->batch);
	local_irq_restore(flags);
}

/*
 * Each function that users call, here and in kmalloc.c, begins with a tracepoint's branch. While
 * the event is on, the whole request is served by a second function, …_traced(), which records the
 * event: an event at the end of the first function would make that one save registers for it.
 *
 * In a DEBUG build, slab_debug_alloc() checks and marks the object; NULL is fine.
 */
static __always_inline void *cache_alloc(struct kmem_cache *cache, gfp_t gfp, const void *user)
{
	void *object = slab_alloc_object(cache->id, gfp);

	slab_debug_alloc(cache, object, cache->object_size, user);
	if (gfp & __GFP_ZERO && object)
		memset(object, 0, cache->object_size);
	return object;
}

static noinline void *cache_alloc_traced(struct kmem_cache *cache, gfp_t gfp)
{
	const void *user = _CALLER_RET_IP_;
	void *object = cache_alloc(cache, gfp, user);

	trace_kmem_cache_alloc((unsigned long)user, object, cache->name, cache->object_size,
			       cache->size, gfp);
	return object;
}

void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	return trace_kmem_cache_alloc_enabled() ? cache_alloc_traced(cache, gfp)
						: cache_alloc(cache, gfp, SLAB_USER);
}

static __always_inline void cache_free(struct kmem_cache *cache, void *object, const void *user)
{
	if (object && slab_debug_free(cache, &object, user))
		slab_free_object(cache->id, object);
}

static noinline void cache_free_traced(struct kmem_cache *cache, void *object)
{
	const void *user = _CALLER_RET_IP_;

	trace_kmem_cache_free((unsigned long)user, object, cache->name);
	cache_free(cache, object, user);
}

void kmem_cache_free(struct kmem_cache *cache, void *object)
{
	if (trace_kmem_cache_free_enabled())
		cache_free_traced(cache, object);
	else
		cache_free(cache, object, SLAB_USER);
}
