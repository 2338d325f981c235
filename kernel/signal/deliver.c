/* How the current task takes its signals: masks, stops, default actions, the end of a task. */
#include "kernel/signal/signal.h"

#include "arch/mm/uaccess.h"
#include "kernel/irq/irq.h"
#include "kernel/process/process.h"
#include "kernel/signal/coredump.h"
#include "kernel/task/tracee.h"
#include "kernel/smp.h"
#include "kernel/signal/signal_events.h"

static u64 pending_signals(const struct task_struct *tsk)
{
	return tsk->pending.signal | tsk->signal->shared_pending.signal;
}

const struct coredump_ops *coredump_ops;

void recalc_sigpending(void)
{
	struct task_struct *tsk = current;

	if ((pending_signals(tsk) & ~tsk->blocked) || (tsk->jobctl & JOBCTL_PENDING_MASK) ||
	    (tsk->signal->flags & (SIGNAL_CLD_STOPPED | SIGNAL_CLD_CONTINUED)))
		__atomic_fetch_or(&tsk->user_work, USER_WORK_SIGPENDING, __ATOMIC_SEQ_CST);
	else if (signal_pending(tsk))
		__atomic_fetch_and(&tsk->user_work, ~USER_WORK_SIGPENDING, __ATOMIC_SEQ_CST);
}

int pending_signal(const struct task_struct *p)
{
	u64 pending = READ_ONCE(p->pending.signal) | READ_ONCE(p->signal->shared_pending.signal);

	return pending ? __builtin_ctzl(pending) + 1 : 0;
}

void flush_signals(struct task_struct *p)
{
	unsigned long flags;

	if (!lock_task_sighand(p, &flags))
		return;
	flush_sigqueue(&p->pending);
	flush_sigqueue(&p->signal->shared_pending);
	__atomic_fetch_and(&p->user_work, ~USER_WORK_SIGPENDING, __ATOMIC_SEQ_CST);
	unlock_task_sighand(p, flags);
}

/* Signals of the process that tsk blocks now, or cannot take: other threads take them. */
static void retarget_shared_pending(struct task_struct *tsk, u64 which)
{
	struct task_struct *t;

	which &= tsk->signal->shared_pending.signal;
	list_for_each_entry (t, &tsk->signal->thread_head, thread_node) {
		if (!which)
			break;
		if (t == tsk || (t->flags & PF_EXITING) || !(which & ~t->blocked))
			continue;
		which &= t->blocked;
		signal_wake_up(t, 0);
	}
}

static __always_inline void __set_blocked(struct task_struct *tsk, u64 mask)
{
	if (signal_pending(tsk))
		retarget_shared_pending(tsk, mask & ~tsk->blocked);
	tsk->blocked = mask;
	/* What makes the mark necessary has set it, except a signal that mask no longer blocks. */
	if (signal_pending(tsk) || (pending_signals(tsk) & ~mask))
		recalc_sigpending();
}

void set_blocked_locked(u64 mask)
{
	__set_blocked(current, mask);
}

void set_current_blocked(u64 mask)
{
	struct task_struct *tsk = current;

	mask &= ~SIG_KERNEL_ONLY_MASK;
	if (tsk->blocked == mask)
		return;
	spin_lock_irq(&tsk->sighand->siglock);
	__set_blocked(tsk, mask);
	spin_unlock_irq(&tsk->sighand->siglock);
}

void set_user_sigmask(u64 mask)
{
	struct task_struct *tsk = current;

	tsk->saved_sigmask = tsk->blocked;
	set_current_blocked(mask);
	__atomic_fetch_or(&tsk->user_work, USER_WORK_RESTORE_SIGMASK, __ATOMIC_RELAXED);
}

int get_user_sigmask(const u64 __user *umask, size_t size)
{
	u64 mask;

	if (!umask)
		return 0;
	if (size != sizeof(mask))
		return -EINVAL;
	if (copy_from_user(&mask, umask, sizeof(mask)))
		return -EFAULT;
	set_user_sigmask(mask);
	return 0;
}

/* True if the mark was set. */
static bool clear_restore_sigmask(struct task_struct *tsk)
{
	return __atomic_fetch_and(&tsk->user_work, ~USER_WORK_RESTORE_SIGMASK, __ATOMIC_RELAXED) &
	       USER_WORK_RESTORE_SIGMASK;
}

void restore_saved_sigmask_unless(bool interrupted)
{
	if (!interrupted && clear_restore_sigmask(current))
		set_current_blocked(current->saved_sigmask);
}

void signal_setup_done(bool failed, const struct ksignal *ksig)
{
	struct task_struct *tsk = current;
	u64 mask;

	if (failed) {
		force_sigsegv(ksig->sig);
		return;
	}
	clear_restore_sigmask(tsk); /* sigreturn(2) sets the saved mask */
	mask = tsk->blocked | ksig->ka.mask;
	if (!(ksig->ka.flags & SA_NODEFER))
		mask |= SIG_BIT(ksig->sig);
	/*
	 * There is no other thread that could take what is blocked now, and nothing is unblocked.
	 */
	if (tsk->signal->nr_threads == 1)
		WRITE_ONCE(tsk->blocked, mask & ~SIG_KERNEL_ONLY_MASK);
	else
		set_current_blocked(mask);
}

