/* devfs at /dev: devices as files. */
#pragma once

#include "fs/fs.h"

/*
 * Make /dev/NAME, a character device. open finds private in inode->i_private. After fs_initcall.
 * 0, -EEXIST, -ENOMEM. Task context.
 */
int devfs_create(const char *name, umode_t mode, u32 dev, const struct file_operations *fops,
		 void *private);
