/*
 * The end of tasks: do_exit(), zombies, wait4().
 *
 * A task that ends gives its children to PID 1, becomes a zombie and wakes its parent. The parent's
 * kernel_wait4() unlinks the zombie and drops the reference of the lists. Some tasks have no parent
 * that waits for them, and so unlink themselves: kernel threads, and children that outlive their
 * parent (PID 1 would only discard their status). Dropping the last reference frees the memory
 * (kernel/process/fork.c).
 */
#include "kernel/sched/runqueue.h"

#include "kernel/panic.h"
#include "kernel/process/process.h"
#include "kernel/signal/signal.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/fork.h"
#include "kernel/sched/sched_events.h"

void (*task_exit_hook)(struct task_struct *task);

/* Unlinks a dead task. tasklist_lock held; the caller drops the lists' reference after that. */
static void unlink_task(struct task_struct *p)
{
	p->exit_state = EXIT_DEAD;
	list_del_init(&p->sibling);
	detach_pid(p);
}

/*
 * Gives the children of a task that ends to PID 1. They unlink themselves at their exit. Children
 * that are zombies already are unlinked now and put on the list dead. tasklist_lock held.
 */
static void forget_original_parent(struct task_struct *parent, struct list_head *dead)
{
	struct task_struct *p, *n;

	list_for_each_entry_safe (p, n, &parent->children, sibling) {
		p->parent = child_reaper;
		p->auto_reap = true;
		if (p->exit_state == EXIT_ZOMBIE) {
			unlink_task(p);
			list_add_tail(&p->sibling, dead);
		} else {
			list_move_tail(&p->sibling, &child_reaper->children);
		}
	}
}

/* Tells parent and children that the task ends. True if the task is unlinked already. */
static bool exit_notify(struct task_struct *tsk)
{
	LIST_HEAD(dead);
	struct task_struct *p, *n;
	bool reaped;

	spin_lock(&tasklist_lock);
	forget_original_parent(tsk, &dead);
	reaped = tsk->auto_reap;
	if (reaped) {
		unlink_task(tsk);
	} else {
		tsk->exit_state = EXIT_ZOMBIE;
		wake_up_all(&tsk->parent->child_exit);
	}
	spin_unlock(&tasklist_lock);

	list_for_each_entry_safe (p, n, &dead, sibling)
		put_task_struct(p);
	return reaped;
}

void do_group_exit(int status)
{
	struct signal_struct *signal = current->signal;

	spin_lock_irq(&current->sighand->siglock);
	if (signal->flags & SIGNAL_GROUP_EXIT) {
		status = signal->group_exit_code;
	} else {
		signal->group_exit_code = status;
		signal->flags |= SIGNAL_GROUP_EXIT;
		zap_other_threads(current);
	}
	spin_unlock_irq(&current->sighand->siglock);
	do_exit(status);
}

bool is_current_pgrp_orphaned(void)
{
	struct task_struct *p;
	bool orphaned = true;

	spin_lock(&tasklist_lock);
	for_each_task (p) {
		struct task_struct *parent = p->parent;

		if (p->pgrp == current->pgrp && !p->exit_state && parent->pgrp != p->pgrp &&
		    parent->signal->pids[PIDTYPE_SID] == p->signal->pids[PIDTYPE_SID])
			orphaned = false;
	}
	spin_unlock(&tasklist_lock);
	return orphaned;
}

void do_exit(int status)
{
	void (*exit_hook)(struct task_struct * task) = READ_ONCE(task_exit_hook);
	struct task_struct *tsk = current;

	if (in_interrupt())
		panic("Aiee, killing interrupt handler!");
	if (tsk->flags & PF_IDLE)
		panic("Attempted to kill the idle task!");
	if (tsk == child_reaper)
		panic("Attempted to kill init! exitcode=0x%08x", (unsigned)status);
	if (tsk->flags & PF_EXITING) {
		pr_emerg("Fixing recursive fault but reboot is needed!\n");
		for (;;) {
			set_current_state(TASK_UNINTERRUPTIBLE);
			schedule();
		}
	}
	tsk->flags |= PF_EXITING;
	if (exit_hook)
		exit_hook(tsk);
	trace_sched_process_exit(tsk);
	exit_files(tsk);
	tsk->exit_code = status;

	/*
	 * No preemption from here on. The parent soon waits for the end, and the last switch frees
	 * the memory. And RCU-tasks does not see a task that has left the list of tasks.
	 */
	preempt_disable();
	task_sched_runtime(tsk); /* charge it now: the parent may read the sum before the switch */
	if (tsk->flags & PF_KTHREAD)
		complete_all(&tsk->exited);
	if (exit_notify(tsk))
		put_task_struct(tsk);
	do_task_dead();
}

/*
 * A zombie among the children of the current task that match pid, or NULL. *exists: a child matches
 * pid at all. tasklist_lock held.
 */
static struct task_struct *find_zombie(pid_t pid, bool *exists)
{
	struct task_struct *p;

	*exists = false;
	list_for_each_entry (p, &current->children, sibling) {
		if (p->auto_reap || (pid > 0 && p->pid != pid))
			continue;
		*exists = true;
		if (p->exit_state == EXIT_ZOMBIE)
			return p;
	}
	return NULL;
}

/* Reaps a child. Its PID, 0 if none has ended yet, or -ECHILD. */
static pid_t try_to_reap(pid_t pid, int *status)
{
	struct task_struct *p;
	pid_t reaped = 0;
	bool exists;

	spin_lock(&tasklist_lock);
	p = find_zombie(pid, &exists);
	if (p) {
		reaped = p->pid;
		if (status)
			*status = p->exit_code;
		current->children_runtime += p->se.sum_exec_runtime + p->children_runtime;
		unlink_task(p);
	}
	spin_unlock(&tasklist_lock);
	if (p) {
		put_task_struct(p);
		return reaped;
	}
	return exists ? 0 : -ECHILD;
}

pid_t kernel_wait4(pid_t pid, int *status, int options)
{
	DEFINE_WAIT(wait);
	pid_t ret;

	syscall_boundary();
	if (pid == 0 || pid < -1)
		return -EINVAL; /* waiting for a process group is not supported */
	trace_sched_process_wait(pid > 0 ? pid : 0);
	for (;;) {
		prepare_to_wait(&current->child_exit, &wait, TASK_INTERRUPTIBLE);
		ret = try_to_reap(pid, status);
		if (ret || (options & WNOHANG))
			break;
		if (signal_pending(current)) {
			ret = -EINTR;
			break;
		}
		schedule();
	}
	finish_wait(&current->child_exit, &wait);
	return ret;
}

char task_state_to_char(const struct task_struct *p)
{
	unsigned state = READ_ONCE(p->state);

	switch (READ_ONCE(p->exit_state)) {
	case EXIT_ZOMBIE:
		return 'Z';
	case EXIT_DEAD:
		return 'X';
	}
	if (state == TASK_IDLE)
		return 'I';
	if (state & (TASK_UNINTERRUPTIBLE | TASK_NEW))
		return 'D';
	return state & TASK_INTERRUPTIBLE ? 'S' : 'R';
}

int wait_for_child(pid_t pid, int *sig)
{
	int status = 0;

	for (;;) {
		if (*sig)
			(void)kill_pid(pid, *sig); /* the child may have ended already */
		if (kernel_wait4(pid, &status, 0) != -EINTR)
			return exit_status(status);
		*sig = kernel_dequeue_signal();
		flush_signals(current);
	}
}
