/* debugfs at /sys/kernel/debug: files for people who look at the kernel. Task context. */
#pragma once

#include "fs/fs.h"

/*
 * parent NULL: the root. mode: permission bits. A dentry that lives until debugfs_remove(), or an
 * ERR_PTR
 * (-EEXIST, -ENOMEM), which may be given as parent: the call fails with the same error.
 */
struct dentry *debugfs_create_file(const char *name, umode_t mode, struct dentry *parent,
				   void *data, const struct file_operations *fops);
struct dentry *debugfs_create_dir(const char *name, struct dentry *parent);
struct dentry *debugfs_create_symlink(const char *name, struct dentry *parent, const char *target);
/* With all below it. NULL and ERR_PTRs are fine. data must outlive the files that are still open.
 */
void debugfs_remove(struct dentry *dentry);
