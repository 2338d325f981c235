/*
 * The instances of a return probe, one for each call at the same time.
 *
 * The free ones are a list without a lock: a word with the first instance and a count of the
 * instances that came back. An interrupt may use the list at any instruction. The count makes a pop
 * fail if, since it read the first instance, that instance left and came back.
 *
 * A pool outlives its probe, because calls that have not returned own instances of it. Such a dead
 * pool is freed when its last instance has come back. When no return probe is enabled, fgraph calls
 * no handler any more, and so all instances are free at once.
 */
#pragma once

#include "trace/kprobes/kprobes.h"

struct kretprobe_table;

/* A pool for rp, with all instances free, or NULL. kvfree() frees it. kprobe_mutex held. */
struct kretprobe_pool *kretprobe_make_pool(struct kretprobe *rp);
/* Makes all instances free. No call has one. */
void kretprobe_fill_pool(struct kretprobe_pool *pool);
/* kprobe_mutex held for the next three. The probe of the pool has been unregistered. */
void kretprobe_retire_pool(struct kretprobe_pool *pool);
/* Makes all instances of the table's dead pools free. */
void kretprobe_fill_dead_pools(const struct kretprobe_table *table);
/* Frees the dead pools without a call that has not returned. */
void kretprobe_free_dead_pools(void);

/* The next two in any context. */

static __always_inline struct kretprobe_instance *kretprobe_instance_at(struct kretprobe_pool *pool,
									u32 index)
{
	return (void *)((char *)pool->instances + (size_t)index * pool->instance_size);
}

static __always_inline struct kretprobe_instance *kretprobe_take(struct kretprobe_pool *pool)
{
	u64 old = READ_ONCE(pool->free), new;
	struct kretprobe_instance *ri;

	do {
		if (unlikely(!(u32)old))
			return NULL;
		ri = kretprobe_instance_at(pool, (u32)old - 1);
		new = old - (u32)old + READ_ONCE(ri->next_free);
	} while (!__atomic_compare_exchange_n(&pool->free, &old, new, false, __ATOMIC_ACQUIRE,
					      __ATOMIC_RELAXED));
	return ri;
}

/* The pool may be freed as soon as its last instance is back. */
static __always_inline void kretprobe_give_back(struct kretprobe_instance *ri)
{
	struct kretprobe_pool *pool = ri->pool;
	u64 old = READ_ONCE(pool->free), new;

	do {
		WRITE_ONCE(ri->next_free, (u32)old);
		new = (old | UINT32_MAX) + 1 + ri->number; /* no carry: the low half is 0 */
	} while (!__atomic_compare_exchange_n(&pool->free, &old, new, false, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
}
