/* Sending signals. */
#include "kernel/signal/signal.h"

#include "kernel/task/cred.h"
#include "kernel/task/pid.h"
#include "kernel/task/tracee.h"
#include "kernel/process/rusage.h"
#include "kernel/rcu/rcu.h"
#include "kernel/signal/signal_events.h"
#include "kernel/smp.h"

struct sighand_struct *lock_task_sighand(struct task_struct *p, unsigned long *flags)
{
	struct sighand_struct *sighand;

	for (;;) {
		rcu_read_lock();
		sighand = rcu_dereference(p->sighand);
		if (!sighand) {
			rcu_read_unlock();
			return NULL;
		}
		spin_lock_irqsave(&sighand->siglock, *flags);
		rcu_read_unlock();
		/* exec(2) gives a task that shares the struct one of its own. */
		if (likely(sighand == READ_ONCE(p->sighand)))
			return sighand;
		spin_unlock_irqrestore(&sighand->siglock, *flags);
	}
}

static void *sig_handler(const struct task_struct *p, int sig)
{
	return p->sighand->action[sig - 1].handler;
}

/* A signal without a handler that does nothing by default. */
static bool sig_handler_ignored(const void *handler, int sig)
{
	return handler == SIG_IGN ||
	       (handler == SIG_DFL && (SIG_BIT(sig) & SIG_KERNEL_IGNORE_MASK));
}

/* True if p would drop the signal. siglock held. */
static __always_inline bool sig_ignored(const struct task_struct *p, int sig, bool force)
{
	const void *handler = sig_handler(p, sig);

	if ((p->blocked | p->real_blocked) & SIG_BIT(sig))
		return false; /* p may unblock it, and may have a handler by then */
	/* A kernel task has no stopped state. */
	if (!is_program(p) && (SIG_BIT(sig) & SIG_KERNEL_STOP_MASK))
		return true;
	if ((p->signal->flags & SIGNAL_UNKILLABLE) && handler == SIG_DFL &&
	    !(force && (SIG_BIT(sig) & SIG_KERNEL_ONLY_MASK)))
		return true;
	/* The tracer sees it nevertheless. */
	return sig_handler_ignored(handler, sig) && likely(!p->tracee);
}

#define for_each_thread_of(signal, t) list_for_each_entry (t, &(signal)->thread_head, thread_node)

static __always_inline void wake_for_signal(struct task_struct *t, unsigned states)
{
	__atomic_fetch_or(&t->user_work, USER_WORK_SIGPENDING, __ATOMIC_SEQ_CST);
	if (t == current && READ_ONCE(t->__state) == TASK_RUNNING)
		return;
	if (wake_up_state(t, states | TASK_INTERRUPTIBLE) || t == current)
		return;
	preempt_disable();
	if (READ_ONCE(t->on_cpu) && READ_ONCE(t->cpu) != smp_processor_id())
		smp_send_reschedule(READ_ONCE(t->cpu));
	preempt_enable();
}

void signal_wake_up(struct task_struct *t, unsigned states)
{
	wake_for_signal(t, states);
}

void trap_notify(struct task_struct *t)
{
	t->jobctl |= JOBCTL_TRAP_NOTIFY;
	signal_wake_up(t, t->jobctl & JOBCTL_LISTENING ? __TASK_TRACED : 0);
}

/* A SIGCONT takes back a stop, whether it is complete or not. siglock held. */
static void continue_process(struct signal_struct *signal)
{
	struct task_struct *t;
	unsigned why = 0;

	flush_sigqueue_mask(&signal->shared_pending, SIG_KERNEL_STOP_MASK);
	for_each_thread_of (signal, t) {
		flush_sigqueue_mask(&t->pending, SIG_KERNEL_STOP_MASK);
		t->jobctl &= ~JOBCTL_STOP_MASK;
		if (unlikely(t->jobctl & JOBCTL_SEIZED))
			trap_notify(t);
		else
			wake_up_state(t, __TASK_STOPPED);
	}
	/* The continued process tells its parent: get_signal(). */
	if (signal->flags & SIGNAL_STOP_STOPPED)
		why = SIGNAL_CLD_CONTINUED;
	else if (signal->group_stop_count)
		why = SIGNAL_CLD_STOPPED;
	if (why) {
		signal->flags = (signal->flags & SIGNAL_UNKILLABLE) | why | SIGNAL_STOP_CONTINUED;
		signal->group_stop_count = 0;
		signal->group_exit_code = 0;
	}
}

