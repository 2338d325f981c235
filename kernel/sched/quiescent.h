/*
 * Quiescent points: places where a task runs code of its own and holds nothing that a grace period
 * of RCU-tasks or a live-patch transition has to wait for.
 *
 * Two things must be true at such a point. First, no trampoline of ftrace and no ftrace callback is
 * on the task's stack. A preempted task may have one there, but a trampoline and the callback that
 * it calls never reach a quiescent point. Second, the stack can be walked reliably, because the
 * point is an ordinary call: live patching looks for replaced functions in it.
 *
 * The points are every voluntary pass through the scheduler (schedule(), yield(), cond_resched()),
 * every system call, and every return to user mode that finds quiescent_work set (kernel/entry.c).
 * A task that loops in system calls may never need to sleep.
 */
#pragma once

#include "kernel/sched/livepatch.h"
#include "kernel/sched/sched.h"

/* p, the current task, is at a quiescent point. Costs one load and one test when nothing waits. */
static __always_inline void task_quiescent(struct task_struct *p)
{
	if (unlikely(READ_ONCE(p->quiescent_work))) {
		WRITE_ONCE(p->rcu_tasks_holdout, false);
		klp_sched_try_switch(p);
	}
}
