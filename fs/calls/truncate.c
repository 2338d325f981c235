/* Lengths of files: truncate, ftruncate, fallocate. And the calls that write files to a disk. */
#include "fs/file/file.h"
#include "fs/calls/getname.h"
#include "fs/vfs/internal.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/fsnotify.h"
#include "fs/vfs/open.h"
#include "fs/vfs/permission.h"
#include "kernel/syscalls/syscalls.h"

SYSCALL_DEFINE2(truncate, const char __user *, path, long, length)
{
	struct inode *inode;
	struct path found;
	int err;

	if (length < 0)
		return -EINVAL;
	err = user_path_at(AT_FDCWD, path, 0, LOOKUP_FOLLOW, &found);
	if (err)
		return err;
	inode = found.dentry->d_inode;
	if (S_ISDIR(inode->i_mode))
		err = -EISDIR;
	else if (!S_ISREG(inode->i_mode))
		err = -EINVAL;
	else
		err = path_permission(&found, MAY_WRITE);
	if (!err)
		err = get_write_access(inode);
	if (!err) {
		err = vfs_truncate(inode, length);
		if (!err)
			fsnotify_dentry(found.dentry, IN_MODIFY);
		put_write_access(inode);
	}
	path_put(&found);
	return err;
}

SYSCALL_DEFINE2(ftruncate, unsigned int, fd, off_t, length)
{
	struct fd f;
	int err;

	if (length < 0)
		return -EINVAL;
	f = fdget(fd);
	if (!f.file)
		return -EBADF;
	err = (f.file->f_mode & FMODE_WRITE) && S_ISREG(f.file->f_inode->i_mode)
		      ? vfs_truncate(f.file->f_inode, length)
		      : -EINVAL;
	if (!err)
		fsnotify_dentry(f.file->f_path.dentry, IN_MODIFY);
	fdput(f);
	return err;
}

SYSCALL_DEFINE4(fallocate, int, fd, int, mode, loff_t, offset, loff_t, len)
{
	struct fd f = fdget((unsigned)fd);
	struct inode *inode;
	long err;

	if (!f.file)
		return -EBADF;
	inode = f.file->f_inode;
	if (offset < 0 || len <= 0)
		err = -EINVAL;
	else if (mode & ~FALLOC_FL_KNOWN)
		err = -EOPNOTSUPP;
	else if ((mode & FALLOC_FL_PUNCH_HOLE) && !(mode & FALLOC_FL_KEEP_SIZE))
		err = -EOPNOTSUPP;
	else if (!(f.file->f_mode & FMODE_WRITE))
		err = -EBADF;
	else if (S_ISFIFO(inode->i_mode))
		err = -ESPIPE;
	else if (S_ISDIR(inode->i_mode))
		err = -EISDIR;
	else if (!S_ISREG(inode->i_mode))
		err = -ENODEV;
	else if (offset + len < 0)
		err = -EFBIG;
	else
		err = f.file->f_op->fallocate ? f.file->f_op->fallocate(f.file, mode, offset, len)
					      : -EOPNOTSUPP;
	fdput(f);
	return err;
}

/* ---- nothing is written later: all files are in memory ---- */

/* Restricted: nothing to write: all files are in memory. */
SYSCALL_DEFINE0(sync)
{
	return 0;
}

/*
 * 0, or -EINVAL: the file has no data that could be written, as a pipe, or a text file of procfs.
 * noinline because tools probe it by this name of Linux's.
 */
static noinline int vfs_fsync(const struct file *file)
{
	umode_t mode = file->f_inode->i_mode;

	return (S_ISREG(mode) ? file->f_op->mmap != NULL : S_ISDIR(mode)) ? 0 : -EINVAL;
}

static long do_fsync(unsigned fd)
{
	struct fd f = fdget(fd);
	int err;

	if (!f.file)
		return -EBADF;
	err = vfs_fsync(f.file);
	fdput(f);
	return err;
}

/* Restricted: nothing to write: all files are in memory. */
SYSCALL_DEFINE1(syncfs, int, fd)
{
	struct fd f = fdget((unsigned)fd);

	if (!f.file)
		return -EBADF;
	fdput(f);
	return 0;
}

/* Restricted: nothing to write: all files are in memory. */
SYSCALL_DEFINE1(fsync, unsigned int, fd)
{
	return do_fsync(fd);
}

/* Restricted: nothing to write: all files are in memory. */
SYSCALL_DEFINE1(fdatasync, unsigned int, fd)
{
	return do_fsync(fd);
}

#define SYNC_FILE_RANGE_ALL 7U

/* Restricted: nothing to write: all files are in memory. */
SYSCALL_DEFINE4(sync_file_range, int, fd, loff_t, offset, loff_t, nbytes, unsigned int, flags)
{
	struct fd f = fdget((unsigned)fd);
	umode_t mode;

	if (!f.file)
		return -EBADF;
	mode = f.file->f_inode->i_mode;
	fdput(f);
	if ((flags & ~SYNC_FILE_RANGE_ALL) || offset < 0 || nbytes < 0 ||
	    nbytes > MAX_LFS_FILESIZE - offset)
		return -EINVAL;
	return S_ISREG(mode) || S_ISDIR(mode) || S_ISBLK(mode) || S_ISLNK(mode) ? 0 : -ESPIPE;
}

#define POSIX_FADV_LAST 5 /* POSIX_FADV_NOREUSE */

SYSCALL_DEFINE4(fadvise64, int, fd, loff_t, offset, size_t, len, int, advice)
{
	struct fd f = fdget((unsigned)fd);
	umode_t mode;

	(void)offset;
	if (!f.file)
		return -EBADF;
	mode = f.file->f_inode->i_mode;
	fdput(f);
	if (S_ISFIFO(mode))
		return -ESPIPE;
	return advice < 0 || advice > POSIX_FADV_LAST || (loff_t)len < 0 ? -EINVAL : 0;
}

/* Restricted: nothing to read: all files are in memory. */
SYSCALL_DEFINE3(readahead, int, fd, loff_t, offset, size_t, count)
{
	struct fd f = fdget((unsigned)fd);
	bool ok;

	(void)offset, (void)count;
	if (!f.file)
		return -EBADF;
	ok = f.file->f_mode & FMODE_READ;
	if (ok && !S_ISREG(f.file->f_inode->i_mode)) {
		fdput(f);
		return -EINVAL;
	}
	fdput(f);
	return ok ? 0 : -EBADF;
}
