/* read, write, lseek, ioctl: checks, file positions, and the call of the file's own operation. */
#include "fs/file.h"
#include "fs/internal.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/ktime.h"

static ssize_t no_operation(const struct file *file)
{
	return S_ISDIR(file->f_inode->i_mode) ? -EISDIR : file->f_inode->i_sb->s_no_op_error;
}

ssize_t vfs_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	if (unlikely(!(file->f_mode & FMODE_READ)))
		return -EBADF;
	if (unlikely(!file->f_op->read))
		return no_operation(file);
	if (unlikely(count > MAX_RW_COUNT))
		count = MAX_RW_COUNT;
	return file->f_op->read(file, buf, count, pos);
}

ssize_t vfs_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	if (unlikely(!(file->f_mode & FMODE_WRITE)))
		return -EBADF;
	if (unlikely(!file->f_op->write))
		return no_operation(file);
	if (unlikely(count > MAX_RW_COUNT))
		count = MAX_RW_COUNT;
	return file->f_op->write(file, buf, count, pos);
}

/* Tells if f_pos needs its lock: another task can use it only if the file has more references. */
static inline bool file_pos_shared(const struct file *file)
{
	return unlikely((file->f_mode & FMODE_ATOMIC_POS) && atomic_read(&file->f_count) > 1);
}

static noinline ssize_t read_shared(struct file *file, char *buf, size_t count)
{
	ssize_t ret;

	mutex_lock(&file->f_pos_lock);
	ret = vfs_read(file, buf, count, &file->f_pos);
	mutex_unlock(&file->f_pos_lock);
	return ret;
}

static noinline ssize_t write_shared(struct file *file, const char *buf, size_t count)
{
	ssize_t ret;

	mutex_lock(&file->f_pos_lock);
	ret = vfs_write(file, buf, count, &file->f_pos);
	mutex_unlock(&file->f_pos_lock);
	return ret;
}

SYSCALL_DEFINE3(read, unsigned int, fd, char *, buf, size_t, count)
{
	struct file *file = fcheck((int)fd);

	if (unlikely(!file))
		return -EBADF;
	if (file_pos_shared(file))
		return read_shared(file, buf, count);
	return vfs_read(file, buf, count, &file->f_pos);
}

SYSCALL_DEFINE3(write, unsigned int, fd, const char *, buf, size_t, count)
{
	struct file *file = fcheck((int)fd);

	if (unlikely(!file))
		return -EBADF;
	if (file_pos_shared(file))
		return write_shared(file, buf, count);
	return vfs_write(file, buf, count, &file->f_pos);
}

static loff_t vfs_llseek(struct file *file, loff_t offset, int whence)
{
	return file->f_op->llseek ? file->f_op->llseek(file, offset, whence) : -ESPIPE;
}

SYSCALL_DEFINE3(lseek, unsigned int, fd, off_t, offset, unsigned int, whence)
{
	struct file *file = fcheck((int)fd);
	loff_t ret;
	bool locked;

	if (!file)
		return -EBADF;
	if (whence > SEEK_END)
		return -EINVAL;
	locked = file_pos_shared(file);
	if (locked)
		mutex_lock(&file->f_pos_lock);
	ret = vfs_llseek(file, offset, (int)whence);
	if (locked)
		mutex_unlock(&file->f_pos_lock);
	return ret;
}

loff_t generic_file_llseek(struct file *file, loff_t offset, int whence)
{
	loff_t base = 0;

	if (whence == SEEK_CUR)
		base = file->f_pos;
	else if (whence == SEEK_END)
		base = READ_ONCE(file->f_inode->i_size);
	if (__builtin_add_overflow(base, offset, &offset))
		return -EOVERFLOW;
	if (offset < 0)
		return -EINVAL;
	file->f_pos = offset;
	return offset;
}

loff_t noop_llseek(struct file *file, loff_t offset, int whence)
{
	(void)offset;
	(void)whence;
	return file->f_pos;
}

loff_t no_llseek(struct file *file, loff_t offset, int whence)
{
	(void)file;
	(void)offset;
	(void)whence;
	return -ESPIPE;
}

SYSCALL_DEFINE3(ioctl, unsigned int, fd, unsigned int, cmd, unsigned long, arg)
{
	struct file *file = fcheck((int)fd);

	if (!file)
		return -EBADF;
	return file->f_op->ioctl ? file->f_op->ioctl(file, cmd, arg) : -ENOTTY;
}
