/*
 * tracefs: the file-system part of tracing. trace/ creates its files.
 *
 * A new entry has the owner and the group of its directory. So the mount options, or a chgrp of
 * instances/, reach what comes later.
 */
#include "fs/tracefs/tracefs.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/libfs.h"
#include "kernel/bug.h"
#include "fs/vfs/internal.h"
#include "kernel/export.h"
#include "kernel/lib/string.h"

/* Called by mkdir(2) and rmdir(2) in instances/. Set once, before the directory is visible. */
static struct {
	int (*mkdir)(const char *name);
	int (*rmdir)(const char *name);
} tracefs_ops;

/*
 * Calls op without i_mutex, because op creates or removes directories and takes i_mutex itself. Two
 * tasks may create the same name at once: tracefs_create_dir() succeeds for one of them.
 */
static int tracefs_call(int (*op)(const char *name), struct inode *dir, struct dentry *dentry)
{
	int err;

	mutex_unlock(&dir->i_mutex);
	err = op(dentry->d_name.name);
	mutex_lock(&dir->i_mutex);
	return err;
}

static int tracefs_syscall_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	(void)mode;
	return tracefs_call(tracefs_ops.mkdir, dir, dentry);
}

static int tracefs_syscall_rmdir(struct inode *dir, struct dentry *dentry)
{
	struct inode *inode = dentry->d_inode;
	int err;

	mutex_unlock(&inode->i_mutex); /* op empties this directory, under its i_mutex */
	err = tracefs_call(tracefs_ops.rmdir, dir, dentry);
	mutex_lock(&inode->i_mutex); /* the caller holds the inode */
	return err;
}

static const struct inode_operations tracefs_instances_operations = {
	.mkdir = tracefs_syscall_mkdir,
	.rmdir = tracefs_syscall_rmdir,
};

struct super_operations tracefs_super_operations __ro_after_init;

static int tracefs_fill_super(struct super_block *sb, const char *data __unused)
{
	sb->s_magic = 0x74726163;
	sb->s_op = &tracefs_super_operations;
	return simple_fill_super(sb, TRACEFS_MODE, &simple_dir_inode_operations);
}

static struct file_system_type tracefs_type = {
	.name = "tracefs",
	.nodev = true,
	.fill_super = tracefs_fill_super,
};
FILE_SYSTEM(tracefs_type);

static struct dentry *tracefs_parent(struct dentry *parent)
{
	if (parent)
		return parent;
	return tracefs_type.sb ? tracefs_type.sb->s_root : ERR_PTR(-ENODEV);
}

/*
 * Gives a new entry the owner and the group of its directory. Returns it; also if it is an ERR_PTR.
 */
static struct dentry *with_parents_owner(struct dentry *dentry)
{
	const struct inode *dir;
	struct inode *inode;

	if (IS_ERR_OR_NULL(dentry))
		return dentry;
	dir = dentry->d_parent->d_inode;
	inode = dentry->d_inode;
	mutex_lock(&inode->i_mutex);
	inode->i_uid = dir->i_uid;
	inode->i_gid = dir->i_gid;
	mutex_unlock(&inode->i_mutex);
	return dentry;
}

struct dentry *tracefs_create_file(const char *name, umode_t mode, struct dentry *parent,
				   void *data, const struct file_operations *fops)
{
	return with_parents_owner(
		simple_create_file(tracefs_parent(parent), name, mode, fops, data));
}
EXPORT_SYMBOL(tracefs_create_file);

struct dentry *tracefs_create_dir(const char *name, struct dentry *parent)
{
	return with_parents_owner(simple_create_dir(tracefs_parent(parent), name, 0750,
						    &simple_dir_inode_operations));
}
EXPORT_SYMBOL(tracefs_create_dir);

struct dentry *tracefs_create_instance_dir(const char *name, struct dentry *parent,
					   int (*mkdir)(const char *name),
					   int (*rmdir)(const char *name))
{
	if (WARN_ON(tracefs_ops.mkdir || tracefs_ops.rmdir))
		return ERR_PTR(-EBUSY);
	tracefs_ops.mkdir = mkdir;
	tracefs_ops.rmdir = rmdir;
	return with_parents_owner(simple_create_dir(tracefs_parent(parent), name, 0750,
						    &tracefs_instances_operations));
}

void tracefs_remove(struct dentry *dentry)
{
	if (!IS_ERR_OR_NULL(dentry))
		simple_recursive_removal(dentry);
}
EXPORT_SYMBOL(tracefs_remove);
