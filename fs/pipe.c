/*
 * Pipes: up to 64 KiB of bytes between writers and readers.
 *
 * The bytes are in a ring of 16 pages. A page is allocated when its first byte is written, and
 * freed when its last byte is read; the pipe keeps one spare page. An empty pipe starts again at
 * its first page, so two tasks that exchange small messages use one page, which stays in the CPU's
 * cache, and never allocate.
 *
 * A task holds the lock for one page of bytes at a time, and reads the pipe's state only under the
 * lock. A task that must wait puts itself into the wait queue before it releases the lock, so a
 * task that changes the pipe afterwards sees it there.
 *
 * Waiters are exclusive: a message wakes one reader. A task that leaves the pipe while more can be
 * done wakes the next waiter of its own side, so no wake-up is lost if the woken task goes away. A
 * wake-up is sent only if the other side could not move before: the pipe was empty, or had less
 * room than PIPE_BUF.
 */
#include "fs/file.h"
#include "fs/internal.h"
#include "fs/poll.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/syscalls/syscalls.h"

#define PIPE_BUF   4096U /* writes up to this size are atomic (pipe(7)) */
#define PIPE_PAGES 16U
#define PIPE_SIZE  (PIPE_PAGES * (u32)PAGE_SIZE)

/* Legend: [P] rd_wait.lock, taken by pipe_lock(). */
struct pipe_inode_info {
	wait_queue_head_t rd_wait; /* its lock is P, taken in task context only */
	wait_queue_head_t wr_wait;
	u32 head;                  /* [P] bytes written since the pipe was last empty */
	u32 tail;                  /* [P] bytes read since then */
	unsigned readers, writers; /* [P] open ends; without readers the pipe has no pages */
	void *spare;               /* [P] a page or NULL */
	void *pages[PIPE_PAGES];   /* [P] index: position / PAGE_SIZE % PIPE_PAGES */
};

static inline u32 pipe_room(const struct pipe_inode_info *pipe)
{
	return PIPE_SIZE - (pipe->head - pipe->tail);
}

static inline void **pipe_slot(struct pipe_inode_info *pipe, u32 pos)
{
	return &pipe->pages[pos / PAGE_SIZE % PIPE_PAGES];
}

static inline void pipe_lock(struct pipe_inode_info *pipe)
{
	spin_lock(&pipe->rd_wait.lock);
}

static inline void pipe_unlock(struct pipe_inode_info *pipe)
{
	spin_unlock(&pipe->rd_wait.lock);
}

/* P held. */
static inline void pipe_wake_reader(struct pipe_inode_info *pipe)
{
	if (!list_empty(&pipe->rd_wait.head))
		wake_up_locked(&pipe->rd_wait);
}

static inline void pipe_wake_writer(struct pipe_inode_info *pipe)
{
	if (!list_empty(&pipe->wr_wait.head))
		wake_up_interruptible(&pipe->wr_wait);
}

/*
 * Sleeps once as a writer: 0, or -EINTR. Releases P meanwhile, so another writer may have taken the
 * room on return.
 */
static int pipe_wait_writable(struct pipe_inode_info *pipe)
{
	DEFINE_WAIT(wait);
	int ret = 0;

	prepare_to_wait_exclusive(&pipe->wr_wait, &wait, TASK_INTERRUPTIBLE);
	pipe_unlock(pipe);
	if (signal_pending(current))
		ret = -EINTR;
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
	if (pipe->head - pipe->tail > PIPE_SIZE - PAGE_SIZE)
		return;
	if (pipe->spare)
		free_page(*slot);
	else
		pipe->spare = *slot;
	*slot = NULL;
}

/* Resets the positions of the empty pipe. The page in *slot, if any, becomes the first page. */
static inline void pipe_rewind(struct pipe_inode_info *pipe, void **slot)
{
	void *page = *slot;

	pipe->head = 0;
	pipe->tail = 0;
	*slot = NULL;
	pipe->pages[0] = page;
}

/* Moves up to count bytes into one page. The pipe has room for count bytes. 0: no memory. */
static inline u32 pipe_put(struct pipe_inode_info *pipe, const char *buf, u32 count)
{
	u32 head = pipe->head, offset = head % PAGE_SIZE;
	u32 n = min(count, (u32)PAGE_SIZE - offset);
	void **slot = pipe_slot(pipe, head);

	if (unlikely(!*slot)) {
		*slot = pipe_alloc_page(pipe);
		if (!*slot)
			return 0;
	}
	pipe->head = head + n;
	memcpy((char *)*slot + offset, buf, n);
	return n;
}

/* Moves up to count bytes out of one page. The pipe holds at least count bytes. */
static inline u32 pipe_get(struct pipe_inode_info *pipe, char *buf, u32 count)
{
	u32 tail = pipe->tail, offset = tail % PAGE_SIZE;
	u32 n = min(count, (u32)PAGE_SIZE - offset);
	void **slot = pipe_slot(pipe, tail);

	memcpy(buf, (char *)*slot + offset, n);
	tail += n;
	pipe->tail = tail;
	if (unlikely(tail % PAGE_SIZE == 0))
		pipe_release_page(pipe, slot);
	if (pipe->head == tail)
		pipe_rewind(pipe, slot);
	return n;
}

