/* debugfs: files for people who look into the kernel. */
#include "fs/debug/debugfs.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/libfs.h"
#include "kernel/export.h"

static int debugfs_fill_super(struct super_block *sb, const char *data)
{
	(void)data;
	sb->s_magic = 0x64626720;
	return simple_fill_super(sb, 0700, &simple_dir_inode_operations);
}

static int debugfs_populate(void);

static struct file_system_type debugfs_type = {
	.name = "debugfs",
	.nodev = true,
	.fill_super = debugfs_fill_super,
	.populate = debugfs_populate,
};
FILE_SYSTEM(debugfs_type);

/* Makes the directory on which the first walk into it mounts tracefs, as on Linux. */
static int debugfs_populate(void)
{
	static const struct inode_operations operations = { .fixed_mode = true,
							    .automount = "tracefs" };
	struct dentry *dir =
		simple_create_dir(debugfs_type.sb->s_root, "tracing", 0555, &operations);

	if (IS_ERR(dir))
		return (int)PTR_ERR(dir);
	dir->d_flags |= DCACHE_AUTOMOUNT; /* nobody can walk here yet */
	return 0;
}

static struct dentry *debugfs_parent(struct dentry *parent)
{
	if (parent)
		return parent;
	return debugfs_type.sb ? debugfs_type.sb->s_root : ERR_PTR(-ENODEV);
}

struct dentry *debugfs_create_file(const char *name, umode_t mode, struct dentry *parent,
				   void *data, const struct file_operations *fops)
{
	return simple_create_file(debugfs_parent(parent), name, mode, fops, data);
}
EXPORT_SYMBOL_GPL(debugfs_create_file);

struct dentry *debugfs_create_dir(const char *name, struct dentry *parent)
{
	return simple_create_dir(debugfs_parent(parent), name, 0755, &simple_dir_inode_operations);
}
EXPORT_SYMBOL_GPL(debugfs_create_dir);

void debugfs_remove(struct dentry *dentry)
{
	if (!IS_ERR_OR_NULL(dentry))
		simple_recursive_removal(dentry);
}
EXPORT_SYMBOL_GPL(debugfs_remove);
