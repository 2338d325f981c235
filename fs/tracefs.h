/*
 * tracefs at /sys/kernel/tracing, and again at /sys/kernel/debug/tracing: the file-system part
 * only, empty until the tracing room fills it. Task context.
 */
#pragma once

#include "fs/fs.h"

/* As debugfs_create_file() and debugfs_create_dir(); parent NULL: the root. */
struct dentry *tracefs_create_file(const char *name, umode_t mode, struct dentry *parent,
				   void *data, const struct file_operations *fops);
struct dentry *tracefs_create_dir(const char *name, struct dentry *parent);
/*
 * A directory in which mkdir(2) and rmdir(2) call back: mkdir makes name with tracefs_create_dir()
 * in it, rmdir removes it with tracefs_remove(). No lock is held; two calls may come at once. Only
 * once.
 */
struct dentry *tracefs_create_instance_dir(const char *name, struct dentry *parent,
					   int (*mkdir)(const char *name),
					   int (*rmdir)(const char *name));
/* With all below it. NULL and ERR_PTRs are fine. */
void tracefs_remove(struct dentry *dentry);
