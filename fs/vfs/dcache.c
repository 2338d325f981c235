/*
 * The dcache: names in directories, in a hash table with the key (parent, name).
 *
 * The users of a dentry, its children and, if it is pinned, its directory hold references on it. A
 * lookup takes its reference under the bucket's lock, and the last dput() unhashes the dentry under
 * the same lock. So a dentry that a lookup finds is alive. A rename changes d_parent and d_name
 * under rename_lock and the locks of both buckets, so a step upwards takes rename_lock, and a
 * lookup that has found nothing looks again if there was a rename. A longer walk upwards, whose
 * length users choose, takes no spinlock but rename_mutex. nop5 has no negative dentries.
 */
#include "fs/vfs/internal.h"
#include "fs/vfs/fsnotify.h"
#include "kernel/bug.h"
#include "kernel/error_injection.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/random/random.h"

struct dcache_bucket dentry_hashtable[D_HASH_SIZE];
static u64 d_hash_key[2]; /* constant once dcache_init() has run */

/* A leaf. */
DEFINE_SEQLOCK(rename_lock);
DEFINE_MUTEX(rename_mutex);

/* The halves of the product, folded. The key is odd, and programs do not know it. */
static u64 d_mix(u64 value)
{
	unsigned __int128 product = (unsigned __int128)value * d_hash_key[1];

	return (u64)product ^ (u64)(product >> 64);
}

/*
 * A chain is walked under a spinlock, and users choose the names. So the hash has a random key,
 * without which a user could put all names into one chain.
 */
void d_set_hash(const struct dentry *parent, struct qstr *name)
{
	u64 hash = d_mix((u64)(uintptr_t)parent ^ d_hash_key[0]), word;
	const char *text = name->name;
	u32 left = name->len;

	for (; left >= sizeof(word); left -= (u32)sizeof(word), text += sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		/* LAB 15, unmarked: Starts as: hash = d_mix(word ^ d_hash_key[0]); */
		hash = d_mix(hash ^ word);
		/* END LAB 15 */
	}
	word = name->len;
	for (u32 i = 0; i < left; i++)
		word = word << 8 | (unsigned char)text[i];
	name->hash = (u32)d_mix(hash ^ word);
}

struct dentry *d_alloc(struct dentry *parent, const struct qstr *name)
{
	struct dentry *dentry = kzalloc(sizeof(*dentry) + name->len + 1, GFP_KERNEL);
	char *copy;

	if (!dentry)
		return NULL;
	copy = (char *)(dentry + 1);
	memcpy(copy, name->name, name->len);
	dentry->d_name = (struct qstr){ .name = copy, .len = name->len };
	atomic_set(&dentry->d_count, 1);
	spin_lock_init(&dentry->d_lock);
	INIT_LIST_HEAD(&dentry->d_hash);
	INIT_LIST_HEAD(&dentry->d_child);
	INIT_LIST_HEAD(&dentry->d_subdirs);
	dentry->d_next_off = 2; /* 0 and 1 are "." and ".." */
	if (parent) {
		dentry->d_parent = dget(parent);
		dentry->d_sb = parent->d_sb;
	} else {
		dentry->d_parent = dentry;
	}
	d_set_hash(dentry->d_parent, &dentry->d_name);
	return dentry;
}
ALLOW_ERROR_INJECTION(d_alloc, NULL);

struct dentry *d_make_root(struct inode *inode)
{
	struct dentry *root = d_alloc(NULL, &(struct qstr){ .name = "/", .len = 1 });

	if (!root) {
		iput(inode);
		return NULL;
	}
	root->d_inode = inode;
	root->d_sb = inode->i_sb;
	return root;
}

struct dentry *d_make_tmpfile(struct dentry *dir, struct inode *inode)
{
	char name[24];
	struct qstr q = { .name = name };
	struct dentry *dentry;

	q.len = (u32)snprintf(name, sizeof(name), "#%lu", inode->i_ino);
	dentry = d_alloc(dir, &q);
	if (dentry)
		dentry->d_inode = inode;
	else
		iput(inode);
	return dentry;
}

void d_add(struct dentry *dentry, struct inode *inode)
{
	struct dcache_bucket *bucket = d_bucket(dentry->d_name.hash);

	dentry->d_inode = inode;
	spin_lock(&bucket->lock);
	list_add(&dentry->d_hash, &bucket->chain);
	spin_unlock(&bucket->lock);
}

int d_add_pinned(struct dentry *dentry, struct inode *inode)
{
	struct dentry *parent = dentry->d_parent;

	spin_lock(&parent->d_lock);
	if (parent->d_flags & DCACHE_DEAD) {
		spin_unlock(&parent->d_lock);
		return -ENOENT;
	}
	dentry->d_flags |= DCACHE_PINNED;
	dentry->d_off = parent->d_next_off++;
	/* Set before the child is in d_subdirs, because a walk of that list reads each inode. */
	dentry->d_inode = inode;
	list_add_tail(&dentry->d_child, &parent->d_subdirs);
	spin_unlock(&parent->d_lock);
	dget(dentry);
	d_add(dentry, inode);
	return 0;
}

