/*
 * Pipes: 64 KiB of bytes between those who write and those who read.
 *
 * The bytes lie in a ring of 16 pages that come when the first byte of each is written and go when
 * its last is read; one spare page is kept. An empty pipe starts again at its first page, so two
 * tasks that pass small messages stay in one warm page and never allocate.
 *
 * The lock is held for one page's worth of bytes at a time. Who has to wait queues himself before
 * he gives the lock up, so whoever changes the pipe after that sees him, and nobody looks at the
 * pipe without the lock.
 *
 * Sleepers are exclusive: a message wakes one reader. Who leaves the pipe while there is more to do
 * wakes the next one of his kind, so no wake-up is lost when the one woken goes away. A wake-up is
 * sent only when a side can begin to move: the pipe was empty, or had less room than PIPE_BUF.
 */
#include "fs/file.h"
#include "fs/filesystems.h"
#include "fs/internal.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/quiescent.h"

#define PIPE_BUF   4096U /* writes up to this size are not torn (pipe(7)) */
#define PIPE_PAGES 16U
#define PIPE_SIZE  (PIPE_PAGES * (u32)PAGE_SIZE)

/* Legend: [P] rd_wait.lock: pipe_lock(). */
struct pipe_inode_info {
	wait_queue_head_t rd_wait; /* its lock is P: in task context only */
	wait_queue_head_t wr_wait;
	u32 head;                  /* [P] bytes written, counting up from 0 while not empty */
	u32 tail;                  /* [P] bytes read */
	unsigned readers, writers; /* [P] open ends; no readers: no pages either */
	void *spare;               /* [P] a page or NULL */
	void *pages[PIPE_PAGES];   /* [P] by position / PAGE_SIZE % PIPE_PAGES */
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

/* The lock is held. */
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
 * Sleep once as a writer. The lock is given up meanwhile; the room may have been taken by another
 * when it is back. 0, or -EINTR.
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

/* Give the lock to whoever wants it, and this CPU to whoever needs it. */
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
 * All bytes of the page up to the tail have been read. In a full pipe the writer has come round to
 * the beginning of this very page: then it stays.
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

/* The pipe is empty: go back to the beginning, with the page that was in use, if it was kept. */
static inline void pipe_rewind(struct pipe_inode_info *pipe, void **slot)
{
	void *page = *slot;

	pipe->head = 0;
	pipe->tail = 0;
	*slot = NULL;
	pipe->pages[0] = page;
}

/* Move bytes into one page, count at most; there is room for them. 0: no memory. */
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

/* Move bytes out of one page, count at most; there are so many. */
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

/* The pipe is empty: 1 when it no longer is, 0 at the end of the file, or a negative errno. */
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
 * A read that leaves something, or goes over more than one page: page by page, and wake those who
 * can go on. The pipe is not empty. The lock is held, and dropped.
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

/* All there is, when that is in one page, goes the short way. */
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

/* Bytes that go at once or not at all. */
static inline u32 pipe_atomic(size_t left, size_t count)
{
	return count <= PIPE_BUF ? (u32)left : 1;
}

/* A write that needs more than one page, or room, or a page. The lock is held, and dropped. */
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
 * What fits into the page that is being filled (so there are readers) goes the short way. Other
 * writers that sleep are woken by the reader, and by each other when they have slept.
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

/* Nobody will read what is there. */
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

/* The other side must learn that nobody is left; the last end's inode takes the pipe with it. */
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

/* Pipes have no names: this is never mounted, and serves their inodes only. */
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

int create_pipe_files(struct file *files[2], unsigned flags)
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

long sys_pipe2(int fds[2], int flags)
{
	struct file *files[2];
	int rd, wr, err;

	syscall_boundary();
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
		sys_close(rd);
		fput(files[1]);
		return wr;
	}
	fds[0] = rd;
	fds[1] = wr;
	return 0;
}

long sys_pipe(int fds[2])
{
	return sys_pipe2(fds, 0);
}
