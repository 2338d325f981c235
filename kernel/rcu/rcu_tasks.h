/* What the scheduler does for RCU-tasks: kernel/rcu/tasks.c. */
#pragma once

#include "kernel/sched/task.h"

/* p, which is current, gives up the CPU of its own will, or would if anybody wanted it. */
static __always_inline void rcu_tasks_quiescent(struct task_struct *p)
{
	WRITE_ONCE(p->rcu_tasks_holdout, false);
}
