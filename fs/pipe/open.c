/* How pipes and FIFOs are opened and closed. fs/pipe/pipe.c moves the bytes. */
#include "fs/file/file.h"
#include "fs/vfs/hooks.h"
#include "fs/vfs/internal.h"
#include "fs/pipe/pipe.h"
#include "fs/vfs/syscalls.h"
#include "arch/mm/uaccess.h"
#include "kernel/init.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/syscalls/syscalls.h"

static void free_pipe_info(struct pipe_inode_info *pipe)
{
	pipe_free_pages(pipe);
	pipe_uncharge(pipe);
	if (pipe->pages != pipe->first_pages)
		kfree(pipe->pages);
	kfree(pipe);
}

/* NULL: memory is short, or the user has too many pipes. */
static struct pipe_inode_info *alloc_pipe_info(void)
{
	struct pipe_inode_info *pipe = kzalloc(sizeof(*pipe), GFP_KERNEL);

	if (!pipe)
		return NULL;
	if (!pipe_charge(pipe)) {
		kfree(pipe);
		return NULL;
	}
	init_waitqueue_head(&pipe->rd_wait);
	init_waitqueue_head(&pipe->wr_wait);
	pipe->pages = pipe->first_pages;
	pipe->size = pipe->nr_accounted * (u32)PAGE_SIZE;
	pipe->fast_page = PAGE_SIZE;
	return pipe;
}

void put_pipe_info(struct inode *inode, struct pipe_inode_info *pipe)
{
	bool last;

	mutex_lock(&inode->i_mutex);
	last = !--pipe->files;
	if (last)
		inode->i_private = NULL;
	mutex_unlock(&inode->i_mutex);
	if (last)
		free_pipe_info(pipe);
}

/* The last one on a side tells the other side, as in Linux. What others close changes nothing
 * there. */
void pipe_close_end(struct pipe_inode_info *pipe, unsigned f_mode)
{
	bool one_side;

	pipe_lock(pipe);
	if (f_mode & FMODE_READ)
		pipe->readers--;
	if (f_mode & FMODE_WRITE)
		pipe->writers--;
	one_side = !pipe->readers != !pipe->writers;
	pipe_unlock(pipe);
	if (!one_side)
		return;
	wake_up_all(&pipe->rd_wait);
	wake_up_all(&pipe->wr_wait);
	kill_fasync(&pipe->fasync_readers, SIGIO, POLL_IN);
	kill_fasync(&pipe->fasync_writers, SIGIO, POLL_OUT);
}

/* ---- pipe(2) ---- */

/*
 * Opens the two ends of a new pipe: [0] to read, [1] to write. flags: O_NONBLOCK. Returns 0,
 * -ENFILE or -ENOMEM.
 */
static int create_pipe_files(struct file *files[2], unsigned flags)
{
	struct pipe_inode_info *pipe = alloc_pipe_info();
	struct inode *inode = pipe ? alloc_anon_inode(S_IFIFO | 0600) : NULL;
	char name[32];
	long err;

	if (!inode) {
		if (pipe)
			free_pipe_info(pipe);
		return -ENFILE;
	}
	snprintf(name, sizeof(name), "pipe:[%lu]", inode->i_ino);
	pipe->readers = pipe->writers = pipe->w_counter = 1;
	pipe->files = 2;
	inode->i_private = pipe;
	inode->i_fop = vfs_hooks.fifo; /* for opens of /proc/PID/fd/N */
	files[0] = alloc_file_pseudo(inode, NULL, name, O_RDONLY | flags, &pipe_fops);
	if (IS_ERR(files[0])) {
		err = PTR_ERR(files[0]);
		/* LAB 20: No file has the pipe yet. */
		iput(inode);
		free_pipe_info(pipe);
		/* END LAB 20 */
		return (int)err;
	}
	files[0]->private_data = pipe;
	files[1] = alloc_file_pseudo(ihold(inode), NULL, name, O_WRONLY | flags, &pipe_fops);
	if (IS_ERR(files[1])) {
		err = PTR_ERR(files[1]);
		/* LAB 20: One file has it, and gives it back when it is closed. */
		pipe->files = 1;
		iput(inode);
		fput(files[0]);
		/* END LAB 20 */
		return (int)err;
	}
	files[1]->private_data = pipe;
	return 0;
}

