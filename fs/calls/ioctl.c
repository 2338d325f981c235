/* ioctl(2) on any file: the commands that each file has; the others are the file's own. */
#include "arch/mm/uaccess.h"
#include "fs/calls/fcntl.h"
#include "fs/file/file.h"
#include "kernel/syscalls/syscalls.h"

#define FIOCLEX  0x5451U
#define FIONCLEX 0x5450U
#define FIONBIO  0x5421U
#define FIONREAD 0x541bU
#define FIOASYNC 0x5452U

static long set_nonblocking(struct file *file, int __user *arg)
{
	int on;

	if (get_user(on, arg))
		return -EFAULT;
	file_change_flags(file, O_NONBLOCK, on ? O_NONBLOCK : 0);
	return 0;
}

static long set_async(unsigned fd, struct file *file, int __user *arg)
{
	int on;

	return get_user(on, arg) ? -EFAULT : fasync_set((int)fd, file, on);
}

/* The bytes between the position and the end of a regular file. */
static long bytes_to_read(struct file *file, int __user *arg)
{
	return put_user((int)(file->f_inode->i_size - file->f_pos), arg);
}

static long do_ioctl(unsigned fd, struct file *file, unsigned cmd, unsigned long arg)
{
	switch (cmd) {
	case FIOCLEX:
		set_close_on_exec(fd, true);
		return 0;
	case FIONCLEX:
		set_close_on_exec(fd, false);
		return 0;
	case FIONBIO:
		return set_nonblocking(file, (int __user *)arg);
	case FIOASYNC:
		return set_async(fd, file, (int __user *)arg);
	case FIONREAD:
		if (S_ISREG(file->f_inode->i_mode))
			return bytes_to_read(file, (int __user *)arg);
	}
	return file->f_op->ioctl ? file->f_op->ioctl(file, cmd, arg) : -ENOTTY;
}

SYSCALL_DEFINE3(ioctl, unsigned int, fd, unsigned int, cmd, unsigned long, arg)
{
	struct fd f = fdget(fd);
	long ret;

	if (!f.file)
		return -EBADF;
	ret = do_ioctl(fd, f.file, cmd, arg);
	fdput(f);
	return ret;
}
