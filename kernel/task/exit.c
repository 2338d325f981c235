/* The end of tasks: do_exit(). Kernel threads end here, and programs in kernel/process/exit.c. */
#include "kernel/sched/sched.h"

#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/task/cred.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/runqueue.h"
#include "kernel/sched/sched_events.h"
#include "kernel/task/program.h"
#include "kernel/task/task.h"

/* The task cannot end: it keeps what it has, and sleeps for ever. No task waits for it any more. */
static void __noreturn sleep_forever(void)
{
	pr_emerg("Fixing recursive fault but reboot is needed!\n");
	complete_all(&current->exited);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule();
	}
}

void task_is_ending(void)
{
	void (*hook)(void) = READ_ONCE(task_ending_hook);

	if (hook)
		hook();
}

/* Takes a kernel thread that has ended out of all lists: no task waits for it. */
static void release_kthread(struct task_struct *p)
{
	void (*exit_hook)(struct task_struct * task) = READ_ONCE(task_exit_hook);
	struct sighand_struct *sighand = p->sighand;
	unsigned long flags;

	if (exit_hook)
		exit_hook(p);
	spin_lock(&tasklist_lock);
	p->exit_state = EXIT_DEAD;
	pid_wake_pidfds(p->thread_pid);
	remove_from_task_list(p);
	spin_lock_irqsave(&sighand->siglock, flags);
	for (unsigned type = 0; type < PIDTYPE_MAX; type++)
		detach_pid(p, type);
	list_del_init(&p->sibling);
	list_del_init(&p->thread_node);
	p->signal->nr_threads--;
	p->sighand = NULL;
	spin_unlock_irqrestore(&sighand->siglock, flags);
	spin_unlock(&tasklist_lock);
	atomic_dec(&sighand->count); /* init_sighand: init_task keeps it */
	uncount_process(p);
	put_task_struct(p);
}

static void __noreturn exit_kthread(struct task_struct *tsk, int status)
{
	tsk->flags |= PF_EXITING;
	atomic_dec(&tsk->signal->live);
	tsk->exit_code = status;
	trace_sched_process_exit(tsk);
	task_is_ending();
	exit_task_parts(tsk);
	if (!list_empty(&tsk->children))
		program_ops.forget_children(tsk);

	/*
	 * No preemption from here on: the last switch frees the memory. And RCU-tasks does not see
	 * a task that has left the list of tasks.
	 */
	preempt_disable();
	complete_all(&tsk->exited);
	release_kthread(tsk);
	do_task_dead();
}

void do_exit(int status)
{
	struct task_struct *tsk = current;

	if (in_interrupt())
		panic("Aiee, killing interrupt handler!");
	if (tsk->flags & PF_IDLE)
		panic("Attempted to kill the idle task!");
	if (tsk->flags & PF_EXITING)
		sleep_forever();
	if ((tsk->flags & PF_KTHREAD) && !tsk->mm)
		exit_kthread(tsk, status);
	if (program_ops.exit)
		program_ops.exit(status);
	panic("Attempted to kill init! exitcode=0x%08x", (unsigned)status);
}