int participate_in_stop(struct task_struct *tsk)
{
	struct signal_struct *signal = tsk->signal;
	bool counted = tsk->jobctl & JOBCTL_STOP_CONSUME;

	tsk->jobctl &= ~(JOBCTL_STOP_PENDING | JOBCTL_STOP_CONSUME);
	if (!counted)
		return 0;
	if (signal->group_stop_count > 0)
		signal->group_stop_count--;
	if (signal->group_stop_count || (signal->flags & SIGNAL_STOP_STOPPED))
		return 0;
	signal->flags = (signal->flags & SIGNAL_UNKILLABLE) | SIGNAL_STOP_STOPPED;
	return signal->group_exit_code;
}

/* Asks all threads to stop. False: the process ends or continues already. siglock held. */
static bool begin_stop(struct task_struct *tsk, int sig)
{
	struct signal_struct *signal = tsk->signal;
	struct task_struct *t;

	if (!(tsk->jobctl & JOBCTL_STOP_DEQUEUED) || (signal->flags & SIGNAL_GROUP_EXIT) ||
	    signal->group_exec_task)
		return false;
	if (!(signal->flags & SIGNAL_STOP_STOPPED))
		signal->group_exit_code = sig;
	signal->group_stop_count = 0;
	list_for_each_entry (t, &signal->thread_head, thread_node) {
		if ((t->flags & PF_EXITING) || (READ_ONCE(t->__state) & __TASK_STOPPED))
			continue;
		t->jobctl &= ~JOBCTL_STOP_SIGMASK;
		t->jobctl |= JOBCTL_STOP_PENDING | JOBCTL_STOP_CONSUME | (unsigned)sig;
		signal->group_stop_count++;
		if (t == tsk)
			continue;
		if (unlikely(t->jobctl & JOBCTL_SEIZED))
			trap_notify(t);
		else
			signal_wake_up(t, 0);
	}
	return true;
}

/*
 * Stops until SIGCONT or SIGKILL. sig 0: another thread has begun the stop. False: no stop after
 * all, siglock still held. True: the task has continued, siglock released.
 */
static bool do_signal_stop(int sig)
{
	struct task_struct *tsk = current;
	int told;

	if (!(tsk->jobctl & JOBCTL_STOP_PENDING) && !begin_stop(tsk, sig))
		return false;
	if (unlikely(tsk->tracee)) { /* it stops for its tracer, and takes part in the stop there */
		tsk->jobctl |= JOBCTL_TRAP_STOP;
		return false;
	}
	told = participate_in_stop(tsk);
	__set_current_state(TASK_STOPPED);
	spin_unlock_irq(&tsk->sighand->siglock);
	if (told) {
		spin_lock(&tasklist_lock);
		do_notify_parent_cldstop(tsk, CLD_STOPPED, told);
		spin_unlock(&tasklist_lock);
	}
	schedule();
	return true;
}

/* A process that has continued tells its parent. siglock held; released if true. */
static bool notify_continued(struct task_struct *tsk)
{
	struct signal_struct *signal = tsk->signal;
	int why = signal->flags & SIGNAL_CLD_CONTINUED ? CLD_CONTINUED : CLD_STOPPED;

	if (!(signal->flags & (SIGNAL_CLD_STOPPED | SIGNAL_CLD_CONTINUED)))
		return false;
	signal->flags &= ~(unsigned)(SIGNAL_CLD_STOPPED | SIGNAL_CLD_CONTINUED);
	spin_unlock_irq(&tsk->sighand->siglock);
	spin_lock(&tasklist_lock);
	do_notify_parent_cldstop(tsk, why, why == CLD_CONTINUED ? SIGCONT : 0);
	tsk = tsk->group_leader;
	if (unlikely(tsk->tracee) && traced_by_other(tsk))
		notify_tracer(tsk, why, why == CLD_CONTINUED ? SIGCONT : 0);
	spin_unlock(&tasklist_lock);
	return true;
}

enum verdict { VERDICT_NONE, VERDICT_AGAIN, VERDICT_HANDLER, VERDICT_RELOCK, VERDICT_FATAL };

/* Decides what to do with a signal that was taken. siglock held, unless VERDICT_RELOCK. */
static __always_inline enum verdict act_on_signal(struct ksignal *ksig)
{
	struct task_struct *tsk = current;
	struct k_sigaction *action = &tsk->sighand->action[ksig->sig - 1];
	u64 bit = SIG_BIT(ksig->sig);

	trace_signal_deliver(ksig->sig, &ksig->info, action->handler, action->flags);
	if (action->handler == SIG_IGN)
		return VERDICT_AGAIN;
	if (action->handler != SIG_DFL) {
		ksig->ka = *action;
		if (action->flags & SA_RESETHAND)
			action->handler = SIG_DFL;
		return VERDICT_HANDLER;
	}
	if (bit & SIG_KERNEL_IGNORE_MASK)
		return VERDICT_AGAIN;
	if ((tsk->signal->flags & SIGNAL_UNKILLABLE) && !(bit & SIG_KERNEL_ONLY_MASK))
		return VERDICT_AGAIN;
	if (bit & SIG_KERNEL_STOP_MASK) {
		if (ksig->sig != SIGSTOP) {
			bool orphaned;

			/*
			 * A shell's stop signals do not stop a process that no shell can continue.
			 */
			spin_unlock_irq(&tsk->sighand->siglock);
			orphaned = is_current_pgrp_orphaned();
			if (orphaned)
				return VERDICT_RELOCK;
			spin_lock_irq(&tsk->sighand->siglock);
		}
		return do_signal_stop(ksig->sig) ? VERDICT_RELOCK : VERDICT_AGAIN;
	}
	return VERDICT_FATAL;
}