/* Waits while the pipe is empty: 1 when it has bytes, 0 at the end of file, or a negative errno. */
static inline ssize_t pipe_wait_readable(struct pipe_inode_info *pipe, const struct file *file)
{
	int ret;

	do {
		if (!pipe->writers)
			return 0;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = do_wait_intr(&pipe->rd_wait);
		if (unlikely(ret))
			return ret;
	} while (pipe->head == pipe->tail);
	return 1;
}

/*
 * Reads from a pipe that is not empty, page by page, if the bytes are in several pages or more than
 * count. Wakes the tasks that can continue. P held on entry, released on return.
 */
static noinline ssize_t pipe_read_more(struct pipe_inode_info *pipe, char *buf, size_t count)
{
	bool was_full = false;
	size_t done = 0;
	u32 used;

	while (done < count && (used = pipe->head - pipe->tail)) {
		was_full |= used > PIPE_SIZE - PIPE_BUF;
		done += pipe_get(pipe, buf + done, (u32)min(count - done, (size_t)used));
		pipe_breathe(pipe);
	}
	was_full &= pipe_room(pipe) >= PIPE_BUF;
	if (pipe->head != pipe->tail)
		pipe_wake_reader(pipe);
	pipe_unlock(pipe);
	if (was_full)
		pipe_wake_writer(pipe);
	return (ssize_t)done;
}

/* The fast path is for a read that empties the pipe, with all bytes in one page. */
static ssize_t pipe_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct pipe_inode_info *pipe = file->private_data;
	ssize_t ret;
	u32 used, offset;
	void **slot;

	(void)pos;
	if (unlikely(!count))
		return 0;
	pipe_lock(pipe);
	if (pipe->head == pipe->tail) {
		ret = pipe_wait_readable(pipe, file);
		if (unlikely(ret <= 0)) {
			pipe_unlock(pipe);
			return ret;
		}
	}
	used = pipe->head - pipe->tail;
	offset = pipe->tail % PAGE_SIZE;
	if (unlikely(used > count || used > PAGE_SIZE - offset))
		return pipe_read_more(pipe, buf, count);
	slot = pipe_slot(pipe, pipe->tail);
	memcpy(buf, (char *)*slot + offset, used);
	pipe_rewind(pipe, slot);
	pipe_unlock(pipe);
	return used;
}

/* Returns the room that a write needs before it can move its next bytes. */
static inline u32 pipe_atomic(size_t left, size_t count)
{
	return count <= PIPE_BUF ? (u32)left : 1;
}

/*
 * Writes if the bytes need several pages, a new page, or room that a reader must make. P held on
 * entry, released on return.
 */
static noinline ssize_t pipe_write_more(struct pipe_inode_info *pipe, const struct file *file,
					const char *buf, size_t count)
{
	bool was_empty = false, more;
	size_t done = 0;
	ssize_t ret = 0;

	while (done < count) {
		u32 room = pipe_room(pipe), n;

		ret = -EPIPE;
		if (!pipe->readers)
			break;
		if (room >= pipe_atomic(count - done, count)) {
			was_empty |= room == PIPE_SIZE;
			n = pipe_put(pipe, buf + done, (u32)min(count - done, (size_t)room));
			ret = -ENOMEM;
			if (!n)
				break;
			done += n;
			if (count > PIPE_BUF)
				pipe_breathe(pipe);
			continue;
		}
		ret = -EAGAIN;
		if (file->f_flags & O_NONBLOCK)
			break;
		if (was_empty)
			pipe_wake_reader(pipe);
		was_empty = false;
		ret = pipe_wait_writable(pipe);
		if (ret)
			break;
	}
	if (was_empty)
		pipe_wake_reader(pipe);
	more = pipe_room(pipe) >= PIPE_BUF;
	pipe_unlock(pipe);
	if (more)
		pipe_wake_writer(pipe);
	if (done)
		return (ssize_t)done;
	if (ret == -EPIPE)
		send_signal(SIGPIPE, current);
	return ret;
}

/*
 * The fast path is for bytes that fit into the current page. The page exists, so the pipe has
 * readers. This path need not wake sleeping writers: readers do, and writers that have slept.
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
	if (unlikely(!page || count > PAGE_SIZE - offset || pipe_room(pipe) < PIPE_BUF))
		return pipe_write_more(pipe, file, buf, count);
	memcpy((char *)page + offset, buf, count);
	if (pipe->head == pipe->tail)
		pipe_wake_reader(pipe);
	pipe->head += (u32)count;
	pipe_unlock(pipe);
	return (ssize_t)count;
}

static unsigned pipe_poll(struct file *file, struct poll_table_struct *wait)
{
	struct pipe_inode_info *pipe = file->private_data;
	unsigned mask = 0;

	if (file->f_mode & FMODE_READ)
		poll_wait(file, &pipe->rd_wait, wait);
	if (file->f_mode & FMODE_WRITE)
		poll_wait(file, &pipe->wr_wait, wait);
	pipe_lock(pipe);
	if (file->f_mode & FMODE_READ) {
		if (pipe->head != pipe->tail)
			mask |= POLLIN | POLLRDNORM;
		if (!pipe->writers)
			mask |= POLLHUP;
	}
	if (file->f_mode & FMODE_WRITE) {
		if (pipe_room(pipe) >= PIPE_BUF)
			mask |= POLLOUT | POLLWRNORM;
		if (!pipe->readers)
			mask |= POLLERR;
	}
	pipe_unlock(pipe);
	return mask;
}

/* Frees all pages, because the pipe has no readers. P held, or no other user. */
static void pipe_free_pages(struct pipe_inode_info *pipe)
{
	pipe->head = 0;
	pipe->tail = 0;
	for (unsigned i = 0; i < PIPE_PAGES; i++) {
		if (pipe->pages[i])
			free_page(pipe->pages[i]);
		pipe->pages[i] = NULL;
	}
	if (pipe->spare)
		free_page(pipe->spare);
	pipe->spare = NULL;
}

