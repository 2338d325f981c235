/* PIDs: allocation of numbers, tasks by number, the list of all tasks. */
#include "kernel/task/pid.h"

#include "kernel/mm/slab.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/runqueue.h"
#include "kernel/smp.h"

#define RESERVED_PIDS 300 /* counting restarts here after PID_MAX - 1 */

DEFINE_SPINLOCK(tasklist_lock);
LIST_HEAD(task_list);

/* The numbers: 256 KiB, so that a new one needs no memory. [L] to write; RCU to read. */
static struct pid *pid_table[PID_MAX];
static pid_t last_pid_given; /* [L] */

struct pid init_struct_pid = {
	.count = ATOMIC_INIT(1),
	.wait_pidfd = __WAIT_QUEUE_HEAD_INITIALIZER(init_struct_pid.wait_pidfd),
	.tasks = {
		LIST_HEAD_INIT(init_struct_pid.tasks[PIDTYPE_PID]),
		LIST_HEAD_INIT(init_struct_pid.tasks[PIDTYPE_TGID]),
		LIST_HEAD_INIT(init_struct_pid.tasks[PIDTYPE_PGID]),
		LIST_HEAD_INIT(init_struct_pid.tasks[PIDTYPE_SID]),
	},
};

struct pid *find_pid(pid_t nr)
{
	return nr > 0 && nr < PID_MAX ? rcu_dereference(pid_table[nr]) : NULL;
}

/* The first free number from first to last - 1, or 0. tasklist_lock held. */
static pid_t free_number(pid_t first, pid_t last)
{
	for (pid_t nr = first; nr < last; nr++)
		if (!pid_table[nr])
			return nr;
	return 0;
}

struct pid *alloc_pid(void)
{
	struct pid *pid = kmalloc(sizeof(*pid), GFP_KERNEL);

	if (!pid)
		return ERR_PTR(-ENOMEM);
	atomic_set(&pid->count, 1);
	pid->asked_by = 0;
	init_waitqueue_head(&pid->wait_pidfd);
	for (unsigned type = 0; type < PIDTYPE_MAX; type++)
		INIT_LIST_HEAD(&pid->tasks[type]);
	spin_lock(&tasklist_lock);
	pid->nr = free_number(last_pid_given + 1, PID_MAX);
	if (!pid->nr)
		pid->nr = free_number(last_pid_given < RESERVED_PIDS ? 1 : RESERVED_PIDS, PID_MAX);
	if (pid->nr) {
		last_pid_given = pid->nr;
		rcu_assign_pointer(pid_table[pid->nr], pid);
	}
	spin_unlock(&tasklist_lock);
	if (!pid->nr) {
		kfree(pid);
		return ERR_PTR(-EAGAIN);
	}
	return pid;
}

void pid_wake_pidfds(struct pid *pid)
{
	if (!list_empty(&pid->wait_pidfd.head))
		wake_up_all(&pid->wait_pidfd);
}

static void free_pid_rcu(struct rcu_head *head)
{
	kfree(container_of(head, struct pid, rcu));
}

void put_pid(struct pid *pid)
{
	if (pid && atomic_dec_and_test(&pid->count))
		call_rcu(&pid->rcu, free_pid_rcu);
}

void free_pid(struct pid *pid)
{
	rcu_assign_pointer(pid_table[pid->nr], NULL);
	put_pid(pid);
}

void attach_pid(struct task_struct *p, enum pid_type type, struct pid *pid)
{
	list_add_tail(&p->pid_links[type], &pid->tasks[type]);
	if (type == PIDTYPE_PID)
		p->thread_pid = pid;
	else
		p->signal->pids[type] = pid;
}

/* Frees the number of pid if it names nothing. tasklist_lock held. */
static void free_unused_pid(struct pid *pid)
{
	if (pid == &init_struct_pid)
		return;
	for (unsigned type = 0; type < PIDTYPE_MAX; type++)
		if (!list_empty(&pid->tasks[type]))
			return;
	free_pid(pid);
}

void detach_pid(struct task_struct *p, enum pid_type type)
{
	struct pid *pid = task_pid_type(p, type);

	list_del_init(&p->pid_links[type]);
	if (type == PIDTYPE_PID)
		p->thread_pid = NULL;
	else
		p->signal->pids[type] = NULL;
	free_unused_pid(pid);
}

void change_pid(struct task_struct *p, enum pid_type type, struct pid *pid)
{
	struct pid *old = task_pid_type(p, type);

	list_del_init(&p->pid_links[type]);
	attach_pid(p, type, pid);
	free_unused_pid(old);
}

struct pid *task_pid_type(const struct task_struct *p, enum pid_type type)
{
	return type == PIDTYPE_PID ? p->thread_pid : p->signal->pids[type];
}

struct pid *get_task_pid(const struct task_struct *p, enum pid_type type)
{
	struct pid *pid;

	spin_lock(&tasklist_lock);
	pid = get_pid(task_pid_type(p, type));
	spin_unlock(&tasklist_lock);
	return pid;
}

static pid_t task_pid_nr_type(const struct task_struct *p, enum pid_type type)
{
	struct pid *pid;
	pid_t nr;

	rcu_read_lock();
	pid = rcu_dereference(p->signal->pids[type]);
	nr = pid ? pid->nr : 0;
	rcu_read_unlock();
	return nr;
}

pid_t task_pgrp_nr(const struct task_struct *p)
{
	return task_pid_nr_type(p, PIDTYPE_PGID);
}

pid_t task_session_nr(const struct task_struct *p)
{
	return task_pid_nr_type(p, PIDTYPE_SID);
}

struct task_struct *pid_task(const struct pid *pid, enum pid_type type)
{
	return list_empty(&pid->tasks[type])
		       ? NULL
		       : list_first_entry(&pid->tasks[type], struct task_struct, pid_links[type]);
}

struct task_struct *find_task_by_pid(pid_t nr)
{
	struct pid *pid = find_pid(nr);

	return pid ? pid_task(pid, PIDTYPE_PID) : NULL;
}

struct task_struct *find_get_task_by_pid(pid_t nr)
{
	struct task_struct *p;

	spin_lock(&tasklist_lock);
	p = find_task_by_pid(nr);
	if (p)
		get_task_struct(p);
	spin_unlock(&tasklist_lock);
	return p;
}

void for_all_tasks(void (*fn)(struct task_struct *p, void *arg), void *arg)
{
	struct task_struct *p;
	unsigned cpu;

	spin_lock(&tasklist_lock);
	for_each_task (p)
		fn(p, arg);
	fn(&init_task, arg); /* of the boot CPU; before sched_init() no run queue has it */
	for_each_possible_cpu (cpu)
		if (idle_task(cpu) && idle_task(cpu) != &init_task)
			fn(idle_task(cpu), arg);
	spin_unlock(&tasklist_lock);
}

pid_t last_pid(void)
{
	return READ_ONCE(last_pid_given);
}

void set_last_pid(pid_t nr)
{
	spin_lock(&tasklist_lock);
	WRITE_ONCE(last_pid_given, nr);
	spin_unlock(&tasklist_lock);
}
