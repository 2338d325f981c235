/*
 * Mounts: the places at which file systems appear.
 *
 * A mount hides the dentry that it stands on. That dentry has the flag DCACHE_MOUNTED, and a path
 * walk looks into the mount table only for such dentries. One file system can be mounted at several
 * places, as tracefs is.
 */
#include "fs/namespace.h"
#include "fs/internal.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

DEFINE_MUTEX(mount_mutex);
LIST_HEAD(file_systems); /* [mount_mutex] */
LIST_HEAD(mount_list);   /* [mount_mutex and mount_lock to write, one of them to read] */
static DEFINE_SPINLOCK(mount_lock);
static struct vfsmount *root_mnt; /* constant once "/" is mounted */
static u32 last_dev;              /* [mount_mutex] */

int register_filesystem(struct file_system_type *type)
{
	mutex_lock(&mount_mutex);
	list_add_tail(&type->fs_list, &file_systems);
	mutex_unlock(&mount_mutex);
	return 0;
}

struct vfsmount *lookup_mnt(const struct path *path)
{
	struct vfsmount *mnt, *found = NULL;

	spin_lock(&mount_lock);
	list_for_each_entry (mnt, &mount_list, mnt_list) {
		/* The last mount at a place hides the earlier ones. */
		if (mnt->mnt_parent == path->mnt && mnt->mnt_mountpoint == path->dentry &&
		    mnt != path->mnt)
			found = mnt;
	}
	spin_unlock(&mount_lock);
	return found;
}

void root_path(struct path *path)
{
	path->mnt = root_mnt;
	path->dentry = dget(root_mnt->mnt_root);
}

/* Returns the type's only super_block; the first call makes it. mount_mutex is held. */
static struct super_block *get_super(struct file_system_type *type)
{
	struct super_block *sb;
	int err;

	if (type->sb)
		return type->sb;
	sb = kzalloc(sizeof(*sb), GFP_KERNEL);
	if (!sb)
		return ERR_PTR(-ENOMEM);
	sb->s_type = type;
	sb->s_dev = MKDEV(0, ++last_dev);
	sb->s_no_op_error = -EINVAL;
	err = type->fill_super(sb);
	if (err) {
		kfree(sb);
		return ERR_PTR(err);
	}
	type->sb = sb;
	return sb;
}

static struct file_system_type *find_filesystem(const char *name)
{
	struct file_system_type *type;

	list_for_each_entry (type, &file_systems, fs_list)
		if (!strcmp(type->name, name))
			return type;
	return NULL;
}

/* Attaches mnt at the path `at`, and keeps its dentry reference for ever. mount_mutex is held. */
static void attach_mount(struct vfsmount *mnt, const struct path *at)
{
	mnt->mnt_parent = at->mnt;
	mnt->mnt_mountpoint = at->dentry;
	spin_lock(&at->dentry->d_lock);
	at->dentry->d_flags |= DCACHE_MOUNTED;
	spin_unlock(&at->dentry->d_lock);
}

static int do_mount_at(struct file_system_type *type, const char *devname, const char *name)
{
	struct super_block *sb = get_super(type);
	struct vfsmount *mnt;
	struct path at;
	int err;

	if (IS_ERR(sb))
		return (int)PTR_ERR(sb);
	mnt = kzalloc(sizeof(*mnt), GFP_KERNEL);
	if (!mnt)
		return -ENOMEM;
	mnt->mnt_sb = sb;
	mnt->mnt_root = dget(sb->s_root);
	mnt->mnt_devname = devname;
	if (root_mnt) {
		err = kern_path(name, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &at);
		if (err) {
			dput(mnt->mnt_root);
			kfree(mnt);
			return err;
		}
		attach_mount(mnt, &at);
	} else {
		mnt->mnt_parent = mnt;
		mnt->mnt_mountpoint = mnt->mnt_root;
		root_mnt = mnt;
	}
	spin_lock(&mount_lock);
	list_add_tail(&mnt->mnt_list, &mount_list);
	spin_unlock(&mount_lock);
	return 0;
}

int kern_mount_at(const char *type_name, const char *devname, const char *path)
{
	struct file_system_type *type;
	int err;

	mutex_lock(&mount_mutex);
	type = find_filesystem(type_name);
	err = type ? do_mount_at(type, devname, path) : -ENODEV;
	mutex_unlock(&mount_mutex);
	return err;
}
