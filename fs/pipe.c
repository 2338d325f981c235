/*
 * Pipes: 64 KiB of bytes between those who write and those who read.
 *
 * The bytes lie in a ring of 16 pages that come when the first byte of each is written and go when
 * its last is read; one spare page is kept. An empty pipe starts again at its first page, so two
 * tasks that pass small messages stay in one warm page and never allocate.
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

#define PIPE_BUF   4096U /* writes up to this size are not torn (pipe(7)) */
#define PIPE_PAGES 16U
#define PIPE_SIZE  (PIPE_PAGES * (u32)PAGE_SIZE)

/* Legend: [P] mutex to write; [p] the same, and looked at without it by those about to sleep. */
struct pipe_inode_info {
	struct mutex mutex; /* P */
	union {
		u64 positions; /* [p] both, as one glance sees them */
		struct {
			u32 head; /* [p] bytes written, counting up from 0 while not empty */
			u32 tail; /* [p] bytes read */
		};
	};
	unsigned readers, writers; /* [p] open ends */
	wait_queue_head_t rd_wait, wr_wait;
	void *spare;             /* [P] a page or NULL */
	void *pages[PIPE_PAGES]; /* [P] by position / PAGE_SIZE % PIPE_PAGES */
};

static inline u32 pipe_used(const struct pipe_inode_info *pipe)
{
	u64 positions = READ_ONCE(pipe->positions);

	return (u32)positions - (u32)(positions >> 32);
}

static inline bool pipe_readable(const struct pipe_inode_info *pipe)
{
	return pipe_used(pipe) || !READ_ONCE(pipe->writers);
}

static inline bool pipe_writable(const struct pipe_inode_info *pipe)
{
	return pipe_used(pipe) <= PIPE_SIZE - PIPE_BUF || !READ_ONCE(pipe->readers);
}

/* Pairs with the barrier of the sleeper, who queues himself before he looks at the pipe. */
static inline void pipe_wake(wait_queue_head_t *queue)
{
	smp_mb();
	if (!list_empty(&queue->head))
		wake_up_interruptible(queue);
}

static inline void **pipe_slot(struct pipe_inode_info *pipe, u32 pos)
{
	return &pipe->pages[pos / PAGE_SIZE % PIPE_PAGES];
}

static void *pipe_alloc_page(struct pipe_inode_info *pipe)
{
	void *page = pipe->spare;

	pipe->spare = NULL;
	return page ? page : get_free_page(GFP_KERNEL);
}

/*
 * All bytes of the page up to the tail have been read. In a full pipe the writer has come round to
 * the beginning of this very page: then it stays.
 */
static void pipe_release_page(struct pipe_inode_info *pipe, void **slot)
{
	if (pipe->head - pipe->tail > PIPE_SIZE - PAGE_SIZE)
		return;
	if (pipe->spare)
		free_page(*slot);
	else
		pipe->spare = *slot;
	*slot = NULL;
}

/* Move what there is room for: bytes, 0 (no room), -ENOMEM. The mutex is held. */
static ssize_t pipe_copy_in(struct pipe_inode_info *pipe, const char *buf, size_t count)
{
	u32 room = PIPE_SIZE - (pipe->head - pipe->tail);
	u32 left;

	if (room < (count <= PIPE_BUF ? count : 1))
		return 0;
	count = min(count, (size_t)room);
	left = (u32)count;
	do {
		u32 offset = pipe->head % PAGE_SIZE;
		u32 n = min(left, (u32)PAGE_SIZE - offset);
		void **slot = pipe_slot(pipe, pipe->head);

		if (unlikely(!*slot)) {
			*slot = pipe_alloc_page(pipe);
			if (!*slot)
				return left < count ? (ssize_t)(count - left) : -ENOMEM;
		}
		memcpy((char *)*slot + offset, buf, n);
		WRITE_ONCE(pipe->head, pipe->head + n);
		buf += n;
		left -= n;
	} while (left);
	return (ssize_t)count;
}

/* Move what there is, count bytes at most. The mutex is held; the pipe is not empty. */
static size_t pipe_copy_out(struct pipe_inode_info *pipe, char *buf, size_t count)
{
	u32 left;

	count = min(count, (size_t)(pipe->head - pipe->tail));
	left = (u32)count;
	do {
		u32 offset = pipe->tail % PAGE_SIZE;
		u32 n = min(left, (u32)PAGE_SIZE - offset);
		void **slot = pipe_slot(pipe, pipe->tail);

		memcpy(buf, (char *)*slot + offset, n);
		WRITE_ONCE(pipe->tail, pipe->tail + n);
		if (offset + n == PAGE_SIZE)
			pipe_release_page(pipe, slot);
		buf += n;
		left -= n;
	} while (left);

	if (pipe->head == pipe->tail) {
		void *page = *pipe_slot(pipe, pipe->tail);

		*pipe_slot(pipe, pipe->tail) = NULL;
		pipe->pages[0] = page;
		WRITE_ONCE(pipe->positions, 0); /* both at once: who only looks sees no bytes */
	}
	return count;
}

