/* Moves of a dentry in the dcache, for rename(2). */
#include "fs/vfs/internal.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

/* Locks two buckets, which may be the same: that at the lower address first. */
static void lock_two_buckets(struct dcache_bucket *a, struct dcache_bucket *b)
{
	spin_lock(&min(a, b)->lock);
	if (a != b)
		spin_lock(&max(a, b)->lock);
}

static void unlock_two_buckets(struct dcache_bucket *a, struct dcache_bucket *b)
{
	if (a != b)
		spin_unlock(&max(a, b)->lock);
	spin_unlock(&min(a, b)->lock);
}

/* Gives dentry a place in the list of its new parent. The caller holds the new parent's i_mutex. */
static void d_relist(struct dentry *dentry, struct dentry *old_parent, struct dentry *new_parent)
{
	spin_lock(&old_parent->d_lock);
	list_del_init(&dentry->d_child);
	spin_unlock(&old_parent->d_lock);
	spin_lock(&new_parent->d_lock);
	dentry->d_off = new_parent->d_next_off++;
	list_add_tail(&dentry->d_child, &new_parent->d_subdirs);
	spin_unlock(&new_parent->d_lock);
}

/* Hashes dentry under its new parent and name. rename_lock is held. */
static void d_rehash_as(struct dentry *dentry, struct dentry *parent, const struct qstr *name)
{
	struct dcache_bucket *old = d_bucket(dentry->d_name.hash), *new = d_bucket(name->hash);

	lock_two_buckets(old, new);
	list_del_init(&dentry->d_hash);
	dentry->d_parent = parent;
	dentry->d_name = *name;
	list_add(&dentry->d_hash, &new->chain);
	unlock_two_buckets(old, new);
}

int d_rename_prepare(struct d_rename *rename, struct dentry *parent, const struct qstr *name)
{
	char *copy = kstrndup(name->name, name->len, GFP_KERNEL);

	if (!copy)
		return -ENOMEM;
	rename->parent = parent;
	rename->name = (struct qstr){ .name = copy, .len = name->len };
	d_set_hash(parent, &rename->name);
	return 0;
}

/* What dentry has lost by its rename. */
struct d_moved {
	struct dentry *parent;
	const char *name; /* NULL, or an allocation of its own */
};

/* Moves dentry, and takes over the name. rename_lock is held. */
static struct d_moved d_move(struct dentry *dentry, struct d_rename *rename)
{
	struct d_moved lost = { .parent = dentry->d_parent };

	if (dentry->d_flags & DCACHE_LONG_NAME)
		lost.name = dentry->d_name.name;
	d_rehash_as(dentry, dget(rename->parent), &rename->name);
	rename->name.name = NULL;
	return lost;
}

static void d_move_end(struct dentry *dentry, const struct d_moved *lost)
{
	spin_lock(&dentry->d_lock);
	dentry->d_flags |= DCACHE_LONG_NAME;
	spin_unlock(&dentry->d_lock);
	d_relist(dentry, lost->parent, dentry->d_parent);
	kfree(lost->name);
	dput(lost->parent);
}

void d_rename_commit(struct dentry *dentry, struct d_rename *move, struct dentry *target,
		     struct d_rename *back)
{
	struct d_moved lost, target_lost;

	write_seqlock(&rename_lock);
	if (target && !back)
		d_drop(target);
	lost = d_move(dentry, move);
	if (back)
		target_lost = d_move(target, back);
	write_sequnlock(&rename_lock);
	d_move_end(dentry, &lost);
	if (back)
		d_move_end(target, &target_lost);
	else if (target)
		d_delete(target);
}

void d_rename_cancel(struct d_rename *rename)
{
	kfree(rename->name.name);
}
