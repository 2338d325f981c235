/*
 * The file systems that vfs_init() (fs/vfs/init.c) mounts, and the functions that fill them after
 * the mount.
 */
#pragma once

#include "fs/vfs/libfs.h"
#include "fs/mount/namespace.h"

extern struct file_system_type tmpfs_type, rootfs_type, devtmpfs_type, proc_type, sysfs_type;
extern struct file_system_type shm_type; /* of memfd_create(2); not registered */
extern struct file_system_type debugfs_type, tracefs_type, devpts_type, pstore_type;

/* They return 0 or a negative errno. */
int devfs_populate(void);
int proc_sysctl_init(void);
int sysfs_populate(void); /* makes kernel/ and fs/, with the mount points in them */
