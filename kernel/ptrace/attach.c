/*
 * The beginning and the end of tracing: TRACEME, ATTACH, SEIZE, DETACH, the death of the tracer,
 * and the freezing of a stopped tracee. See ptrace.h.
 *
 * tracer->tracees and task->tracee change under tasklist_lock and, inside, the siglock of the task.
 * So code with one of the two sees a tracee whose tracer exists: a tracer lets its tracees go under
 * tasklist_lock, before it can be released.
 */
#include "arch/user/ptrace.h"
#include "kernel/mm/slab.h"
#include "kernel/process/exit.h"
#include "kernel/process/ptrace.h"
#include "kernel/ptrace/ptrace.h"
#include "kernel/sched/user_work.h"
#include "kernel/syscalls/syscalls.h"

struct tracee *alloc_tracee(struct task_struct *task)
{
	struct tracee *tracee = kzalloc(sizeof(*tracee), GFP_KERNEL);

	if (tracee)
		tracee->task = task;
	return tracee;
}

void ptrace_link(struct tracee *tracee, struct task_struct *tracer, const struct cred *cred)
{
	struct task_struct *task = tracee->task;

	tracee->tracer = tracer;
	tracee->cred = get_cred(cred);
	tracee->next = tracer->tracees;
	tracee->link = &tracer->tracees;
	if (tracee->next)
		tracee->next->link = &tracee->next;
	tracer->tracees = tracee;
	task->tracee = tracee;
	task->jobctl |= JOBCTL_TRACED;
}

/*
 * The tracer of task has gone. If the task makes a step, no trap may be left, which would end it:
 * the task itself takes TF out of its registers, or, if it is stopped, this function. siglock held.
 */
static void end_step(struct task_struct *task, bool was_traced)
{
	if (!(READ_ONCE(task->syscall_trace) & SYSCALL_WORK_FORCED_TF))
		return;
	if (was_traced) {
		if (task->exit_code == SIGTRAP)
			task->exit_code = 0;
		user_disable_single_step(task);
	} else {
		task->jobctl |= JOBCTL_UNSTEP;
		set_user_work(task, USER_WORK_SIGPENDING);
		kick_process(task);
	}
}

void ptrace_unlink(struct task_struct *task)
{
	struct tracee *tracee = task->tracee;
	struct signal_struct *signal = task->signal;
	bool was_traced;

	*tracee->link = tracee->next;
	if (tracee->next)
		tracee->next->link = tracee->link;
	spin_lock_irq(&task->sighand->siglock);
	was_traced = READ_ONCE(task->__state) & __TASK_TRACED;
	end_step(task, was_traced);
	/* unhandled_signal() looks at both without the lock, in the other order. */
	smp_store_release(&task->tracee, NULL);
	task->jobctl &= ~(JOBCTL_TRACED | JOBCTL_SEIZED | JOBCTL_TRAP_MASK | JOBCTL_TRAPPING);
	/* A group stop that is in effect now stops this task, too. */
	if (!(task->flags & PF_EXITING) &&
	    ((signal->flags & SIGNAL_STOP_STOPPED) || signal->group_stop_count)) {
		task->jobctl |= JOBCTL_STOP_PENDING;
		if (!(task->jobctl &
		      JOBCTL_STOP_SIGMASK)) /* a thread that is new in a stopped process */
			task->jobctl |= SIGSTOP;
	}
	set_syscall_work(task, 0, SYSCALL_WORK_PTRACE | SYSCALL_WORK_STEP);
	if ((task->jobctl & JOBCTL_STOP_PENDING) || was_traced)
		signal_wake_up(task, was_traced ? __TASK_TRACED : 0);
	spin_unlock_irq(&task->sighand->siglock);
	put_cred(tracee->cred);
	kfree(tracee);
}

/* ---- TRACEME ---- */

/*
 * The thread that has made the current process, or another one of its process. NULL: all of them
 * are ending. L held.
 */
static struct task_struct *parent_thread(void)
{
	struct signal_struct *parent = current->group_leader->real_parent->signal;
	struct task_struct *t, *found = NULL;

	list_for_each_entry (t, &parent->thread_head, thread_node) {
		if (t->flags & PF_EXITING)
			continue;
		if (!found || t->pid == current->signal->parent_tid)
			found = t;
	}
	return found;
}

