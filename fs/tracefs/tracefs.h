/*
 * tracefs, at /sys/kernel/tracing and at /sys/kernel/debug/tracing. This is only the file-system
 * part: trace/ creates the files. Task context.
 */
#pragma once

#include "fs/vfs/fs.h"

/* Like debugfs_create_file() and debugfs_create_dir(). parent NULL: the root. */
struct dentry *tracefs_create_file(const char *name, umode_t mode, struct dentry *parent,
				   void *data, const struct file_operations *fops);
struct dentry *tracefs_create_dir(const char *name, struct dentry *parent);
/*
 * Creates a directory in which mkdir(2) and rmdir(2) call the callbacks. mkdir creates name in it
 * with tracefs_create_dir(); rmdir removes name with tracefs_remove(). The callbacks hold no lock
 * and may run at the same time. Only one directory can be of this kind.
 */
struct dentry *tracefs_create_instance_dir(const char *name, struct dentry *parent,
					   int (*mkdir)(const char *name),
					   int (*rmdir)(const char *name));
/* Removes dentry and all files below it. dentry may be NULL or an ERR_PTR. */
void tracefs_remove(struct dentry *dentry);

#define TRACEFS_MODE 0700 /* of the root directory, without the option mode */
/* options.c adds remount and show_options in a core initcall. Only programs cause their calls. */
extern struct super_operations tracefs_super_operations;
