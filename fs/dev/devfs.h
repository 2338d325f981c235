/* devfs at /dev: devices as files. */
#pragma once

#include "fs/vfs/fs.h"

/*
 * Makes /dev/NAME, a character device. Its open operation finds private in inode->i_private.
 * Returns 0, -EEXIST or -ENOMEM. Task context, after fs_initcall.
 */
int devfs_create(const char *name, umode_t mode, u32 dev, const struct file_operations *fops,
		 void *private);
