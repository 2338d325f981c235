/* The system calls of signals. */
#include "kernel/signal/signal.h"

#include "arch/mm/uaccess.h"
#include "kernel/task/cred.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/ktime.h"

typedef u64 sigset_t;
typedef struct siginfo siginfo_t;
typedef struct sigaltstack stack_t;
struct __kernel_timespec;

/* struct sigaction as a program passes it (sigaction(2), "C library/kernel differences"). */
struct sigaction {
	void *handler;
	unsigned long flags;
	void *restorer;
	u64 mask;
};

static int do_sigaction(int sig, const struct sigaction *act, struct sigaction *oact)
{
	struct task_struct *tsk = current, *t;
	struct k_sigaction *action;

	if (sig < 1 || sig > _NSIG || (act && (SIG_BIT(sig) & SIG_KERNEL_ONLY_MASK)))
		return -EINVAL;
	action = &tsk->sighand->action[sig - 1];
	spin_lock_irq(&tsk->sighand->siglock);
	if (action->flags & SA_IMMUTABLE) {
		spin_unlock_irq(&tsk->sighand->siglock);
		return -EINVAL;
	}
	if (oact)
		*oact = (struct sigaction){ action->handler, action->flags, action->restorer,
					    action->mask };
	if (act) {
		*action = (struct k_sigaction){ act->handler, act->flags & SA_KNOWN, act->restorer,
						act->mask & ~SIG_KERNEL_ONLY_MASK };
		/* POSIX 3.3.1.3: a signal that is now ignored is no longer pending. */
		if (act->handler == SIG_IGN ||
		    (act->handler == SIG_DFL && (SIG_BIT(sig) & SIG_KERNEL_IGNORE_MASK))) {
			flush_sigqueue_mask(&tsk->signal->shared_pending, SIG_BIT(sig));
			list_for_each_entry (t, &tsk->signal->thread_head, thread_node)
				flush_sigqueue_mask(&t->pending, SIG_BIT(sig));
		}
	}
	spin_unlock_irq(&tsk->sighand->siglock);
	return 0;
}

SYSCALL_DEFINE4(rt_sigaction, int, sig, const struct sigaction *, act, struct sigaction *, oact,
		size_t, sigsetsize)
{
	struct sigaction new, old;
	int err;

	if (sigsetsize != sizeof(sigset_t))
		return -EINVAL;
	if (act && copy_from_user(&new, act, sizeof(new)))
		return -EFAULT;
	err = do_sigaction(sig, act ? &new : NULL, oact ? &old : NULL);
	if (!err && oact && copy_to_user(oact, &old, sizeof(old)))
		return -EFAULT;
	return err;
}

SYSCALL_DEFINE4(rt_sigprocmask, int, how, sigset_t *, nset, sigset_t *, oset, size_t, sigsetsize)
{
	u64 old = current->blocked, mask, new;

	if (sigsetsize != sizeof(sigset_t))
		return -EINVAL;
	if (nset) {
		if (copy_from_user(&mask, nset, sizeof(mask)))
			return -EFAULT;
		if (how == SIG_BLOCK)
			new = old | mask;
		else if (how == SIG_UNBLOCK)
			new = old & ~mask;
		else if (how == SIG_SETMASK)
			new = mask;
		else
			return -EINVAL;
		set_current_blocked(new);
	}
	if (oset && copy_to_user(oset, &old, sizeof(old)))
		return -EFAULT;
	return 0;
}

SYSCALL_DEFINE2(rt_sigpending, sigset_t *, uset, size_t, sigsetsize)
{
	struct task_struct *tsk = current;
	u64 set;

	if (sigsetsize > sizeof(set))
		return -EINVAL;
	spin_lock_irq(&tsk->sighand->siglock);
	set = (tsk->pending.signal | tsk->signal->shared_pending.signal) & tsk->blocked;
	spin_unlock_irq(&tsk->sighand->siglock);
	return copy_to_user(uset, &set, sigsetsize) ? -EFAULT : 0;
}

/* Sleeps until a signal is delivered. */
static long wait_for_signal(void)
{
	while (!signal_pending(current)) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!signal_pending(current))
			schedule();
	}
	__set_current_state(TASK_RUNNING);
	return -ERESTARTNOHAND;
}

SYSCALL_DEFINE2(rt_sigsuspend, sigset_t *, unewset, size_t, sigsetsize)
{
	u64 mask;

	if (sigsetsize != sizeof(sigset_t))
		return -EINVAL;
	if (copy_from_user(&mask, unewset, sizeof(mask)))
		return -EFAULT;
	set_user_sigmask(mask);
	return wait_for_signal();
}

SYSCALL_DEFINE0(pause)
{
	return wait_for_signal();
}

/* Waits for a signal of the set for at most that time. The signal, -EAGAIN or -EINTR. */
static long do_sigtimedwait(u64 set, struct siginfo *info, u64 timeout_ns)
{
	struct task_struct *tsk = current;
	u64 mask = ~(set & ~SIG_KERNEL_ONLY_MASK);
	long sig;

	spin_lock_irq(&tsk->sighand->siglock);
	sig = dequeue_signal(tsk, mask, info);
	if (!sig && timeout_ns) {
		/* While the task waits, these signals wake it, although it blocks them. */
		tsk->real_blocked = tsk->blocked;
		tsk->blocked &= mask;
		recalc_sigpending();
		set_current_state(TASK_INTERRUPTIBLE);
		spin_unlock_irq(&tsk->sighand->siglock);
		timeout_ns = schedule_timeout(timeout_ns);
		spin_lock_irq(&tsk->sighand->siglock);
		sig = dequeue_signal(tsk, mask, info);
		/*
		 * Another one that has come for this task, too, goes to another thread that waits.
		 */
		set_blocked_locked(tsk->real_blocked);
		tsk->real_blocked = 0;
	}
	spin_unlock_irq(&tsk->sighand->siglock);
	if (sig)
		return sig;
	return timeout_ns ? -EINTR : -EAGAIN;
}

