/* Reads and writes with an iterator, for the parts of the VFS that move data between files. */
#pragma once

#include "fs/fs.h"

/*
 * They check that the file is open for this, use a bounce buffer for a file without read_iter or
 * write_iter, and advance *pos. flags: IOCB_*.
 */
ssize_t vfs_iter_read(struct file *file, struct iov_iter *to, loff_t *pos);
ssize_t vfs_iter_write(struct file *file, struct iov_iter *from, loff_t *pos, unsigned flags);
