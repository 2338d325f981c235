/*
 * rename: moves a name, over another one, or exchanges two.
 *
 * A directory must not move below itself. So a rename between two directories holds rename_mutex:
 * then no other rename changes which directory is below which one.
 *
 * The order of i_mutex: first all directories, then the other objects, by address. A file may have
 * names in any directory, so it comes after all directories. Directories cannot be ordered by
 * address, because rmdir locks a parent and then its child. So a task that holds one directory and
 * waits for another one goes down, from a parent to its child; or it holds rename_mutex, as a
 * rename does whose objects are two directories. It locks its upper parent first, and then objects
 * that are not above a parent: check_names(). Tasks for which it waits only go down from there, and
 * so never wait for what it holds.
 */
#include "fs/vfs/internal.h"
#include "fs/vfs/namei.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/fsnotify.h"
#include "fs/vfs/permission.h"
#include "kernel/mm/slab.h"

/* The two ends of a rename. */
struct rename_data {
	struct nameidata old_nd, new_nd; /* walked up to the last component */
	struct dentry *old_dir, *new_dir;
	struct dentry *old, *target; /* target: NULL if the new name does not exist */
	unsigned flags;
	bool exclusive; /* rename_mutex is held */
};

static void lock_dirs(const struct rename_data *rd)
{
	struct dentry *first = rd->old_dir, *second = rd->new_dir;

	if (rd->exclusive)
		mutex_lock(&rename_mutex);
	if (d_ancestor_is(first, second)) {
		first = rd->new_dir;
		second = rd->old_dir;
	}
	mutex_lock(&first->d_inode->i_mutex);
	if (first != second)
		mutex_lock(&second->d_inode->i_mutex);
}

static void unlock_dirs(const struct rename_data *rd)
{
	mutex_unlock(&rd->old_dir->d_inode->i_mutex);
	if (rd->old_dir != rd->new_dir)
		mutex_unlock(&rd->new_dir->d_inode->i_mutex);
	if (rd->exclusive)
		mutex_unlock(&rename_mutex);
}

static bool is_dir(const struct dentry *dentry)
{
	return S_ISDIR(dentry->d_inode->i_mode);
}

/*
 * The objects may have other names in other directories: their i_mutex guards i_nlink, and the
 * owner, which counts in a sticky directory.
 */
static void lock_objects(const struct rename_data *rd)
{
	const struct dentry *first = rd->old, *second = rd->target;

	if (second && !is_dir(first) && (is_dir(second) || second->d_inode < first->d_inode)) {
		first = rd->target;
		second = rd->old;
	}
	mutex_lock(&first->d_inode->i_mutex);
	if (second)
		mutex_lock(&second->d_inode->i_mutex);
}

static void unlock_objects(const struct rename_data *rd)
{
	mutex_unlock(&rd->old->d_inode->i_mutex);
	if (rd->target)
		mutex_unlock(&rd->target->d_inode->i_mutex);
}

/* Finds both names. Directories are locked. */
static int lookup_both(struct rename_data *rd)
{
	struct dentry *old = lookup_locked(rd->old_dir, &rd->old_nd.last), *target;

	if (IS_ERR_OR_NULL(old))
		return old ? (int)PTR_ERR(old) : -ENOENT;
	rd->old = old;
	target = lookup_locked(rd->new_dir, &rd->new_nd.last);
	if (IS_ERR(target))
		return (int)PTR_ERR(target);
	rd->target = target;
	return 0;
}

static int check_names(const struct rename_data *rd)
{
	bool exchange = rd->flags & RENAME_EXCHANGE;

	if ((rd->flags & RENAME_NOREPLACE) && rd->target)
		return -EEXIST;
	if (exchange && !rd->target)
		return -ENOENT;
	if (exchange && !is_dir(rd->target) && rd->new_nd.trailing_slash)
		return -ENOTDIR;
	if (!is_dir(rd->old) &&
	    (rd->old_nd.trailing_slash || (!exchange && rd->new_nd.trailing_slash)))
		return -ENOTDIR;
	if (rd->old_dir != rd->new_dir) {
		/* A directory cannot go below itself, nor replace a directory that it is in. */
		if (d_ancestor_is(rd->new_dir, rd->old))
			return -EINVAL;
		if (rd->target && d_ancestor_is(rd->old_dir, rd->target))
			return exchange ? -EINVAL : -ENOTEMPTY;
	}
	return mnt_is_readonly(rd->old_nd.path.mnt) ? -EROFS : 0;
}

