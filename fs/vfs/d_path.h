/* Names of paths, for functions that choose the root themselves. d_path() is in fs/vfs/fs.h. */
#pragma once

#include "fs/vfs/fs.h"

/*
 * The same as d_path(), as seen from root. *reached: the path is below root; else the text ends at
 * the top of the path's own tree.
 */
char *d_path_from(const struct path *path, const struct path *root, bool *reached, char *buf,
		  size_t size);
/* The last part of the name, cut to size with the NUL. Takes rename_lock. */
void dentry_name(const struct dentry *dentry, char *buf, size_t size);
/* True if the name has been removed. Takes rename_lock. */
bool d_unlinked(const struct path *path);
