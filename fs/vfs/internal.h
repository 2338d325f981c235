/* Functions that the files of the VFS share. No other room uses them. */
#pragma once

#include "fs/vfs/dcache.h"
#include "kernel/locking/seqlock.h"

struct nameidata;

/* dcache.c */
#define D_HASH_SIZE 4096 /* tracefs alone has 5,000 names */
struct dcache_bucket {
	spinlock_t lock;        /* B */
	struct list_head chain; /* [B] of dentry.d_hash */
};
extern struct dcache_bucket dentry_hashtable[D_HASH_SIZE];
static inline struct dcache_bucket *d_bucket(u32 hash)
{
	return &dentry_hashtable[hash % D_HASH_SIZE];
}
/* Stores the hash of a name in parent. */
void d_set_hash(const struct dentry *parent, struct qstr *name);
/* Held by a rename while it changes names and parents: see dentry.d_parent. */
extern seqlock_t rename_lock;
/* Held by a rename between directories. While it is held, no d_parent changes. */
extern struct mutex rename_mutex;
/* As d_is_below(); the caller holds rename_mutex. */
bool d_ancestor_is(const struct dentry *dentry, const struct dentry *ancestor);
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

/* fs/mount/namespace.c */
/* Guards the tree of mounts against readers; inside mount_mutex and rename_lock. */
extern seqlock_t mount_lock;
/* Whether path lies in the tree below root, at the moment of the call. */
bool path_is_under(const struct path *path, const struct path *root);
/* Returns the mount that stands on this dentry of this mount, counted, or NULL. */
struct vfsmount *lookup_mnt(const struct path *path);
/*
 * If path is the root of its mount, moves it to the place on which that mount stands, and returns
 * true. False: it is no root of a mount, or that of the first mount.
 */
bool follow_up(struct path *path);
/* If a file system is mounted at path, moves path to the root of that mount. */
void follow_mounts(struct path *path);
/*
 * Mounts what belongs on path, whose dentry has DCACHE_AUTOMOUNT, and moves path to its root. 0,
 * -ENODEV, -ENOMEM; -EINVAL: the mount of path was detached. mount_mutex is not held.
 */
int follow_automount(struct path *path);

/* namei_ops.c */
/* Makes a regular file. The caller holds dir's i_mutex. */
int vfs_create(struct inode *dir, struct dentry *dentry, umode_t mode);
/* Updates the times of a directory in which a name has changed. */
void touch_dir(struct inode *dir);
/*
 * May the current task remove dentry from dir? directory: by rmdir. The caller holds dir's i_mutex,
 * and that of the object, whose owner may count. 0, -EACCES, -EPERM, -ENOTDIR, -EISDIR or -EBUSY.
 */
int may_delete(struct inode *dir, const struct dentry *dentry, bool directory);
/* May the current task make a name in dir? */
int may_create(struct inode *dir, const struct dentry *parent);

/* fs/file/file_table.c */
/* -ENFILE: there are fs.file-max, and the task has no CAP_SYS_ADMIN. -ENOMEM. */
struct file *alloc_empty_file(unsigned flags);
extern unsigned long max_files; /* fs.file-max. Read and written without a lock. */
/* Connects file with the inode at path, and calls its open operation. */
int vfs_open(const struct path *path, struct file *file);
/* The same with a new file. Or an ERR_PTR. */
struct file *dentry_open(const struct path *path, unsigned flags);
/* fs/dev/devfs.c, for the open of a character device: replaces the operations of the file. */
int chrdev_open(struct inode *inode, struct file *file);
