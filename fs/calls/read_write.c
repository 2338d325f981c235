/* read(2), write(2), lseek(2): the file of a descriptor, and its position. */
#include "fs/file/file.h"
#include "fs/vfs/internal.h"
#include "kernel/syscalls/syscalls.h"

/* Tells if f_pos needs its lock: another task can use it only if the file has more references. */
static inline bool file_pos_shared(const struct file *file)
{
	return unlikely((file->f_mode & FMODE_ATOMIC_POS) && atomic_read(&file->f_count) > 1);
}

static noinline ssize_t read_shared(struct file *file, char __user *buf, size_t count)
{
	ssize_t ret;

	mutex_lock(&file->f_pos_lock);
	ret = vfs_read(file, buf, count, &file->f_pos);
	mutex_unlock(&file->f_pos_lock);
	return ret;
}

static noinline ssize_t write_shared(struct file *file, const char __user *buf, size_t count)
{
	ssize_t ret;

	mutex_lock(&file->f_pos_lock);
	ret = vfs_write(file, buf, count, &file->f_pos);
	mutex_unlock(&file->f_pos_lock);
	return ret;
}

/* A file of a table that other tasks use, too, and from which they may close it. */
static noinline ssize_t read_counted(unsigned fd, char __user *buf, size_t count)
{
	struct fd f = fdget_shared(fd);
	ssize_t ret;

	if (!f.file)
		return -EBADF;
	ret = f.file->f_mode & FMODE_ATOMIC_POS ? read_shared(f.file, buf, count)
						: vfs_read(f.file, buf, count, &f.file->f_pos);
	fdput(f);
	return ret;
}

static noinline ssize_t write_counted(unsigned fd, const char __user *buf, size_t count)
{
	struct fd f = fdget_shared(fd);
	ssize_t ret;

	if (!f.file)
		return -EBADF;
	ret = f.file->f_mode & FMODE_ATOMIC_POS ? write_shared(f.file, buf, count)
						: vfs_write(f.file, buf, count, &f.file->f_pos);
	fdput(f);
	return ret;
}

/*
 * The next two are the busiest calls of most programs. The usual case is the last line of each: no
 * other task uses the table of descriptors, so fcheck_light() finds the file without counting a
 * reference, and no other task uses the file. They are noinline because tools probe them by these
 * names, which are Linux's.
 */

static noinline ssize_t ksys_read(unsigned fd, char __user *buf, size_t count)
{
	struct file *file = fcheck_light(current, fd);

	if (unlikely(!file))
		return read_counted(fd, buf, count);
	if (file_pos_shared(file))
		return read_shared(file, buf, count);
	return vfs_read(file, buf, count, &file->f_pos);
}

static noinline ssize_t ksys_write(unsigned fd, const char __user *buf, size_t count)
{
	struct file *file = fcheck_light(current, fd);

	if (unlikely(!file))
		return write_counted(fd, buf, count);
	if (file_pos_shared(file))
		return write_shared(file, buf, count);
	return vfs_write(file, buf, count, &file->f_pos);
}

SYSCALL_DEFINE3(read, unsigned int, fd, char __user *, buf, size_t, count)
{
	return ksys_read(fd, buf, count);
}

SYSCALL_DEFINE3(write, unsigned int, fd, const char __user *, buf, size_t, count)
{
	return ksys_write(fd, buf, count);
}

static loff_t vfs_llseek(struct file *file, loff_t offset, int whence)
{
	return file->f_op->llseek ? file->f_op->llseek(file, offset, whence) : -ESPIPE;
}

SYSCALL_DEFINE3(lseek, unsigned int, fd, off_t, offset, unsigned int, whence)
{
	struct fd f = fdget(fd);
	loff_t ret = -EINVAL;
	bool locked;

	if (!f.file)
		return -EBADF;
	if (whence <= SEEK_HOLE) {
		locked = file_pos_shared(f.file);
		if (locked)
			mutex_lock(&f.file->f_pos_lock);
		ret = vfs_llseek(f.file, offset, (int)whence);
		if (locked)
			mutex_unlock(&f.file->f_pos_lock);
	}
	fdput(f);
	return ret;
}
