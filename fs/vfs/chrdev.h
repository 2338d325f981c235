/*
 * Character devices by number: what stands behind a device node, in whichever file system the node
 * is. And the operations of FIFOs.
 */
#pragma once

#include "fs/vfs/fs.h"

/* A device. Legend: [C] constant after register_chrdev(). */
struct chrdev {
	u32 dev;                            /* [C] MKDEV() */
	const struct file_operations *fops; /* [C] */
	void *private;                      /* [C] for fops->open, in inode->i_private */
	struct list_head list;              /* [chrdevs_lock] */
};

/* Takes over an allocation, for ever. Task context. */
void register_chrdev(struct chrdev *chrdev);

extern const struct file_operations fifo_operations; /* pipe.c */
