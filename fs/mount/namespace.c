/*
 * Mounts: the places at which file systems appear.
 *
 * A mount hides the dentry that it stands on. That dentry has the flag DCACHE_MOUNTED, and a path
 * walk looks into the mount table only for such dentries. One file system can be mounted at several
 * places, as tracefs is.
 *
 * A path counts its mount, and a mount counts the one on which it stands. So a mount without other
 * references than its own place in the tree has no user, and can be taken away.
 */
#include "fs/mount/namespace.h"
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/libfs.h"
#include "fs/mount/mount.h"
#include "fs/vfs/fsnotify.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

DEFINE_MUTEX(mount_mutex);
LIST_HEAD(file_systems); /* [mount_mutex] */
LIST_HEAD(mount_list);   /* [mount_mutex and mount_lock to write, one of them to read] */
DEFINE_SEQLOCK(mount_lock);
static bool root_is_mounted; /* [mount_mutex] */
static u32 last_dev;         /* [mount_mutex] */
static int last_mnt_id;      /* [mount_mutex] */

int register_filesystem(struct file_system_type *type)
{
	mutex_lock(&mount_mutex);
	list_add_tail(&type->fs_list, &file_systems);
	mutex_unlock(&mount_mutex);
	return 0;
}

struct vfsmount *mntget(struct vfsmount *mnt)
{
	atomic_inc(&mnt->mnt_count);
	return mnt;
}

/* No path leads into sb any more: removes the names that its directories pin, and frees it. */
static void free_super(struct super_block *sb)
{
	fsnotify_unmount(sb);
	simple_remove_children(sb->s_root);
	dput(sb->s_root);
	if (sb->s_op && sb->s_op->put_super)
		sb->s_op->put_super(sb);
	kfree(sb);
}

void mntput(struct vfsmount *mnt)
{
	struct super_block *sb = mnt->mnt_sb;

	if (!atomic_dec_and_test(&mnt->mnt_count))
		return;
	dput(mnt->mnt_root);
	if (atomic_dec_and_test(&sb->s_active))
		free_super(sb);
	kfree(mnt->mnt_devname);
	kfree(mnt);
}

struct path mount_path(struct vfsmount *mnt)
{
	return (struct path){ .mnt = mnt, .dentry = mnt->mnt_root };
}

struct vfsmount *lookup_mnt(const struct path *path)
{
	struct vfsmount *mnt, *found = NULL;

	read_seqlock_excl(&mount_lock);
	list_for_each_entry (mnt, &mount_list, mnt_list) {
		/* The last mount at a place hides the earlier ones. */
		if (mnt->mnt_parent == path->mnt && mnt->mnt_mountpoint == path->dentry &&
		    mnt != path->mnt)
			found = mnt;
	}
	if (found)
		mntget(found);
	read_sequnlock_excl(&mount_lock);
	return found;
}

/* Moves path to the root of mnt, and takes over the reference on mnt. */
static void enter_mount(struct path *path, struct vfsmount *mnt)
{
	path_put(path);
	path->mnt = mnt;
	path->dentry = dget(mnt->mnt_root);
}

void follow_mounts(struct path *path)
{
	struct vfsmount *mnt;

	while (unlikely(d_mountpoint(path->dentry)) && (mnt = lookup_mnt(path)))
		enter_mount(path, mnt);
}

/* Moves path to the place on which its mount stands. False: its mount stands nowhere. */
static bool climb_mount(struct path *path)
{
	struct path up;

	read_seqlock_excl(&mount_lock);
	up.mnt = path->mnt->mnt_parent;
	if (up.mnt == path->mnt) {
		read_sequnlock_excl(&mount_lock);
		return false;
	}
	mntget(up.mnt);
	up.dentry = dget(path->mnt->mnt_mountpoint);
	read_sequnlock_excl(&mount_lock);
	path_put(path);
	*path = up;
	return true;
}

bool follow_up(struct path *path)
{
	return path->dentry == path->mnt->mnt_root && climb_mount(path);
}