/* Whether the process of t may trace the current task, which asks for that. RCU reader, L held. */
static bool may_trace_me(struct task_struct *t)
{
	const struct cred *cred = rcu_dereference(t->real_cred);

	if (ptrace_policy_ops && !ptrace_policy_ops->may_trace_me(cred))
		return false;
	return !(current_cred()->cap_permitted & ~cred->cap_permitted) ||
	       (cred->cap_effective & BIT(CAP_SYS_PTRACE));
}

int ptrace_traceme(void)
{
	struct tracee *tracee = alloc_tracee(current);
	struct task_struct *parent;
	int error = -EPERM;

	if (!tracee)
		return -ENOMEM;
	spin_lock(&tasklist_lock);
	parent = parent_thread();
	if (current->tracee || (current->group_leader->real_parent->flags & PF_KTHREAD) ||
	    (parent && !may_trace_me(parent)))
		goto unlock;
	error = 0;
	if (parent) { /* else it would let the current task go at once */
		spin_lock_irq(&current->sighand->siglock);
		/* The rights at this moment are those that exec does not add to. */
		ptrace_link(tracee, parent, current_cred());
		spin_unlock_irq(&current->sighand->siglock);
		tracee = NULL;
	}
unlock:
	spin_unlock(&tasklist_lock);
	kfree(tracee);
	return error;
}

/* ---- ATTACH, SEIZE ---- */

/*
 * A task that is stopped goes from TASK_STOPPED to TASK_TRACED. The tracer waits for that, so that
 * it does not see the moment between. siglock held.
 */
static void trap_stopped(struct task_struct *task)
{
	if (!(READ_ONCE(task->__state) & __TASK_STOPPED) || fatal_signal_pending(task))
		return;
	task->jobctl |= JOBCTL_TRAP_STOP | JOBCTL_TRAPPING;
	signal_wake_up(task, __TASK_STOPPED);
}

/* Makes tracee->task a tracee. 0 or -EPERM. exec_update_lock of its process held. */
static int attach_locked(struct tracee *tracee, bool seize)
{
	struct task_struct *task = tracee->task;
	struct siginfo info;
	int error = -EPERM;

	init_siginfo(&info, SIGSTOP, SI_KERNEL);
	spin_lock(&tasklist_lock);
	if (!task->exit_state && !task->tracee) {
		spin_lock_irq(&task->sighand->siglock);
		ptrace_link(tracee, current, current_cred());
		if (seize)
			task->jobctl |= JOBCTL_SEIZED;
		else
			(void)send_signal_locked(&info, task, PIDTYPE_PID, true);
		trap_stopped(task);
		spin_unlock_irq(&task->sighand->siglock);
		error = 0;
	}
	spin_unlock(&tasklist_lock);
	return error;
}

/* Sleeps until the task has stopped for its tracer, or cannot; or until SIGKILL comes. */
static void wait_while_trapping(struct task_struct *task)
{
	wait_queue_head_t *queue = &current->signal->wait_chldexit;
	DEFINE_WAIT(wait);

	for (;;) {
		prepare_to_wait(queue, &wait, TASK_KILLABLE);
		if (!(READ_ONCE(task->jobctl) & JOBCTL_TRAPPING) || fatal_signal_pending(current))
			break;
		schedule();
	}
	finish_wait(queue, &wait);
}

int ptrace_attach(struct task_struct *task, bool seize, unsigned long options)
{
	struct tracee *tracee;
	int error;

	if ((task->flags & PF_KTHREAD) || task->signal == current->signal)
		return -EPERM;
	tracee = alloc_tracee(task);
	if (!tracee)
		return -ENOMEM;
	tracee->options = (u32)options;
	error = lock_trace(task, PTRACE_MODE_ATTACH_REALCREDS);
	if (!error) {
		error = attach_locked(tracee, seize);
		unlock_trace(task);
	}
	if (error)
		kfree(tracee);
	else
		wait_while_trapping(task);
	return error;
}

/* ---- the end ---- */

/* SIGCHLD of the process is ignored, and its children leave no zombies. siglock not held. */
static bool ignores_children(const struct task_struct *p)
{
	const struct k_sigaction *action = &p->sighand->action[SIGCHLD - 1];

	return READ_ONCE(action->handler) == SIG_IGN || (action->flags & SA_NOCLDWAIT);
}

/*
 * The task has lost its tracer. True: it is a zombie for which no task waits, and the caller
 * releases it. L held.
 */
