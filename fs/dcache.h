/*
 * Dentries and inodes: the functions with which a file system makes, finds and frees them.
 *
 * Context: task, preemption on, except where a comment says otherwise.
 */
#pragma once

#include "fs/fs.h"

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
/* Returns a counted child, or NULL. Any context except interrupts. */
struct dentry *d_lookup(struct dentry *parent, const struct qstr *name);
struct dentry *dget(struct dentry *dentry);
void dput(struct dentry *dentry);

/* ---- inodes (inode.c) ---- */

/*
 * Makes an inode with one reference, one link, a new i_ino and no operations. Returns NULL when
 * memory is short.
 */
struct inode *new_inode(struct super_block *sb, umode_t mode);
struct inode *ihold(struct inode *inode);
void iput(struct inode *inode);
