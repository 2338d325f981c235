/*
 * struct pid: a number that names a task, a thread group, a process group or a session.
 *
 * The number stays reserved until no task, thread group, process group or session uses it. So the
 * number of a process group is free when its last member has left. A reference keeps only the
 * struct: a struct pid without users names nothing, and its number may be in use again.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/lib/list.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/wait.h"

struct task_struct;

#define PID_MAX 32768 /* numbers are smaller; as Linux's default pid_max */

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
	u64 asked_by; /* [L] PGID: the ended parent after which kill_orphaned_pgrp() looked at it */
	wait_queue_head_t wait_pidfd; /* pidfds that are polled; woken at the end of the process */
	struct rcu_head rcu;
};

/* The process of pid has ended: wakes who polls a pidfd of it. tasklist_lock held. */
void pid_wake_pidfds(struct pid *pid);

/* Number 0: the process group and the session of kernel tasks. It is never freed. */
extern struct pid init_struct_pid;

/* A new pid with the next free number. ERR_PTR: -ENOMEM; -EAGAIN: no number. Task context. */
struct pid *alloc_pid(void);
/*
 * Frees the number. tasklist_lock held. The kernel does that itself once attach_pid() was called.
 */
void free_pid(struct pid *pid);
static inline struct pid *get_pid(struct pid *pid)
{
	if (pid)
		atomic_inc(&pid->count);
	return pid;
}
/* Drops a reference; NULL does nothing. Any context but NMI, without P and R. */
void put_pid(struct pid *pid);

/*
 * Makes pid the name of p, gives p another name, takes the name from p. A number that names nothing
 * any more becomes free. p leads its thread group, unless type is PIDTYPE_PID. tasklist_lock held.
 */
void attach_pid(struct task_struct *p, enum pid_type type, struct pid *pid);
void change_pid(struct task_struct *p, enum pid_type type, struct pid *pid);
void detach_pid(struct task_struct *p, enum pid_type type);

/* The pid with that number, or NULL. tasklist_lock held; or between rcu_read_lock() and unlock. */
struct pid *find_pid(pid_t nr);
/* The name of p; NULL once p is reaped. tasklist_lock held. */
struct pid *task_pid_type(const struct task_struct *p, enum pid_type type);
/* The same with a reference. Task context. */
struct pid *get_task_pid(const struct task_struct *p, enum pid_type type);
/* The first task with that name, or NULL. tasklist_lock held. */
struct task_struct *pid_task(const struct pid *pid, enum pid_type type);
struct task_struct *find_task_by_pid(pid_t nr);
#define for_each_pid_task(p, pid, type)                                                            \
	list_for_each_entry (p, &(pid)->tasks[type], pid_links[type])

/* Numbers of the process group and of the session; 0 once p is reaped. Any context but NMI. */
pid_t task_pgrp_nr(const struct task_struct *p);
pid_t task_session_nr(const struct task_struct *p);
