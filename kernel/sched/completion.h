/* Completions: one task waits until another context has called complete(). */
#pragma once

#include "kernel/sched/wait.h"

struct completion {
	/* [wait.lock] calls of complete() not yet consumed; UINT_MAX after complete_all() */
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
 * Lets one waiter continue; complete_all(): all of them, now and later. Any context but NMI. The
 * completion may lie on the waiter's stack.
 */
void complete(struct completion *c);
void complete_all(struct completion *c);
/* Sleeps, not interruptible by signals. Task context. */
void wait_for_completion(struct completion *c);
/* The same, but SIGKILL ends the sleep: -EINTR. Else 0. */
int wait_for_completion_killable(struct completion *c);
bool completion_done(struct completion *c);
