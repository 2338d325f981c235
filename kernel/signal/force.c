/* Signals that the kernel forces on the current task, which cannot go on as it is. */
#include "kernel/signal/signal.h"

#include "kernel/task/tracee.h"

void force_sig_info(const struct siginfo *info, enum sig_handler handler)
{
	struct task_struct *tsk = current;
	struct k_sigaction *action = &tsk->sighand->action[info->si_signo - 1];
	u64 bit = SIG_BIT(info->si_signo);
	unsigned long flags;

	spin_lock_irqsave(&tsk->sighand->siglock, flags);
	if (handler != HANDLER_CURRENT || (tsk->blocked & bit) || action->handler == SIG_IGN) {
		action->handler = SIG_DFL;
		tsk->blocked &= ~bit;
		if (handler == HANDLER_EXIT)
			action->flags |= SA_IMMUTABLE;
		recalc_sigpending();
	}
	/* Without a handler it ends even PID 1, unless a debugger is to decide. */
	if (action->handler == SIG_DFL && (likely(!tsk->tracee) || handler == HANDLER_EXIT))
		tsk->signal->flags &= ~SIGNAL_UNKILLABLE;
	(void)send_signal_locked(info, tsk, PIDTYPE_PID, true);
	spin_unlock_irqrestore(&tsk->sighand->siglock, flags);
}

void force_sig(int sig)
{
	struct siginfo info;

	init_siginfo(&info, sig, SI_KERNEL);
	force_sig_info(&info, HANDLER_CURRENT);
}

void force_sig_fault(int sig, int code, unsigned long addr)
{
	struct siginfo info;

	init_siginfo(&info, sig, code);
	info.si_addr = addr;
	force_sig_info(&info, HANDLER_CURRENT);
}

void force_sigsegv(int sig)
{
	struct siginfo info;

	init_siginfo(&info, SIGSEGV, SI_KERNEL);
	/* A SIGSEGV whose own frame faults must not be delivered again. */
	force_sig_info(&info, sig == SIGSEGV ? HANDLER_SIG_DFL : HANDLER_CURRENT);
}

bool unhandled_signal(const struct task_struct *tsk, int sig)
{
	const void *handler = tsk->sighand->action[sig - 1].handler;

	if (tsk->pid == 1)
		return true;
	if ((handler != SIG_DFL && handler != SIG_IGN) || smp_load_acquire(&tsk->tracee))
		return false; /* its handler, or its tracer, decides */
	/* The trap of a step whose tracer has gone is dropped (ptrace_ops.unstep). */
	return sig != SIGTRAP || !(READ_ONCE(tsk->jobctl) & JOBCTL_UNSTEP);
}
