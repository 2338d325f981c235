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

/*
 * The operations of FIFOs. fs/pipe/ sets it at boot, before the first file system is mounted.
 * Without fs/pipe/ an open of a FIFO fails with -ENXIO.
 */
extern const struct file_operations *fifo_operations;
