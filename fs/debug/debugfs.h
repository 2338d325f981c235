/* debugfs at /sys/kernel/debug: files for people who look into the kernel. Task context. */
#pragma once

#include "fs/vfs/fs.h"

/*
 * Make an entry in parent (NULL: the root of debugfs) that stays until debugfs_remove(). They
 * return a dentry, or an ERR_PTR (-EEXIST, -ENOMEM). If parent is an ERR_PTR, they return it. mode:
 * permission bits.
 */
struct dentry *debugfs_create_file(const char *name, umode_t mode, struct dentry *parent,
				   void *data, const struct file_operations *fops);
struct dentry *debugfs_create_dir(const char *name, struct dentry *parent);
/*
 * Removes an entry with everything below it; dentry may be NULL or an ERR_PTR. An open file stays
 * usable, and keeps the module of its operations.
 */
void debugfs_remove(struct dentry *dentry);