bool path_is_under(const struct path *path, const struct path *root)
{
	struct path at = *path;
	bool under;

	path_get(&at);
	while (at.mnt != root->mnt && climb_mount(&at))
		;
	under = at.mnt == root->mnt && d_is_below(at.dentry, root->dentry);
	path_put(&at);
	return under;
}

/* Makes a super_block. mount_mutex is held. */
static struct super_block *new_super(struct file_system_type *type, const char *data)
{
	struct super_block *sb = kzalloc(sizeof(*sb), GFP_KERNEL);
	int err;

	if (!sb)
		return ERR_PTR(-ENOMEM);
	sb->s_type = type;
	last_dev++;
	sb->s_dev = MKDEV(0, last_dev);
	sb->s_no_op_error = -EINVAL;
	err = type->fill_super(sb, data);
	if (err) {
		kfree(sb);
		return ERR_PTR(err);
	}
	return sb;
}

/* Returns a super_block with a reference in s_active. mount_mutex is held. */
static struct super_block *get_super(struct file_system_type *type, const char *data)
{
	struct super_block *sb = type->sb;
	int err = 0;

	if (!sb) {
		sb = new_super(type, data);
		if (IS_ERR(sb))
			return sb;
		if (!type->multiple) {
			type->sb = sb;
			atomic_inc(&sb->s_active);
		}
	} else if (data && sb->s_op && sb->s_op->remount) {
		err = sb->s_op->remount(sb, data);
		if (err)
			return ERR_PTR(err);
	}
	atomic_inc(&sb->s_active);
	return sb;
}

struct file_system_type *find_filesystem(const char *name)
{
	struct file_system_type *type;

	list_for_each_entry (type, &file_systems, fs_list)
		if (!strcmp(type->name, name))
			return type;
	return NULL;
}

/* A mount of the tree below root, which it takes over, as it does the reference on sb. */
static struct vfsmount *alloc_mount(struct super_block *sb, struct dentry *root, unsigned flags,
				    const char *devname)
{
	struct vfsmount *mnt = kzalloc(sizeof(*mnt), GFP_KERNEL);

	if (mnt)
		mnt->mnt_devname = kstrdup(devname, GFP_KERNEL);
	if (!mnt || !mnt->mnt_devname) {
		kfree(mnt);
		dput(root);
		if (atomic_dec_and_test(&sb->s_active))
			free_super(sb);
		return ERR_PTR(-ENOMEM);
	}
	mnt->mnt_sb = sb;
	mnt->mnt_root = root;
	mnt->mnt_flags = flags & MNT_FLAGS;
	mnt->mnt_id = ++last_mnt_id;
	mnt->mnt_parent = mnt;
	mnt->mnt_mountpoint = root;
	atomic_set(&mnt->mnt_count, 1);
	INIT_LIST_HEAD(&mnt->mnt_list);
	return mnt;
}

struct vfsmount *new_mount(struct file_system_type *type, unsigned flags, const char *devname,
			   const char *data)
{
	struct super_block *sb = get_super(type, data);

	if (IS_ERR(sb))
		return ERR_CAST(sb);
	return alloc_mount(sb, dget(sb->s_root), flags, devname);
}

struct vfsmount *clone_mount(const struct path *path)
{
	struct super_block *sb = path->mnt->mnt_sb;

	atomic_inc(&sb->s_active);
	return alloc_mount(sb, dget(path->dentry), path->mnt->mnt_flags, path->mnt->mnt_devname);
}

int kern_super(struct file_system_type *type)
{
	struct super_block *sb;

	mutex_lock(&mount_mutex);
	sb = get_super(type, NULL);
	mutex_unlock(&mount_mutex);
	return IS_ERR(sb) ? (int)PTR_ERR(sb) : 0;
}

struct vfsmount *kern_mount(struct file_system_type *type)
{
	struct vfsmount *mnt;

	mutex_lock(&mount_mutex);
	mnt = new_mount(type, 0, type->name, NULL);
	mutex_unlock(&mount_mutex);
	return mnt;
}

