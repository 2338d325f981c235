/* Functions that the files of the VFS share. No other room uses them. */
#pragma once

#include "fs/dcache.h"

/* dcache.c */
/* Unhashes dentry, so that lookups no longer find it. Changes no reference. */
void d_drop(struct dentry *dentry);
/*
 * Forbids creation in the directory, which can then be removed: 0, or -ENOTEMPTY. The caller holds
 * the i_mutex of the directory's parent.
 */
int d_kill_empty_dir(struct dentry *dentry);
static inline bool d_mountpoint(const struct dentry *dentry)
{
	return READ_ONCE(dentry->d_flags) & DCACHE_MOUNTED;
}

/* namespace.c */
/* Returns the mount that stands on this dentry of this mount, or NULL. */
struct vfsmount *lookup_mnt(const struct path *path);
void root_path(struct path *path); /* "/", counted */

/* namei_ops.c */
/* Makes a regular file. The caller holds dir's i_mutex. */
int vfs_create(struct inode *dir, struct dentry *dentry, umode_t mode);

/* file_table.c */
struct file *alloc_empty_file(unsigned flags);
/*
 * Makes a file on an inode without a name (the end of a pipe). On success it takes over the
 * caller's inode reference.
 */
struct file *alloc_file(struct inode *inode, unsigned f_mode, unsigned f_flags,
			const struct file_operations *fops);
/* Connects file with the inode at path, and calls its open operation. */
int vfs_open(const struct path *path, struct file *file);

/* readdir.c */
/* Calls ctx->actor for each entry from file->f_pos on. 0, -ENOTDIR, or -ENOENT (removed). */
int iterate_dir(struct file *file, struct dir_context *ctx);

/* file.c: the current directory of the calling task */
void current_cwd(struct path *path); /* counted */
int set_current_cwd(const struct path *path);

/* The permission bits that a new file or directory does not get: every task's umask is 022. */
#define FS_UMASK 0022

/* close(2), without the boundary of a system call (file.c). */
long close_fd(int fd);
