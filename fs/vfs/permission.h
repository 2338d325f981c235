/*
 * May the current task use an object? By the file-system ids of its credentials (fsuid, fsgid and
 * groups), as path_resolution(7) describes. A kernel task has root's credentials.
 *
 * Context: task. No lock needed: permission bits may change at any time.
 */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/task/cred.h"

#define MAY_EXEC  1U /* of a directory: search it */
#define MAY_WRITE 2U
#define MAY_READ  4U

/* Checks what a task without privileges may do, then its capabilities. mask: MAY_*. */
int generic_permission(const struct inode *inode, unsigned mask);
/* The same, or what the file system says. 0, -EACCES; may sleep. */
int inode_permission(struct inode *inode, unsigned mask);
/* The same for an object at a path: also -EROFS. */
int path_permission(const struct path *path, unsigned mask);

/*
 * True if the current task owns inode or has CAP_FOWNER. To change the inode, ask and change in one
 * section under i_mutex: else the inode may get another owner between.
 */
bool inode_owner_or_capable(const struct inode *inode);
/* 0, or -EROFS: nothing can be written through this mount. */
int mnt_want_write(const struct path *path);

/*
 * Removes S_ISUID, and S_ISGID of a program, for a write. The caller holds i_mutex, which it has
 * taken for the write itself.
 */
void file_remove_privs(struct inode *inode);
