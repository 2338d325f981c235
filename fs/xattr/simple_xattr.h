/*
 * Extended attributes that live in the inode, for file systems in memory. A file system that sets
 * keeps_xattrs in its super_operations has those of the classes trusted and security, as Linux's
 * tmpfs. The caller of each function holds the i_mutex of the inode.
 */
#pragma once

#include "fs/vfs/fs.h"

/* What simple_xattr_set() may do: the name must be new, or must be there. */
#define XATTR_CREATE  1
#define XATTR_REPLACE 2

/* Copies at most size bytes. Returns the length of the value (size 0: only that); -ENODATA,
 * -ERANGE. */
ssize_t simple_xattr_get(const struct inode *inode, const char *name, void *value, size_t size);
/* value NULL: removes the attribute. 0, -EEXIST, -ENODATA, -ENOMEM. */
int simple_xattr_set(struct inode *inode, const char *name, const void *value, size_t size,
		     int flags);
/*
 * The names, each with its NUL, the newest first. trusted: with those of that class. Returns their
 * size (size 0: only that), or -ERANGE.
 */
ssize_t simple_xattr_list(const struct inode *inode, char *list, size_t size, bool trusted);
/* Frees all. Nobody else has the inode any more. */
void simple_xattrs_free(struct inode *inode);
