/*
 * sendfile, splice, tee, vmsplice, copy_file_range: data moves from one file to another without
 * passing through the program. Linux moves references to pages; here the bytes are copied through a
 * buffer of the kernel, which programs cannot tell.
 */
#include "fs/file/file.h"
#include "fs/pipe/pipe.h"
#include "fs/file/rw.h"
#include "fs/file/uio.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/syscalls/syscalls.h"

#define SPLICE_BUFFER 65536UL

#define SPLICE_F_MOVE     1U
#define SPLICE_F_NONBLOCK 2U
#define SPLICE_F_MORE     4U
#define SPLICE_F_GIFT     8U
#define SPLICE_F_ALL      15U

/* Writes all of the buffer. Returns the bytes written, or a negative errno for none. */
static ssize_t write_all(struct file *out, char *buf, size_t count, loff_t *pos, unsigned flags)
{
	struct iov_iter from;
	size_t done = 0;
	ssize_t n;

	while (done < count) {
		iov_iter_kernel(&from, buf + done, count - done);
		n = vfs_iter_write(out, &from, pos, flags);
		if (n <= 0)
			return done ? (ssize_t)done : n;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* One buffer from in to out. Returns the bytes moved; 0: the end of in. */
static ssize_t move_buffer(struct file *in, loff_t *in_pos, struct file *out, loff_t *out_pos,
			   char *buf, size_t count)
{
	loff_t start = *in_pos;
	struct iov_iter to;
	ssize_t n, written;

	iov_iter_kernel(&to, buf, count);
	n = vfs_iter_read(in, &to, in_pos);
	if (n <= 0)
		return n;
	written = write_all(out, buf, (size_t)n, out_pos, 0);
	/* What was not written can be read again, if in has positions. */
	if (written < n)
		*in_pos = start + max(written, (ssize_t)0);
	return written;
}

/* The same from a pipe: what is not written stays in it. 0: the pipe is at its end. */
static ssize_t take_buffer(struct file *in, struct file *out, loff_t *out_pos, char *buf,
			   size_t count, bool nonblock)
{
	ssize_t n = pipe_begin_take(in, buf, count, nonblock), written;

	if (n <= 0)
		return n;
	written = write_all(out, buf, (size_t)n, out_pos, 0);
	pipe_end_take(in, (size_t)max(written, (ssize_t)0));
	return written;
}

static bool is_pipe(const struct file *file)
{
	return file->f_op == &pipe_fops;
}

/* Buffer by buffer. A pipe as in or out: only one, because the program may be its other end. */
static ssize_t move_bytes(struct file *in, loff_t *in_pos, struct file *out, loff_t *out_pos,
			  size_t count, bool nonblock)
{
	char *buf = kmalloc(min(count, SPLICE_BUFFER), GFP_KERNEL);
	size_t done = 0;
	ssize_t n = 0;

	if (!buf)
		return -ENOMEM;
	while (done < count) {
		size_t chunk = min(count - done, SPLICE_BUFFER);

		n = is_pipe(in) ? take_buffer(in, out, out_pos, buf, chunk, nonblock)
				: move_buffer(in, in_pos, out, out_pos, buf, chunk);
		if (n <= 0)
			break;
		done += (size_t)n;
		if (is_pipe(in) || is_pipe(out) || signal_pending(current))
			break;
		cond_resched();
	}
	kfree(buf);
	return done ? (ssize_t)done : n;
}

/* ---- positions ---- */

/* May file be read or written at a position that a program gives? 0 or a negative errno. */
static int check_pos(struct file *file, loff_t pos)
{
	if (!file->f_op->llseek || file->f_op->llseek == no_llseek)
		return -ESPIPE;
	return pos < 0 ? -EINVAL : 0;
}

/* Reads the position that a program gives. 0 or a negative errno. */
static int get_pos(loff_t __user *user, struct file *file, loff_t *pos)
{
	if (!user) {
		*pos = file->f_pos;
		return 0;
	}
	if (get_user(*pos, user))
		return -EFAULT;
	return check_pos(file, *pos);
}

static int put_pos(loff_t __user *user, struct file *file, loff_t pos)
{
	if (user)
		return put_user(pos, user);
	file->f_pos = pos;
	return 0;
}

static void account_copy(ssize_t bytes)
{
	account_read(bytes);
	account_write(bytes);
}

/* ---- sendfile ---- */

/* offset: where to begin, and afterwards where the copy ended. NULL: the position of in. */
static ssize_t do_sendfile(struct file *in, loff_t *offset, struct file *out, size_t count)
{
	loff_t pos = offset ? *offset : in->f_pos, out_pos = out->f_pos;
	ssize_t ret, room;
	int err;

	if (!(in->f_mode & FMODE_READ) || !(out->f_mode & FMODE_WRITE))
		return -EBADF;
	err = offset ? check_pos(in, pos) : 0;
	if (err)
		return err;
	/* Only from what has positions: no pipe, no terminal, no socket. */
	if (!in->f_op->llseek || in->f_op->llseek == no_llseek || in->f_op->no_splice_read ||
	    S_ISDIR(in->f_inode->i_mode))
		return -EINVAL;
	if ((out->f_flags & O_APPEND) || out->f_op->no_splice_write)
		return -EINVAL;
	if (!count)
		return 0;
	count = min(count, MAX_RW_COUNT);
	if (is_pipe(out)) {
		room = pipe_wait_for_room(out, out->f_flags & O_NONBLOCK);
		if (room <= 0)
			return room;
		count = min(count, (size_t)room);
	}
	ret = move_bytes(in, &pos, out, &out_pos, count, false);
	out->f_pos = out_pos;
	if (offset)
		*offset = pos;
	else
		in->f_pos = pos;
	return ret;
}

SYSCALL_DEFINE4(sendfile64, int, out_fd, int, in_fd, loff_t __user *, offset, size_t, count)
{
	struct fd in, out;
	ssize_t ret = -EBADF;
	loff_t pos;

	if (offset && get_user(pos, offset))
		return -EFAULT;
	in = fdget((unsigned)in_fd);
	out = fdget((unsigned)out_fd);
	if (in.file && out.file)
		ret = do_sendfile(in.file, offset ? &pos : NULL, out.file, count);
	if (ret >= 0)
		account_copy(ret);
	if (in.file)
		fdput(in);
	if (out.file)
		fdput(out);
	return offset && put_user(pos, offset) ? -EFAULT : ret;
}

/* ---- splice and tee ---- */

/* The file that is no pipe may have a position. A pipe has none: -ESPIPE. */
static ssize_t do_splice(struct file *in, loff_t __user *off_in, struct file *out,
			 loff_t __user *off_out, size_t len, unsigned flags)
{
	bool nonblock = flags & SPLICE_F_NONBLOCK;
	loff_t in_pos, out_pos;
	ssize_t ret;
	int err;

	if (!(in->f_mode & FMODE_READ) || !(out->f_mode & FMODE_WRITE))
		return -EBADF;
	if ((!is_pipe(in) && !is_pipe(out)) || S_ISDIR(in->f_inode->i_mode))
		return -EINVAL;
	if ((is_pipe(in) && off_in) || (is_pipe(out) && off_out))
		return -ESPIPE;
	if (is_pipe(in) && is_pipe(out) && in->private_data == out->private_data)
		return -EINVAL;
	if (!is_pipe(out) && ((out->f_flags & O_APPEND) || out->f_op->no_splice_write))
		return -EINVAL;
	if (in->f_op->no_splice_read)
		return -EINVAL;
	err = get_pos(off_in, in, &in_pos);
	if (!err)
		err = get_pos(off_out, out, &out_pos);
	if (err)
		return err;
	nonblock |= is_pipe(in) && (in->f_flags & O_NONBLOCK);
	nonblock |= is_pipe(out) && (out->f_flags & O_NONBLOCK);
	if (is_pipe(out)) {
		ret = is_pipe(in) ? pipe_wait_for_bytes(in, nonblock) : 1;
		if (ret <= 0)
			return ret;
		ret = pipe_wait_for_room(out, nonblock);
		if (ret <= 0)
			return ret;
		len = min(len, (size_t)ret);
	}
	ret = move_bytes(in, &in_pos, out, &out_pos, len, nonblock);
	if (!is_pipe(in) && put_pos(off_in, in, in_pos))
		return -EFAULT;
	if (!is_pipe(out) && put_pos(off_out, out, out_pos))
		return -EFAULT;
	return ret;
}

SYSCALL_DEFINE6(splice, int, fd_in, loff_t __user *, off_in, int, fd_out, loff_t __user *, off_out,
		size_t, len, unsigned int, flags)
{
	struct fd in, out;
	ssize_t ret = -EBADF;

	if (!len)
		return 0;
	if (flags & ~SPLICE_F_ALL)
		return -EINVAL;
	in = fdget((unsigned)fd_in);
	out = fdget((unsigned)fd_out);
	if (in.file && out.file)
		ret = do_splice(in.file, off_in, out.file, off_out, len, flags);
	if (in.file)
		fdput(in);
	if (out.file)
		fdput(out);
	return ret;
}

/* ---- copy_file_range ---- */

/* Linux adds without a sign: -1 with a length is beyond the end, and -1 alone is only wrong. */
static bool range_overflows(const loff_t __user *user, size_t len)
{
	loff_t pos;

	return user && !get_user(pos, user) && (u64)pos + len < (u64)pos;
}

static ssize_t do_copy_file_range(struct file *in, loff_t __user *off_in, struct file *out,
				  loff_t __user *off_out, size_t len)
{
	loff_t in_pos, out_pos;
	ssize_t ret;
	int err;

	if (S_ISDIR(in->f_inode->i_mode) || S_ISDIR(out->f_inode->i_mode))
		return -EISDIR;
	if (!S_ISREG(in->f_inode->i_mode) || !S_ISREG(out->f_inode->i_mode))
		return -EINVAL;
	if (!(in->f_mode & FMODE_READ) || !(out->f_mode & FMODE_WRITE) || (out->f_flags & O_APPEND))
		return -EBADF;
	if (range_overflows(off_in, len) || range_overflows(off_out, len))
		return -EOVERFLOW;
	err = get_pos(off_in, in, &in_pos);
	if (!err)
		err = get_pos(off_out, out, &out_pos);
	/* A negative position counts as one that the length carries over the end. */
	if (err == -EINVAL)
		return len ? -EOVERFLOW : -EINVAL;
	if (err)
		return err;
	len = min(len, MAX_RW_COUNT);
	if (in->f_inode == out->f_inode && in_pos + (loff_t)len > out_pos &&
	    out_pos + (loff_t)len > in_pos)
		return -EINVAL;
	if (!len)
		return 0;
	ret = move_bytes(in, &in_pos, out, &out_pos, len, false);
	if (put_pos(off_in, in, in_pos) || put_pos(off_out, out, out_pos))
		return -EFAULT;
	return ret;
}

SYSCALL_DEFINE6(copy_file_range, int, fd_in, loff_t __user *, off_in, int, fd_out, loff_t __user *,
		off_out, size_t, len, unsigned int, flags)
{
	struct fd in = fdget((unsigned)fd_in), out = fdget((unsigned)fd_out);
	ssize_t ret = -EBADF;

	if (in.file && out.file)
		ret = flags ? -EINVAL : do_copy_file_range(in.file, off_in, out.file, off_out, len);
	if (ret > 0)
		account_copy(ret);
	if (in.file)
		fdput(in);
	if (out.file)
		fdput(out);
	return ret;
}

/* ---- tee and vmsplice ---- */

static ssize_t do_tee(struct file *in, struct file *out, size_t len, bool nonblock)
{
	loff_t pos = 0;
	ssize_t ret;
	char *buf;

	if (!(in->f_mode & FMODE_READ) || !(out->f_mode & FMODE_WRITE))
		return -EBADF;
	if (!is_pipe(in) || !is_pipe(out) || in->private_data == out->private_data)
		return -EINVAL;
	len = min(len, (size_t)PIPE_SIZE);
	buf = kmalloc(len, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	do {
		ret = pipe_wait_for_bytes(in, nonblock);
		if (ret > 0)
			ret = pipe_wait_for_room(out, nonblock);
		if (ret <= 0)
			break;
		ret = pipe_peek(in, buf, min(len, (size_t)ret));
	} while (ret == -EAGAIN && !nonblock); /* a reader has been faster */
	if (ret > 0)
		ret = write_all(out, buf, (size_t)ret, &pos, 0);
	kfree(buf);
	return ret;
}

SYSCALL_DEFINE4(tee, int, fdin, int, fdout, size_t, len, unsigned int, flags)
{
	struct fd in, out;
	ssize_t ret = -EBADF;

	if (flags & ~SPLICE_F_ALL)
		return -EINVAL;
	if (!len)
		return 0;
	in = fdget((unsigned)fdin);
	out = fdget((unsigned)fdout);
	if (in.file && out.file)
		ret = do_tee(in.file, out.file, len,
			     (flags & SPLICE_F_NONBLOCK) ||
				     ((in.file->f_flags | out.file->f_flags) & O_NONBLOCK));
	if (in.file)
		fdput(in);
	if (out.file)
		fdput(out);
	return ret;
}

static ssize_t do_vmsplice(struct file *file, struct iov_iter *iter, unsigned flags)
{
	loff_t pos = 0;
	ssize_t ret;

	if (!(file->f_mode & FMODE_WRITE)) {
		ret = pipe_wait_for_bytes(file, flags & SPLICE_F_NONBLOCK);
		return ret > 0 ? vfs_iter_read(file, iter, &pos) : ret;
	}
	ret = pipe_wait_for_room(file, flags & SPLICE_F_NONBLOCK);
	if (ret <= 0)
		return ret;
	iov_iter_truncate(iter, (size_t)ret);
	return vfs_iter_write(file, iter, &pos, 0);
}

SYSCALL_DEFINE4(vmsplice, int, fd, const struct iovec __user *, uiov, unsigned long, nr_segs,
		unsigned int, flags)
{
	struct iovec fast[UIO_FASTIOV], *iov;
	struct iov_iter iter;
	ssize_t ret;
	struct fd f;

	if (flags & ~SPLICE_F_ALL)
		return -EINVAL;
	f = fdget((unsigned)fd);
	if (!f.file)
		return -EBADF;
	ret = is_pipe(f.file) ? import_iovec(uiov, nr_segs, &iov, fast, &iter) : -EBADF;
	if (ret >= 0) {
		if (ret)
			ret = do_vmsplice(f.file, &iter, flags);
		if (iov != fast)
			kfree(iov);
	}
	fdput(f);
	return ret;
}
