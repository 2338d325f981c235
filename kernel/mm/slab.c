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
#include "kernel/mm/slab.h"

#include "arch/cpu/irqflags.h"
#include "arch/cpu/percpu.h"
#include "kernel/bug.h"
#include "kernel/lib/bitops.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/kmem_events.h"
#include "kernel/mm/slab_internal.h"
#include "kernel/printk/printk.h"
#include "kernel/smp.h"

/* The free objects of one cache on one CPU. */
struct cpu_slab {
	void *objects;
	int room; /* frees until it is drained */
	int high; /* the value of room when the list is empty */
};

/* So a cache's number is an offset into the per-CPU array. */
BUILD_BUG_ON(sizeof(struct cpu_slab) != SLAB_ID_STEP);

static DEFINE_PER_CPU(struct cpu_slab, cpu_slabs[SLAB_MAX_CACHES]);
/* The struct of the cache with that number in the section, for this_cpu_ and per_cpu operations. */
#define CPU_SLAB(id) (*(struct cpu_slab *)((unsigned long)cpu_slabs + (id)))
/* CPU_SLAB(id).room. Written like this, the compiler needs no register for the sum. */
#define CPU_SLAB_ROOM(id) (*(int *)((unsigned long)&cpu_slabs[0].room + (id)))

struct kmem_cache *slab_caches[SLAB_MAX_CACHES];
static DEFINE_SPINLOCK(slab_caches_lock);

static const u16 kmalloc_sizes[KMALLOC_CLASSES] = { 8,   16,  32,   64,   96,   128, 192,
						    256, 512, 1024, 2048, 4096, 8192 };
static struct kmem_cache kmalloc_caches[KMALLOC_CLASSES];
/* For sizes up to 256 bytes: the number of the cache, by (size - 1) / 8. */
static u8 kmalloc_small_ids[32];

static struct kmem_cache cache_cache; /* its objects are the structs of caches */

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

/*
 * Gives n objects of a CPU's list back to their slabs, and empty slabs to the page allocator.
 * Interrupts off.
 */
static void drain_cpu_slab(struct kmem_cache *cache, struct cpu_slab *cpu_slab, unsigned n)
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

/*
 * The slow paths of the two functions below. Interrupts are off; they restore flags. They are
 * separate functions, and finish the work, so that the fast paths need not save registers.
 */
static noinline void *alloc_slow(unsigned long id, gfp_t gfp, unsigned long flags)
{
	void *object = refill_cpu_slab(slab_cache(id), gfp);

	local_irq_restore(flags);
	return object;
}

static noinline void free_slow(unsigned id, unsigned long flags)
{
	struct kmem_cache *cache = slab_cache(id);

	drain_cpu_slab(cache, this_cpu_ptr(&CPU_SLAB(id)), cache->batch);
	local_irq_restore(flags);
}

/* Takes one object from this CPU's list of the cache with that number. */
static __always_inline void *alloc_object(unsigned long id, gfp_t gfp)
{
	unsigned long flags;
	void *object;

	local_irq_save(flags);
	object = this_cpu_read(CPU_SLAB(id).objects);
	if (unlikely(!object))
		return alloc_slow(id, gfp, flags);
	this_cpu_write(CPU_SLAB(id).objects, *slab_link(slab_cache(id), object));
	this_cpu_inc(CPU_SLAB_ROOM(id));
	local_irq_restore(flags);
	return object;
}

static __always_inline void free_object(unsigned id, void *object)
{
	unsigned long flags;

	local_irq_save(flags);
	*slab_link(slab_cache(id), object) = this_cpu_read(CPU_SLAB(id).objects);
	this_cpu_write(CPU_SLAB(id).objects, object);
	if (unlikely(this_cpu_dec_negative(CPU_SLAB_ROOM(id))))
		free_slow(id, flags);
	else
		local_irq_restore(flags);
}

/*
 * Each function below that users call begins with a tracepoint's branch. While the event is on, the
 * whole request is served by a second function, …_traced(), which records the event: an event at
 * the end of the first function would make that one save registers for it.
 *
 * In a DEBUG build, slab_debug_alloc() checks and marks the object; NULL is fine.
 */
static __always_inline void *cache_alloc(struct kmem_cache *cache, gfp_t gfp, const void *user)
{
	void *object = alloc_object(cache->id, gfp);

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
			       cache->slot_size, gfp);
	return object;
}

void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	return trace_kmem_cache_alloc_enabled() ? cache_alloc_traced(cache, gfp)
						: cache_alloc(cache, gfp, SLAB_USER);
}

static __always_inline void cache_free(struct kmem_cache *cache, void *object, const void *user)
{
	if (object && slab_debug_free(cache, object, user))
		free_object(cache->id, object);
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
	object = alloc_object(id, gfp);
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
	object = alloc_object(id, gfp);
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

	return page->slab ? slab_cache(page->slab)->slot_size : PAGE_SIZE << page->order;
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
	object = alloc_object(id, gfp);
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
	else if (slab_debug_free(slab_cache(id), (void *)object, user))
		free_object(id, (void *)object);
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

/* Computes the fields of a cache, and gives it a number. False: not possible. */
static bool init_cache(struct kmem_cache *cache, const char *name, size_t size, size_t align)
{
	unsigned cpu, place, high;

	align = max(align, (size_t)8);
	if (!size || size > KMALLOC_SLAB_MAX || !is_power_of_2(align) || align > PAGE_SIZE)
		return false;
	strscpy(cache->name, name, sizeof(cache->name));
	cache->object_size = (u32)size;
	cache->slot_size = (u32)ALIGN(ALIGN(size, 8) + SLAB_DEBUG_BYTES, align);
	/* The smallest block that holds at least four objects and wastes at most an eighth. */
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
			per_cpu(CPU_SLAB(cache->id), cpu) =
				(struct cpu_slab){ NULL, (int)high, (int)high };
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
	drain_cpu_slab(cache, this_cpu_ptr(&CPU_SLAB(cache->id)), UINT32_MAX);
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

/*
 * Counts the objects that users have. Takes no lock of the cache: exact only while no object is
 * allocated or freed.
 */
static u64 objects_in_use(const struct kmem_cache *cache)
{
	u64 count = READ_ONCE(cache->taken);
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		const struct cpu_slab *cpu_slab = &per_cpu(CPU_SLAB(cache->id), cpu);

		count -= (u64)(cpu_slab->high - READ_ONCE(cpu_slab->room));
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

	/* Takes no lock. A cache may be destroyed at the same time: then only the sum is wrong. */
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
		/* So these caches get the numbers from 1 on. */
		BUG_ON(!init_cache(&kmalloc_caches[i], name, kmalloc_sizes[i],
				   min(kmalloc_sizes[i] & -kmalloc_sizes[i], (int)PAGE_SIZE)));
		BUG_ON(kmalloc_class(kmalloc_sizes[i]) != i + 1);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(kmalloc_small_ids); i++)
		kmalloc_small_ids[i] = (u8)(kmalloc_class((i + 1) * 8) * SLAB_ID_STEP);
	BUG_ON(!init_cache(&cache_cache, "kmem_cache", sizeof(struct kmem_cache), 64));
}
