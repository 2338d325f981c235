/*
 * Dentries and inodes: the functions with which a file system makes, finds and frees them.
 *
 * Context: task, preemption on, except where a comment says otherwise.
 */
#pragma once

#include "fs/vfs/fs.h"

/* ---- dentries (dcache.c) ---- */

/* Allocates an unhashed dentry with one reference. Returns NULL when memory is short. */
struct dentry *d_alloc(struct dentry *parent, const struct qstr *name);
/* Binds dentry to inode and hashes it, so that lookups find it. Takes over the inode reference. */
void d_add(struct dentry *dentry, struct inode *inode);
/*
 * Does the same for a file system that lives in the dcache: the directory holds one more reference,
 * and readdir shows the entry. Returns -ENOENT if the directory has been removed; the caller then
 * still owns the inode reference.
 */
int d_add_pinned(struct dentry *dentry, struct inode *inode);
/*
 * Unhashes dentry, and drops the directory's reference if dentry is pinned. The caller holds the
 * parent's i_mutex.
 */
void d_delete(struct dentry *dentry);
/* Makes a root dentry. Takes over the inode reference, and drops it on failure (NULL). */
struct dentry *d_make_root(struct inode *inode);
/*
 * Makes a dentry that no lookup finds, for a file of O_TMPFILE. Takes over the inode reference, and
 * drops it on failure. NULL when memory is short.
 */
struct dentry *d_make_tmpfile(struct dentry *dir, struct inode *inode);
/* Returns a counted child, or NULL. Any context except interrupts. */
struct dentry *d_lookup(struct dentry *parent, const struct qstr *name);
struct dentry *dget(struct dentry *dentry);
void dput(struct dentry *dentry);

/*
 * A rename in two steps: d_rename_prepare() may fail with -ENOMEM; d_rename_commit() moves a pinned
 * dentry, and cannot fail. target: the dentry that has the new name now, or NULL. It loses this
 * name; or, with back, it moves to the place that back names. Lookups see the names before or after
 * the whole change. The caller holds rename_mutex if the directory changes, and the i_mutex of both
 * directories. d_rename_cancel() frees what was not committed.
 */
struct d_rename {
	struct dentry *parent;
	struct qstr name;
};
int d_rename_prepare(struct d_rename *rename, struct dentry *parent, const struct qstr *name);
void d_rename_commit(struct dentry *dentry, struct d_rename *move, struct dentry *target,
		     struct d_rename *back);
void d_rename_cancel(struct d_rename *rename);
/* True if ancestor is dentry or one of its parents. Takes rename_mutex. */
bool d_is_below(struct dentry *dentry, const struct dentry *ancestor);

/* ---- inodes (inode.c) ---- */

/* The time for i_atime, i_mtime and i_ctime, in ns since 1970. */
s64 inode_now(void);

/*
 * Makes an inode with one reference, one link, a new i_ino and no operations. Returns NULL when
 * memory is short.
 */
struct inode *new_inode(struct super_block *sb, umode_t mode);
/*
 * Gives a new inode in dir its owner and group: those of the current task, or dir's group if dir
 * has S_ISGID, which a directory then inherits.
 */
void inode_init_owner(struct inode *inode, const struct inode *dir);
/* Gives a new inode, which is a device, FIFO or socket, its operations. */
void init_special_inode(struct inode *inode, u32 dev);
struct inode *ihold(struct inode *inode);
void iput(struct inode *inode);
