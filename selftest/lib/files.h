/*
 * Files for the self-tests, through the VFS alone: no descriptors, and no system calls, which a
 * kernel without programs does not have. Errors are negative errnos. Task context.
 */
#pragma once

#include "fs/vfs/fs.h"
#include "fs/vfs/namei.h"

/* A counted file, which the caller gives to fput(); or an ERR_PTR. A new one has mode 0644. */
static inline struct file *file_open(const char *path, int flags)
{
	return do_filp_open(AT_FDCWD, path, flags, 0644, 0);
}
/* From the position of the file on, which they advance. */
static inline ssize_t file_read(struct file *file, void *buf, size_t count)
{
	return kernel_read(file, buf, count, &file->f_pos);
}
static inline ssize_t file_write(struct file *file, const void *buf, size_t count)
{
	return kernel_write(file, buf, count, &file->f_pos);
}
static inline loff_t file_seek(struct file *file, loff_t offset, int whence)
{
	return file->f_op->llseek ? file->f_op->llseek(file, offset, whence) : -ESPIPE;
}
/* Whether path leads to a file: 0 or the error. */
static inline int file_exists(const char *path)
{
	struct path found;
	int error = kern_path(path, LOOKUP_FOLLOW, &found);

	if (!error)
		path_put(&found);
	return error;
}
