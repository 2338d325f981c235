/*
 * sysfs at /sys: what rooms show of themselves in places where Linux's tools look for it. No names
 * can be made or removed there by writing to it (sysfs(5)). Task context.
 */
#pragma once

#include "fs/fs.h"

/* As debugfs_create_file() and debugfs_create_dir(); parent NULL: the root, /sys. */
struct dentry *sysfs_create_file(const char *name, umode_t mode, struct dentry *parent, void *data,
				 const struct file_operations *fops);
struct dentry *sysfs_create_dir(const char *name, struct dentry *parent);
/* /sys/kernel. After fs_initcall. */
struct dentry *sysfs_kernel_dir(void);
/*
 * For open operations: 0, or -EACCES when the file's mode lets nobody read or write it as wanted,
 * not even root (kernfs_fop_open()).
 */
int sysfs_may_open(const struct inode *inode, const struct file *file);
/* With all below it. NULL and ERR_PTRs are fine. Open files stay usable until they are closed. */
void sysfs_remove(struct dentry *dentry);
