/*
 * Slab caches: objects of one size, cut from blocks of pages, with a front of free ones per CPU.
 *
 *      kmalloc, kmem_cache_alloc               this CPU only, interrupts off,
 *         |  pop            ^  push            a dozen instructions
 *         v                 |
 *      front: a list of free objects, linked through their first words
 *         ^  refill         |  drain           a batch at a time, under the cache's lock
 *         |                 v
 *      slabs: 1 << order pages each, with page->freelist and page->inuse in the
 *         |   first page's struct. Those with free objects are in cache->partial,
 *         v   full ones in no list
 *      page allocator
 *
 * Caches have numbers. The number indexes the fronts in the per-CPU area and stands in struct page
 * for every page of a slab, so kfree() finds the front from an address without reading the cache.
 * An object in a front counts as in use for its slab.
 */
#include "kernel/mm/slab.h"

#include "arch/irqflags.h"
#include "arch/percpu.h"
#include "kernel/bug.h"
#include "kernel/lib/bitops.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/slab_internal.h"
#include "kernel/printk/printk.h"
#include "kernel/smp.h"

struct slab_front {
	void *objects;
	int room; /* how many more it takes before it is drained */
	int high; /* room when it is empty */
};

BUILD_BUG_ON(sizeof(struct slab_front) != SLAB_ID_STEP);

static DEFINE_PER_CPU(struct slab_front, slab_fronts[SLAB_MAX_CACHES]);
/* The front of the cache with that number, in the section: for this_cpu_ and per_cpu operations. */
#define SLAB_FRONT(id) (*(struct slab_front *)((unsigned long)slab_fronts + (id)))

struct kmem_cache *slab_caches[SLAB_MAX_CACHES];
static DEFINE_SPINLOCK(slab_caches_lock);

static const u16 kmalloc_sizes[KMALLOC_CLASSES] = { 8,   16,  32,   64,   96,   128, 192,
						    256, 512, 1024, 2048, 4096, 8192 };
static struct kmem_cache kmalloc_caches[KMALLOC_CLASSES];
/* The number of the cache for (size - 1) / 8, up to 256 bytes. */
static u8 kmalloc_small_ids[32];

static struct kmem_cache cache_cache; /* of struct kmem_cache */

static struct page *slab_of(const struct kmem_cache *cache, const void *object)
{
	unsigned long pfn = ((unsigned long)object - PAGE_OFFSET) >> PAGE_SHIFT;

	return mem_map + ALIGN_DOWN(pfn, BIT(cache->order));
}

/* Take up to n objects out of slabs into *list. Cache lock held. How many it was. */
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

/* A new slab with all its objects on its freelist, not yet in the cache. */
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
	object = (char *)page_address(slab) + cache->objects * cache->slot_size;
	for (unsigned i = 0; i < cache->objects; i++) {
		object -= cache->slot_size;
		slab_debug_init(cache, object);
		*slab_link(cache, object) = slab->freelist;
		slab->freelist = object;
	}
	return slab;
}

static void free_slab(struct kmem_cache *cache, struct page *slab)
{
	for (unsigned i = 0; i < BIT(cache->order); i++)
		slab[i].slab = 0;
	free_pages(slab, cache->order);
}

/* The front is empty: fill it, and take one object. Interrupts off. NULL when memory is short. */
static void *refill_front(struct kmem_cache *cache, gfp_t gfp)
{
	struct slab_front *front = this_cpu_ptr(&SLAB_FRONT(cache->id));
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
	front->objects = *slab_link(cache, object);
	front->room = front->high - ((int)n - 1);
	return object;
}

