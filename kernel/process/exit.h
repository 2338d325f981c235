/* What the files of kernel/process share about the end of tasks. */
#pragma once

#include "kernel/sched/sched.h"

/* Ends the address space of the current task, at exit or exec: clears and wakes clear_child_tid,
 * and lets the parent of vfork() continue. Task context. */
void mm_release(struct task_struct *tsk);
/*
 * Takes a dead task out of all lists and drops the reference of the lists. If it was the last
 * thread but the leader, tells the parent of the leader. Task context, no lock held.
 */
void release_task(struct task_struct *p);
/* Whether no task but p itself is left in its thread group. tasklist_lock held. */
bool thread_group_empty(const struct task_struct *p);
static inline bool thread_group_leader(const struct task_struct *p)
{
	return p->group_leader == p;
}