/* A stop takes back a SIGCONT that has not been taken. siglock held. */
static void cancel_continue(struct signal_struct *signal)
{
	struct task_struct *t;

	flush_sigqueue_mask(&signal->shared_pending, SIG_BIT(SIGCONT));
	for_each_thread_of (signal, t)
		flush_sigqueue_mask(&t->pending, SIG_BIT(SIGCONT));
}

/* What a signal does when it is sent, even if it is blocked. False: drop it. siglock held. */
static __always_inline bool prepare_signal(int sig, struct task_struct *p, bool force)
{
	struct signal_struct *signal = p->signal;

	if (signal->flags & SIGNAL_GROUP_EXIT) /* SIGKILL ends a core dump */
		return signal->core_state && sig == SIGKILL;
	if (SIG_BIT(sig) & SIG_KERNEL_STOP_MASK)
		cancel_continue(signal);
	else if (sig == SIGCONT)
		continue_process(signal);
	return !sig_ignored(p, sig, force);
}

/* True if p can take the signal at once. */
static __always_inline bool wants_signal(int sig, const struct task_struct *p)
{
	if ((p->blocked & SIG_BIT(sig)) || (p->flags & PF_EXITING))
		return false;
	if (sig == SIGKILL)
		return true;
	if (READ_ONCE(p->__state) & (__TASK_STOPPED | __TASK_TRACED))
		return false;
	return READ_ONCE(p->on_cpu) || !signal_pending(p);
}

/* True if the signal ends a program that does not handle it. */
static bool sig_fatal(const struct task_struct *p, int sig)
{
	return !(SIG_BIT(sig) & (SIG_KERNEL_IGNORE_MASK | SIG_KERNEL_STOP_MASK)) &&
	       sig_handler(p, sig) == SIG_DFL;
}

void end_thread(struct task_struct *t)
{
	t->jobctl &= ~JOBCTL_ENDED_MASK;
	t->pending.signal |= SIG_BIT(SIGKILL);
	signal_wake_up(t, TASK_WAKEKILL);
}

int zap_other_threads(struct task_struct *p)
{
	struct signal_struct *signal = p->signal;
	struct task_struct *t;
	int count = 0;

	signal->group_stop_count = 0;
	for_each_thread_of (signal, t) {
		if (t == p)
			continue;
		count++;
		if (!t->exit_state)
			end_thread(t);
	}
	return count;
}

/* All threads of a process end now, in whatever they wait for. t has the signal. siglock held. */
static noinline void end_process(struct task_struct *t, int sig)
{
	t->signal->flags |= SIGNAL_GROUP_EXIT;
	t->signal->group_exit_code = sig;
	zap_other_threads(t);
	end_thread(t);
}

/* Chooses the task that takes the signal, and wakes it. siglock held. */
static __always_inline void complete_signal(int sig, struct task_struct *p, enum pid_type type)
{
	struct signal_struct *signal = p->signal;
	struct task_struct *t = p;

	if (!wants_signal(sig, p)) {
		if (type == PIDTYPE_PID)
			return;
		for_each_thread_of (signal, t)
			if (wants_signal(sig, t))
				goto found;
		return; /* the first that unblocks the signal takes it */
	}
found:
	if (is_program(p) && sig_fatal(p, sig) && !(signal->flags & SIGNAL_UNKILLABLE) &&
	    !(t->real_blocked & SIG_BIT(sig)) && !(SIG_BIT(sig) & SIG_KERNEL_COREDUMP_MASK) &&
	    (sig == SIGKILL || likely(!p->tracee)))
		end_process(t, sig);
	else
		wake_for_signal(t, sig == SIGKILL ? TASK_WAKEKILL : 0);
}

