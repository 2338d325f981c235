/*
 * poll: wait for several files at once. The poll operation of a file calls poll_wait() for each
 * wait queue that reports a change, and returns the events that are ready now.
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

#define POLL_QUEUES_PER_FILE 2 /* the most queues on which one poll operation may wait */

/* A wait-queue entry of one poll(2). Only the polling task uses it. */
struct poll_table_entry {
	struct wait_queue_entry wait;
	wait_queue_head_t *queue;
};

typedef struct poll_table_struct {
	struct poll_table_entry *entries; /* NULL: ask only, do not wait */
	unsigned count, max;
} poll_table;

/* Adds the current task to queue. Called by poll operations; does not sleep. */
void poll_wait(struct file *file, wait_queue_head_t *queue, poll_table *table);
