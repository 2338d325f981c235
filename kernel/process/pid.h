/*
 * struct pid: a number that names a task, a thread group, a process group or a session.
 *
 * The number stays reserved while one of them still has it as its name, also after the task itself
 * has ended: the number of a process group is free when its last member has left. References keep
 * the struct alone: a struct pid without tasks names nothing, and its number may be in use again.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/lib/list.h"
#include "kernel/rcu/rcu.h"

enum pid_type {
	PIDTYPE_PID,  /* one task: its pid */
	PIDTYPE_TGID, /* the tasks of a thread group: what programs call the process id */
	PIDTYPE_PGID, /* the processes of a group: a job of the shell */
	PIDTYPE_SID,  /* the processes of a session */
	PIDTYPE_MAX,
};

/* [L] tasklist_lock; [A] atomic; [C] constant after creation. */
struct pid {
	atomic_t count; /* [A] references */
	pid_t nr;       /* [C] */
	/* [L] task_struct.pid_links[type] of all tasks that have this name; PGID and SID: only of
	 * the leaders of thread groups */
	struct list_head tasks[PIDTYPE_MAX];
	struct list_head hash_node; /* [L] in the table of numbers */
	struct rcu_head rcu;
};