int send_signal_locked(const struct siginfo *info, struct task_struct *p, enum pid_type type,
		       bool force)
{
	int sig = info->si_signo, result = TRACE_SIGNAL_IGNORED, err = 0;
	struct sigpending *pending;

	if (!prepare_signal(sig, p, force))
		goto out;
	pending = type == PIDTYPE_PID ? &p->pending : &p->signal->shared_pending;
	result = TRACE_SIGNAL_ALREADY_PENDING;
	if (sig < SIGRTMIN && (pending->signal & SIG_BIT(sig)))
		goto out;
	result = TRACE_SIGNAL_DELIVERED;
	if (sig != SIGKILL && !sigqueue_add(pending, info, p)) {
		/* The signal itself must arrive; a queued real-time signal must be complete. */
		if (sig >= SIGRTMIN && info->si_code != SI_USER) {
			result = TRACE_SIGNAL_OVERFLOW_FAIL;
			err = -EAGAIN;
			goto out;
		}
		result = TRACE_SIGNAL_LOSE_INFO;
	}
	pending->signal |= SIG_BIT(sig);
	p->signal->group_signals += type > PIDTYPE_TGID;
	if (!list_empty(&p->sighand->signalfd_wqh.head))
		wake_up_all(&p->sighand->signalfd_wqh);
	complete_signal(sig, p, type);
out:
	trace_signal_generate(sig, info, p, type != PIDTYPE_PID, result);
	return err;
}

int send_sigqueue_locked(struct sigqueue *q, struct task_struct *p, enum pid_type type)
{
	int sig = q->info.si_signo, result = TRACE_SIGNAL_IGNORED;
	struct sigpending *pending = type == PIDTYPE_PID ? &p->pending : &p->signal->shared_pending;

	if (!prepare_signal(sig, p, false))
		goto out;
	result = TRACE_SIGNAL_ALREADY_PENDING;
	if (q->queued) {
		q->info.si_overrun++;
		goto out;
	}
	result = TRACE_SIGNAL_DELIVERED;
	q->info.si_overrun = 0;
	q->queued = true;
	list_add_tail(&q->list, &pending->list);
	pending->signal |= SIG_BIT(sig);
	if (!list_empty(&p->sighand->signalfd_wqh.head))
		wake_up_all(&p->sighand->signalfd_wqh);
	complete_signal(sig, p, type);
out:
	trace_signal_generate(sig, &q->info, p, type != PIDTYPE_PID, result);
	return result == TRACE_SIGNAL_IGNORED;
}

static __always_inline int do_send(const struct siginfo *info, struct task_struct *p,
				   enum pid_type type, bool force)
{
	struct sighand_struct *sighand = current->sighand;
	unsigned long flags;
	int err;

	/* That of the current process stays, but a thread of it may have been reaped. */
	if (p->signal == current->signal && likely(p->sighand == sighand))
		spin_lock_irqsave(&sighand->siglock, flags);
	else if (!(sighand = lock_task_sighand(p, &flags)))
		return -ESRCH;
	err = likely(p->sighand) ? send_signal_locked(info, p, type, force) : -ESRCH;
	spin_unlock_irqrestore(&sighand->siglock, flags);
	return err;
}

int do_send_sig_info(const struct siginfo *info, struct task_struct *p, enum pid_type type)
{
	return do_send(info, p, type, info->si_code == SI_KERNEL);
}

/* kill(2): may the current task send a signal to p? */
static __always_inline bool kill_ok(const struct task_struct *p, int sig)
{
	const struct cred *mine = current_cred(), *theirs;
	bool ok;

	if (p->signal == current->signal)
		return true;
	rcu_read_lock();
	theirs = rcu_dereference(p->real_cred);
	ok = mine->euid == theirs->suid || mine->euid == theirs->uid || mine->uid == theirs->suid ||
	     mine->uid == theirs->uid || ((mine->cap_effective >> CAP_KILL) & 1);
	rcu_read_unlock();
	if (!ok && sig == SIGCONT)
		ok = p->signal->pids[PIDTYPE_SID] == current->signal->pids[PIDTYPE_SID];
	return ok;
}

