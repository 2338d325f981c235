/*
 * Pipes: bytes between writers and readers, up to 64 KiB unless F_SETPIPE_SZ says otherwise.
 *
 * The bytes are in a ring of pages, 16 in a new pipe. A page is allocated when its first byte is
 * written, and freed when its last byte is read; the pipe keeps one spare page. An empty pipe
 * starts again at its first page, so two tasks that exchange small messages use one page, which
 * stays in the CPU's cache, and never allocate.
 *
 * A task holds the lock for one page of bytes at a time, and reads the pipe's state only under the
 * lock. A task that must wait puts itself into the wait queue before it releases the lock, so a
 * task that changes the pipe afterwards sees it there.
 *
 * Waiters are exclusive: a message wakes one reader. A task that leaves the pipe while more can be
 * done wakes the next waiter of its own side, so no wake-up is lost if the woken task goes away. A
 * wake-up is sent only if the other side could not move before: the pipe was empty, or had no free
 * page.
 */
#include "fs/pipe/pipe.h"
#include "fs/vfs/hooks.h"
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "fs/file/uio.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/syscalls/syscalls.h"

#define FIONREAD 0x541bU /* ioctl(2): the number of bytes to read */

/* P held, but may be released meanwhile. */
static inline void pipe_wake_reader(struct pipe_inode_info *pipe)
{
	if (!list_empty(&pipe->rd_wait.head))
		wake_up_locked(&pipe->rd_wait);
}

/* Another writer may have taken the room on return. */
int pipe_wait_writable(struct pipe_inode_info *pipe)
{
	DEFINE_WAIT(wait);
	int ret = 0;

	prepare_to_wait_exclusive(&pipe->wr_wait, &wait, TASK_INTERRUPTIBLE);
	pipe_unlock(pipe);
	if (signal_pending(current))
		ret = interrupted_error();
	else
		schedule();
	finish_wait(&pipe->wr_wait, &wait);
	pipe_lock(pipe);
	return ret;
}

/* Lets other tasks take the lock, and lets the scheduler preempt this one. */
static inline void pipe_breathe(struct pipe_inode_info *pipe)
{
	pipe_unlock(pipe);
	pipe_lock(pipe);
}

static noinline void *pipe_alloc_page(struct pipe_inode_info *pipe)
{
	void *page = pipe->spare;

	pipe->spare = NULL;
	return page ? page : get_free_page(GFP_NOWAIT);
}

/*
 * Releases the page before the tail, because all its bytes have been read. Keeps the page if the
 * pipe was full: the writer has then wrapped to the beginning of the same page.
 */
static noinline void pipe_release_page(struct pipe_inode_info *pipe, void **slot)
{
	if (pipe->head - pipe->tail > pipe->size - PAGE_SIZE)
		return;
	if (pipe->spare)
		free_page(*slot);
	else
		pipe->spare = *slot;
	*slot = NULL;
}

/*
 * Resets the positions of the empty pipe. The page in *slot, if any, becomes the first page. A
 * write from memory that was not there may have left a page in the first slot.
 */
static inline void pipe_rewind(struct pipe_inode_info *pipe, void **slot)
{
	pipe->head = 0;
	pipe->tail = 0;
	if (likely(slot == pipe->pages))
		return;
	if (unlikely(pipe->pages[0]))
		free_page(pipe->pages[0]);
	pipe->pages[0] = *slot;
	*slot = NULL;
}

/*
 * Moves up to count bytes into one page. The pipe has room for count bytes. Returns the number;
 * -ENOMEM; -EFAULT: the page of the program is not there, and must be brought in without P.
 */
static inline int pipe_put(struct pipe_inode_info *pipe, struct iov_iter *from, u32 count)
{
	u32 head = pipe->head, offset = head % PAGE_SIZE;
	u32 n = min(count, (u32)PAGE_SIZE - offset);
	void **slot = pipe_slot(pipe, head);

	if (unlikely(!*slot)) {
		*slot = pipe_alloc_page(pipe);
		if (!*slot)
			return -ENOMEM;
	}
	n = (u32)copy_from_iter_nofault((char *)*slot + offset, n, from);
	pipe->head = head + n;
	return n ? (int)n : -EFAULT;
}

/* n bytes of the page in *slot, the first one, have been read. */
static inline void pipe_advance(struct pipe_inode_info *pipe, u32 n, void **slot)
{
	u32 tail = pipe->tail + n;

	pipe->tail = tail;
	if (unlikely(tail % PAGE_SIZE == 0))
		pipe_release_page(pipe, slot);
	if (pipe->head == tail)
		pipe_rewind(pipe, slot);
}

