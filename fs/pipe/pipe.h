/* Pipes, for the parts of the VFS that make them (open.c) and use them. */
#pragma once

#include "fs/vfs/fs.h"
#include "fs/file/poll.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/sched/wait.h"
#include "kernel/signal/sigio.h"

/*
 * F_GETPIPE_SZ and F_SETPIPE_SZ: the size in bytes, or -EBADF (no pipe), -EINVAL, -EPERM, -ENOMEM,
 * -EBUSY (more is in the pipe).
 */
long pipe_fcntl(struct file *file, bool set, unsigned long arg);

#define PIPE_BUF   4096U /* writes up to this size are atomic (pipe(7)) */
#define PIPE_PAGES 16U
#define PIPE_SIZE  (PIPE_PAGES * (u32)PAGE_SIZE) /* of a new pipe */

/* Legend: [P] rd_wait.lock, taken by pipe_lock(). */
struct pipe_inode_info {
	wait_queue_head_t rd_wait; /* its lock is P, taken in task context only */
	wait_queue_head_t wr_wait;
	u32 head;                  /* [P] bytes written since the pipe was last empty */
	u32 tail;                  /* [P] bytes read since then */
	unsigned readers, writers; /* [P] open ends */
	unsigned files;            /* [i_mutex] open files; the last one frees the pipe */
	u32 nr_accounted;          /* [i_mutex] pages of the ring: user->pipe_bufs */
	struct user_struct *user;  /* [C] who has made the pipe, and is charged; counted */
	/* [P] how often an end was opened: a FIFO's open waits for the other end's counter */
	unsigned r_counter, w_counter;
	bool poll_usage; /* an epoll may watch: each write and read is an event (epoll(7)) */
	/* PAGE_SIZE; 0: no fast paths: a file has had O_ASYNC, or splice(2) takes the bytes */
	u32 fast_page;
	struct fasync_struct *fasync_readers, *fasync_writers; /* [fasync_lock] */
	void *spare;                                           /* [P] a page or NULL */
	u32 size;     /* [P] bytes that fit: pages, their number a power of two */
	bool taken;   /* [P] splice(2) moves the first bytes: other readers wait */
	bool refused; /* [P] and one that does not wait has got EAGAIN since */
	void **pages; /* [P] index: position / PAGE_SIZE % number; first_pages or allocated */
	void *first_pages[PIPE_PAGES];
};

static inline void pipe_lock(struct pipe_inode_info *pipe)
{
	spin_lock(&pipe->rd_wait.lock);
}

static inline void pipe_unlock(struct pipe_inode_info *pipe)
{
	spin_unlock(&pipe->rd_wait.lock);
}

/* What a pipe is ready for, from values that belong together. */
static __always_inline unsigned pipe_events(const struct pipe_inode_info *pipe,
					    const struct file *file)
{
	u32 used = READ_ONCE(pipe->head) - READ_ONCE(pipe->tail);
	unsigned mask = 0;

	if (likely(file->f_mode & FMODE_READ)) {
		if (used)
			mask |= POLLIN | POLLRDNORM;
		/* A FIFO that has not had a writer since this open is not at its end. */
		if (!READ_ONCE(pipe->writers) && (unsigned)file->f_pos != pipe->w_counter)
			mask |= POLLHUP;
	}
	if (file->f_mode & FMODE_WRITE) {
		if (READ_ONCE(pipe->size) - used >= PIPE_BUF)
			mask |= POLLOUT | POLLWRNORM;
		if (!READ_ONCE(pipe->readers))
			mask |= POLLERR;
	}
	return mask;
}

/*
 * The same without the lock. If the lock is free and still has the same tickets, nobody has held
 * it. False: ask again with the lock.
 */
static __always_inline bool pipe_events_lockless(const struct pipe_inode_info *pipe,
						 const struct file *file, unsigned *events)
{
	u32 value = smp_load_acquire(&pipe->rd_wait.lock.value);

	if (unlikely((value << 16 | value >> 16) != value))
		return false;
	*events = pipe_events(pipe, file);
	smp_rmb();
	return likely(READ_ONCE(pipe->rd_wait.lock.value) == value);
}