int group_send_sig_info(const struct siginfo *info, struct task_struct *p, enum pid_type type)
{
	int sig = info->si_signo;

	if (sig < 0 || sig > _NSIG)
		return -EINVAL;
	if (!kill_ok(p, sig))
		return -EPERM;
	if (p->flags & PF_KTHREAD)
		return is_program(current) ? 0 : -EPERM; /* Linux: kernel threads ignore signals */
	return sig ? do_send_sig_info(info, p, type) : 0;
}

int send_signal(int sig, struct task_struct *p)
{
	struct siginfo info;

	if (p->flags & PF_KTHREAD)
		return -EPERM;
	init_siginfo(&info, sig, SI_KERNEL);
	return do_send_sig_info(&info, p, PIDTYPE_TGID);
}

void send_sig(int sig)
{
	struct siginfo info;

	fill_kill_info(&info, sig, SI_USER);
	(void)do_send_sig_info(&info, current, PIDTYPE_PID);
}

int kill_pid_info(const struct siginfo *info, pid_t pid)
{
	struct task_struct *p;
	int ret;

	do {
		p = find_get_task_by_pid(pid);
		if (!p)
			return -ESRCH;
		ret = group_send_sig_info(info, p, PIDTYPE_TGID);
		put_task_struct(p);
		/*
		 * A thread that calls exec may have taken the place of the leader that was found.
		 */
	} while (ret == -ESRCH);
	return ret;
}

int kill_pid(pid_t pid, int sig)
{
	struct siginfo info;

	fill_kill_info(&info, sig, SI_USER);
	return kill_pid_info(&info, pid);
}

/*
 * Sends info to each process of a group. 0 if one got it; else the last error, or -ESRCH.
 * tasklist_lock held.
 */
static int send_to_pgrp(const struct siginfo *info, struct pid *pgrp, bool check)
{
	struct task_struct *p;
	int ret = -ESRCH;
	bool sent = false;

	for_each_pid_task (p, pgrp, PIDTYPE_PGID) {
		if (p->flags & PF_KTHREAD)
			continue;
		ret = check ? group_send_sig_info(info, p, PIDTYPE_PGID)
			    : do_send_sig_info(info, p, PIDTYPE_PGID);
		sent |= !ret;
	}
	return sent ? 0 : ret;
}

static int kill_pgrp_info(const struct siginfo *info, pid_t pgrp, bool check)
{
	struct pid *pid;
	int ret = -ESRCH;

	spin_lock(&tasklist_lock);
	pid = pgrp ? find_pid(pgrp) : task_pid_type(current->group_leader, PIDTYPE_PGID);
	if (pid)
		ret = send_to_pgrp(info, pid, check);
	spin_unlock(&tasklist_lock);
	return ret;
}

int kill_pid_pgrp(struct pid *pgrp, int sig)
{
	struct siginfo info;
	int ret;

	init_siginfo(&info, sig, SI_KERNEL);
	spin_lock(&tasklist_lock);
	ret = send_to_pgrp(&info, pgrp, false);
	spin_unlock(&tasklist_lock);
	return ret;
}

/* kill(-1, sig): every process but PID 1 and the sender's own. */
static int kill_all(const struct siginfo *info)
{
	struct task_struct *p;
	int ret = 0, count = 0;

	spin_lock(&tasklist_lock);
	for_each_task (p) {
		int err;

		if (p->pid <= 1 || p->group_leader != p || p->signal == current->signal ||
		    (p->flags & PF_KTHREAD))
			continue;
		err = group_send_sig_info(info, p, PIDTYPE_MAX);
		count++;
		if (err != -EPERM)
			ret = err;
	}
	spin_unlock(&tasklist_lock);
	return count ? ret : -ESRCH;
}

int kill_something_info(const struct siginfo *info, pid_t pid)
{
	struct task_struct *p;

	if (pid == current->tgid) {
		p = current->group_leader;
		/* A program may send itself any signal. */
		if (is_program(p) && info->si_signo > 0 && info->si_signo <= _NSIG)
			return do_send(info, p, PIDTYPE_TGID, false);
		return group_send_sig_info(info, p, PIDTYPE_TGID);
	}
	if (pid > 0)
		return kill_pid_info(info, pid);
	if (pid == -1)
		return kill_all(info);
	if (pid == (pid_t)0x80000000)
		return -ESRCH;
	return kill_pgrp_info(info, -pid, true);
}

