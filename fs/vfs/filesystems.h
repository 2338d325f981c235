/* The file systems that other files know by their struct. FILE_SYSTEM() registers them. */
#pragma once

#include "fs/vfs/libfs.h"
#include "fs/mount/namespace.h"

extern struct file_system_type rootfs_type;
extern struct file_system_type shm_type; /* of memfd_create(2); not registered */