/* Takes a signal: 0, or its number in ksig. siglock held. */
static __always_inline int take_signal(struct task_struct *tsk, struct ksignal *ksig)
{
	ksig->sig = 0;
	if (tsk->pending.signal & SYNCHRONOUS_MASK)
		ksig->sig = dequeue_synchronous_signal(&ksig->info);
	if (!ksig->sig)
		ksig->sig = dequeue_signal(tsk, tsk->blocked, &ksig->info);
	return ksig->sig;
}

/*
 * The rest of next_verdict() for a task that must stop, or whose tracer sees its signals first, or
 * has gone during a step.
 */
static noinline enum verdict stop_or_ask_tracer(struct task_struct *tsk, struct ksignal *ksig)
{
	enum verdict verdict;

	if (tsk->jobctl & JOBCTL_UNSTEP)
		ptrace_ops.unstep();
	if ((tsk->jobctl & JOBCTL_STOP_PENDING) && do_signal_stop(0))
		return VERDICT_RELOCK;
	if (tsk->jobctl & JOBCTL_TRAP_MASK) {
		ptrace_ops.trap();
		return VERDICT_AGAIN;
	}
	if (!take_signal(tsk, ksig))
		return VERDICT_NONE;
	if (tsk->tracee && ksig->sig != SIGKILL &&
	    !(tsk->sighand->action[ksig->sig - 1].flags & SA_IMMUTABLE))
		ksig->sig = ptrace_ops.signal(&ksig->info);
	if (!ksig->sig)
		return VERDICT_AGAIN;
	verdict = act_on_signal(ksig);
	if (verdict == VERDICT_HANDLER && tsk->tracee)
		ptrace_ops.handler();
	return verdict;
}

/* One look at the queues. siglock held, unless VERDICT_RELOCK. */
static enum verdict next_verdict(struct ksignal *ksig)
{
	static const struct siginfo without_sender;
	struct task_struct *tsk = current;

	if (notify_continued(tsk))
		return VERDICT_RELOCK;
	if ((tsk->signal->flags & SIGNAL_GROUP_EXIT) ||
	    (tsk->signal->group_exec_task && tsk->signal->group_exec_task != tsk)) {
		ksig->sig = SIGKILL;
		trace_signal_deliver(SIGKILL, &without_sender, SIG_DFL, 0);
		return VERDICT_FATAL;
	}
	if (unlikely(tsk->jobctl & (JOBCTL_STOP_PENDING | JOBCTL_TRACED | JOBCTL_UNSTEP)))
		return stop_or_ask_tracer(tsk, ksig);
	return take_signal(tsk, ksig) ? act_on_signal(ksig) : VERDICT_NONE;
}

bool get_signal(struct ksignal *ksig)
{
	struct task_struct *tsk = current;
	enum verdict verdict = VERDICT_RELOCK;

	do {
		if (verdict == VERDICT_RELOCK)
			spin_lock_irq(&tsk->sighand->siglock);
		verdict = next_verdict(ksig);
	} while (verdict == VERDICT_AGAIN || verdict == VERDICT_RELOCK);
	spin_unlock_irq(&tsk->sighand->siglock);
	if (verdict == VERDICT_FATAL) {
		if ((SIG_BIT(ksig->sig) & SIG_KERNEL_COREDUMP_MASK) && coredump_ops)
			coredump_ops->dump(&ksig->info);
		do_group_exit(ksig->sig);
	}
	return verdict == VERDICT_HANDLER;
}

bool exit_signals(struct task_struct *tsk)
{
	bool dumping;
	int told = 0;

	spin_lock_irq(&tsk->sighand->siglock);
	tsk->flags |= PF_EXITING;
	dumping = tsk->signal->core_state && !(tsk->flags & PF_POSTCOREDUMP);
	if (tsk->signal->nr_threads > 1 && !(tsk->signal->flags & SIGNAL_GROUP_EXIT)) {
		retarget_shared_pending(tsk, ~tsk->blocked);
		if (tsk->jobctl & JOBCTL_STOP_PENDING)
			told = participate_in_stop(tsk);
	}
	spin_unlock_irq(&tsk->sighand->siglock);
	if (told) {
		spin_lock(&tasklist_lock);
		do_notify_parent_cldstop(tsk, CLD_STOPPED, told);
		spin_unlock(&tasklist_lock);
	}
	return dumping;
}