/* Fills the part of a SIGCHLD that tells about tsk, a leader or a task that is traced. */
static void fill_sigchld(struct siginfo *info, struct task_struct *tsk)
{
	u64 utime, stime;

	task_cputime(tsk, &utime, &stime);
	info->si_pid = tsk->pid;
	info->si_uid = tsk->real_cred->uid;
	info->si_utime = (long)((utime + tsk->signal->ended.utime) / NSEC_PER_CLOCK_TICK);
	info->si_stime = (long)((stime + tsk->signal->ended.stime) / NSEC_PER_CLOCK_TICK);
}

bool do_notify_parent(struct task_struct *tsk, int sig)
{
	bool traced = tsk->tracee;
	struct task_struct *parent = unlikely(traced) ? tsk->tracee->tracer : tsk->real_parent;
	int status = tsk->signal->group_exit_code; /* set: the process has ended */
	struct k_sigaction *action;
	bool autoreap = false;
	struct siginfo info;
	unsigned long flags;

	/* The signal was chosen for a program that the parent no longer runs. */
	if (tsk->signal->parent_exec_id != READ_ONCE(parent->signal->exec_id))
		sig = SIGCHLD;
	if (unlikely(traced) && !(tsk->signal->flags & SIGNAL_GROUP_EXIT))
		status = tsk->exit_code; /* only this thread has ended */
	/* Whoever polls its pidfd does so even if the parent ignores it. */
	pid_wake_pidfds(tsk->thread_pid);
	init_siginfo(&info, sig, CLD_EXITED);
	fill_sigchld(&info, tsk);
	info.si_status = status & 0x7f;
	if (status & 0x80)
		info.si_code = CLD_DUMPED;
	else if (status & 0x7f)
		info.si_code = CLD_KILLED;
	else
		info.si_status = (status >> 8) & 0xff;

	spin_lock_irqsave(&parent->sighand->siglock, flags);
	action = &parent->sighand->action[SIGCHLD - 1];
	if (sig == SIGCHLD && is_program(parent) && likely(!traced) &&
	    (action->handler == SIG_IGN || (action->flags & SA_NOCLDWAIT))) {
		/* POSIX: such children leave no zombie. */
		autoreap = true;
		if (action->handler == SIG_IGN)
			sig = 0;
	}
	/* clone(2) takes any number up to 255. One that is no signal tells the parent nothing. */
	if (sig > 0 && sig <= _NSIG)
		(void)send_signal_locked(&info, parent, PIDTYPE_TGID, false);
	spin_unlock_irqrestore(&parent->sighand->siglock, flags);
	wake_up_all(&parent->signal->wait_chldexit);
	return autoreap;
}

/* Sends parent a SIGCHLD about a stop of tsk, and wakes it. tasklist_lock held. */
static void notify_stop(struct task_struct *parent, struct task_struct *tsk, int why, int sig)
{
	struct k_sigaction *action;
	struct siginfo info;
	unsigned long flags;

	init_siginfo(&info, SIGCHLD, why);
	info.si_status = sig;
	spin_lock_irqsave(&parent->sighand->siglock, flags);
	action = &parent->sighand->action[SIGCHLD - 1];
	if (!sig_ignored(parent, SIGCHLD, false)) /* else nobody reads them, and they cost */
		fill_sigchld(&info, tsk);
	if (action->handler != SIG_IGN && !(action->flags & SA_NOCLDSTOP))
		(void)send_signal_locked(&info, parent, PIDTYPE_TGID, false);
	spin_unlock_irqrestore(&parent->sighand->siglock, flags);
	wake_up_all(&parent->signal->wait_chldexit);
}

void do_notify_parent_cldstop(struct task_struct *tsk, int why, int sig)
{
	notify_stop(tsk->group_leader->real_parent, tsk->group_leader, why, sig);
}

void notify_tracer(struct task_struct *tsk, int why, int sig)
{
	notify_stop(tsk->tracee->tracer, tsk, why, sig);
}
