/*
 * tracefs: the file-system part of tracing. trace/ creates its files.
 *
 * The mount options uid, gid and mode are those of the root directory. A new entry has the owner
 * and the group of its directory, so the options, or a chgrp of instances/, reach what comes later.
 * As in Linux, a mount or a remount with uid or gid also changes all entries that exist.
 */
#include "fs/tracefs/tracefs.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/libfs.h"
#include "kernel/bug.h"
#include "fs/vfs/internal.h"
#include "fs/mount/options.h"
#include "fs/vfs/seq_file.h"
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

/* ---- mount options ---- */

#define DEFAULT_MODE 0700
#define UNSET        (~0U)

struct tracefs_options {
	u32 uid, gid, mode; /* UNSET: not given */
};

/* Options that tracefs does not know are ignored, as in Linux. */
static int set_option(void *info, const char *name, const char *value)
{
	struct tracefs_options *opts = info;

	if (!strcmp(name, "uid"))
		return mount_option_number(value, 10, UNSET - 1, &opts->uid);
	if (!strcmp(name, "gid"))
		return mount_option_number(value, 10, UNSET - 1, &opts->gid);
	if (!strcmp(name, "mode"))
		return mount_option_number(value, 8, S_IALLUGO, &opts->mode);
	return 0;
}

static void set_owner(struct inode *inode, const struct tracefs_options *opts)
{
	mutex_lock(&inode->i_mutex);
	if (opts->uid != UNSET)
		inode->i_uid = opts->uid;
	if (opts->gid != UNSET)
		inode->i_gid = opts->gid;
	mutex_unlock(&inode->i_mutex);
}

/* Returns the child of dir after position off, with a reference, or NULL. */
static struct dentry *next_child(struct dentry *dir, u64 off)
{
	struct dentry *child, *found = NULL;

	spin_lock(&dir->d_lock);
	list_for_each_entry (child, &dir->d_subdirs, d_child) {
		if (child->d_off >= off) {
			found = dget(child);
			break;
		}
	}
	spin_unlock(&dir->d_lock);
	return found;
}

/*
 * Sets the owner of everything below dir, which the caller holds. Directories are at most 8 deep.
 */
static void set_owners_below(struct dentry *dir, const struct tracefs_options *opts)
{
	struct dentry *child;
	u64 off = 0;

	while ((child = next_child(dir, off))) {
		off = child->d_off + 1;
		set_owner(child->d_inode, opts);
		if (S_ISDIR(child->d_inode->i_mode))
			set_owners_below(child, opts);
		dput(child);
	}
}

static int tracefs_remount(struct super_block *sb, const char *data)
{
	struct inode *root = sb->s_root->d_inode;
	struct tracefs_options opts = { UNSET, UNSET, UNSET };
	int error = parse_mount_options(data, set_option, &opts);

	if (error)
		return error;
	if (opts.mode != UNSET) {
		mutex_lock(&root->i_mutex);
		root->i_mode = (umode_t)(S_IFDIR | opts.mode);
		mutex_unlock(&root->i_mutex);
	}
	set_owner(root, &opts);
	if (opts.uid != UNSET || opts.gid != UNSET)
		set_owners_below(sb->s_root, &opts);
	return 0;
}

static void tracefs_show_options(struct seq_file *m, struct super_block *sb)
{
	const struct inode *root = sb->s_root->d_inode;
	unsigned mode = root->i_mode & S_IALLUGO;

	if (root->i_uid)
		seq_printf(m, ",uid=%u", root->i_uid);
	if (root->i_gid)
		seq_printf(m, ",gid=%u", root->i_gid);
	if (mode != DEFAULT_MODE)
		seq_printf(m, ",mode=%o", mode);
}

static const struct super_operations tracefs_super_operations = {
	.remount = tracefs_remount,
	.show_options = tracefs_show_options,
};

static int tracefs_fill_super(struct super_block *sb, const char *data __unused)
{
	sb->s_magic = 0x74726163;
	sb->s_op = &tracefs_super_operations;
	return simple_fill_super(sb, DEFAULT_MODE, &simple_dir_inode_operations);
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

	if (IS_ERR_OR_NULL(dentry))
		return dentry;
	dir = dentry->d_parent->d_inode;
	set_owner(dentry->d_inode, &(struct tracefs_options){ dir->i_uid, dir->i_gid, UNSET });
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
