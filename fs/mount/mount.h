/* Between namespace.c, which keeps the tree of mounts, and the system calls in fs/calls/. */
#pragma once

#include "fs/mount/namespace.h"

/* All of them: the caller holds mount_mutex. */
struct file_system_type *find_filesystem(const char *name);
/* Makes a mount of a file system, not yet in the tree. One reference. Or an ERR_PTR. */
struct vfsmount *new_mount(struct file_system_type *type, unsigned flags, const char *devname,
			   const char *data);
/* Makes another mount of the tree below path. */
struct vfsmount *clone_mount(const struct path *path);
/* Puts mnt on the tree at the path `at`, and takes over the caller's reference on mnt. */
void attach_mount(struct vfsmount *mnt, const struct path *at);
/*
 * Takes mnt out of the tree. Unless lazy: -EBUSY if other code than the caller's path uses it. The
 * mount is freed with its last reference.
 */
int detach_mount(struct vfsmount *mnt, bool lazy);