/* Moves up to count bytes out of one page. The pipe holds at least count bytes. As pipe_put(). */
static inline int pipe_get(struct pipe_inode_info *pipe, struct iov_iter *to, u32 count)
{
	u32 offset = pipe->tail % PAGE_SIZE, n = min(count, (u32)PAGE_SIZE - offset);
	void **slot = pipe_slot(pipe, pipe->tail);

	n = (u32)copy_to_iter_nofault((char *)*slot + offset, n, to);
	if (!n)
		return -EFAULT;
	pipe_advance(pipe, n, slot);
	return (int)n;
}

void pipe_skip(struct pipe_inode_info *pipe, size_t count)
{
	while (count) {
		size_t n = min(count, (size_t)(PAGE_SIZE - pipe->tail % PAGE_SIZE));

		pipe_advance(pipe, (u32)n, pipe_slot(pipe, pipe->tail));
		count -= n;
	}
}

/* Brings in the program's page at the front of the iterator, without P. 0 or -EFAULT. */
static noinline int pipe_fault_in(struct pipe_inode_info *pipe, struct iov_iter *i,
				  bool kernel_writes)
{
	int err;

	pipe_unlock(pipe);
	err = iov_iter_fault_in(i, kernel_writes);
	pipe_lock(pipe);
	return err;
}

static __always_inline ssize_t wait_readable(struct pipe_inode_info *pipe, bool nonblock)
{
	int ret;

	do {
		if (unlikely(!pipe->writers) && pipe->head == pipe->tail)
			return 0;
		if (unlikely(nonblock)) {
			pipe->refused = pipe->taken;
			return -EAGAIN;
		}
		ret = do_wait_intr(&pipe->rd_wait);
		if (unlikely(ret))
			return ret;
	} while (unlikely(!pipe_is_readable(pipe)));
	return 1;
}

ssize_t pipe_wait_readable(struct pipe_inode_info *pipe, bool nonblock)
{
	return wait_readable(pipe, nonblock);
}

/*
 * Reads page by page, and waits for the first bytes: also if another reader takes them while P is
 * released. Wakes the tasks that can continue. P held on entry, released on return.
 */
static noinline ssize_t pipe_read_more(struct pipe_inode_info *pipe, const struct file *file,
				       struct iov_iter *to)
{
	bool was_full = false;
	ssize_t done = 0;

	while (to->count) {
		u32 used = pipe->head - pipe->tail;
		int n;

		if (unlikely(!pipe_is_readable(pipe))) {
			if (done)
				break;
			done = pipe_wait_readable(pipe, file->f_flags & O_NONBLOCK);
			if (done <= 0)
				break;
			done = 0;
			continue;
		}
		was_full |= !pipe_has_free_page(pipe);
		n = pipe_get(pipe, to, (u32)min(to->count, (size_t)used));
		if (unlikely(n < 0)) {
			if (!pipe_fault_in(pipe, to, true))
				continue;
			done = done ? done : n;
			break;
		}
		done += n;
		pipe_breathe(pipe);
	}
	was_full &= pipe_room(pipe) >= PIPE_BUF;
	if (pipe_is_readable(pipe) && !list_empty(&pipe->rd_wait.head))
		wake_up_next_locked(&pipe->rd_wait);
	pipe_unlock(pipe);
	if (was_full)
		pipe_wake_writer(pipe);
	/* Linux tells writers also of a read that takes nothing. */
	kill_fasync(&pipe->fasync_writers, SIGIO, POLL_OUT);
	return done;
}

static ssize_t pipe_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct pipe_inode_info *pipe = iocb->ki_filp->private_data;

	if (unlikely(!to->count))
		return 0;
	pipe_lock(pipe);
	return pipe_read_more(pipe, iocb->ki_filp, to);
}

/* P held on entry, released on return. Linux tells writers also of a read that takes nothing. */
static noinline ssize_t pipe_read_nothing(struct pipe_inode_info *pipe, ssize_t ret)
{
	pipe_unlock(pipe);
	kill_fasync(&pipe->fasync_writers, SIGIO, POLL_OUT);
	return ret;
}

