/*
 * libfs: building blocks for file systems that keep all their dentries in the dcache (tmpfs,
 * debugfs, the static part of procfs).
 *
 * Context: task, may sleep.
 */
#pragma once

#include "fs/vfs/dcache.h"

/*
 * Make an entry in the pinned directory parent. They return a dentry that is not counted for the
 * caller and that lives until its removal, or an ERR_PTR: -EEXIST, -ENOENT (parent is removed),
 * -ENOMEM. If parent is an ERR_PTR, they return it. The new entry has the same owner as parent.
 */
struct dentry *simple_create_file(struct dentry *parent, const char *name, umode_t mode,
				  const struct file_operations *fops, void *private);
struct dentry *simple_create_dir(struct dentry *parent, const char *name, umode_t mode,
				 const struct inode_operations *iops);
/* Adds the inode as parent/name. Takes over the inode's reference, also on failure. */
struct dentry *simple_add(struct dentry *parent, const char *name, struct inode *inode);
/* Removes the entry and everything below it. Open files stay usable until they are closed. */
void simple_recursive_removal(struct dentry *dentry);
/* The same for everything below a directory. */
void simple_remove_children(struct dentry *dir);

/* For inode_operations. The caller holds dir's i_mutex. */
int simple_rmdir(struct inode *dir, struct dentry *dentry);
int simple_unlink(struct inode *dir, struct dentry *dentry);
int simple_rename(struct inode *old_dir, struct dentry *old, struct inode *new_dir,
		  struct dentry *target, unsigned flags);
extern const struct file_operations simple_dir_operations;
extern const struct inode_operations simple_dir_inode_operations; /* users cannot create entries */
extern const struct inode_operations simple_symlink_inode_operations; /* uses i_link */

/* Gives sb an empty directory as its root. */
int simple_fill_super(struct super_block *sb, umode_t mode, const struct inode_operations *iops);

/*
 * For iterate operations: emit "." and "..", and the pinned children, from ctx->pos on ("." is at
 * 0, the first child at 2). They return false when the actor takes no more.
 */
bool dir_emit_dots(struct dentry *dir, struct dir_context *ctx);
bool dir_emit_children(struct dentry *dir, struct dir_context *ctx);
loff_t dcache_dir_lseek(struct file *file, loff_t offset, int whence);
