/*
 * How long tasks sleep, and how long they wait for a CPU: the events sched_stat_sleep,
 * sched_stat_blocked and sched_stat_wait. Only while /proc/sys/kernel/sched_schedstats is 1, as in
 * Linux, because it reads the clock at each wake-up.
 */
#pragma once

#include "kernel/jump_label.h"
#include "kernel/types.h"

struct task_struct;

DECLARE_STATIC_KEY_FALSE(sched_schedstats);
/* Switches the statistics on or off. 0 or an error of the static branch. Task context. */
int sched_set_schedstats(bool on);

void __schedstat_wakeup(struct task_struct *p);
void __schedstat_switch(struct task_struct *prev, struct task_struct *next, u64 now);

/* p is about to be made runnable; its state is still that of its sleep. P and R held. */
static __always_inline void schedstat_wakeup(struct task_struct *p)
{
	if (static_branch_unlikely(&sched_schedstats))
		__schedstat_wakeup(p);
}

/* The CPU switches from prev to next. R held. */
static __always_inline void schedstat_switch(struct task_struct *prev, struct task_struct *next,
					     u64 now)
{
	if (static_branch_unlikely(&sched_schedstats))
		__schedstat_switch(prev, next, now);
}
