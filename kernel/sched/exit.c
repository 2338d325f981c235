/*
 * Tasks go: do_exit(), zombies, wait4().
 *
 * A task that ends hands its children to PID 1, becomes a zombie and wakes its parent; the parent's
 * kernel_wait4() unlinks it and drops the reference of the lists. Tasks that nobody waits for
 * (kernel threads, and children whose parent ended first: PID 1 would only throw their status away)
 * unlink themselves. The memory goes with the last reference (kernel/sched/fork.c).
 */
#include "kernel/sched/runqueue.h"

#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/fork.h"

void (*task_exit_hook)(struct task_struct *task);

/* Unlink a dead task. tasklist_lock held; the caller drops the lists' reference after it. */
static void unlink_task(struct task_struct *p)
{
	p->exit_state = EXIT_DEAD;
	list_del_init(&p->sibling);
	detach_pid(p);
}

/*
 * Children whose parent ends belong to PID 1, and go by themselves: the zombies now. tasklist_lock
 * held.
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

/* Tell the family. True if the task is unlinked already. */
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
	exit_files(tsk);
	tsk->exit_code = status;

	/*
	 * From the moment the parent knows, be quick: it may wait for the last switch to free the
	 * memory. And RCU-tasks no longer sees a task that has left the list, so nothing may
	 * preempt it there.
	 */
	preempt_disable();
	task_sched_runtime(tsk); /* what is charged from here on its parent may not see */
	if (tsk->flags & PF_KTHREAD)
		complete_all(&tsk->exited);
	if (exit_notify(tsk))
		put_task_struct(tsk);
	do_task_dead();
}

/*
 * One of current's children that pid asks for. tasklist_lock held. NULL with *exists false: no such
 * child.
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

/* The PID of a child reaped now, 0 if none has ended yet, -ECHILD. */
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
		return -EINVAL; /* process groups are not waited for */
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
			(void)kill_pid(pid, *sig); /* it may have ended by now */
		if (kernel_wait4(pid, &status, 0) != -EINTR)
			return exit_status(status);
		*sig = pending_signal(current);
		flush_signals(current);
	}
}
