/* Completions: one side waits until the other has said complete(). */
#pragma once

#include "kernel/sched/wait.h"

struct completion {
	/* [wait.lock] complete() calls not yet consumed; UINT_MAX after complete_all */
	unsigned done;
	wait_queue_head_t wait;
};

#define COMPLETION_INITIALIZER(name)                                                               \
	{                                                                                          \
		0, __WAIT_QUEUE_HEAD_INITIALIZER(name.wait)                                        \
	}
#define DECLARE_COMPLETION(name) struct completion name = COMPLETION_INITIALIZER(name)

void init_completion(struct completion *c);
/*
 * Let one waiter (all, now and later) go. Any context but NMI. Safe on a stack object of the
 * waiter.
 */
void complete(struct completion *c);
void complete_all(struct completion *c);
/* Task context. The interruptible form returns -EINTR on a signal. */
void wait_for_completion(struct completion *c);
int wait_for_completion_interruptible(struct completion *c);
bool completion_done(struct completion *c);
