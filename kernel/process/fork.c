/*
 * Creation of tasks: allocation, kernel_clone(), the idle tasks. And the end of the last reference.
 *
 * References (usage): one because the task can run, dropped by the CPU that has switched away from
 * the dead task; one of the lists of tasks, dropped when the task is reaped; one for each pointer
 * that other code keeps.
 */
#include "kernel/sched/runqueue.h"

#include "arch/switch.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/process/cred.h"
#include "kernel/process/signal_struct.h"
#include "kernel/process/clone_flags.h"
#include "kernel/signal/signal.h"
#include "kernel/sched/fork.h"
#include "kernel/sched/sched_events.h"
#include "kernel/sched/task_events.h"
#include "kernel/smp.h"

struct task_struct *child_reaper;

static const struct task_fs_hooks *fs_hooks;
void (*task_fork_hook)(struct task_struct *parent, struct task_struct *child);
void (*task_new_hook)(struct task_struct *task);
void (*task_free_hook)(struct task_struct *task);
static atomic64_t forks;

void task_set_fs_hooks(const struct task_fs_hooks *hooks)
{
	fs_hooks = hooks;
}

void exit_files(struct task_struct *p)
{
	if (fs_hooks)
		fs_hooks->exit(p);
}

u64 total_forks(void)
{
	return (u64)atomic64_read(&forks);
}

/* A new process: one thread, with the limits of the current process. NULL when memory is short. */
static struct signal_struct *alloc_signal_struct(struct task_struct *leader)
{
	struct signal_struct *sig = kzalloc(sizeof(*sig), GFP_KERNEL);

	if (!sig)
		return NULL;
	atomic_set(&sig->sigcnt, 1);
	atomic_set(&sig->live, 1);
	sig->nr_threads = 1;
	INIT_LIST_HEAD(&sig->thread_head);
	list_add(&leader->thread_node, &sig->thread_head);
	init_waitqueue_head(&sig->wait_chldexit);
	INIT_LIST_HEAD(&sig->shared_pending.list);
	memcpy(sig->rlim, current->signal->rlim, sizeof(sig->rlim));
	return sig;
}

static void put_signal_struct(struct signal_struct *sig)
{
	if (atomic_dec_and_test(&sig->sigcnt))
		kfree(sig);
}

static void free_task(struct task_struct *p)
{
	flush_sigqueue(&p->pending);
	if (task_free_hook)
		task_free_hook(p);
	put_signal_struct(p->signal);
	free_thread_stack(p->stack);
	kfree(p);
}

void put_task_struct(struct task_struct *p)
{
	if (atomic_dec_and_test(&p->usage)) {
		trace_sched_process_free(p);
		free_task(p);
	}
}

void set_task_comm(struct task_struct *p, const char *name)
{
	unsigned long flags;

	spin_lock_irqsave(&p->lock, flags);
	trace_task_rename(p, name);
	strscpy(p->comm, name, sizeof(p->comm));
	WRITE_ONCE(p->cmdline_saved, 0);
	spin_unlock_irqrestore(&p->lock, flags);
}

/* Initialises the scheduler's fields of a task that has never run. It starts on this CPU. */
void sched_init_task(struct task_struct *p)
{
	u64 now = ktime_get();

	p->se = (struct sched_entity){ .vruntime = this_rq()->fair.min_vruntime,
				       .exec_start = now };
	set_load_weight(p);
	p->start_time = now;
}

/* Allocates a task with its stack. It is in no list and has no PID. NULL when memory is short. */
static struct task_struct *alloc_task(const char *comm)
{
	struct task_struct *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return NULL;
	p->signal = alloc_signal_struct(p);
	if (!p->signal)
		goto free;
	p->stack = alloc_thread_stack();
	if (!p->stack)
		goto free_signal;
	p->group_leader = p;
	p->sighand = &init_sighand;
	p->cred = p->real_cred = &init_cred;
	p->state = TASK_NEW;
	p->patch_state = KLP_UNDEFINED;
	atomic_set(&p->usage, 1);
	strscpy(p->comm, comm, sizeof(p->comm));
	spin_lock_init(&p->lock);
	p->cpu = smp_processor_id();
	p->cpus_allowed = cpu_possible_mask;
	p->nr_cpus_allowed = cpumask_weight(&cpu_possible_mask);
	INIT_LIST_HEAD(&p->rt_node);
	INIT_LIST_HEAD(&p->children);
	INIT_LIST_HEAD(&p->sibling);
	INIT_LIST_HEAD(&p->tasks);
	INIT_LIST_HEAD(&p->pid_node);
	init_waitqueue_head(&p->child_exit);
	init_sigpending(&p->pending);
	init_completion(&p->exited);
	sched_init_task(p);
	return p;

free_signal:
	put_signal_struct(p->signal);
free:
	kfree(p);
	return NULL;
}

