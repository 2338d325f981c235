/* What RCU can tell about itself: /sys/kernel/debug/rcu_tasks shows it. Task context. */
#pragma once

#include "kernel/compiler.h"

struct task_struct;

struct rcu_callback_stats {
	u64 grace_periods; /* that the kthread has waited for */
	u64 queued;        /* callbacks so far */
	u64 called;        /* of them */
};

void rcu_stats(struct rcu_callback_stats *stats);
void rcu_tasks_stats(struct rcu_callback_stats *stats);
/*
 * Call fn for each task that the grace period under way waits for, with a spinlock held: it may
 * not sleep.
 */
void rcu_tasks_for_each_holdout(void (*fn)(void *data, const struct task_struct *task), void *data);

/* After so long, in ms, the holdouts are reported, and again. 0: never. */
extern unsigned rcu_task_stall_timeout;
