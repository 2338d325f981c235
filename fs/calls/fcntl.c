/* close, dup and fcntl: what a program does with descriptors. */
#include "fs/file/file.h"
#include "fs/calls/fcntl.h"
#include "fs/vfs/internal.h"
#include "kernel/signal/sigio.h"
#include "fs/vfs/permission.h"
#include "fs/pipe/pipe.h"
#include "fs/tmpfs/tmpfs.h"
#include "fs/vfs/syscalls.h"
#include "kernel/syscalls/syscalls.h"

/* fcntl(2). */
#define F_DUPFD         0
#define F_GETFD         1
#define F_SETFD         2
#define F_GETFL         3
#define F_SETFL         4
#define F_GETLEASE      1025
#define F_DUPFD_CLOEXEC 1030
#define F_SETPIPE_SZ    1031
#define F_GETPIPE_SZ    1032
#define F_ADD_SEALS     1033
#define F_GET_SEALS     1034
#define FD_CLOEXEC      1
#define SETFL_FLAGS     (O_APPEND | O_NONBLOCK | O_NOATIME)

SYSCALL_DEFINE1(close, unsigned int, fd)
{
	return close_fd(fd);
}

#define CLOSE_RANGE_UNSHARE 2U
#define CLOSE_RANGE_CLOEXEC 4U

SYSCALL_DEFINE3(close_range, unsigned int, fd, unsigned int, max_fd, unsigned int, flags)
{
	int err;

	if ((flags & ~(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC)) || max_fd < fd)
		return -EINVAL;
	err = flags & CLOSE_RANGE_UNSHARE ? unshare_files() : 0;
	if (err || !current->files)
		return err;
	for (; fd < current->files->max_fds && fd <= max_fd; fd++) {
		if (flags & CLOSE_RANGE_CLOEXEC)
			set_close_on_exec(fd, true);
		else
			close_fd(fd);
	}
	return 0;
}

static long dup_from(struct file *file, unsigned from, unsigned flags)
{
	int newfd = get_unused_fd_from(from, flags);

	if (newfd >= 0)
		fd_install((unsigned)newfd, get_file(file));
	return newfd;
}

SYSCALL_DEFINE1(dup, unsigned int, fildes)
{
	struct fd f = fdget_raw(fildes);
	long ret;

	if (!f.file)
		return -EBADF;
	ret = get_unused_fd_flags(0);
	if (ret >= 0)
		fd_install((unsigned)ret, get_file(f.file));
	fdput(f);
	return ret;
}

static long dup_to(unsigned oldfd, unsigned newfd, unsigned flags)
{
	struct fd f = fdget_raw(oldfd);
	long ret = -EBADF;

	if (f.file && newfd == oldfd)
		ret = newfd;
	else if (f.file)
		ret = replace_fd(newfd, f.file, flags);
	if (f.file)
		fdput(f);
	return ret;
}

SYSCALL_DEFINE2(dup2, unsigned int, oldfd, unsigned int, newfd)
{
	return dup_to(oldfd, newfd, 0);
}

SYSCALL_DEFINE3(dup3, unsigned int, oldfd, unsigned int, newfd, int, flags)
{
	if ((flags & ~O_CLOEXEC) || newfd == oldfd)
		return -EINVAL;
	return dup_to(oldfd, newfd, (unsigned)flags);
}

void file_change_flags(struct file *file, unsigned clear, unsigned set)
{
	spin_lock(&fasync_lock);
	WRITE_ONCE(file->f_flags, (file->f_flags & ~clear) | set);
	spin_unlock(&fasync_lock);
}

int fasync_set(int fd, struct file *file, bool on)
{
	if (on == ((file->f_flags & O_ASYNC) != 0))
		return 0;
	return file->f_op->fasync ? file->f_op->fasync(fd, file, on) : -ENOTTY;
}

static long set_flags(unsigned fd, struct file *file, unsigned long arg)
{
	int err;

	if ((arg & O_NOATIME) && !(file->f_flags & O_NOATIME) &&
	    !inode_owner_or_capable(file->f_inode))
		return -EPERM;
	/* No file is read or written without the page cache. */
	if (arg & O_DIRECT)
		return -EINVAL;
	/* A file that never sends signals takes the flag, and forgets it. */
	err = file->f_op->fasync ? fasync_set((int)fd, file, arg & O_ASYNC) : 0;
	if (err)
		return err;
	file_change_flags(file, SETFL_FLAGS, (unsigned)arg & SETFL_FLAGS);
	return 0;
}

/* The commands for a file that is open with O_PATH, too. -EINVAL: another command. */
static long fcntl_descriptor(unsigned fd, struct file *file, unsigned cmd, unsigned long arg)
{
	switch (cmd) {
	case F_DUPFD:
		return dup_from(file, (unsigned)arg, 0);
	case F_DUPFD_CLOEXEC:
		return dup_from(file, (unsigned)arg, O_CLOEXEC);
	case F_GETFD:
		return get_close_on_exec(fd) ? FD_CLOEXEC : 0;
	case F_SETFD:
		set_close_on_exec(fd, arg & FD_CLOEXEC);
		return 0;
	case F_GETFL:
		return file->f_flags;
	}
	return file->f_mode & FMODE_PATH ? -EBADF : -EINVAL;
}

static long do_fcntl(unsigned fd, struct file *file, unsigned cmd, unsigned long arg)
{
	if (file->f_mode & FMODE_PATH)
		return fcntl_descriptor(fd, file, cmd, arg);
	switch (cmd) {
	case F_SETFL:
		return set_flags(fd, file, arg);
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		return vfs_hooks.fcntl_lock
			       ? vfs_hooks.fcntl_lock(fd, file, cmd, (void __user *)arg)
			       : -EINVAL;
	case F_GETPIPE_SZ:
	case F_SETPIPE_SZ:
		return pipe_fcntl(file, cmd == F_SETPIPE_SZ, arg);
	case F_ADD_SEALS:
	case F_GET_SEALS:
		return memfd_fcntl(file, cmd == F_ADD_SEALS, arg);
	case F_GETLEASE:
		return 2; /* F_UNLCK: no file has a lease */
	}
	if (cmd >= F_SETOWN && cmd <= F_GETOWNER_UIDS)
		return fcntl_owner(file, cmd, arg);
	return fcntl_descriptor(fd, file, cmd, arg);
}

SYSCALL_DEFINE3(fcntl, unsigned int, fd, unsigned int, cmd, unsigned long, arg)
{
	struct fd f = fdget_raw(fd);
	long ret;

	if (!f.file)
		return -EBADF;
	ret = do_fcntl(fd, f.file, cmd, arg);
	fdput(f);
	return ret;
}
