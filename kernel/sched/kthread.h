/* Kernel threads: services of the kernel, created stopped and ended by kthread_stop(). */
#pragma once

#include "kernel/errno.h"
#include "kernel/sched/sched.h"

/*
 * A task with PF_KTHREAD, not yet started, or ERR_PTR(-ENOMEM). The caller wakes it. Task context.
 */
__printf(3, 4) struct task_struct *kthread_create(int (*fn)(void *data), void *data,
						  const char *name_fmt, ...);
#define kthread_run(fn, data, ...)                                                                 \
	({                                                                                         \
		struct task_struct *__k = kthread_create(fn, data, __VA_ARGS__);                   \
		if (!IS_ERR(__k))                                                                  \
			wake_up_process(__k);                                                      \
		__k;                                                                               \
	})
/* Before it is first woken. */
void kthread_bind(struct task_struct *k, unsigned cpu);
bool kthread_should_stop(void);
/* Ask k to end, wake it, wait, reap it; its return value. -EINTR if fn had not begun. */
int kthread_stop(struct task_struct *k);