/* ---- splice.c: for splice(2) and its kin. file is an end of a pipe ---- */

/* Waits until the pipe has bytes (1) or no writer (0). -EAGAIN: it would wait; or a signal came. */
ssize_t pipe_wait_for_bytes(const struct file *file, bool nonblock);
/*
 * Waits until a page is free. Returns the bytes of all free pages; -EAGAIN, an errno of a signal,
 * or -EPIPE: there is no reader, and the task gets SIGPIPE.
 */
ssize_t pipe_wait_for_room(const struct file *file, bool nonblock);
/*
 * Copies the first bytes, which stay in the pipe. Returns their number, or -EAGAIN: there is
 * nothing to read.
 */
ssize_t pipe_peek(const struct file *file, char *buf, size_t count);
/*
 * Waits for bytes as pipe_wait_for_bytes(), and copies the first ones. If it returns a number above
 * 0, no other task reads from the pipe until pipe_end_take() tells how many bytes have left it.
 */
ssize_t pipe_begin_take(const struct file *file, char *buf, size_t count, bool nonblock);
void pipe_end_take(const struct file *file, size_t count);

/* ---- between the files of pipes ---- */

static inline u32 pipe_room(const struct pipe_inode_info *pipe)
{
	return pipe->size - (pipe->head - pipe->tail);
}

static inline void **pipe_slot(struct pipe_inode_info *pipe, u32 pos)
{
	return &pipe->pages[(pos & (pipe->size - 1)) / PAGE_SIZE];
}

/* The bytes of the pages that are not in use. More than the size: bytes have come around into the
 * page that is being read.
 */
static inline u32 pipe_free_bytes(const struct pipe_inode_info *pipe)
{
	return pipe->size -
	       (ALIGN(pipe->head, (u32)PAGE_SIZE) - ALIGN_DOWN(pipe->tail, (u32)PAGE_SIZE));
}

/* Whether a page is free. P held. */
static inline bool pipe_has_free_page(const struct pipe_inode_info *pipe)
{
	return pipe_free_bytes(pipe) - 1 < pipe->size;
}

static inline bool pipe_is_readable(const struct pipe_inode_info *pipe)
{
	return pipe->head != pipe->tail && likely(!pipe->taken);
}

/* P not held. */
static inline void pipe_wake_writer(struct pipe_inode_info *pipe)
{
	if (!list_empty(&pipe->wr_wait.head))
		wake_up_interruptible(&pipe->wr_wait);
}

struct iov_iter;
/*
 * Waits while the pipe is not readable: 1 when it is, 0 at the end of file, or a negative errno. P
 * held, and released while it sleeps.
 */
ssize_t pipe_wait_readable(struct pipe_inode_info *pipe, bool nonblock);
/* Sleeps once as a writer, with P released: 0, or interrupted_error(). */
int pipe_wait_writable(struct pipe_inode_info *pipe);
/* Removes the first count bytes. P held. */
void pipe_skip(struct pipe_inode_info *pipe, size_t count);

/* ---- size.c: who pays for the pages of pipes ---- */

/*
 * Charges a new pipe to the current user, and tells how many pages it may have: 16, or 2 for a user
 * who is past pipe-user-pages-soft. False: past pipe-user-pages-hard.
 */
bool pipe_charge(struct pipe_inode_info *pipe);
/* Gives the charge back. */
void pipe_uncharge(struct pipe_inode_info *pipe);

/* Frees all pages. No other user. */
void pipe_free_pages(struct pipe_inode_info *pipe);
/* Closes an end and wakes the tasks at the other, which must see the end of file or EPIPE. */
void pipe_close_end(struct pipe_inode_info *pipe, unsigned f_mode);
/* Drops a file's part of the pipe. The last one frees it. */
void put_pipe_info(struct inode *inode, struct pipe_inode_info *pipe);
extern const struct file_operations pipe_fops;