/* Moving a directory changes its "..", which needs write permission. */
static int may_reparent(const struct rename_data *rd, struct dentry *dentry)
{
	if (rd->old_dir == rd->new_dir || !is_dir(dentry))
		return 0;
	return inode_permission(dentry->d_inode, MAY_WRITE);
}

static int check_permissions(const struct rename_data *rd)
{
	struct inode *new_dir = rd->new_dir->d_inode;
	bool exchange = rd->flags & RENAME_EXCHANGE;
	int err = may_delete(rd->old_dir->d_inode, rd->old, is_dir(rd->old));

	if (err)
		return err;
	if (!rd->target)
		err = may_create(new_dir, rd->new_dir);
	else
		err = may_delete(new_dir, rd->target, is_dir(exchange ? rd->target : rd->old));
	if (!err)
		err = may_reparent(rd, rd->old);
	if (!err && exchange)
		err = may_reparent(rd, rd->target);
	if (!err && (d_mountpoint(rd->old) || (rd->target && d_mountpoint(rd->target))))
		err = -EBUSY;
	return err;
}

/* Tells the watches: the two events of a move have the same cookie. */
static void tell_move(struct dentry *from_dir, const char *from, struct dentry *to_dir,
		      const char *to, struct dentry *moved)
{
	static atomic_t last_cookie;
	u32 isdir = is_dir(moved) ? IN_ISDIR : 0, cookie = (u32)atomic_inc_return(&last_cookie);

	fsnotify_name(from_dir, from, IN_MOVED_FROM | isdir, cookie);
	fsnotify_name(to_dir, to, IN_MOVED_TO | isdir, cookie);
}

static void tell_rename(const struct rename_data *rd, const char *old_name, const char *new_name)
{
	bool exchange = rd->flags & RENAME_EXCHANGE;

	tell_move(rd->old_dir, old_name, rd->new_dir, new_name, rd->old);
	if (rd->target && !exchange && !is_dir(rd->target))
		fsnotify_inode(rd->target->d_inode, IN_ATTRIB);
	fsnotify_inode(rd->old->d_inode, IN_MOVE_SELF);
	if (exchange) {
		tell_move(rd->new_dir, new_name, rd->old_dir, old_name, rd->target);
		fsnotify_inode(rd->target->d_inode, IN_MOVE_SELF);
	}
}

/* tell_rename(), if anything is watched; the names are pieces of paths. */
static noinline void tell_watchers(const struct rename_data *rd)
{
	const struct qstr *old = &rd->old_nd.last, *new = &rd->new_nd.last;
	char *old_name = kstrndup(old->name, old->len, GFP_KERNEL);
	char *new_name = kstrndup(new->name, new->len, GFP_KERNEL);

	if (old_name && new_name)
		tell_rename(rd, old_name, new_name);
	kfree(old_name);
	kfree(new_name);
}

/* A new dentry with the old name, for a whiteout; or an ERR_PTR. It is not found by lookups yet. */
static struct dentry *make_whiteout(const struct rename_data *rd)
{
	struct inode *dir = rd->old_dir->d_inode, *inode;
	struct dentry *dentry;

	if (!dir->i_op->whiteout)
		return ERR_PTR(-EINVAL);
	dentry = d_alloc(rd->old_dir, &rd->old_nd.last);
	if (!dentry)
		return ERR_PTR(-ENOMEM);
	inode = dir->i_op->whiteout(dir);
	if (IS_ERR(inode)) {
		dput(dentry);
		return ERR_CAST(inode);
	}
	dentry->d_inode = inode;
	return dentry;
}

