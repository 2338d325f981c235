/*
 * poll: wait on several files at once. A file's poll operation names the wait queues that will tell
 * of a change, with poll_wait(), and returns what is ready now.
 */
#pragma once

#include "kernel/sched/wait.h"

struct file;

#define POLLIN     0x0001
#define POLLPRI    0x0002
#define POLLOUT    0x0004
#define POLLERR    0x0008
#define POLLHUP    0x0010
#define POLLNVAL   0x0020
#define POLLRDNORM 0x0040
#define POLLWRNORM 0x0100

struct pollfd {
	int fd; /* negative: ignored */
	short events;
	short revents;
};

#define POLL_QUEUES_PER_FILE 2 /* a poll operation may wait on so many queues */

/* Of one poll(2): entries of the polling task alone. */
struct poll_table_entry {
	struct wait_queue_entry wait;
	wait_queue_head_t *queue;
};

typedef struct poll_table_struct {
	struct poll_table_entry *entries; /* NULL: only ask, do not wait */
	unsigned count, max;
} poll_table;

/* From a poll operation. Does not sleep. */
void poll_wait(struct file *file, wait_queue_head_t *queue, poll_table *table);

/*
 * Wait until file has one of events (POLLERR and POLLHUP always count), timeout_ns at most
 * (MAX_SCHEDULE_TIMEOUT: for ever). The ready events, 0 on time-out, -EINTR, -ENOMEM. Task context.
 */
int poll_file(struct file *file, unsigned events, u64 timeout_ns);