SYSCALL_DEFINE4(rt_sigtimedwait, const sigset_t *, uthese, siginfo_t *, uinfo,
		const struct __kernel_timespec *, uts, size_t, sigsetsize)
{
	u64 set, timeout_ns = MAX_SCHEDULE_TIMEOUT;
	struct siginfo info;
	long ts[2], ret;

	if (sigsetsize != sizeof(sigset_t))
		return -EINVAL;
	if (copy_from_user(&set, uthese, sizeof(set)))
		return -EFAULT;
	if (uts) {
		if (copy_from_user(ts, uts, sizeof(ts)))
			return -EFAULT;
		if (ts[0] < 0 || ts[1] < 0 || ts[1] >= (long)NSEC_PER_SEC)
			return -EINVAL;
		/* Times that do not fit are for ever. */
		if (ts[0] < (long)(MAX_SCHEDULE_TIMEOUT / NSEC_PER_SEC / 2))
			timeout_ns = (u64)ts[0] * NSEC_PER_SEC + (u64)ts[1];
	}
	ret = do_sigtimedwait(set, &info, timeout_ns);
	if (ret > 0 && uinfo && copy_siginfo_to_user(uinfo, &info))
		return -EFAULT;
	return ret;
}

SYSCALL_DEFINE2(kill, pid_t, pid, int, sig)
{
	struct siginfo info;

	fill_kill_info(&info, sig, SI_USER);
	return kill_something_info(&info, pid);
}

/* Sends a signal to one thread. tgid 0: of whatever process. */
static long do_tkill(pid_t tgid, pid_t pid, const struct siginfo *info)
{
	struct task_struct *p = find_get_task_by_pid(pid);
	long ret = -ESRCH;

	if (!p)
		return -ESRCH;
	if (!tgid || p->tgid == tgid)
		ret = group_send_sig_info(info, p, PIDTYPE_PID);
	put_task_struct(p);
	return ret;
}

SYSCALL_DEFINE3(tgkill, pid_t, tgid, pid_t, pid, int, sig)
{
	struct siginfo info;

	if (pid <= 0 || tgid <= 0)
		return -EINVAL;
	fill_kill_info(&info, sig, SI_TKILL);
	return do_tkill(tgid, pid, &info);
}

SYSCALL_DEFINE2(tkill, pid_t, pid, int, sig)
{
	struct siginfo info;

	if (pid <= 0)
		return -EINVAL;
	fill_kill_info(&info, sig, SI_TKILL);
	return do_tkill(0, pid, &info);
}

/* Reads a siginfo that a program sends. It may not look like one of the kernel or of kill(2). */
static long get_queue_info(struct siginfo *info, const void *uinfo, int sig, pid_t pid)
{
	int err = copy_siginfo_from_user(info, uinfo);

	if (err)
		return err;
	info->si_signo = sig;
	if ((info->si_code >= 0 || info->si_code == SI_TKILL) && pid != current->pid)
		return -EPERM;
	return 0;
}

SYSCALL_DEFINE3(rt_sigqueueinfo, pid_t, pid, int, sig, siginfo_t *, uinfo)
{
	struct siginfo info;
	long err = get_queue_info(&info, uinfo, sig, pid);

	return err ? err : kill_pid_info(&info, pid);
}

SYSCALL_DEFINE4(rt_tgsigqueueinfo, pid_t, tgid, pid_t, pid, int, sig, siginfo_t *, uinfo)
{
	struct siginfo info;
	long err = get_queue_info(&info, uinfo, sig, pid);

	if (err)
		return err;
	if (pid <= 0 || tgid <= 0)
		return -EINVAL;
	return do_tkill(tgid, pid, &info);
}

int set_altstack(const struct sigaltstack *stack, unsigned long sp)
{
	struct task_struct *tsk = current;
	int mode = stack->ss_flags & ~(int)SS_AUTODISARM;

	if (on_sig_stack(sp))
		return -EPERM;
	if (mode != SS_DISABLE && mode != SS_ONSTACK && mode != 0)
		return -EINVAL;
	if (mode == SS_DISABLE) {
		tsk->sas_ss_sp = 0;
		tsk->sas_ss_size = 0;
	} else {
		if (stack->ss_size < MINSIGSTKSZ)
			return -ENOMEM;
		tsk->sas_ss_sp = stack->ss_sp;
		tsk->sas_ss_size = stack->ss_size;
	}
	tsk->sas_ss_flags = (unsigned)stack->ss_flags;
	return 0;
}

SYSCALL_DEFINE2(sigaltstack, const stack_t *, uss, stack_t *, uoss)
{
	unsigned long sp = task_pt_regs(current)->sp;
	struct sigaltstack new, old;
	int err = 0;

	if (uss && copy_from_user(&new, uss, sizeof(new)))
		return -EFAULT;
	save_altstack(&old, sp);
	if (uss)
		err = set_altstack(&new, sp);
	if (!err && uoss && copy_to_user(uoss, &old, sizeof(old)))
		return -EFAULT;
	return err;
}

/*
 * Goes on with a call that a stop or a handled signal has interrupted, and that must not simply
 * begin again, because it has waited for a part of its time already.
 */
SYSCALL_DEFINE0(restart_syscall)
{
	struct restart_block *restart = &current->restart_block;

	return restart->fn ? restart->fn(restart) : -EINTR;
}