static bool unlink_zombie(struct task_struct *task, struct task_struct *tracer)
{
	bool was_child = !traced_by_other(task);

	ptrace_unlink(task);
	if (task->exit_state != EXIT_ZOMBIE)
		return false;
	if (thread_group_leader(task)) {
		if (!thread_group_empty(task))
			return false;
		/* The parent has not been told, unless the tracer is of its process. */
		if (was_child) {
			wake_up_all(&tracer->signal->wait_chldexit);
			if (!ignores_children(tracer))
				return false;
		} else if (!do_notify_parent(task, task->exit_signal)) {
			return false;
		}
	}
	task->exit_state = EXIT_DEAD;
	return true;
}

int ptrace_detach(struct task_struct *task, unsigned long sig)
{
	bool dead;

	if (sig > _NSIG)
		return -EIO;
	user_disable_single_step(task);
	spin_lock(&tasklist_lock);
	spin_lock_irq(&task->sighand->siglock);
	task->exit_code = (int)sig;
	spin_unlock_irq(&task->sighand->siglock);
	dead = unlink_zombie(task, current);
	spin_unlock(&tasklist_lock);
	if (dead)
		release_task(task);
	return 0;
}

/*
 * The task goes on without an answer. A signal is delivered if the tracer has not even waited for
 * the stop: exit_code still has it, as on Linux. L held.
 */
static void answer_for_tracer(struct task_struct *task)
{
	struct tracee *tracee = task->tracee;

	spin_lock_irq(&task->sighand->siglock);
	if ((READ_ONCE(task->__state) & __TASK_TRACED) && !tracee->in_signal_stop)
		task->exit_code = 0;
	if (tracee->options & PTRACE_O_EXITKILL) {
		struct siginfo kill;

		init_siginfo(&kill, SIGKILL, SI_KERNEL);
		(void)send_signal_locked(&kill, task, PIDTYPE_TGID, true);
	}
	spin_unlock_irq(&task->sighand->siglock);
}

void ptrace_tracer_exits(struct task_struct *tracer, struct list_head *dead)
{
	while (tracer->tracees) {
		struct task_struct *task = tracer->tracees->task;

		answer_for_tracer(task);
		if (unlink_zombie(task, tracer))
			list_move_tail(&task->sibling, dead);
	}
}

/* ---- freezing ---- */

/* Takes TASK_WAKEKILL from a task that has stopped for the current task. L held. */
static bool freeze(struct task_struct *task)
{
	bool frozen = false;

	spin_lock_irq(&task->sighand->siglock);
	if (!(task->jobctl & JOBCTL_LISTENING) && !fatal_signal_pending(task)) {
		spin_lock(&task->lock);
		frozen = task->__state == TASK_TRACED;
		if (frozen)
			WRITE_ONCE(task->__state, __TASK_TRACED);
		spin_unlock(&task->lock);
	}
	spin_unlock_irq(&task->sighand->siglock);
	return frozen;
}

/*
 * The task has set its state, and may not have reached schedule() yet. There it may still see a
 * SIGKILL that came before it was frozen, and go on: then false.
 */
static bool wait_until_off_cpu(struct task_struct *task)
{
	while (READ_ONCE(task->on_rq) || smp_load_acquire(&task->on_cpu)) {
		if (READ_ONCE(task->__state) != __TASK_TRACED)
			return false;
		if (READ_ONCE(task->on_cpu))
			cpu_relax();
		else
			msleep(1); /* preempted: it needs a CPU, perhaps this one */
	}
	return READ_ONCE(task->__state) == __TASK_TRACED;
}

int ptrace_check_attach(struct task_struct *task, bool frozen)
{
	int error = -ESRCH;

	spin_lock(&tasklist_lock);
	if (task->tracee && task->tracee->tracer == current && (!frozen || freeze(task)))
		error = 0;
	spin_unlock(&tasklist_lock);
	return error || !frozen || wait_until_off_cpu(task) ? error : -ESRCH;
}

void ptrace_unfreeze(struct task_struct *task)
{
	unsigned long flags;
	bool frozen;

	if (!lock_task_sighand(task, &flags))
		return;
	spin_lock(&task->lock);
	frozen = task->__state == __TASK_TRACED;
	if (frozen)
		WRITE_ONCE(task->__state, TASK_TRACED);
	spin_unlock(&task->lock);
	if (frozen && fatal_signal_pending(task))
		signal_wake_up(task, __TASK_TRACED);
	unlock_task_sighand(task, flags);
}