static noinline ssize_t pipe_read_kernel(struct pipe_inode_info *pipe, const struct file *file,
					 char *buf, size_t count)
{
	struct iov_iter to;

	iov_iter_kernel(&to, buf, count);
	return pipe_read_more(pipe, file, &to);
}

/*
 * The fast path is for a read that empties the pipe, with all bytes in the first page. It waits
 * here, too: a task that answers each message finds the pipe empty.
 */
static ssize_t pipe_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct pipe_inode_info *pipe = file->private_data;
	u32 used;

	(void)pos;
	if (unlikely(!count))
		return 0;
	pipe_lock(pipe);
	if (pipe->head ==
	    pipe->tail) { /* splice(2) has ended the fast path if it takes the bytes */
		ssize_t ret = wait_readable(pipe, file->f_flags & O_NONBLOCK);

		if (unlikely(ret <= 0))
			return pipe_read_nothing(pipe, ret);
	}
	used = pipe->head - pipe->tail;
	if (unlikely(used > count || (u64)pipe->tail + used > pipe->fast_page))
		return pipe_read_kernel(pipe, file, buf, count);
	memcpy(buf, (char *)pipe->pages[0] + pipe->tail, used);
	pipe_rewind(pipe, pipe->pages);
	pipe_unlock(pipe);
	return used;
}

/* Returns the room that a write needs before it can move its next bytes. */
static inline u32 pipe_atomic(size_t left, size_t count)
{
	return count <= PIPE_BUF ? (u32)left : 1;
}

/*
 * Takes the last bytes of a write back, if all its bytes must come in one piece, and brings in the
 * program's page that was not there, with P released. 0 or -EFAULT.
 */
static noinline int pipe_write_fault(struct pipe_inode_info *pipe, struct iov_iter *from,
				     const struct iov_iter *start, size_t *done)
{
	int err;

	if (start->count > PIPE_BUF)
		return pipe_fault_in(pipe, from, false);
	pipe->head -= (u32)*done;
	*done = 0;
	err = pipe_fault_in(pipe, from, false);
	*from = *start;
	return err;
}

/*
 * Writes if the bytes need several pages, a new page, or room that a reader must make. P held on
 * entry, released on return.
 */
static noinline ssize_t pipe_write_more(struct pipe_inode_info *pipe, const struct file *file,
					struct iov_iter *from)
{
	const struct iov_iter start = *from;
	size_t done = 0, count = from->count;
	bool was_empty = false, told = false, more;
	ssize_t ret = 0;

	while (done < count) {
		u32 room = pipe_room(pipe);
		int n;

		ret = -EPIPE;
		if (!pipe->readers)
			break;
		if (room >= pipe_atomic(count - done, count)) {
			n = pipe_put(pipe, from, (u32)min(count - done, (size_t)room));
			if (n == -EFAULT && !pipe_write_fault(pipe, from, &start, &done))
				continue;
			ret = n;
			if (n < 0)
				break;
			was_empty |= room == pipe->size;
			done += (size_t)n;
			if (count > PIPE_BUF)
				pipe_breathe(pipe);
			continue;
		}
		ret = -EAGAIN;
		if (file->f_flags & O_NONBLOCK)
			break;
		if (was_empty) { /* a reader may have made room */
			was_empty = false;
			pipe_wake_reader(pipe);
			continue;
		}
		told = !told && READ_ONCE(pipe->fasync_readers);
		if (told) { /* a reader may make room without the lock */
			pipe_unlock(pipe);
			kill_fasync(&pipe->fasync_readers, SIGIO, POLL_IN);
			pipe_lock(pipe);
			continue;
		}
		ret = pipe_wait_writable(pipe);
		if (ret)
			break;
	}
	if (was_empty || (done && pipe->poll_usage))
		pipe_wake_reader(pipe);
	more = pipe_room(pipe) >= PIPE_BUF;
	pipe_unlock(pipe);
	if (more)
		pipe_wake_writer(pipe);
	kill_fasync(&pipe->fasync_readers, SIGIO, POLL_IN);
	if (done)
		return (ssize_t)done;
	if (ret == -EPIPE)
		send_sig(SIGPIPE);
	return ret;
}

static noinline ssize_t pipe_write_kernel(struct pipe_inode_info *pipe, const struct file *file,
					  const char *buf, size_t count)
{
	struct iov_iter from;

	iov_iter_kernel(&from, (char *)buf, count);
	return pipe_write_more(pipe, file, &from);
}

