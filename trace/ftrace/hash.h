/*
 * Sets of call sites, for filters. A set that callbacks can see is never changed: a changed copy
 * replaces it, and the old set is freed when no callback can read it any more
 * (ftrace_hash_free_tasks()). One exception: when a module is unloaded, ftrace_hashes_forget()
 * marks its sites in all sets, each with one store.
 */
#pragma once

#include "kernel/lib/list.h"
#include "kernel/rcu/rcu.h"

struct ftrace_hash {
	union {
		struct list_head list; /* [hashes_lock] all sets */
		struct rcu_head rcu;   /* of a set that has left the list and waits to be freed */
	};
	u32 count;
	u32 mask; /* slots - 1 */
	/*
	 * Offsets from the image base; 0: empty; FTRACE_HASH_GONE: a function of a module that has
	 * gone; FTRACE_HASH_PENDING. Open addressing, at most half full.
	 */
	u32 slots[];
};

/* No site has these offsets. */
#define FTRACE_HASH_GONE    1
#define FTRACE_HASH_PENDING 2 /* words wait for modules: the set is not empty */

/* Allocates an empty set with room for count sites. NULL without memory. Task context. */
struct ftrace_hash *ftrace_hash_alloc(u32 count);
/*
 * Copies hash (NULL: an empty set), with room for extra sites. NULL without memory. Task context.
 */
struct ftrace_hash *ftrace_hash_copy(const struct ftrace_hash *hash, u32 extra);
void ftrace_hash_free(struct ftrace_hash *hash); /* NULL is allowed */
/* Frees hash after a grace period of RCU-tasks, because running callbacks may still read it. */
void ftrace_hash_free_tasks(struct ftrace_hash *hash);
/* Adds a site to a set with room for it. False if the set already contains the site. */
bool ftrace_hash_add(struct ftrace_hash *hash, u32 offset);
/* Adds a site, and replaces the set by a larger copy if needed. 0 or -ENOMEM. Task context. */
int ftrace_hash_insert(struct ftrace_hash **hash, u32 offset);
/* Removes a site. False if the set does not contain it. */
bool ftrace_hash_remove(struct ftrace_hash *hash, u32 offset);

/* The factor is 2^32 divided by the golden ratio: it spreads offsets that are close (Knuth 6.4). */
static __always_inline u32 ftrace_hash_slot(const struct ftrace_hash *hash, u32 offset)
{
	return (offset * 0x9e3779b1U >> 8) & hash->mask;
}

/* The slow part of ftrace_hash_contains(): searches the slots from i on. */
bool ftrace_hash_contains_from(const struct ftrace_hash *hash, u32 offset, u32 i);

/* Any context. hash must not be NULL. The first slot decides most searches. */
static __always_inline bool ftrace_hash_contains(const struct ftrace_hash *hash, u32 offset)
{
	u32 i = ftrace_hash_slot(hash, offset), found = hash->slots[i];

	return likely(found == offset) || (found && ftrace_hash_contains_from(hash, offset, i + 1));
}

static __always_inline bool ftrace_hash_empty(const struct ftrace_hash *hash)
{
	return !hash || !hash->count;
}