/* Asks the file system, then moves the names in the dcache. */
static int move_names(struct rename_data *rd)
{
	struct inode *old_dir = rd->old_dir->d_inode, *new_dir = rd->new_dir->d_inode;
	struct d_rename move = { .parent = NULL }, back = { .parent = NULL };
	struct dentry *old = rd->old, *target = rd->target, *whiteout = NULL;
	bool exchange = rd->flags & RENAME_EXCHANGE;
	int err;

	if (!old_dir->i_op->rename)
		return -EPERM;
	err = d_rename_prepare(&move, rd->new_dir, &rd->new_nd.last);
	if (!err && exchange)
		err = d_rename_prepare(&back, rd->old_dir, &rd->old_nd.last);
	if (!err && (rd->flags & RENAME_WHITEOUT)) {
		whiteout = make_whiteout(rd);
		err = IS_ERR(whiteout) ? (int)PTR_ERR(whiteout) : 0;
	}
	if (!err)
		err = old_dir->i_op->rename(old_dir, old, new_dir, target, rd->flags);
	if (!err) {
		/*
		 * Before the move: so a lookup of the old name finds one of two objects, never
		 * none. The directory lives: its i_mutex is held.
		 */
		if (whiteout)
			(void)d_add_pinned(whiteout, whiteout->d_inode);
		d_rename_commit(old, &move, target, exchange ? &back : NULL);
		touch_dir(old_dir);
		touch_dir(new_dir);
		old->d_inode->i_ctime = inode_now();
		if (target)
			target->d_inode->i_ctime = inode_now();
		if (static_branch_unlikely(&fsnotify_key))
			tell_watchers(rd);
	}
	d_rename_cancel(&move);
	d_rename_cancel(&back);
	if (!IS_ERR_OR_NULL(whiteout))
		dput(whiteout);
	return err;
}

/* -EDEADLK: only a rename that is exclusive may lock these objects. */
static int rename_locked(struct rename_data *rd)
{
	int err = lookup_both(rd);

	if (!err)
		err = check_names(rd);
	if (!err && rd->target && rd->old->d_inode == rd->target->d_inode)
		return 0; /* two names of one object: both stay (rename(2)) */
	if (!err && rd->target && is_dir(rd->old) && is_dir(rd->target) && !rd->exclusive)
		err = -EDEADLK;
	if (err)
		return err;
	lock_objects(rd);
	err = check_permissions(rd);
	if (!err)
		err = move_names(rd);
	unlock_objects(rd);
	return err;
}

static int lock_and_rename(struct rename_data *rd, bool exclusive)
{
	int err;

	rd->exclusive = exclusive;
	rd->old = rd->target = NULL;
	lock_dirs(rd);
	err = rename_locked(rd);
	unlock_dirs(rd);
	dput(rd->old);
	dput(rd->target);
	return err;
}

/* Both walks have reached the last component. */
static int rename_walked(struct rename_data *rd)
{
	int err;

	rd->old_dir = rd->old_nd.path.dentry;
	rd->new_dir = rd->new_nd.path.dentry;
	if (rd->old_nd.path.mnt != rd->new_nd.path.mnt)
		return -EXDEV;
	if (rd->old_nd.last_type != LAST_NORM)
		return -EBUSY;
	if (rd->new_nd.last_type != LAST_NORM)
		return rd->flags & RENAME_NOREPLACE ? -EEXIST : -EBUSY;
	err = lock_and_rename(rd, rd->old_dir != rd->new_dir);
	return err == -EDEADLK ? lock_and_rename(rd, true) : err;
}

int do_renameat2(int old_dfd, const char *old_name, int new_dfd, const char *new_name,
		 unsigned flags)
{
	struct rename_data rd = { .flags = flags };
	int err;

	if ((flags & ~(unsigned)(RENAME_NOREPLACE | RENAME_EXCHANGE | RENAME_WHITEOUT)) ||
	    ((flags & RENAME_EXCHANGE) && (flags & (RENAME_NOREPLACE | RENAME_WHITEOUT))))
		return -EINVAL;
	err = nameidata_begin(&rd.old_nd, old_dfd, old_name, 0);
	if (err)
		return err;
	err = link_path_walk(&rd.old_nd);
	if (!err)
		err = nameidata_begin(&rd.new_nd, new_dfd, new_name, 0);
	if (!err) {
		err = link_path_walk(&rd.new_nd);
		if (!err)
			err = rename_walked(&rd);
		nameidata_end(&rd.new_nd);
	}
	nameidata_end(&rd.old_nd);
	return err;
}
