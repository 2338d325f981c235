/*
 * Reads and writes of files: checks, and the call of the file's own operation. The system calls are
 * in fs/calls/read_write.c.
 *
 * A kernel task's buffer goes straight to the file's read or write. A program's buffer goes to
 * read_iter or write_iter, which copy by themselves; for a file without them, through a bounce
 * buffer. The files of tracefs have none: they get kernel memory.
 *
 * An iov_iter is a buffer with the place that has been reached in it. A kiocb is one request: the
 * file, the position, the flags.
 */
#include "fs/vfs/internal.h"
#include "fs/file/rw.h"
#include "fs/file/uio.h"
#include "fs/vfs/fsnotify.h"
#include "kernel/mm/slab.h"

#define BOUNCE_STACK 128U    /* bytes of a bounce buffer on the stack */
#define BOUNCE_MAX   65536UL /* a tracefs write must arrive in one piece */

/* The bytes that one call moves. barrier() makes the usual case a branch: shorter than a cmov. */
static __always_inline size_t rw_count(size_t count)
{
	if (unlikely(count > MAX_RW_COUNT)) {
		count = MAX_RW_COUNT;
		barrier();
	}
	return count;
}

static ssize_t no_operation(const struct file *file)
{
	return S_ISDIR(file->f_inode->i_mode) ? -EISDIR : file->f_inode->i_sb->s_no_op_error;
}

/*
 * ---- through a bounce buffer: on the stack, or allocated if it is long; out of line, so that the
 * usual case saves fewer registers ----
 */

static noinline ssize_t read_bounced_long(struct file *file, struct iov_iter *to, loff_t *pos)
{
	size_t count = min(to->count, BOUNCE_MAX);
	char *buf = kmalloc(count, GFP_KERNEL);
	ssize_t n;

	if (!buf)
		return -ENOMEM;
	n = file->f_op->read(file, buf, count, pos);
	if (n > 0 && copy_to_iter(buf, (size_t)n, to) != (size_t)n)
		n = -EFAULT;
	kfree(buf);
	return n;
}

static noinline ssize_t read_bounced(struct file *file, struct iov_iter *to, loff_t *pos)
{
	char buf[BOUNCE_STACK];
	ssize_t n = file->f_op->read(file, buf, to->count, pos);

	if (n > 0 && copy_to_iter(buf, (size_t)n, to) != (size_t)n)
		n = -EFAULT;
	return n;
}

static noinline ssize_t write_bounced_long(struct file *file, struct iov_iter *from, loff_t *pos)
{
	size_t size = min(from->count, BOUNCE_MAX);
	char *buf = kmalloc(size, GFP_KERNEL);
	ssize_t n = 0, done = 0;

	if (!buf)
		return -ENOMEM;
	do {
		size_t count = min(from->count, size);

		n = -EFAULT;
		if (copy_from_iter(buf, count, from) != count)
			break;
		n = file->f_op->write(file, buf, count, pos);
		if (n > 0)
			done += n;
		if (n != (ssize_t)count)
			break;
	} while (from->count);
	kfree(buf);
	return done ? done : n;
}

static noinline ssize_t write_bounced(struct file *file, struct iov_iter *from, loff_t *pos)
{
	size_t count = from->count;
	char buf[BOUNCE_STACK];

	if (copy_from_iter(buf, count, from) != count)
		return -EFAULT;
	return file->f_op->write(file, buf, count, pos);
}

static inline ssize_t read_without_iter(struct file *file, struct iov_iter *to, loff_t *pos)
{
	if (!file->f_op->read)
		return no_operation(file);
	return to->count > BOUNCE_STACK ? read_bounced_long(file, to, pos)
					: read_bounced(file, to, pos);
}

static inline ssize_t write_without_iter(struct file *file, struct iov_iter *from, loff_t *pos)
{
	if (!file->f_op->write)
		return no_operation(file);
	return from->count > BOUNCE_STACK ? write_bounced_long(file, from, pos)
					  : write_bounced(file, from, pos);
}

/* ---- with an iterator ---- */

ssize_t vfs_iter_read(struct file *file, struct iov_iter *to, loff_t *pos)
{
	struct kiocb iocb = { .ki_filp = file, .ki_pos = *pos };
	ssize_t ret;

	if (unlikely(!(file->f_mode & FMODE_READ)))
		return -EBADF;
	if (unlikely(!file->f_op->read_iter))
		return read_without_iter(file, to, pos);
	ret = file->f_op->read_iter(&iocb, to);
	*pos = iocb.ki_pos;
	fsnotify_io(file, ret, IN_ACCESS);
	return ret;
}

