/* The state of RCU, for /sys/kernel/debug/rcu_tasks and the self-tests. Task context. */
#pragma once

#include "kernel/compiler.h"

struct task_struct;

struct rcu_callback_stats {
	u64 grace_periods; /* for which the kthread has waited */
	u64 queued;        /* callbacks so far */
	u64 called;        /* callbacks called so far */
	u64 stalls;        /* reports of a stall so far; RCU-tasks only */
};

void rcu_stats(struct rcu_callback_stats *stats);
void rcu_tasks_stats(struct rcu_callback_stats *stats);
/* Calls fn for each task for which the present grace period waits. fn must not sleep. */
void rcu_tasks_for_each_holdout(void (*fn)(void *data, const struct task_struct *task), void *data);

/* The holdouts are reported each time a grace period has waited for so many ms. 0: never. */
extern unsigned rcu_task_stall_timeout;