void attach_mount(struct vfsmount *mnt, const struct path *at)
{
	path_get(at);
	spin_lock(&at->dentry->d_lock);
	at->dentry->d_flags |= DCACHE_MOUNTED;
	spin_unlock(&at->dentry->d_lock);
	write_seqlock(&mount_lock);
	mnt->mnt_parent = at->mnt;
	mnt->mnt_mountpoint = at->dentry;
	list_add_tail(&mnt->mnt_list, &mount_list);
	write_sequnlock(&mount_lock);
}

/* Returns a counted mount, or an ERR_PTR. mount_mutex is held. */
static struct vfsmount *automount(const struct path *at)
{
	struct file_system_type *type = find_filesystem(at->dentry->d_inode->i_op->automount);
	struct vfsmount *mnt;

	if (!type)
		return ERR_PTR(-ENODEV);
	/* In a mount that was detached, nothing can be mounted. */
	if (list_empty(&at->mnt->mnt_list))
		return ERR_PTR(-EINVAL);
	mnt = new_mount(type, at->mnt->mnt_flags, type->name, NULL);
	if (IS_ERR(mnt))
		return mnt;
	mnt->mnt_shrinkable = true;
	attach_mount(mnt, at);
	return mntget(mnt);
}

int follow_automount(struct path *path)
{
	struct vfsmount *mnt;

	mutex_lock(&mount_mutex);
	mnt = lookup_mnt(path); /* another walk may have been faster */
	if (!mnt)
		mnt = automount(path);
	mutex_unlock(&mount_mutex);
	if (IS_ERR(mnt))
		return (int)PTR_ERR(mnt);
	enter_mount(path, mnt);
	follow_mounts(path);
	return 0;
}

/* Clears DCACHE_MOUNTED if no other mount stands on the dentry. mount_mutex is held. */
static void put_mountpoint(struct dentry *dentry)
{
	struct vfsmount *mnt;

	list_for_each_entry (mnt, &mount_list, mnt_list)
		if (mnt->mnt_mountpoint == dentry && mnt->mnt_parent != mnt)
			return;
	spin_lock(&dentry->d_lock);
	dentry->d_flags &= ~DCACHE_MOUNTED;
	spin_unlock(&dentry->d_lock);
}

int detach_mount(struct vfsmount *mnt, bool lazy)
{
	struct path at = { .mnt = mnt->mnt_parent, .dentry = mnt->mnt_mountpoint };

	write_seqlock(&mount_lock);
	/* One for the tree, and one for the caller's path. */
	if (!lazy && atomic_read(&mnt->mnt_count) > 2) {
		write_sequnlock(&mount_lock);
		return -EBUSY;
	}
	list_del_init(&mnt->mnt_list);
	mnt->mnt_parent = mnt;
	mnt->mnt_mountpoint = mnt->mnt_root;
	write_sequnlock(&mount_lock);
	put_mountpoint(at.dentry);
	path_put(&at);
	mntput(mnt);
	return 0;
}

static int mount_first(struct vfsmount *mnt)
{
	struct path root = mount_path(mnt);

	write_seqlock(&mount_lock);
	list_add_tail(&mnt->mnt_list, &mount_list);
	write_sequnlock(&mount_lock);
	root_is_mounted = true;
	init_fs_set_root(&root);
	return 0;
}

static int mount_at_name(struct vfsmount *mnt, const char *name)
{
	struct path at;
	int err = kern_path(name, LOOKUP_FOLLOW, &at);

	if (err) {
		mntput(mnt);
		return err;
	}
	attach_mount(mnt, &at);
	path_put(&at);
	return 0;
}

int kern_mount_at(const char *type_name, const char *devname, const char *path)
{
	struct file_system_type *type;
	struct vfsmount *mnt;
	int err;

	mutex_lock(&mount_mutex);
	type = find_filesystem(type_name);
	mnt = type ? new_mount(type, MS_RELATIME, devname, NULL) : ERR_PTR(-ENODEV);
	if (IS_ERR(mnt))
		err = (int)PTR_ERR(mnt);
	else
		err = root_is_mounted ? mount_at_name(mnt, path) : mount_first(mnt);
	mutex_unlock(&mount_mutex);
	return err;
}
