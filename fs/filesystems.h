/* The file systems that vfs_init() (fs/init.c) mounts, and what each adds once it is mounted. */
#pragma once

#include "fs/fs.h"

extern struct file_system_type ramfs_type, devfs_type, proc_type, sysfs_type;
extern struct file_system_type debugfs_type, tracefs_type;

/* A super_block whose root is an empty directory made of dentries. */
int simple_fill_super(struct super_block *sb, umode_t mode, const struct inode_operations *iops);

/*
 * For iterate operations: "." and "..", and the pinned children, from ctx->pos (0, 2) on. False
 * when the actor had enough.
 */
bool dir_emit_dots(struct dentry *dir, struct dir_context *ctx);
bool dir_emit_children(struct dentry *dir, struct dir_context *ctx);
loff_t dcache_dir_lseek(struct file *file, loff_t offset, int whence);

/* Each 0 or a negative errno. */
int devfs_populate(void);
int proc_populate(void);
int sysfs_populate(void);   /* kernel/, and in it where the next two are mounted */
int page_tables_init(void); /* debugfs: page_tables */

/* Memory that ramfs files take. */
u64 ramfs_bytes(void);