static ssize_t pipe_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct pipe_inode_info *pipe = file->private_data;
	bool was_full = false, more;
	ssize_t ret;

	(void)pos;
	if (unlikely(!count))
		return 0;
	mutex_lock(&pipe->mutex);
	while (pipe->head == pipe->tail) {
		ret = 0;
		if (!pipe->writers)
			goto out;
		ret = -EAGAIN;
		if (file->f_flags & O_NONBLOCK)
			goto out;
		mutex_unlock(&pipe->mutex);
		ret = wait_event_interruptible_exclusive(pipe->rd_wait, pipe_readable(pipe));
		mutex_lock(&pipe->mutex);
		if (unlikely(ret))
			goto out;
	}
	was_full = pipe->head - pipe->tail > PIPE_SIZE - PIPE_BUF;
	ret = (ssize_t)pipe_copy_out(pipe, buf, count);
	was_full = was_full && pipe->head - pipe->tail <= PIPE_SIZE - PIPE_BUF;
out:
	more = pipe->head != pipe->tail;
	mutex_unlock(&pipe->mutex);
	if (unlikely(was_full))
		pipe_wake(&pipe->wr_wait);
	if (unlikely(more))
		pipe_wake(&pipe->rd_wait);
	return ret;
}

static ssize_t pipe_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct pipe_inode_info *pipe = file->private_data;
	bool was_empty = false, more;
	size_t done = 0;
	ssize_t ret = 0;

	(void)pos;
	if (unlikely(!count))
		return 0;
	mutex_lock(&pipe->mutex);
	for (;;) {
		if (unlikely(!pipe->readers)) {
			send_signal(SIGPIPE, current);
			ret = -EPIPE;
			break;
		}
		was_empty = pipe->head == pipe->tail;
		ret = pipe_copy_in(pipe, buf + done, count - done);
		if (unlikely(ret < 0))
			break;
		done += (size_t)ret;
		if (likely(done == count))
			break;
		ret = -EAGAIN;
		if (file->f_flags & O_NONBLOCK)
			break;
		mutex_unlock(&pipe->mutex);
		if (was_empty)
			pipe_wake(&pipe->rd_wait);
		ret = wait_event_interruptible_exclusive(pipe->wr_wait, pipe_writable(pipe));
		mutex_lock(&pipe->mutex);
		was_empty = false;
		if (unlikely(ret))
			break;
	}
	more = pipe->head - pipe->tail <= PIPE_SIZE - PIPE_BUF;
	mutex_unlock(&pipe->mutex);
	if (was_empty)
		pipe_wake(&pipe->rd_wait);
	if (more && unlikely(!list_empty(&pipe->wr_wait.head)))
		pipe_wake(&pipe->wr_wait);
	return done ? (ssize_t)done : ret;
}

static unsigned pipe_poll(struct file *file, struct poll_table_struct *wait)
{
	struct pipe_inode_info *pipe = file->private_data;
	unsigned mask = 0;

	if (file->f_mode & FMODE_READ) {
		poll_wait(file, &pipe->rd_wait, wait);
		if (pipe_used(pipe))
			mask |= POLLIN | POLLRDNORM;
		if (!READ_ONCE(pipe->writers))
			mask |= POLLHUP;
	}
	if (file->f_mode & FMODE_WRITE) {
		poll_wait(file, &pipe->wr_wait, wait);
		if (pipe_used(pipe) <= PIPE_SIZE - PIPE_BUF)
			mask |= POLLOUT | POLLWRNORM;
		if (!READ_ONCE(pipe->readers))
			mask |= POLLERR;
	}
	return mask;
}

/* The other side must learn that nobody is left; the last end's inode takes the pipe with it. */
static int pipe_release(struct inode *inode, struct file *file)
{
	struct pipe_inode_info *pipe = file->private_data;

	(void)inode;
	mutex_lock(&pipe->mutex);
	if (file->f_mode & FMODE_READ)
		WRITE_ONCE(pipe->readers, pipe->readers - 1);
	if (file->f_mode & FMODE_WRITE)
		WRITE_ONCE(pipe->writers, pipe->writers - 1);
	mutex_unlock(&pipe->mutex);
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
	for (unsigned i = 0; i < PIPE_PAGES; i++)
		if (pipe->pages[i])
			free_page(pipe->pages[i]);
	if (pipe->spare)
		free_page(pipe->spare);
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
	mutex_init(&pipe->mutex);
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