/* Gives p a PID and a parent, and adds it to the lists. False when no PID is free. */
static bool publish_task(struct task_struct *p, struct task_struct *parent)
{
	spin_lock(&tasklist_lock);
	p->pid = alloc_pid();
	if (p->pid) {
		atomic_inc(&p->usage);
		p->tgid = p->pid;
		p->parent = parent;
		/* As its creator; under tasklist_lock, as a transition begins or ends for all. */
		p->patch_state = current->patch_state;
		p->patch_pending = current->patch_pending;
		p->pgrp = parent->pgrp ? parent->pgrp : p->pid;
		list_add_tail(&p->sibling, &parent->children);
		attach_pid(p);
		if (p->pid == 1)
			child_reaper = p;
	}
	spin_unlock(&tasklist_lock);
	if (!p->pid)
		return false;
	atomic64_inc(&forks);
	if (task_new_hook)
		task_new_hook(p);
	return true;
}

struct task_struct *create_kthread_task(int (*fn)(void *data), void *data, const char *comm,
					void (*entry)(void))
{
	struct task_struct *p = alloc_task(comm);

	if (!p)
		return ERR_PTR(-ENOMEM);
	p->flags = PF_KTHREAD;
	p->auto_reap = true;
	p->thread_fn = fn;
	p->thread_data = data;
	arch_setup_new_task(p, entry);
	if (!publish_task(p, &init_task)) {
		free_task(p);
		return ERR_PTR(-EAGAIN);
	}
	trace_task_newtask(p, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED);
	trace_sched_process_fork(&init_task, p);
	return p;
}

/* The first function of a child that kernel_clone() makes. */
static void clone_entry(void)
{
	int code = current->thread_fn(current->thread_data);

	do_exit((code & 0xff) << 8);
}

static void copy_sched(struct task_struct *child, struct task_struct *parent)
{
	child->policy = parent->policy;
	child->rt_priority = parent->rt_priority;
	child->nice = parent->nice;
	set_load_weight(child);
	if (parent->flags & PF_IDLE)
		return;
	child->cpus_allowed = parent->cpus_allowed;
	child->nr_cpus_allowed = parent->nr_cpus_allowed;
}

pid_t kernel_clone(int (*fn)(void *arg), void *arg, const char *comm)
{
	void (*fork_hook)(struct task_struct * parent, struct task_struct * child);
	struct task_struct *parent = current, *p;
	int error = -EAGAIN;

	syscall_boundary();
	p = alloc_task(comm ? comm : parent->comm);
	if (!p)
		return -ENOMEM;
	copy_sched(p, parent);
	p->ignored_signals = parent->ignored_signals;
	p->thread_fn = fn;
	p->thread_data = arg;
	if (fs_hooks) {
		error = fs_hooks->copy(0, p, parent);
		if (error)
			goto free;
		error = -EAGAIN;
	}
	arch_setup_new_task(p, clone_entry);
	if (!publish_task(p, parent))
		goto exit_files;
	trace_task_newtask(p, CLONE_VM | CLONE_UNTRACED);
	trace_sched_process_fork(parent, p);
	fork_hook = READ_ONCE(task_fork_hook);
	if (fork_hook)
		fork_hook(parent, p);
	wake_up_new_task(p);
	return p->pid; /* p may have ended, but stays until its parent, the caller, waits for it */

exit_files:
	exit_files(p);
free:
	free_task(p);
	return error;
}

struct task_struct *fork_idle(unsigned cpu)
{
	struct runqueue *rq = cpu_rq(cpu);
	char comm[TASK_COMM_LEN];
	struct task_struct *p;

	snprintf(comm, sizeof(comm), "swapper/%u", cpu);
	p = alloc_task(comm);
	if (!p)
		return NULL;
	p->flags = PF_KTHREAD | PF_IDLE;
	p->state = TASK_RUNNING;
	p->on_rq = 1;
	p->on_cpu = 1;
	p->cpu = cpu;
	p->nr_cpus_allowed = 1;
	cpumask_clear(&p->cpus_allowed);
	cpumask_set_cpu(cpu, &p->cpus_allowed);
	set_load_weight(p);
	rq->online_since = p->start_time;
	rq->idle = p;
	WRITE_ONCE(rq->curr, p);
	per_cpu(current_task, cpu) = p;
	if (task_new_hook)
		task_new_hook(p);
	return p;
}
