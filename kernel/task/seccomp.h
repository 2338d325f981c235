/*
 * The system calls that a task has given up (seccomp(2)), as far as fork, prctl and the entry of
 * system calls have to know it. Without the feature seccomp no task has a mode.
 */
#pragma once

#include "kernel/sched/sched.h"

/* task_struct.seccomp.mode, Linux's values. */
#define SECCOMP_MODE_DISABLED 0
#define SECCOMP_MODE_STRICT   1
#define SECCOMP_MODE_FILTER   2

struct seccomp_ops {
	/* The current task, which has a mode, forks child: L and its siglock held. */
	void (*fork)(struct task_struct *child);
	/*
	 * The current task has a mode. Whether it may make the system call of task_pt_regs(); if
	 * not, *ret is the result of the call. May end the task, or wait for its tracer. Task
	 * context, no lock.
	 */
	bool (*check)(long *ret);
	/* prctl(PR_SET_SECCOMP). */
	long (*set_mode)(unsigned long mode, const void __user *filter);
	/* The number of filters of a task with a mode. Task context; takes siglock. */
	unsigned (*count)(struct task_struct *task);
	/*
	 * About how many bytes of filters the process of p has, for the OOM killer. Task context;
	 * takes siglock.
	 */
	unsigned long (*memory)(struct task_struct *p);
};
/* NULL before its initcall, and without the feature. */
extern const struct seccomp_ops *seccomp_ops;