/* Give n objects of the front back to their slabs, and empty slabs to the pages. Interrupts off. */
static void drain_front(struct kmem_cache *cache, struct slab_front *front, unsigned n)
{
	struct page *slab, *next;
	LIST_HEAD(empty);

	DEBUG_BUG_ON(!irqs_disabled());
	spin_lock(&cache->lock);
	for (; n && front->objects; n--) {
		void *object = front->objects;

		front->objects = *slab_link(cache, object);
		front->room++;
		slab = slab_of(cache, object);
		if (!slab->freelist)
			list_add(&slab->lru, &cache->partial);
		*slab_link(cache, object) = slab->freelist;
		slab->freelist = object;
		cache->taken--;
		if (--slab->inuse)
			continue;
		/* Keep one empty slab: a cache at the edge should not trade pages all the time. */
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

/*
 * The slow ways of the two functions below: interrupts are off and were as flags say. They are
 * apart, and end what they begin, so that the quick ways need no register saved.
 */
static noinline void *alloc_slow(unsigned id, gfp_t gfp, unsigned long flags)
{
	void *object = refill_front(slab_cache(id), gfp);

	local_irq_restore(flags);
	return object;
}

static noinline void free_slow(unsigned id, unsigned long flags)
{
	struct kmem_cache *cache = slab_cache(id);

	drain_front(cache, this_cpu_ptr(&SLAB_FRONT(id)), cache->batch);
	local_irq_restore(flags);
}

/* One object off this CPU's front of the cache with that number. */
static __always_inline void *alloc_object(unsigned id, gfp_t gfp)
{
	unsigned long flags;
	void *object;

	local_irq_save(flags);
	object = this_cpu_read(SLAB_FRONT(id).objects);
	if (unlikely(!object))
		return alloc_slow(id, gfp, flags);
	this_cpu_write(SLAB_FRONT(id).objects, *slab_link(slab_cache(id), object));
	this_cpu_inc(SLAB_FRONT(id).room);
	local_irq_restore(flags);
	return object;
}

static __always_inline void free_object(unsigned id, void *object)
{
	unsigned long flags;

	local_irq_save(flags);
	*slab_link(slab_cache(id), object) = this_cpu_read(SLAB_FRONT(id).objects);
	this_cpu_write(SLAB_FRONT(id).objects, object);
	if (unlikely(this_cpu_dec_negative(SLAB_FRONT(id).room)))
		free_slow(id, flags);
	else
		local_irq_restore(flags);
}

/* With DEBUG, what is given out is checked and marked; NULL passes. */
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	void *object = alloc_object(cache->id, gfp);

	slab_debug_alloc(cache, object, cache->object_size, SLAB_USER);
	if (gfp & __GFP_ZERO && object)
		memset(object, 0, cache->object_size);
	return object;
}

void kmem_cache_free(struct kmem_cache *cache, void *object)
{
	if (object && slab_debug_free(cache, object, SLAB_USER))
		free_object(cache->id, object);
}

static void *kmalloc_large(size_t size, gfp_t gfp)
{
	unsigned order = (unsigned)fls64((size - 1) >> PAGE_SHIFT);
	struct page *page = alloc_pages(gfp, order);

	if (!page)
		return NULL;
	page->flags |= PG_LARGE;
	return page_address(page);
}

/* What is in no slab: a block of pages, NULL, or a mistake. */
static noinline void kfree_large(const void *object)
{
	unsigned long offset = (unsigned long)object - PAGE_OFFSET;
	struct page *page = mem_map + (offset >> PAGE_SHIFT);

	if (!object)
		return;
	if (WARN_ON(offset >> PAGE_SHIFT >= max_pfn || !IS_ALIGNED(offset, PAGE_SIZE) ||
		    !(page->flags & PG_LARGE)))
		return; /* not from kmalloc, or freed already */
	page->flags &= (u8)~PG_LARGE;
	free_pages(page, page->order);
}

static noinline void *kmalloc_zeroed(size_t size, gfp_t gfp, const void *user);

/* Larger than the table knows, or none at all. */
static noinline void *kmalloc_rest(size_t size, gfp_t gfp, const void *user)
{
	unsigned id;
	void *object;

	if (!size || size > KMALLOC_MAX_SIZE)
		return NULL;
	if (size > KMALLOC_SLAB_MAX)
		return kmalloc_large(size, gfp);
	id = kmalloc_class(size) * SLAB_ID_STEP;
	object = alloc_object(id, gfp);
	slab_debug_alloc(slab_cache(id), object, size, user);
	return object;
}

static __always_inline void *kmalloc_for(size_t size, gfp_t gfp, const void *user)
{
	size_t index = (size - 1) / 8; /* huge for size 0 */
	unsigned id;
	void *object;

	if (unlikely(gfp & __GFP_ZERO))
		return kmalloc_zeroed(size, gfp, user);
	if (unlikely(index >= ARRAY_SIZE(kmalloc_small_ids)))
		return kmalloc_rest(size, gfp, user);
	id = kmalloc_small_ids[index];
	object = alloc_object(id, gfp);
	slab_debug_alloc(slab_cache(id), object, size, user);
	return object;
}

static noinline void *kmalloc_zeroed(size_t size, gfp_t gfp, const void *user)
{
	void *object = kmalloc_for(size, gfp & ~__GFP_ZERO, user);

	return object ? memset(object, 0, size) : NULL;
}

void *__kmalloc(size_t size, gfp_t gfp)
{
	return kmalloc_for(size, gfp, SLAB_USER);
}

void *kmalloc_trace(unsigned class, gfp_t gfp, size_t size __unused)
{
	unsigned id = class * SLAB_ID_STEP;
	void *object = alloc_object(id, gfp);

	slab_debug_alloc(slab_cache(id), object, size, SLAB_USER);
	return object;
}

void kfree(const void *object)
{
	unsigned long pfn = ((unsigned long)object - PAGE_OFFSET) >> PAGE_SHIFT;
	unsigned id;

	/* NULL is not in the direct map either. */
	if (unlikely(pfn >= max_pfn || !(id = mem_map[pfn].slab)))
		kfree_large(object);
	else if (slab_debug_free(slab_cache(id), (void *)object, SLAB_USER))
		free_object(id, (void *)object);
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

/* Fill in what follows from size and align, and give the cache a number. False: not possible. */
static bool init_cache(struct kmem_cache *cache, const char *name, size_t size, size_t align)
{
	unsigned cpu, place, high;

	align = max(align, (size_t)8);
	if (!size || size > KMALLOC_SLAB_MAX || !is_power_of_2(align) || align > PAGE_SIZE)
		return false;
	strscpy(cache->name, name, sizeof(cache->name));
	cache->object_size = (u32)size;
	cache->slot_size = (u32)ALIGN(ALIGN(size, 8) + SLAB_DEBUG_BYTES, align);
	/* The smallest block that wastes less than an eighth, and holds four of the larger ones. */
	for (cache->order = 0; cache->order < 3; cache->order++) {
		size_t block = PAGE_SIZE << cache->order;

		if (block / cache->slot_size >= 4 && block % cache->slot_size <= block / 8)
			break;
	}
	cache->objects = (u32)((PAGE_SIZE << cache->order) / cache->slot_size);
	high = min(max((unsigned)(2 * PAGE_SIZE / size), 4U), 64U);
	cache->batch = high / 2;
	spin_lock_init(&cache->lock);
	INIT_LIST_HEAD(&cache->partial);

	spin_lock(&slab_caches_lock);
	for (place = 1; place < SLAB_MAX_CACHES && slab_caches[place];)
		place++;
	if (place < SLAB_MAX_CACHES) {
		cache->id = (u16)(place * SLAB_ID_STEP);
		for_each_possible_cpu (cpu)
			per_cpu(SLAB_FRONT(cache->id), cpu) =
				(struct slab_front){ NULL, (int)high, (int)high };
		smp_store_release(&slab_caches[place], cache);
	}
	spin_unlock(&slab_caches_lock);
	return place < SLAB_MAX_CACHES;
}

struct kmem_cache *kmem_cache_create(const char *name, size_t size, size_t align)
{
	struct kmem_cache *cache = kmem_cache_alloc(&cache_cache, GFP_KERNEL | __GFP_ZERO);

	if (cache && !init_cache(cache, name, size, align)) {
		kmem_cache_free(&cache_cache, cache);
		cache = NULL;
	}
	return cache;
}

static void drain_this_cpu(void *data)
{
	struct kmem_cache *cache = data;
	unsigned long flags;

	local_irq_save(flags);
	drain_front(cache, this_cpu_ptr(&SLAB_FRONT(cache->id)), UINT32_MAX);
	local_irq_restore(flags);
}

void kmem_cache_destroy(struct kmem_cache *cache)
{
	struct page *slab, *next;

	if (!cache)
		return;
	on_each_cpu(drain_this_cpu, cache, true);
	if (cache->taken) {
		pr_err("kmem_cache_destroy %s: %llu objects are still in use\n", cache->name,
		       (unsigned long long)cache->taken);
		return;
	}
	list_for_each_entry_safe (slab, next, &cache->partial, lru)
		free_slab(cache, slab);
	spin_lock(&slab_caches_lock);
	slab_caches[cache->id / SLAB_ID_STEP] = NULL;
	spin_unlock(&slab_caches_lock);
	kmem_cache_free(&cache_cache, cache);
}

/* Given out and not in a front. Without the cache's lock: exact when all is quiet. */
static u64 objects_in_use(const struct kmem_cache *cache)
{
	u64 count = READ_ONCE(cache->taken);
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		const struct slab_front *front = &per_cpu(SLAB_FRONT(cache->id), cpu);

		count -= (u64)(front->high - READ_ONCE(front->room));
	}
	return count;
}

u64 slab_objects_in_use(void)
{
	u64 count = 0;

	spin_lock(&slab_caches_lock);
	for (unsigned place = 1; place < SLAB_MAX_CACHES; place++)
		if (slab_caches[place])
			count += objects_in_use(slab_caches[place]);
	spin_unlock(&slab_caches_lock);
	return count;
}

bool get_slabinfo(unsigned place, struct slabinfo *info)
{
	const struct kmem_cache *cache;

	spin_lock(&slab_caches_lock);
	while (place < SLAB_MAX_CACHES && !slab_caches[place])
		place++;
	cache = place < SLAB_MAX_CACHES ? slab_caches[place] : NULL;
	if (cache) {
		*info = (struct slabinfo){
			.place = place,
			.active_objs = objects_in_use(cache),
			.num_objs = READ_ONCE(cache->slabs) * cache->objects,
			.object_size = cache->object_size,
			.objects_per_slab = cache->objects,
			.pages_per_slab = BIT(cache->order),
			.active_slabs = READ_ONCE(cache->slabs) - READ_ONCE(cache->empty_slabs),
			.num_slabs = READ_ONCE(cache->slabs),
		};
		strscpy(info->name, cache->name, sizeof(info->name));
	}
	spin_unlock(&slab_caches_lock);
	return cache;
}

unsigned long slab_pages(void)
{
	unsigned long pages = 0;

	/* Without a lock: a cache that goes away meanwhile leaves a wrong sum, no bad pointer. */
	for (unsigned place = 1; place < SLAB_MAX_CACHES; place++) {
		const struct kmem_cache *cache = READ_ONCE(slab_caches[place]);

		if (cache)
			pages += READ_ONCE(cache->slabs) << cache->order;
	}
	return pages;
}

void __init slab_init(void)
{
	for (unsigned i = 0; i < KMALLOC_CLASSES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "kmalloc-%u", kmalloc_sizes[i]);
		/* The first caches get the first numbers, from 1 on. */
		BUG_ON(!init_cache(&kmalloc_caches[i], name, kmalloc_sizes[i],
				   min(kmalloc_sizes[i] & -kmalloc_sizes[i], (int)PAGE_SIZE)));
		BUG_ON(kmalloc_class(kmalloc_sizes[i]) != i + 1);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(kmalloc_small_ids); i++)
		kmalloc_small_ids[i] = (u8)(kmalloc_class((i + 1) * 8) * SLAB_ID_STEP);
	BUG_ON(!init_cache(&cache_cache, "kmem_cache", sizeof(struct kmem_cache), 64));
}
