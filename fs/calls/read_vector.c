/* pread, pwrite, readv, writev and their kin: several buffers, or a position of their own. */
#include "fs/file/file.h"
#include "fs/file/rw.h"
#include "fs/file/uio.h"
#include "kernel/mm/slab.h"
#include "kernel/syscalls/syscalls.h"

typedef int rwf_t; /* RWF_* */

/* preadv2(2). */
#define RWF_HIPRI  0x01
#define RWF_DSYNC  0x02
#define RWF_SYNC   0x04
#define RWF_NOWAIT 0x08
#define RWF_APPEND 0x10
#define RWF_ALL    0x1f

enum rw_direction { RW_READ, RW_WRITE };

/* A file without llseek has no positions: pipes, sockets, terminals. */
static bool has_positions(const struct file *file)
{
	return file->f_op->llseek && file->f_op->llseek != no_llseek;
}

static ssize_t rw_iter(struct file *file, struct iov_iter *iter, loff_t *pos, unsigned flags,
		       enum rw_direction dir)
{
	ssize_t ret;

	if (dir == RW_READ) {
		ret = vfs_iter_read(file, iter, pos);
		account_read(ret);
	} else {
		ret = vfs_iter_write(file, iter, pos, flags);
		account_write(ret);
	}
	return ret;
}

/* At the position of the file. */
static ssize_t rw_at_f_pos(struct file *file, struct iov_iter *iter, unsigned flags,
			   enum rw_direction dir)
{
	bool locked = file->f_mode & FMODE_ATOMIC_POS;
	ssize_t ret;

	if (locked)
		mutex_lock(&file->f_pos_lock);
	ret = rw_iter(file, iter, &file->f_pos, flags, dir);
	if (locked)
		mutex_unlock(&file->f_pos_lock);
	return ret;
}

static ssize_t rw_at(unsigned fd, void __user *buf, size_t count, loff_t pos, enum rw_direction dir)
{
	struct iov_iter iter;
	ssize_t ret = -ESPIPE;
	struct fd f;

	if (pos < 0)
		return -EINVAL;
	f = fdget(fd);
	if (!f.file)
		return -EBADF;
	if (has_positions(f.file)) {
		iov_iter_user(&iter, buf, min(count, MAX_RW_COUNT));
		if (!access_ok(buf, count))
			ret = -EFAULT;
		else if (count > (size_t)(MAX_LFS_FILESIZE - pos))
			ret = -EINVAL;
		else
			ret = rw_iter(f.file, &iter, &pos, 0, dir);
	}
	fdput(f);
	return ret;
}

SYSCALL_DEFINE4(pread64, unsigned int, fd, char __user *, buf, size_t, count, loff_t, pos)
{
	return rw_at(fd, buf, count, pos, RW_READ);
}

SYSCALL_DEFINE4(pwrite64, unsigned int, fd, const char __user *, buf, size_t, count, loff_t, pos)
{
	return rw_at(fd, (char __user *)buf, count, pos, RW_WRITE);
}

/* pos: NULL for the position of the file. */
static ssize_t rw_vector_file(struct file *file, const struct iovec __user *vec, unsigned long vlen,
			      loff_t *pos, unsigned flags, enum rw_direction dir)
{
	struct iovec fast[UIO_FASTIOV], *iov;
	struct iov_iter iter;
	ssize_t ret;

	if (!(file->f_mode & (dir == RW_READ ? FMODE_READ : FMODE_WRITE)))
		return -EBADF;
	if (pos && !has_positions(file))
		return -ESPIPE;
	ret = import_iovec(vec, vlen, &iov, fast, &iter);
	if (ret < 0)
		return ret;
	if (ret > 0)
		ret = pos ? rw_iter(file, &iter, pos, flags, dir)
			  : rw_at_f_pos(file, &iter, flags, dir);
	if (iov != fast)
		kfree(iov);
	return ret;
}

static ssize_t rw_vector(unsigned long fd, const struct iovec __user *vec, unsigned long vlen,
			 loff_t *pos, int rwf, enum rw_direction dir)
{
	struct fd f = fdget((unsigned)fd);
	unsigned flags = 0;
	ssize_t ret;

	if (!f.file)
		return -EBADF;
	if (rwf & RWF_APPEND)
		flags |= IOCB_APPEND;
	/* Devices such as /dev/zero never wait. */
	if ((rwf & ~RWF_ALL) || ((rwf & RWF_NOWAIT) && !S_ISCHR(f.file->f_inode->i_mode)))
		ret = -EOPNOTSUPP;
	else
		ret = rw_vector_file(f.file, vec, vlen, pos, flags, dir);
	fdput(f);
	return ret;
}

SYSCALL_DEFINE3(readv, unsigned long, fd, const struct iovec __user *, vec, unsigned long, vlen)
{
	return rw_vector(fd, vec, vlen, NULL, 0, RW_READ);
}

SYSCALL_DEFINE3(writev, unsigned long, fd, const struct iovec __user *, vec, unsigned long, vlen)
{
	return rw_vector(fd, vec, vlen, NULL, 0, RW_WRITE);
}

/* The position comes in two halves for 32-bit programs; here the first register holds all of it. */
static ssize_t rw_vector_at(unsigned long fd, const struct iovec __user *vec, unsigned long vlen,
			    unsigned long pos_l, int flags, enum rw_direction dir)
{
	loff_t pos = (loff_t)pos_l;

	return pos < 0 ? -EINVAL : rw_vector(fd, vec, vlen, &pos, flags, dir);
}

SYSCALL_DEFINE5(preadv, unsigned long, fd, const struct iovec __user *, vec, unsigned long, vlen,
		unsigned long, pos_l, unsigned long, pos_h)
{
	(void)pos_h;
	return rw_vector_at(fd, vec, vlen, pos_l, 0, RW_READ);
}

SYSCALL_DEFINE5(pwritev, unsigned long, fd, const struct iovec __user *, vec, unsigned long, vlen,
		unsigned long, pos_l, unsigned long, pos_h)
{
	(void)pos_h;
	return rw_vector_at(fd, vec, vlen, pos_l, 0, RW_WRITE);
}

SYSCALL_DEFINE6(preadv2, unsigned long, fd, const struct iovec __user *, vec, unsigned long, vlen,
		unsigned long, pos_l, unsigned long, pos_h, rwf_t, flags)
{
	(void)pos_h;
	if (pos_l == ~0UL)
		return rw_vector(fd, vec, vlen, NULL, flags, RW_READ);
	return rw_vector_at(fd, vec, vlen, pos_l, flags, RW_READ);
}

SYSCALL_DEFINE6(pwritev2, unsigned long, fd, const struct iovec __user *, vec, unsigned long, vlen,
		unsigned long, pos_l, unsigned long, pos_h, rwf_t, flags)
{
	(void)pos_h;
	if (pos_l == ~0UL)
		return rw_vector(fd, vec, vlen, NULL, flags, RW_WRITE);
	return rw_vector_at(fd, vec, vlen, pos_l, flags, RW_WRITE);
}