ssize_t vfs_iter_write(struct file *file, struct iov_iter *from, loff_t *pos, unsigned flags)
{
	struct kiocb iocb = { .ki_filp = file, .ki_pos = *pos, .ki_flags = flags };
	ssize_t ret;

	if (unlikely(!(file->f_mode & FMODE_WRITE)))
		return -EBADF;
	if (file->f_flags & O_APPEND)
		iocb.ki_flags |= IOCB_APPEND;
	if (unlikely(!file->f_op->write_iter))
		return write_without_iter(file, from, pos);
	ret = file->f_op->write_iter(&iocb, from);
	*pos = iocb.ki_pos;
	fsnotify_io(file, ret, IN_MODIFY);
	return ret;
}

/* ---- with kernel memory ---- */

static noinline ssize_t read_kernel_iter(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct iov_iter to;

	if (!file->f_op->read_iter)
		return no_operation(file);
	iov_iter_kernel(&to, buf, count);
	return vfs_iter_read(file, &to, pos);
}

static noinline ssize_t write_kernel_iter(struct file *file, const char *buf, size_t count,
					  loff_t *pos)
{
	struct iov_iter from;

	if (!file->f_op->write_iter)
		return no_operation(file);
	iov_iter_kernel(&from, (char *)buf, count);
	return vfs_iter_write(file, &from, pos, 0);
}

static inline ssize_t do_kernel_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	ssize_t ret;

	if (unlikely(!(file->f_mode & FMODE_READ)))
		return -EBADF;
	count = rw_count(count);
	if (unlikely(!file->f_op->read))
		ret = read_kernel_iter(file, buf, count, pos);
	else
		ret = file->f_op->read(file, buf, count, pos);
	account_read(ret);
	return ret;
}

static inline ssize_t do_kernel_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	ssize_t ret;

	if (unlikely(!(file->f_mode & FMODE_WRITE)))
		return -EBADF;
	count = rw_count(count);
	if (unlikely(!file->f_op->write))
		ret = write_kernel_iter(file, buf, count, pos);
	else
		ret = file->f_op->write(file, buf, count, pos);
	account_write(ret);
	return ret;
}

ssize_t kernel_read(struct file *file, void *buf, size_t count, loff_t *pos)
{
	return do_kernel_read(file, buf, count, pos);
}

ssize_t kernel_write(struct file *file, const void *buf, size_t count, loff_t *pos)
{
	return do_kernel_write(file, buf, count, pos);
}

/* ---- with the memory of the caller: a program, or a kernel task ---- */

noinline ssize_t vfs_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct iov_iter to;
	ssize_t ret;

	if (unlikely(!current->mm))
		return do_kernel_read(file, (__force char *)buf, count, pos);
	if (unlikely(!user_access_ok(buf, count)))
		return file->f_mode & FMODE_READ ? -EFAULT : -EBADF;
	iov_iter_user(&to, buf, rw_count(count));
	ret = vfs_iter_read(file, &to, pos);
	account_read(ret);
	return ret;
}

/* A task without an mm is a kernel task: its buf is kernel memory. */
noinline ssize_t vfs_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	struct iov_iter from;
	ssize_t ret;

	if (unlikely(!current->mm))
		return do_kernel_write(file, (__force const char *)buf, count, pos);
	if (unlikely(!user_access_ok(buf, count)))
		return file->f_mode & FMODE_WRITE ? -EFAULT : -EBADF;
	iov_iter_user(&from, (char __user *)buf, rw_count(count));
	ret = vfs_iter_write(file, &from, pos, 0);
	account_write(ret);
	return ret;
}

loff_t generic_file_llseek(struct file *file, loff_t offset, int whence)
{
	loff_t size = READ_ONCE(file->f_inode->i_size), base = 0;

	if (whence == SEEK_CUR) {
		base = file->f_pos;
	} else if (whence == SEEK_END) {
		base = size;
	} else if (whence == SEEK_DATA || whence == SEEK_HOLE) {
		/* The file is all data, and has a hole at its end. */
		if (offset < 0 || offset >= size)
			return -ENXIO;
		if (whence == SEEK_HOLE)
			offset = size;
	}
	if (__builtin_add_overflow(base, offset, &offset))
		return -EINVAL;
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