/*
 * Closes an end and wakes the tasks at the other, which must see the end of file or EPIPE. The last
 * reference on the inode frees the pipe.
 */
static int pipe_release(struct inode *inode, struct file *file)
{
	struct pipe_inode_info *pipe = file->private_data;

	(void)inode;
	pipe_lock(pipe);
	if ((file->f_mode & FMODE_READ) && !--pipe->readers)
		pipe_free_pages(pipe);
	if (file->f_mode & FMODE_WRITE)
		pipe->writers--;
	pipe_unlock(pipe);
	wake_up_all(&pipe->rd_wait);
	wake_up_all(&pipe->wr_wait);
	return 0;
}

static const struct file_operations pipe_fops = {
	.read = pipe_read,
	.write = pipe_write,
	.poll = pipe_poll,
	.release = pipe_release,
};

static void free_pipe_info(struct pipe_inode_info *pipe)
{
	pipe_free_pages(pipe);
	kfree(pipe);
}

static void pipefs_evict_inode(struct inode *inode)
{
	free_pipe_info(inode->i_private);
}

static const struct super_operations pipefs_super_operations = {
	.evict_inode = pipefs_evict_inode,
};

/* For the inodes of pipes. Never mounted, because pipes have no names. */
static struct super_block pipefs_sb = {
	.s_op = &pipefs_super_operations,
	.s_no_op_error = -EINVAL,
	.s_dev = MKDEV(0, 255),
};

static struct inode *get_pipe_inode(void)
{
	struct pipe_inode_info *pipe = kzalloc(sizeof(*pipe), GFP_KERNEL);
	struct inode *inode;

	if (!pipe)
		return NULL;
	init_waitqueue_head(&pipe->rd_wait);
	init_waitqueue_head(&pipe->wr_wait);
	pipe->readers = pipe->writers = 1;
	inode = new_inode(&pipefs_sb, S_IFIFO | 0600);
	if (!inode) {
		kfree(pipe);
		return NULL;
	}
	inode->i_private = pipe;
	return inode;
}

static struct file *pipe_end(struct inode *inode, unsigned f_mode, unsigned f_flags)
{
	struct file *file = alloc_file(inode, f_mode, f_flags, &pipe_fops);

	if (!IS_ERR(file))
		file->private_data = inode->i_private;
	return file;
}

/*
 * Opens the two ends of a new pipe: [0] to read, [1] to write. flags: O_NONBLOCK. Returns 0,
 * -ENFILE or -ENOMEM.
 */
static int create_pipe_files(struct file *files[2], unsigned flags)
{
	struct inode *inode = get_pipe_inode();
	long err;

	if (!inode)
		return -ENFILE;
	files[0] = pipe_end(inode, FMODE_READ, O_RDONLY | flags);
	if (IS_ERR(files[0])) {
		err = PTR_ERR(files[0]);
		iput(inode);
		return (int)err;
	}
	files[1] = pipe_end(ihold(inode), FMODE_WRITE, O_WRONLY | flags);
	if (IS_ERR(files[1])) {
		err = PTR_ERR(files[1]);
		iput(inode);
		fput(files[0]);
		return (int)err;
	}
	return 0;
}

static long do_pipe2(int *fds, int flags)
{
	struct file *files[2] = { NULL, NULL };
	int rd, wr, err;

	if (flags & ~(O_NONBLOCK | O_CLOEXEC))
		return -EINVAL;
	err = create_pipe_files(files, (unsigned)flags & O_NONBLOCK);
	if (err)
		return err;
	rd = fd_install_from(files[0], 0);
	if (rd < 0) {
		fput(files[0]);
		fput(files[1]);
		return rd;
	}
	wr = fd_install_from(files[1], 0);
	if (wr < 0) {
		(void)close_fd(rd);
		fput(files[1]);
		return wr;
	}
	fds[0] = rd;
	fds[1] = wr;
	return 0;
}

SYSCALL_DEFINE2(pipe2, int *, fildes, int, flags)
{
	return do_pipe2(fildes, flags);
}

SYSCALL_DEFINE1(pipe, int *, fildes)
{
	return do_pipe2(fildes, 0);
}
