/* sysfs at /sys: a subsystem that shows something there makes its own directory. */
#include "fs/sys/sysfs.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/libfs.h"
#include "kernel/export.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

static struct dentry *kernel_dir; /* constant after sysfs_populate() */

static int sysfs_fill_super(struct super_block *sb, const char *data)
{
	(void)data;
	sb->s_magic = 0x62656572;
	return simple_fill_super(sb, 0555, &simple_dir_inode_operations);
}

static struct file_system_type sysfs_type;

static struct dentry *sysfs_parent(struct dentry *parent)
{
	if (parent)
		return parent;
	return sysfs_type.sb ? sysfs_type.sb->s_root : ERR_PTR(-ENODEV);
}

struct dentry *sysfs_create_file(const char *name, umode_t mode, struct dentry *parent, void *data,
				 const struct file_operations *fops)
{
	return simple_create_file(sysfs_parent(parent), name, mode, fops, data);
}
EXPORT_SYMBOL_GPL(sysfs_create_file);

struct dentry *sysfs_create_dir(const char *name, struct dentry *parent)
{
	return simple_create_dir(sysfs_parent(parent), name, 0755, &simple_dir_inode_operations);
}
EXPORT_SYMBOL_GPL(sysfs_create_dir);

struct dentry *sysfs_create_link(const char *name, struct dentry *parent, const char *target)
{
	struct inode *inode = IS_ERR(parent) ? NULL : new_inode(parent->d_sb, S_IFLNK | S_IRWXUGO);

	if (!inode)
		return IS_ERR(parent) ? parent : ERR_PTR(-ENOMEM);
	inode->i_op = &simple_symlink_inode_operations;
	inode->i_link = kstrdup(target, GFP_KERNEL);
	if (inode->i_link)
		return simple_add(parent, name, inode);
	iput(inode);
	return ERR_PTR(-ENOMEM);
}

struct dentry *sysfs_kernel_dir(void)
{
	return kernel_dir;
}
EXPORT_SYMBOL_GPL(sysfs_kernel_dir);

int sysfs_may_open(const struct inode *inode, const struct file *file)
{
	if ((file->f_mode & FMODE_READ) && !(inode->i_mode & 0444))
		return -EACCES;
	if ((file->f_mode & FMODE_WRITE) && !(inode->i_mode & 0222))
		return -EACCES;
	return 0;
}

void sysfs_remove(struct dentry *dentry)
{
	if (!IS_ERR_OR_NULL(dentry))
		simple_recursive_removal(dentry);
}
EXPORT_SYMBOL_GPL(sysfs_remove);

/* Makes a directory in /sys, and empty ones in it, where other file systems are mounted. */
static struct dentry *mount_points(const char *name, const char *const *points, unsigned count)
{
	struct dentry *parent = sysfs_create_dir(name, NULL), *dir = parent;

	for (unsigned i = 0; i < count && !IS_ERR(dir); i++)
		dir = sysfs_create_dir(points[i], parent);
	return IS_ERR(dir) ? dir : parent;
}

/* Makes kernel/ and fs/, with the mount points in them. */
static int sysfs_populate(void)
{
	static const char *const in_kernel[] = { "debug", "tracing" }, *const in_fs[] = {
		"bpf", "pstore"
	};
	struct dentry *fs = mount_points("fs", in_fs, ARRAY_SIZE(in_fs));

	if (IS_ERR(fs))
		return (int)PTR_ERR(fs);
	kernel_dir = mount_points("kernel", in_kernel, ARRAY_SIZE(in_kernel));
	return IS_ERR(kernel_dir) ? (int)PTR_ERR(kernel_dir) : 0;
}

static struct file_system_type sysfs_type = {
	.name = "sysfs",
	.nodev = true,
	.fill_super = sysfs_fill_super,
	.populate = sysfs_populate,
};
FILE_SYSTEM(sysfs_type);
