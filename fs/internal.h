/* What the files of the VFS share among themselves and with nobody else. */
#pragma once

#include "fs/fs.h"

/* dcache.c */
void d_drop(struct dentry *dentry); /* no longer findable, nothing else */
/* Forbid creation below dir and let it be removed: 0, or -ENOTEMPTY. Its parent's i_mutex is held.
 */
int d_kill_empty_dir(struct dentry *dentry);
void d_set_hash(const struct dentry *parent, struct qstr *name);
static inline bool d_mountpoint(const struct dentry *dentry)
{
	return READ_ONCE(dentry->d_flags) & DCACHE_MOUNTED;
}

/* namespace.c */
/* The mount on this dentry of this mount, or NULL. */
struct vfsmount *lookup_mnt(const struct path *path);
void root_path(struct path *path); /* "/", counted */

/* namei_ops.c */
/*
 * A new dentry for name's last component, with *parent counted and its i_mutex held, until
 * done_path_create(); or -EEXIST and what a walk can say.
 */
struct dentry *kern_path_create(const char *name, struct path *parent, bool directory);
void done_path_create(struct path *parent, struct dentry *dentry);

/* file_table.c */
struct file *alloc_empty_file(unsigned flags);

/* file.c: of the calling task */
void current_cwd(struct path *path); /* counted */
int set_current_cwd(const struct path *path);

/* The permission bits' defaults: a task's umask is always 022. */
#define FS_UMASK 0022
