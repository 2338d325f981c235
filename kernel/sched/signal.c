/* Signals: pending bits that interrupt sleeps. */
#include "kernel/sched/runqueue.h"

#include "kernel/sched/signal.h"
#include "kernel/sched/signal_events.h"

int pending_signal(const struct task_struct *p)
{
	u64 pending = READ_ONCE(p->pending);

	return pending ? __builtin_ctzl(pending) + 1 : 0;
}

int get_signal(void)
{
	struct task_struct *self = current;
	int sig = pending_signal(self);

	if (!sig)
		return 0;
	trace_signal_deliver(sig,
			     READ_ONCE(self->pending_kernel) & SIG_BIT(sig) ? SI_KERNEL : SI_USER);
	__atomic_fetch_and(&self->pending_kernel, ~SIG_BIT(sig), __ATOMIC_RELAXED);
	__atomic_fetch_and(&self->pending, ~SIG_BIT(sig), __ATOMIC_SEQ_CST);
	return sig;
}

/* Marks sig pending. Returns the result for the event signal_generate. */
static int add_pending(int sig, int code, struct task_struct *p)
{
	if (sig != SIGKILL && (READ_ONCE(p->ignored_signals) & SIG_BIT(sig)))
		return TRACE_SIGNAL_IGNORED;
	if (code == SI_KERNEL)
		__atomic_fetch_or(&p->pending_kernel, SIG_BIT(sig), __ATOMIC_RELAXED);
	if (__atomic_fetch_or(&p->pending, SIG_BIT(sig), __ATOMIC_SEQ_CST) & SIG_BIT(sig))
		return TRACE_SIGNAL_ALREADY_PENDING;
	return TRACE_SIGNAL_DELIVERED;
}

static int __send_signal(int sig, int code, struct task_struct *p)
{
	int result;

	if (sig < 0 || sig > 64)
		return -EINVAL;
	if (p->flags & PF_KTHREAD)
		return -EPERM;
	if (sig == 0) /* as kill(2): only check that the task exists and may be signalled */
		return 0;
	result = add_pending(sig, code, p);
	trace_signal_generate(sig, code, p, 1, result);
	if (result != TRACE_SIGNAL_IGNORED)
		wake_up_state(p, TASK_INTERRUPTIBLE);
	return 0;
}

int send_signal(int sig, struct task_struct *p)
{
	return __send_signal(sig, SI_USER, p);
}

int kill_pid(pid_t pid, int sig)
{
	struct task_struct *p = find_get_task_by_pid(pid);
	int ret;

	if (!p)
		return -ESRCH;
	ret = send_signal(sig, p);
	put_task_struct(p);
	return ret;
}

int kill_pgrp(pid_t pgrp, int sig, bool priv)
{
	struct task_struct *p;
	int ret = -ESRCH;

	spin_lock(&tasklist_lock);
	for_each_task (p)
		if (p->pgrp == pgrp && !p->exit_state && !(p->flags & PF_KTHREAD))
			ret = __send_signal(sig, priv ? SI_KERNEL : SI_USER, p);
	spin_unlock(&tasklist_lock);
	return ret;
}

void kernel_setpgid(pid_t pgrp)
{
	spin_lock(&tasklist_lock);
	current->pgrp = pgrp ? pgrp : current->pid;
	spin_unlock(&tasklist_lock);
}

void flush_signals(struct task_struct *p)
{
	__atomic_store_n(&p->pending_kernel, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&p->pending, 0, __ATOMIC_SEQ_CST);
}
