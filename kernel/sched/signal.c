/* Signals: pending bits that interrupt sleeps. */
#include "kernel/sched/runqueue.h"

#include "kernel/sched/signal.h"

int pending_signal(const struct task_struct *p)
{
	u64 pending = READ_ONCE(p->pending);

	return pending ? __builtin_ctzl(pending) + 1 : 0;
}

int send_signal(int sig, struct task_struct *p)
{
	if (sig < 0 || sig > 64)
		return -EINVAL;
	if (p->flags & PF_KTHREAD)
		return -EPERM;
	if (sig == 0) /* as kill(2): only check that the task exists and may be signalled */
		return 0;
	if (sig != SIGKILL && (READ_ONCE(p->ignored_signals) & SIG_BIT(sig)))
		return 0;
	__atomic_fetch_or(&p->pending, SIG_BIT(sig), __ATOMIC_SEQ_CST);
	wake_up_state(p, TASK_INTERRUPTIBLE);
	return 0;
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

int kill_pgrp(pid_t pgrp, int sig)
{
	struct task_struct *p;
	int ret = -ESRCH;

	spin_lock(&tasklist_lock);
	for_each_task (p)
		if (p->pgrp == pgrp && !p->exit_state && !(p->flags & PF_KTHREAD))
			ret = send_signal(sig, p);
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
	__atomic_store_n(&p->pending, 0, __ATOMIC_SEQ_CST);
}
