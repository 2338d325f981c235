/* Sets of call sites; see trace/ftrace/hash.h. */
#include "trace/ftrace/hash.h"

#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/vmalloc.h"
#include "trace/ftrace/internal.h"

/* All sets, for functions that vanish with their module. */
static DEFINE_SPINLOCK(hashes_lock);
static LIST_HEAD(hashes); /* [hashes_lock] */

struct ftrace_hash *ftrace_hash_alloc(u32 count)
{
	struct ftrace_hash *hash;
	u32 slots = 8;

	while (slots < 2 * count)
		slots *= 2;
	hash = kvzalloc(sizeof(*hash) + slots * sizeof(hash->slots[0]), GFP_KERNEL);
	if (!hash)
		return NULL;
	hash->mask = slots - 1;
	spin_lock(&hashes_lock);
	list_add(&hash->list, &hashes);
	spin_unlock(&hashes_lock);
	return hash;
}

struct ftrace_hash *ftrace_hash_copy(const struct ftrace_hash *hash, u32 extra)
{
	struct ftrace_hash *copy = ftrace_hash_alloc((hash ? hash->count : 0) + extra);

	if (copy && hash)
		for (u32 i = 0; i <= hash->mask; i++)
			if (hash->slots[i])
				ftrace_hash_add(copy, hash->slots[i]);
	return copy;
}

static void unlist(struct ftrace_hash *hash)
{
	spin_lock(&hashes_lock);
	list_del(&hash->list);
	spin_unlock(&hashes_lock);
}

void ftrace_hash_free(struct ftrace_hash *hash)
{
	if (hash)
		unlist(hash);
	kvfree(hash);
}

static void free_hash(struct rcu_head *rcu)
{
	kvfree(container_of(rcu, struct ftrace_hash, rcu));
}

void ftrace_hash_free_tasks(struct ftrace_hash *hash)
{
	if (!hash)
		return;
	unlist(hash);
	call_rcu_tasks(&hash->rcu, free_hash);
}

bool ftrace_hash_contains_from(const struct ftrace_hash *hash, u32 offset, u32 i)
{
	for (i &= hash->mask; hash->slots[i]; i = (i + 1) & hash->mask)
		if (hash->slots[i] == offset)
			return true;
	return false;
}

bool ftrace_hash_add(struct ftrace_hash *hash, u32 offset)
{
	u32 i;

	for (i = ftrace_hash_slot(hash, offset); hash->slots[i]; i = (i + 1) & hash->mask)
		if (hash->slots[i] == offset)
			return false;
	hash->slots[i] = offset;
	hash->count++;
	return true;
}

int ftrace_hash_insert(struct ftrace_hash **hash, u32 offset)
{
	struct ftrace_hash *old = *hash;

	if (2 * old->count > old->mask && !ftrace_hash_contains(old, offset)) {
		struct ftrace_hash *grown = ftrace_hash_copy(old, old->count);

		if (!grown)
			return -ENOMEM;
		ftrace_hash_free(old);
		*hash = grown;
	}
	ftrace_hash_add(*hash, offset);
	return 0;
}

bool ftrace_hash_remove(struct ftrace_hash *hash, u32 offset)
{
	u32 i = ftrace_hash_slot(hash, offset), hole;

	while (hash->slots[i] != offset) {
		if (!hash->slots[i])
			return false;
		i = (i + 1) & hash->mask;
	}
	hash->count--;
	/* Close the gap: move later entries of the run into it (Knuth 6.4, algorithm R). */
	for (hole = i;;) {
		u32 home;

		i = (i + 1) & hash->mask;
		if (!hash->slots[i])
			break;
		home = ftrace_hash_slot(hash, hash->slots[i]);
		if (((i - home) & hash->mask) >= ((i - hole) & hash->mask)) {
			hash->slots[hole] = hash->slots[i];
			hole = i;
		}
	}
	hash->slots[hole] = 0;
	return true;
}

void ftrace_hashes_forget(u32 start, u32 end)
{
	struct ftrace_hash *hash;

	spin_lock(&hashes_lock);
	list_for_each_entry (hash, &hashes, list)
		for (u32 i = 0; i <= hash->mask; i++)
			if (hash->slots[i] >= start && hash->slots[i] < end)
				WRITE_ONCE(hash->slots[i], FTRACE_HASH_GONE);
	spin_unlock(&hashes_lock);
}

void ftrace_share_hashes(struct ftrace_ops *ops, struct ftrace_ops *follower)
{
	mutex_lock(&ftrace_lock);
	follower->filter_hash = ops->filter_hash;
	follower->notrace_hash = ops->notrace_hash;
	follower->follower = ops->follower;
	ops->follower = follower;
	mutex_unlock(&ftrace_lock);
}

void ftrace_unshare_hashes(struct ftrace_ops *ops, struct ftrace_ops *follower)
{
	mutex_lock(&ftrace_lock);
	while (ops->follower != follower)
		ops = ops->follower;
	ops->follower = follower->follower;
	follower->follower = NULL;
	follower->filter_hash = follower->notrace_hash = NULL;
	mutex_unlock(&ftrace_lock);
}