static long do_pipe2(int __user *fildes, int flags)
{
	struct file *files[2] = { NULL, NULL };
	int fds[2], err;

	if (flags & ~(O_NONBLOCK | O_CLOEXEC))
		return -EINVAL;
	err = create_pipe_files(files, (unsigned)flags & O_NONBLOCK);
	if (err)
		return err;
	fds[0] = err = get_unused_fd_flags((unsigned)flags);
	if (err < 0)
		goto put_files;
	fds[1] = err = get_unused_fd_flags((unsigned)flags);
	if (err < 0)
		goto put_first;
	err = -EFAULT;
	if (copy_to_user(fildes, fds, sizeof(fds)))
		goto put_both;
	fd_install((unsigned)fds[0], files[0]);
	fd_install((unsigned)fds[1], files[1]);
	return 0;

	/*
	 * LAB 20: What was done last is undone first. Starts as:
	 * put_both:
	 * put_first:
	 * put_files:
	 *	return err;
	 */
put_both:
	put_unused_fd((unsigned)fds[1]);
put_first:
	put_unused_fd((unsigned)fds[0]);
put_files:
	fput(files[0]);
	fput(files[1]);
	return err;
	/* END LAB 20 */
}

/* Restricted: no O_DIRECT: a pipe has no packets. */
SYSCALL_DEFINE2(pipe2, int __user *, fildes, int, flags)
{
	return do_pipe2(fildes, flags);
}

SYSCALL_DEFINE1(pipe, int __user *, fildes)
{
	return do_pipe2(fildes, 0);
}

/* ---- FIFOs ---- */

/* The pipe of a FIFO, counted for one more file, or NULL, as alloc_pipe_info(). */
static struct pipe_inode_info *get_fifo_pipe(struct inode *inode)
{
	struct pipe_inode_info *pipe;

	mutex_lock(&inode->i_mutex);
	if (!inode->i_private)
		inode->i_private = alloc_pipe_info();
	pipe = inode->i_private;
	if (pipe)
		pipe->files++;
	mutex_unlock(&inode->i_mutex);
	return pipe;
}

/*
 * Counts the ends that the file opens. -ENXIO: a writer that does not wait finds no reader. If the
 * other end is not open, *partner is the counter for whose change the caller waits, and *seen is
 * its value.
 */
static int open_ends(struct pipe_inode_info *pipe, struct file *file, unsigned **partner,
		     unsigned *seen)
{
	bool reads = file->f_mode & FMODE_READ, writes = file->f_mode & FMODE_WRITE;
	int err = 0;

	pipe_lock(pipe);
	if (writes && !reads && (file->f_flags & O_NONBLOCK) && !pipe->readers) {
		err = -ENXIO;
	} else {
		if (reads) {
			pipe->readers++;
			pipe->r_counter++;
			file->f_pos = pipe->w_counter;
			/* A writer is there now: its end will be this reader's end of file. */
			if (pipe->writers)
				file->f_pos--;
		}
		if (writes) {
			pipe->writers++;
			pipe->w_counter++;
		}
		*partner = NULL;
		if (reads && !writes && !pipe->writers && !(file->f_flags & O_NONBLOCK))
			*partner = &pipe->w_counter;
		else if (writes && !reads && !pipe->readers)
			*partner = &pipe->r_counter;
		*seen = *partner ? **partner : 0;
	}
	pipe_unlock(pipe);
	return err;
}

/*
 * Opening for reading waits for a writer, and the other way round (fifo(7)). The ends of a pipe
 * without a name, which are opened by /proc/PID/fd/N, do not wait: no other program can open the
 * other end.
 */
static int fifo_open(struct inode *inode, struct file *file)
{
	struct pipe_inode_info *pipe;
	unsigned *partner, seen;
	int err;

	if (!(file->f_mode & (FMODE_READ | FMODE_WRITE)))
		return -EINVAL;
	pipe = get_fifo_pipe(inode);
	if (!pipe)
		return -ENOMEM;
	err = open_ends(pipe, file, &partner, &seen);
	if (err) {
		put_pipe_info(inode, pipe);
		return err;
	}
	wake_up_all(&pipe->rd_wait);
	if (partner && !(file->f_path.dentry->d_flags & DCACHE_PSEUDO))
		err = wait_event_interruptible(pipe->rd_wait, READ_ONCE(*partner) != seen);
	if (err) {
		pipe_close_end(pipe, file->f_mode);
		put_pipe_info(inode, pipe);
		return err;
	}
	file->private_data = pipe;
	file->f_op = &pipe_fops;
	return 0;
}

static const struct file_operations fifo_fops = { .open = fifo_open };

static int __init fifo_init(void)
{
	vfs_hooks.fifo = &fifo_fops;
	return 0;
}
core_initcall(fifo_init);
