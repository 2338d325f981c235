/*
 * Quiescent points: places where a task runs code of its own and holds nothing that a grace period
 * of RCU-tasks or a live-patch transition has to wait for.
 *
 * Two things must be true at such a point. First, no trampoline of ftrace and no ftrace callback is
 * on the task's stack. A preempted task may have one there, but a trampoline and the callback that
 * it calls never reach a quiescent point. Nor does the detour of a probe, because no probe can be
 * in task_quiescent_slow(). Second, the stack can be walked reliably, because the point is an
 * ordinary call: live patching looks for replaced functions in it.
 *
 * The points are every voluntary pass through the scheduler (schedule(), yield(), cond_resched()),
 * every system call, and every return to user mode that finds quiescent_work set
 * (kernel/process/entry.c). A task that loops in system calls may never need to sleep.
 */
#pragma once

#include "kernel/sched/livepatch.h"
#include "kernel/sched/sched.h"

/* Something waits for the quiescent point of p: clears rcu_tasks_holdout (kernel/sched/task.h). */
void task_quiescent_slow(struct task_struct *p);

/* p, the current task, is at a quiescent point. Costs one load and one test when nothing waits. */
static __always_inline void task_quiescent(struct task_struct *p)
{
	if (unlikely(READ_ONCE(p->quiescent_work)))
		task_quiescent_slow(p);
}
