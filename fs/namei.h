/* The state of a path walk (namei.c), for those who do something with the last component. */
#pragma once

#include "fs/fs.h"

enum last_type { LAST_NORM, LAST_ROOT, LAST_DOT, LAST_DOTDOT };

/* Of one walk, on the walker's stack. */
struct nameidata {
	struct path path; /* counted: how far the walk has come */
	struct qstr last; /* the component that comes next, a piece of the name */
	enum last_type last_type;
	bool trailing_slash; /* a slash follows nd->last */
	const char *rest;    /* what follows nd->last and its slashes */
	char *buf;           /* what rest points into once a link has been followed; ours */
	unsigned links;      /* followed so far */
};

/* 0, or -ENOENT (empty), -ENAMETOOLONG. After 0, nameidata_end(). */
int nameidata_begin(struct nameidata *nd, const char *name);
void nameidata_end(struct nameidata *nd);
int link_path_walk(struct nameidata *nd);
int path_lookupat(struct nameidata *nd, unsigned flags);
/* Replace nd->last by the text of the link; 1 (walk again) or a negative errno. */
int pick_link(struct nameidata *nd, struct dentry *link);
/* Make dentry (its reference is taken over), or what is mounted on it, the place of the walk. */
void step_into(struct nameidata *nd, struct dentry *dentry);
/*
 * A counted child of parent, whose i_mutex is held; NULL if there is none and one may be made,
 * ERR_PTR(-ENOENT) where the file system itself decides what there is.
 */
struct dentry *lookup_locked(struct dentry *parent, const struct qstr *name);
