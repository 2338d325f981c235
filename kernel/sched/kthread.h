/* Kernel threads: services of the kernel, created stopped and ended by kthread_stop(). */
#pragma once

#include "kernel/errno.h"
#include "kernel/sched/sched.h"

/* A new task with PF_KTHREAD, which the caller must wake, or ERR_PTR(-ENOMEM). Task context. */
__printf(3, 4) struct task_struct *kthread_create(int (*fn)(void *data), void *data,
						  const char *name_fmt, ...);
#define kthread_run(fn, data, ...)                                                                 \
	({                                                                                         \
		struct task_struct *__k = kthread_create(fn, data, __VA_ARGS__);                   \
		if (!IS_ERR(__k))                                                                  \
			wake_up_process(__k);                                                      \
		__k;                                                                               \
	})
/* Binds k to a CPU for its life. Call it before the first wake-up. */
void kthread_bind(struct task_struct *k, unsigned cpu);
bool kthread_should_stop(void);
/* Asks k to end, and waits for its end. Returns the result of fn; -EINTR: fn has not begun. */
int kthread_stop(struct task_struct *k);
