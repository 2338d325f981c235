/* The tracee's side of ptrace(2): it stops, and takes what its tracer answers. See ptrace.h. */
#include "arch/user/ptrace.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/ptrace/ptrace.h"
#include "kernel/sched/user_work.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/task/clone_flags.h"

/*
 * Stops the current task, for the tracer with code, and with info for PTRACE_GETSIGINFO. why is
 * what the SIGCHLD says; CLD_STOPPED is a group stop, in which the task takes part. Returns the
 * signal of the tracer's answer. siglock held; released during the stop.
 *
 * It does not stop if the tracing has ended, or if SIGKILL waits. Both are known here: they set
 * their marks under siglock, and wake the task if it is in TASK_TRACED already.
 */
static int ptrace_stop(int code, int why, unsigned long message, struct siginfo *info)
{
	struct task_struct *tsk = current;
	struct tracee *tracee = tsk->tracee;
	int told = 0;

	if (!tracee || fatal_signal_pending(tsk))
		return 0;
	__set_current_state(TASK_TRACED);
	tracee->message = message;
	tracee->info = info;
	tsk->exit_code = code;
	if (why == CLD_STOPPED && (tsk->jobctl & JOBCTL_STOP_PENDING))
		told = participate_in_stop(tsk);
	tsk->jobctl &= ~(JOBCTL_TRAP_STOP | JOBCTL_TRAPPING);
	if (info && info->si_code >> 8 == PTRACE_EVENT_STOP)
		tsk->jobctl &= ~JOBCTL_TRAP_NOTIFY;
	spin_unlock_irq(&tsk->sighand->siglock);

	spin_lock(&tasklist_lock);
	tracee = tsk->tracee;
	if (tracee)
		notify_tracer(tsk, why, code & 0x7f);
	if (told && (!tracee || traced_by_other(tsk)))
		do_notify_parent_cldstop(tsk, CLD_STOPPED, told);
	/* A tracer on this CPU, now woken, must not wait for this task to reach schedule(). */
	preempt_disable();
	spin_unlock(&tasklist_lock);
	preempt_enable_no_resched();
	schedule();

	spin_lock_irq(&tsk->sighand->siglock);
	code = fatal_signal_pending(tsk) ? 0 : tsk->exit_code;
	tsk->exit_code = 0;
	if (tsk->tracee) {
		tsk->tracee->info = NULL;
		tsk->tracee->message = 0;
	}
	tsk->jobctl &= ~JOBCTL_LISTENING;
	recalc_sigpending(); /* what came meanwhile has not marked the task */
	set_user_work(tsk, USER_WORK_IRET);
	return code;
}

/* The same for a stop that the kernel makes, and not a signal. siglock held. */
static int stop_with_info(int sig, int code, int why, unsigned long message)
{
	struct siginfo info;

	fill_kill_info(&info, sig, code);
	info.si_pid = current->pid;
	return ptrace_stop(code, why, message, &info);
}

int ptrace_notify(int code, unsigned long message)
{
	int sig;

	spin_lock_irq(&current->sighand->siglock);
	sig = stop_with_info(SIGTRAP, code, CLD_TRAPPED, message);
	spin_unlock_irq(&current->sighand->siglock);
	return sig;
}

/* ptrace_ops.trap(): a group stop, or PTRACE_INTERRUPT. */
static void trap(void)
{
	struct task_struct *tsk = current;
	const struct signal_struct *signal = tsk->signal;
	int sig = (int)(tsk->jobctl & JOBCTL_STOP_SIGMASK);

	if (!(tsk->jobctl & JOBCTL_SEIZED)) {
		(void)ptrace_stop(sig, CLD_STOPPED, 0, NULL);
	} else {
		if (!signal->group_stop_count && !(signal->flags & SIGNAL_STOP_STOPPED))
			sig = SIGTRAP;
		(void)stop_with_info(sig, sig | PTRACE_EVENT_STOP << 8, CLD_STOPPED, 0);
	}
}

