/*
 * poll: wait for several files at once. The poll operation of a file calls poll_wait() for each
 * wait queue that reports a change, and returns the events that are ready now.
 */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/lib/rbtree.h"
#include "kernel/sched/wait.h"
#include "kernel/time/ktime.h"

struct __kernel_timespec;

#define POLLIN     0x0001
#define POLLPRI    0x0002
#define POLLOUT    0x0004
#define POLLERR    0x0008
#define POLLHUP    0x0010
#define POLLNVAL   0x0020
#define POLLRDNORM 0x0040
#define POLLRDBAND 0x0080
#define POLLWRNORM 0x0100
#define POLLWRBAND 0x0200
#define POLLRDHUP  0x2000
/* The queue of a signalfd goes away with the actions of the process: leave it now. */
#define POLLFREE 0x4000

struct pollfd {
	int fd; /* negative: ignored */
	short events;
	short revents;
};

/* Who asks. A poll operation that gets NULL only tells what is ready. */
typedef struct poll_table_struct {
	/* Queues the asker. Task context, may sleep. */
	void (*queue)(struct file *file, wait_queue_head_t *wq, struct poll_table_struct *table);
} poll_table;

/* Called by poll operations: queue reports changes of file. Task context. */
static inline void poll_wait(struct file *file, wait_queue_head_t *queue, poll_table *table)
{
	if (unlikely(table))
		table->queue(file, queue, table);
}

/* What is ready; a file without a poll operation is always ready. Task context, may sleep. */
static __always_inline unsigned vfs_poll(struct file *file, poll_table *table)
{
	if (unlikely(!file->f_op->poll))
		return POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM;
	return file->f_op->poll(file, table);
}

#define POLL_INLINE_ENTRIES 8

/* One queue on which a task waits. */
struct poll_table_entry {
	struct wait_queue_entry wait;
	struct rb_node node; /* in owner->queues */
	wait_queue_head_t *queue;
	struct poll_wqueues *owner;
	struct file *file; /* counted: its queue must not go away */
};

struct poll_block;

/* All queues on which a task waits in one system call, each once. Only the task itself uses it. */
struct poll_wqueues {
	poll_table table;
	struct task_struct *task;
	bool triggered;            /* a waker has come since the task last looked */
	int error;                 /* -ENOMEM: an entry could not be made */
	unsigned used;             /* entries in inline_entries */
	struct poll_block *blocks; /* more entries; NULL: none */
	struct rb_root queues;     /* of poll_table_entry.node, by queue */
	struct poll_table_entry inline_entries[POLL_INLINE_ENTRIES];
};

/* Begins with no queue; leaves all queues. poll_freewait() follows each poll_initwait(). */
void poll_initwait(struct poll_wqueues *pwq);
void poll_freewait(struct poll_wqueues *pwq);
/*
 * Sleeps until a queue reports a change since the last call, a signal comes, or end. False: the
 * time is over. Task context.
 */
bool poll_schedule(struct poll_wqueues *pwq, ktime_t end);

/* The end of a wait: now + ns. 0 for ns 0: do not wait. KTIME_MAX: never. */
ktime_t poll_end(u64 ns);
/*
 * For ppoll(2) and its kin: reads how long to wait, NULL: for ever. 0, -EFAULT, -EINVAL. Task
 * context.
 */
int poll_get_timeout(const struct __kernel_timespec __user *uts, ktime_t *end);
/* What is left until end, in ns; 0 after it, or without an end. */
u64 poll_time_left(ktime_t end);
/*
 * The result of a call that has set a mask of signals for itself: puts the mask back unless a
 * signal has ended the wait, and tells the program what is left of the time. Task context.
 */
long poll_finish(long ret, ktime_t end, struct __kernel_timespec __user *uts);