static ssize_t pipe_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct pipe_inode_info *pipe = iocb->ki_filp->private_data;

	if (unlikely(!from->count))
		return 0;
	pipe_lock(pipe);
	return pipe_write_more(pipe, iocb->ki_filp, from);
}

/*
 * The fast path is for bytes that fit into the current page. This path need not wake sleeping
 * writers: readers do, and writers that have slept.
 */
static ssize_t pipe_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct pipe_inode_info *pipe = file->private_data;
	u32 offset;
	void *page;

	(void)pos;
	if (unlikely(!count))
		return 0;
	pipe_lock(pipe);
	offset = pipe->head % PAGE_SIZE;
	page = *pipe_slot(pipe, pipe->head);
	if (unlikely(!page || !pipe->readers || count + offset > pipe->fast_page ||
		     pipe_room(pipe) < PIPE_BUF))
		return pipe_write_kernel(pipe, file, buf, count);
	memcpy((char *)page + offset, buf, count);
	pipe->head += (u32)count;
	if (pipe->head - (u32)count == pipe->tail || pipe->poll_usage)
		pipe_wake_reader(pipe);
	pipe_unlock(pipe);
	return (ssize_t)count;
}

static unsigned pipe_poll(struct file *file, struct poll_table_struct *wait)
{
	struct pipe_inode_info *pipe = file->private_data;
	unsigned mask;

	if (wait) {
		WRITE_ONCE(pipe->poll_usage, true);
		if (file->f_mode & FMODE_READ)
			poll_wait(file, &pipe->rd_wait, wait);
		if (file->f_mode & FMODE_WRITE)
			poll_wait(file, &pipe->wr_wait, wait);
	} else if (likely(pipe_events_lockless(pipe, file, &mask))) {
		return mask;
	}
	pipe_lock(pipe);
	mask = pipe_events(pipe, file);
	pipe_unlock(pipe);
	return mask;
}

void pipe_free_pages(struct pipe_inode_info *pipe)
{
	pipe->head = 0;
	pipe->tail = 0;
	for (u32 i = 0; i < pipe->size / PAGE_SIZE; i++) {
		if (pipe->pages[i])
			free_page(pipe->pages[i]);
		pipe->pages[i] = NULL;
	}
	if (pipe->spare)
		free_page(pipe->spare);
	pipe->spare = NULL;
}

/* Closes an end and wakes the tasks at the other, which must see the end of file or EPIPE. */
static int pipe_release(struct inode *inode, struct file *file)
{
	struct pipe_inode_info *pipe = file->private_data;

	pipe_close_end(pipe, file->f_mode);
	put_pipe_info(inode, pipe);
	return 0;
}

static long pipe_ioctl(struct file *file, unsigned cmd, unsigned long arg)
{
	struct pipe_inode_info *pipe = file->private_data;
	u32 used;

	if (cmd != FIONREAD)
		return -ENOTTY;
	pipe_lock(pipe);
	used = pipe->head - pipe->tail;
	pipe_unlock(pipe);
	return put_user((int)used, (int __user *)arg);
}

/* The bytes in whole pages. Each open end holds its share. */
static size_t pipe_memory(struct file *file)
{
	struct pipe_inode_info *pipe = file->private_data;
	u32 used = READ_ONCE(pipe->head) - READ_ONCE(pipe->tail);

	return ALIGN((size_t)min(used, READ_ONCE(pipe->size)), PAGE_SIZE) /
	       max(READ_ONCE(pipe->files), 1U);
}

static int pipe_fasync(int fd, struct file *file, bool on)
{
	struct pipe_inode_info *pipe = file->private_data;
	int err = 0;

	WRITE_ONCE(pipe->fast_page, 0);
	mutex_lock(&file->f_inode->i_mutex); /* one flag says that the file is in both lists */
	if (file->f_mode & FMODE_READ)
		err = fasync_helper(fd, file, on, &pipe->fasync_readers);
	if (!err && (file->f_mode & FMODE_WRITE))
		err = fasync_helper(fd, file, on, &pipe->fasync_writers);
	mutex_unlock(&file->f_inode->i_mutex);
	return err;
}

const struct file_operations pipe_fops = {
	.read = pipe_read,
	.write = pipe_write,
	.read_iter = pipe_read_iter,
	.write_iter = pipe_write_iter,
	.poll = pipe_poll,
	.ioctl = pipe_ioctl,
	.fasync = pipe_fasync,
	.memory = pipe_memory,
	.release = pipe_release,
};
