/* The state of a path walk (namei.c), for functions that treat the last component themselves. */
#pragma once

#include "fs/fs.h"

enum last_type { LAST_NORM, LAST_ROOT, LAST_DOT, LAST_DOTDOT };

/* The state of one walk, on the stack of the task that walks. */
struct nameidata {
	struct path path; /* counted: the place that the walk has reached */
	struct qstr last; /* the next component, a piece of the name */
	enum last_type last_type;
	bool trailing_slash; /* a slash follows nd->last */
	const char *rest;    /* the name behind nd->last and its slashes */
	char *buf;           /* kmalloc()ed text of the last link, to which rest points; or NULL */
	unsigned links;      /* number of links that the walk has followed */
};

/*
 * Starts a walk at the root or at the current directory. Returns 0, and the caller later calls
 * nameidata_end(); or -ENOENT (empty name), or -ENAMETOOLONG.
 */
int nameidata_begin(struct nameidata *nd, const char *name);
void nameidata_end(struct nameidata *nd);
/*
 * Walks all components except the last, which is then in nd->last; nd->path is its directory. If
 * the name has no last component (LAST_ROOT), nd->path is the result. Returns 0 or a negative
 * errno.
 */
int link_path_walk(struct nameidata *nd);
/* Walks the whole name. flags: LOOKUP_*. Returns 0 or a negative errno. */
int path_lookupat(struct nameidata *nd, unsigned flags);
/* Replaces nd->last by the text of the link. Returns 1 (walk again) or a negative errno. */
int pick_link(struct nameidata *nd, struct dentry *link);
/* Moves the walk to dentry, or to the root of a mount on it. Takes over the dentry reference. */
void step_into(struct nameidata *nd, struct dentry *dentry);
/*
 * Returns a counted child of parent. Returns NULL if the name does not exist and the caller may
 * create it, and ERR_PTR(-ENOENT) if only the file system itself makes its entries. The caller
 * holds parent's i_mutex.
 */
struct dentry *lookup_locked(struct dentry *parent, const struct qstr *name);