/* ptrace_ops.signal(): the tracer sees a signal, and says which one the task gets. */
static int signal_stop(struct siginfo *info)
{
	struct task_struct *tsk = current;
	int sig;

	/*
	 * If the answer is a stop signal, the task stops only if no SIGCONT has come since; see
	 * dequeue_signal().
	 */
	tsk->jobctl |= JOBCTL_STOP_DEQUEUED;
	tsk->tracee->in_signal_stop = true;
	sig = ptrace_stop(info->si_signo, CLD_TRAPPED, 0, info);
	if (tsk->tracee)
		tsk->tracee->in_signal_stop = false;
	if (!sig)
		return 0;
	if (sig != info->si_signo) { /* another signal, as if the tracer had sent it by kill(2) */
		init_siginfo(info, sig, SI_USER);
		if (tsk->tracee) {
			info->si_pid = tsk->tracee->tracer->tgid;
			info->si_uid = tsk->tracee->cred->uid;
		}
	}
	if (!(tsk->blocked & SIG_BIT(sig)))
		return sig;
	(void)send_signal_locked(info, tsk, PIDTYPE_PID, false);
	return 0;
}

static bool wants(int event)
{
	bool wanted;

	spin_lock_irq(&current->sighand->siglock);
	wanted = current->tracee && (READ_ONCE(current->tracee->options) & (1U << event));
	spin_unlock_irq(&current->sighand->siglock);
	return wanted;
}

/*
 * The signal that ends the process has been taken, and the task wants to stop once more before its
 * end. A later SIGKILL, of an exec, still keeps it from doing so.
 */
static void forget_taken_sigkill(struct task_struct *tsk)
{
	spin_lock_irq(&tsk->sighand->siglock);
	if ((tsk->signal->flags & SIGNAL_GROUP_EXIT) || tsk->signal->group_exec_task) {
		tsk->pending.signal &= ~SIG_BIT(SIGKILL);
		recalc_sigpending();
	}
	spin_unlock_irq(&tsk->sighand->siglock);
}

/* ptrace_ops.event() */
static void report_event(int event, unsigned long message)
{
	struct task_struct *tsk = current;

	if (event == PTRACE_EVENT_EXIT && (tsk->flags & PF_OOPSED))
		return;
	if (wants(event)) {
		if (event == PTRACE_EVENT_EXIT)
			forget_taken_sigkill(tsk);
		(void)ptrace_notify(event << 8 | SIGTRAP, message);
	} else if (event == PTRACE_EVENT_EXEC && !(tsk->jobctl & JOBCTL_SEIZED)) {
		send_sig(SIGTRAP); /* what exec does without options */
	}
	ptrace_stopped_in_syscall();
}

/* ptrace_ops.exec_limits() */
static bool exec_limits(void)
{
	bool limits;

	spin_lock_irq(&current->sighand->siglock);
	limits = current->tracee && !(current->tracee->cred->cap_effective & BIT(CAP_SYS_PTRACE));
	spin_unlock_irq(&current->sighand->siglock);
	return limits;
}

/* ptrace_ops.fork() */
static int prepare_fork(struct task_struct *p)
{
	p->tracee = alloc_tracee(p);
	return p->tracee ? 0 : -ENOMEM;
}

/* ptrace_ops.fork_attach(): p begins with a stop. */
static void fork_attach(struct task_struct *p)
{
	struct tracee *tracee = p->tracee, *parents = current->tracee;

	p->tracee = NULL;
	if (!parents) {
		kfree(tracee);
		return;
	}
	tracee->options = READ_ONCE(parents->options);
	ptrace_link(tracee, parents->tracer, parents->cred);
	if (current->jobctl & JOBCTL_SEIZED)
		p->jobctl |= JOBCTL_SEIZED | JOBCTL_TRAP_STOP;
	else
		p->pending.signal |= SIG_BIT(SIGSTOP);
	set_user_work(p, USER_WORK_SIGPENDING);
}

static int __init ptrace_init(void)
{
	ptrace_ops.wants = wants;
	ptrace_ops.event = report_event;
	ptrace_ops.fork = prepare_fork;
	ptrace_ops.fork_attach = fork_attach;
	ptrace_ops.exec_limits = exec_limits;
	ptrace_ops.signal = signal_stop;
	ptrace_ops.trap = trap;
	ptrace_ops.unlink = ptrace_unlink;
	ptrace_ops.tracer_exits = ptrace_tracer_exits;
	return 0;
}
early_initcall(ptrace_init);
