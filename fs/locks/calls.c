/* fcntl(2) locks and flock(2): the arguments of programs. fs/locks/locks.c keeps the locks. */
#include "arch/mm/uaccess.h"
#include "fs/file/file.h"
#include "fs/locks/locks.h"
#include "kernel/syscalls/syscalls.h"

#define LOCK_SH   1
#define LOCK_EX   2
#define LOCK_NB   4
#define LOCK_UN   8
#define LOCK_MAND 32

/* The argument of fcntl(2). */
struct flock {
	short l_type;
	short l_whence;
	loff_t l_start;
	loff_t l_len;
	int l_pid;
};

/* Computes the range that a program gives. 0, -EINVAL or -EOVERFLOW. */
static int lock_range(const struct file *file, const struct flock *fl, struct lock_request *lock)
{
	loff_t start;

	switch (fl->l_whence) {
	case SEEK_SET:
		start = 0;
		break;
	case SEEK_CUR:
		start = file->f_pos;
		break;
	case SEEK_END:
		start = file->f_inode->i_size;
		break;
	default:
		return -EINVAL;
	}
	if (__builtin_add_overflow(start, fl->l_start, &start))
		return -EOVERFLOW;
	if (start < 0)
		return -EINVAL;
	lock->start = start;
	lock->end = OFFSET_MAX;
	if (fl->l_len > 0) {
		if (__builtin_add_overflow(start, fl->l_len - 1, &lock->end))
			return -EOVERFLOW;
	} else if (fl->l_len < 0) {
		if (start + fl->l_len < 0)
			return -EINVAL;
		lock->start = start + fl->l_len;
		lock->end = start - 1;
	}
	return 0;
}

static void get_lock(struct lock_request *want, struct flock *fl)
{
	if (!locks_find_conflict(want)) {
		fl->l_type = F_UNLCK;
		return;
	}
	fl->l_type = want->type;
	fl->l_whence = SEEK_SET;
	fl->l_start = want->start;
	fl->l_len = want->end == OFFSET_MAX ? 0 : want->end - want->start + 1;
	fl->l_pid = want->pid;
}

/*
 * While a thread waits for a lock, another thread may close the descriptor. That close has dropped
 * the locks of the process on the file before this one was there.
 */
static long drop_if_closed(unsigned fd, struct file *file)
{
	struct file *now = fget_raw(fd);

	if (now)
		fput(now);
	if (now == file)
		return 0;
	locks_remove_posix(file, current->files);
	return -EBADF;
}

long __fcntl_lock(unsigned fd, struct file *file, unsigned cmd, void __user *arg)
{
	bool of_file = cmd >= F_OFD_GETLK;
	struct lock_request want = {
		.inode = file->f_inode,
		.owner = of_file ? (void *)file : (void *)current->files,
		.pid = of_file ? -1 : current->tgid,
	};
	struct flock fl;
	long err;

	if (copy_from_user(&fl, arg, sizeof(fl)))
		return -EFAULT;
	if (of_file && fl.l_pid)
		return -EINVAL;
	if (fl.l_type != F_RDLCK && fl.l_type != F_WRLCK && fl.l_type != F_UNLCK)
		return -EINVAL;
	want.type = fl.l_type;
	err = lock_range(file, &fl, &want);
	if (err)
		return err;
	if (cmd == F_GETLK || cmd == F_OFD_GETLK) {
		if (want.type == F_UNLCK)
			return -EINVAL;
		get_lock(&want, &fl);
		return copy_to_user(arg, &fl, sizeof(fl)) ? -EFAULT : 0;
	}
	if ((want.type == F_RDLCK && !(file->f_mode & FMODE_READ)) ||
	    (want.type == F_WRLCK && !(file->f_mode & FMODE_WRITE)))
		return -EBADF;
	err = locks_set(&want, cmd == F_SETLKW || cmd == F_OFD_SETLKW);
	return err || of_file || want.type == F_UNLCK ? err : drop_if_closed(fd, file);
}

SYSCALL_DEFINE2(flock, unsigned int, fd, unsigned int, cmd)
{
	struct lock_request want = { .flock = true, .end = OFFSET_MAX, .pid = -1 };
	struct fd f = fdget(fd);
	long err = 0;

	if (!f.file)
		return -EBADF;
	if (cmd & LOCK_MAND) { /* Linux ignores it, too */
		fdput(f);
		return 0;
	}
	switch (cmd & ~(unsigned)LOCK_NB) {
	case LOCK_SH:
		want.type = F_RDLCK;
		break;
	case LOCK_EX:
		want.type = F_WRLCK;
		break;
	case LOCK_UN:
		want.type = F_UNLCK;
		break;
	default:
		err = -EINVAL;
	}
	if (!err) {
		want.inode = f.file->f_inode;
		want.owner = f.file;
		err = locks_set(&want, !(cmd & LOCK_NB));
	}
	fdput(f);
	return err;
}
