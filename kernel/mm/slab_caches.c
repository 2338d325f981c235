/* Slab caches are made and destroyed, and their figures. */
#include "kernel/bug.h"
#include "kernel/error_injection.h"
#include "kernel/lib/bitops.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab_internal.h"
#include "kernel/printk/printk.h"
#include "kernel/smp.h"

static DEFINE_SPINLOCK(slab_caches_lock); /* held to write slab_caches */
static struct kmem_cache cache_cache;     /* its objects are the structs of caches */

bool slab_init_cache(struct kmem_cache *cache, const char *name, size_t size, size_t align)
{
	unsigned cpu, place, high;

	align = max(align, (size_t)8);
	if (!size || size > KMALLOC_SLAB_MAX || !is_power_of_2(align) || align > PAGE_SIZE)
		return false;
	cache->name = name;
	cache->object_size = (u32)size;
	cache->size = (u32)ALIGN(ALIGN(size, 8) + SLAB_DEBUG_BYTES, align);
	/* The smallest block that holds at least four objects and wastes at most an eighth. */
	for (cache->order = 0; cache->order < 3; cache->order++) {
		size_t block = PAGE_SIZE << cache->order;

		if (block / cache->size >= 4 && block % cache->size <= block / 8)
			break;
	}
	cache->objects = (u32)((PAGE_SIZE << cache->order) / cache->size);
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
	char *copy = kstrdup(name, GFP_KERNEL);

	if (cache && copy && slab_init_cache(cache, copy, size, align))
		return cache;
	kfree(copy);
	kmem_cache_free(&cache_cache, cache);
	return NULL;
}
ALLOW_ERROR_INJECTION(kmem_cache_create, NULL);

size_t kmem_cache_size(const struct kmem_cache *cache)
{
	return cache->object_size;
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
	slab_debug_flush(cache);
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
	kfree(cache->name);
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
	return count - slab_debug_quarantined(cache);
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
	kmalloc_init();
	BUG_ON(!slab_init_cache(&cache_cache, "kmem_cache", sizeof(struct kmem_cache), 64));
}