void d_drop(struct dentry *dentry)
{
	struct dcache_bucket *bucket = d_bucket(dentry->d_name.hash);

	spin_lock(&bucket->lock);
	list_del_init(&dentry->d_hash);
	spin_unlock(&bucket->lock);
}

void d_delete(struct dentry *dentry)
{
	struct dentry *parent = dentry->d_parent;
	bool pinned;

	d_drop(dentry);
	spin_lock(&parent->d_lock);
	list_del_init(&dentry->d_child);
	spin_unlock(&parent->d_lock);

	spin_lock(&dentry->d_lock);
	pinned = dentry->d_flags & DCACHE_PINNED;
	dentry->d_flags = (dentry->d_flags & ~DCACHE_PINNED) | DCACHE_DEAD;
	spin_unlock(&dentry->d_lock);
	if (pinned)
		dput(dentry);
}

int d_kill_empty_dir(struct dentry *dentry)
{
	int err = 0;

	spin_lock(&dentry->d_lock);
	if (list_empty(&dentry->d_subdirs))
		dentry->d_flags |= DCACHE_DEAD;
	else
		err = -ENOTEMPTY;
	spin_unlock(&dentry->d_lock);
	return err;
}

bool d_ancestor_is(const struct dentry *dentry, const struct dentry *ancestor)
{
	while (dentry != ancestor && dentry->d_parent != dentry)
		dentry = dentry->d_parent;
	return dentry == ancestor;
}

bool d_is_below(struct dentry *dentry, const struct dentry *ancestor)
{
	bool below;

	if (dentry == ancestor)
		return true;
	mutex_lock(&rename_mutex);
	below = d_ancestor_is(dentry, ancestor);
	mutex_unlock(&rename_mutex);
	return below;
}

/* key has its hash. */
static struct dentry *d_lookup_once(struct dentry *parent, const struct qstr *key)
{
	struct dcache_bucket *bucket = d_bucket(key->hash);
	struct dentry *dentry, *found = NULL;

	spin_lock(&bucket->lock);
	list_for_each_entry (dentry, &bucket->chain, d_hash) {
		if (dentry->d_parent != parent || dentry->d_name.hash != key->hash ||
		    dentry->d_name.len != key->len ||
		    memcmp(dentry->d_name.name, key->name, key->len) != 0)
			continue;
		found = dget(dentry);
		break;
	}
	spin_unlock(&bucket->lock);
	return found;
}

struct dentry *d_lookup(struct dentry *parent, const struct qstr *name)
{
	struct qstr key = *name;
	struct dentry *found;
	unsigned seq;

	d_set_hash(parent, &key);
	do {
		seq = read_seqbegin(&rename_lock);
		found = d_lookup_once(parent, &key);
		/* A name that is about to be replaced is not missing (rename(2)). */
	} while (!found && read_seqretry(&rename_lock, seq));
	return found;
}

struct dentry *dget(struct dentry *dentry)
{
	atomic_inc(&dentry->d_count);
	return dentry;
}

/* Drops a reference that is not the last one. Returns false if it may be the last one. */
static bool dput_fast(struct dentry *dentry)
{
	int count = atomic_read(&dentry->d_count);

	while (count > 1) {
		int seen = atomic_cmpxchg(&dentry->d_count, count, count - 1);

		if (seen == count)
			return true;
		count = seen;
	}
	return false;
}

/* Locks the bucket of dentry, which a rename may change until then. */
static struct dcache_bucket *lock_bucket(const struct dentry *dentry)
{
	for (;;) {
		struct dcache_bucket *bucket = d_bucket(READ_ONCE(dentry->d_name.hash));

		spin_lock(&bucket->lock);
		if (likely(bucket == d_bucket(READ_ONCE(dentry->d_name.hash))))
			return bucket;
		spin_unlock(&bucket->lock);
	}
}

/*
 * The last reference on a child may hold the last reference on its parent, and so on upwards. That
 * is a loop here, because a recursion could use up the stack.
 */
void dput(struct dentry *dentry)
{
	while (dentry && !dput_fast(dentry)) {
		struct dcache_bucket *bucket = lock_bucket(dentry);
		struct dentry *parent;

		if (!atomic_dec_and_test(&dentry->d_count)) {
			spin_unlock(&bucket->lock);
			return;
		}
		list_del_init(&dentry->d_hash);
		spin_unlock(&bucket->lock);

		parent = dentry->d_parent;
		if (dentry->d_inode) {
			if (!dentry->d_inode->i_nlink)
				fsnotify_removed(dentry->d_inode);
			iput(dentry->d_inode);
		}
		if (dentry->d_flags & DCACHE_LONG_NAME)
			kfree(dentry->d_name.name);
		kfree(dentry);
		dentry = parent != dentry ? parent : NULL;
	}
}

static int dcache_init(void)
{
	get_random_bytes(d_hash_key, sizeof(d_hash_key));
	d_hash_key[1] |= 1;
	for (unsigned i = 0; i < D_HASH_SIZE; i++) {
		spin_lock_init(&dentry_hashtable[i].lock);
		INIT_LIST_HEAD(&dentry_hashtable[i].chain);
	}
	return 0;
}
core_initcall(dcache_init);
