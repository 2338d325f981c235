/* The state of a path walk (namei.c), for functions that treat the last component themselves. */
#pragma once

#include "fs/vfs/fs.h"

enum last_type { LAST_NORM, LAST_ROOT, LAST_DOT, LAST_DOTDOT };

/* The state of one walk, on the stack of the task that walks. */
struct nameidata {
	struct path path; /* counted: the place that the walk has reached */
	struct path root; /* counted, once mnt is not NULL: the walk does not go above it */
	struct qstr last; /* the next component, a piece of the name */
	enum last_type last_type;
	bool trailing_slash; /* a slash follows nd->last */
	const char *rest;    /* the name behind nd->last and its slashes */
	char *buf;           /* kmalloc()ed text of the last link, to which rest points; or NULL */
	unsigned links;      /* number of links that the walk has followed */
	unsigned flags;      /* LOOKUP_* */
	/* With LOOKUP_SCOPED: rename_lock and mount_lock, before the walk began. */
	unsigned rename_seq, mount_seq;
};

/*
 * Starts a walk at the root, or at dfd: AT_FDCWD or a descriptor. flags: LOOKUP_*. name may be an
 * ERR_PTR from getname(), so that the errors of two names come in Linux's order. Returns 0, and the
 * caller later calls nameidata_end(); or that error, -ENOENT (empty name without LOOKUP_EMPTY),
 * -ENAMETOOLONG, -EBADF, -ENOTDIR.
 */
int nameidata_begin(struct nameidata *nd, int dfd, const char *name, unsigned flags);
void nameidata_end(struct nameidata *nd);
/*
 * Walks all components except the last, which is then in nd->last; nd->path is its directory. If
 * the name has no last component (LAST_ROOT), nd->path is the result. Returns 0 or a negative
 * errno.
 */
int link_path_walk(struct nameidata *nd);
/* Walks the whole name, by nd->flags. Returns 0 or a negative errno. */
int path_lookupat(struct nameidata *nd);
/*
 * The last check of a walk that has arrived: -EXDEV if it was to stay below its start, and the
 * result does not lie there.
 */
int complete_walk(const struct nameidata *nd);
/*
 * Continues the walk behind the link: its text replaces nd->last, or nd->path becomes the object
 * that it names. Returns 1 (walk again) or a negative errno.
 */
int pick_link(struct nameidata *nd, struct dentry *link);
/* Moves the walk to dentry, or to the root of a mount on it. Takes over the dentry reference. */
int step_into(struct nameidata *nd, struct dentry *dentry);
/*
 * Returns a counted child of parent. Returns NULL if the name does not exist and the caller may
 * create it, and ERR_PTR(-ENOENT) if only the file system itself makes its entries. The caller
 * holds parent's i_mutex.
 */
struct dentry *lookup_locked(struct dentry *parent, const struct qstr *name);

/*
 * The operations on names, with names in the kernel. 0 or a negative errno. mode: with the umask
 * applied already, where there is one.
 */
int do_mkdirat(int dfd, const char *name, umode_t mode);
int do_mknodat(int dfd, const char *name, umode_t mode, u32 dev);
int do_symlinkat(const char *target, int dfd, const char *name);
int do_linkat(int old_dfd, const char *old_name, int new_dfd, const char *new_name, int at_flags);
int do_unlinkat(int dfd, const char *name);
int do_rmdirat(int dfd, const char *name);
#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE  2
#define RENAME_WHITEOUT  4 /* leave a character device 0:0 at the old name */
int do_renameat2(int old_dfd, const char *old_name, int new_dfd, const char *new_name,
		 unsigned flags);

/*
 * Returns a new dentry for the last component of name, and a counted *parent. Locks the i_mutex of
 * the parent; done_path_create() unlocks it. Errors: -EEXIST, -EROFS, and those of a path walk.
 * directory: name may end in a slash.
 */
struct dentry *kern_path_create(int dfd, const char *name, struct path *parent, bool directory);
void done_path_create(struct path *parent, struct dentry *dentry);
/*
 * Between the two: makes dentry a device, FIFO or socket of dir. dev is its number, if it is a
 * device.
 */
int vfs_mknod(struct inode *dir, struct dentry *dentry, umode_t mode, u32 dev);

/*
 * Opens a file: returns a counted file, or an ERR_PTR. flags: O_*; mode: the permission bits of a
 * new file, with the umask applied; lookup: LOOKUP_NO_XDEV and the like.
 */
struct file *do_filp_open(int dfd, const char *name, int flags, umode_t mode, unsigned lookup);
