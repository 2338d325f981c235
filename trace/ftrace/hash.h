/*
 * Sets of call sites: what a filter holds. A set that callbacks can see is never changed: a changed
 * copy takes its place, and the old one is freed when no callback can still read it
 * (trace/ftrace/ops.c).
 */
#pragma once

#include "kernel/rcu/rcu.h"

struct ftrace_hash {
	struct rcu_head rcu;
	u32 count;
	u32 mask;    /* slots - 1 */
	u32 slots[]; /* offset from the image base; 0: empty. Open addressing, at most half full */
};

/* Empty, with room for count sites. NULL without memory. Task context. */
struct ftrace_hash *ftrace_hash_alloc(u32 count);
struct ftrace_hash *ftrace_hash_copy(const struct ftrace_hash *hash,
				     u32 extra); /* of NULL: an empty one */
void ftrace_hash_free(struct ftrace_hash *hash); /* NULL is fine */
/* The same after a grace period of RCU-tasks: callbacks that have begun may still read it. */
void ftrace_hash_free_tasks(struct ftrace_hash *hash);
/* False if it was (not) in it. There must be room. */
bool ftrace_hash_add(struct ftrace_hash *hash, u32 offset);
/* The same with a larger copy in its place if there is no room. 0 or -ENOMEM. Task context. */
int ftrace_hash_insert(struct ftrace_hash **hash, u32 offset);
bool ftrace_hash_remove(struct ftrace_hash *hash, u32 offset);

static __always_inline u32 ftrace_hash_slot(const struct ftrace_hash *hash, u32 offset)
{
	return (offset * 0x9e3779b1U >> 8) & hash->mask;
}

/* The rest of ftrace_hash_contains(): in the slots from i on. */
bool ftrace_hash_contains_from(const struct ftrace_hash *hash, u32 offset, u32 i);

/* Any context. hash may not be NULL. Most are found in the first slot that is looked at. */
static __always_inline bool ftrace_hash_contains(const struct ftrace_hash *hash, u32 offset)
{
	u32 i = ftrace_hash_slot(hash, offset), found = hash->slots[i];

	return likely(found == offset) || (found && ftrace_hash_contains_from(hash, offset, i + 1));
}

static __always_inline bool ftrace_hash_empty(const struct ftrace_hash *hash)
{
	return !hash || !hash->count;
}
