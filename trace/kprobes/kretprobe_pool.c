/* The instances of a return probe: kretprobe_pool.h. */
#include "trace/kprobes/kretprobe_pool.h"

#include "kernel/cpumask.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"

void kretprobe_fill_pool(struct kretprobe_pool *pool)
{
	pool->free = 0;
	for (u32 i = 0; i < pool->count; i++) {
		struct kretprobe_instance *ri = kretprobe_instance_at(pool, i);

		ri->pool = pool;
		ri->number = i + 1;
		kretprobe_give_back(ri);
	}
}

static u64 tokens = 1; /* [kprobe_mutex] */

struct kretprobe_pool *kretprobe_make_pool(struct kretprobe *rp)
{
	u32 size = (u32)ALIGN(sizeof(struct kretprobe_instance) + rp->data_size, 8);
	u32 count = rp->maxactive > 0 ? (u32)rp->maxactive : max(10U, 2 * nr_cpu_ids);
	struct kretprobe_pool *pool = kvzalloc(sizeof(*pool) + (size_t)count * size, GFP_KERNEL);

	if (!pool)
		return NULL;
	pool->rp = rp;
	pool->token = tokens += 2;
	pool->count = count;
	pool->instance_size = size;
	kretprobe_fill_pool(pool);
	return pool;
}

/* Whether all instances are in the free list, to which others may be adding. */
static bool is_unused(struct kretprobe_pool *pool)
{
	u32 at = (u32)__atomic_load_n(&pool->free, __ATOMIC_ACQUIRE), count = 0;

	for (; at; at = READ_ONCE(kretprobe_instance_at(pool, at - 1)->next_free))
		count++;
	return count == pool->count;
}

static struct kretprobe_pool *dead_pools; /* [kprobe_mutex] */

void kretprobe_retire_pool(struct kretprobe_pool *pool)
{
	WRITE_ONCE(pool->rp, NULL);
	pool->next_dead = dead_pools;
	dead_pools = pool;
}

void kretprobe_fill_dead_pools(const struct kretprobe_table *table)
{
	for (struct kretprobe_pool *pool = dead_pools; pool; pool = pool->next_dead)
		if (pool->table == table)
			kretprobe_fill_pool(pool);
}

void kretprobe_free_dead_pools(void)
{
	struct kretprobe_pool **link = &dead_pools, *pool;

	while ((pool = *link)) {
		if (!is_unused(pool)) {
			link = &pool->next_dead;
			continue;
		}
		*link = pool->next_dead;
		kvfree(pool);
	}
}
