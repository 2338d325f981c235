/* The tables behind /proc/mounts and /proc/filesystems (namespace.c). */
#pragma once

#include "fs/fs.h"

extern struct mutex mount_mutex;
extern struct list_head file_systems; /* [mount_mutex] of file_system_type.fs_list */
extern struct list_head mount_list;   /* [mount_mutex] of vfsmount.mnt_list */
