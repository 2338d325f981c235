/*
 * sysfs at /sys: subsystems show their state here, at the places where Linux's tools look for it.
 * Users cannot create or remove names there (sysfs(5)). Task context.
 */
#pragma once

#include "fs/vfs/fs.h"

/*
 * Make an entry in parent (NULL: /sys itself) that stays until sysfs_remove(). They return a
 * dentry, or an ERR_PTR (-EEXIST, -ENOMEM). If parent is an ERR_PTR, they return it. mode:
 * permission bits.
 */
struct dentry *sysfs_create_file(const char *name, umode_t mode, struct dentry *parent, void *data,
				 const struct file_operations *fops);
struct dentry *sysfs_create_dir(const char *name, struct dentry *parent);
/* Makes a symbolic link, which keeps a copy of target. parent is not NULL. */
struct dentry *sysfs_create_link(const char *name, struct dentry *parent, const char *target);
/* Returns /sys/kernel. After fs_initcall. */
struct dentry *sysfs_kernel_dir(void);
/*
 * For open operations: returns 0, or -EACCES if no permission bit of the mode allows this kind of
 * access. Root gets this error too, as in Linux (kernfs_fop_open()).
 */
int sysfs_may_open(const struct inode *inode, const struct file *file);
/*
 * Removes an entry and everything below it. dentry may be NULL or an ERR_PTR. Open files stay
 * usable until they are closed.
 */
void sysfs_remove(struct dentry *dentry);
