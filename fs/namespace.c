/*
 * Mounts: which file system is seen where.
 *
 * A mount hides the dentry that it stands on, which is flagged DCACHE_MOUNTED so that the walk
 * looks into the table only there. One file system can be mounted at several places (tracefs is).
 */
#include "fs/internal.h"
#include "fs/namespace.h"
#include "fs/seq_file.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

DEFINE_MUTEX(mount_mutex);
LIST_HEAD(file_systems); /* [mount_mutex] */
LIST_HEAD(mount_list);   /* [mount_lock to read, and mount_mutex to write] */
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
		/* The last one mounted on a place is the one that is seen. */
		if (mnt->mnt_parent == path->mnt && mnt->mnt_mountpoint == path->dentry &&
		    mnt != path->mnt)
			found = mnt;
	}
	spin_unlock(&mount_lock);
	return found;
}

struct vfsmount *root_mount(void)
{
	return root_mnt;
}

void root_path(struct path *path)
{
	path->mnt = root_mnt;
	path->dentry = dget(root_mnt->mnt_root);
}

/* The type's one super_block, made when it is first wanted. mount_mutex is held. */
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

/* Put mnt at the place, whose dentry reference it keeps for ever. mount_mutex is held. */
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

int seq_path(struct seq_file *m, const struct path *path, const char *esc)
{
	char *buf = kmalloc(PATH_MAX, GFP_KERNEL), *name;

	if (!buf)
		return -1;
	name = d_path(path, buf, PATH_MAX);
	if (!IS_ERR(name))
		seq_escape(m, name, esc);
	kfree(buf);
	return IS_ERR(name) ? -1 : 0;
}
