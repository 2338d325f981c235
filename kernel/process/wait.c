/*
 * wait4() and waitid(): a process waits for its children to end, to stop or to continue.
 *
 * All threads of a process wait for all children of the process. They sleep in
 * signal->wait_chldexit, and each wake-up scans the children with tasklist_lock held. Then it scans
 * the tasks that threads of the process trace (kernel/task/tracee.h): any tasks, each thread for
 * itself. What both the parent and a tracer could wait for is the tracer's first: a child that
 * another process traces has not ended for its parent until the tracer has waited for it.
 */
#include "arch/mm/uaccess.h"
#include "kernel/task/cred.h"
#include "kernel/process/exit.h"
#include "kernel/task/pid.h"
#include "kernel/process/pidfd.h"
#include "kernel/process/rusage.h"
#include "kernel/task/signal_struct.h"
#include "kernel/task/tracee.h"
#include "kernel/process/wait.h"
#include "kernel/sched/quiescent.h"
#include "kernel/sched/sched_events.h"
#include "kernel/signal/signal.h"
#include "kernel/syscalls/syscalls.h"

/* What a wait looks for, and what it found. */
struct wait_opts {
	enum pid_type type;
	struct pid *pid; /* only children with that name; NULL: all of them */
	int flags;
	bool wants_usage; /* also of a child that has not ended */
	/* The result: */
	struct task_struct *dead; /* release_task() it after tasklist_lock */
	pid_t found;
	int status;   /* as wait4() gives it */
	bool trapped; /* it has stopped for its tracer */
	u32 uid;
	struct task_usage usage;
	bool has_children; /* one of them may still do what is waited for */
};

/* The name of no task. */
static struct pid no_such_pid = { .count = ATOMIC_INIT(1) };

static __always_inline bool eligible_child(const struct wait_opts *wo, const struct task_struct *p,
					   bool traced)
{
	if (wo->pid && task_pid_type(p, wo->type) != wo->pid)
		return false;
	/* A child that sends another signal than SIGCHLD at its end is a "clone" child. */
	return traced || (wo->flags & __WALL) ||
	       !(p->exit_signal != SIGCHLD) == !(wo->flags & __WCLONE);
}

static void found_child(struct wait_opts *wo, struct task_struct *p, int status)
{
	wo->found = p->pid;
	wo->status = status;
	wo->uid = p->real_cred->uid;
	if (p->exit_state || wo->wants_usage) {
		process_usage(p, &wo->usage);
		add_usage(&wo->usage, &p->signal->children);
	}
}

static bool wait_task_zombie(struct wait_opts *wo, struct task_struct *p)
{
	if (!(wo->flags & WEXITED))
		return false;
	found_child(wo, p,
		    p->signal->flags & SIGNAL_GROUP_EXIT ? p->signal->group_exit_code
							 : p->exit_code);
	if (wo->flags & WNOWAIT)
		return true;
	if (unlikely(p->tracee) && thread_group_leader(p) && traced_by_other(p)) {
		/* Now it has ended for its parent, too. */
		ptrace_ops.unlink(p);
		if (!do_notify_parent(p, p->exit_signal))
			return true;
	} else if (likely(thread_group_leader(p))) {
		add_usage(&current->signal->children, &wo->usage);
	}
	p->exit_state = EXIT_DEAD; /* no other thread takes it */
	wo->dead = p;
	return true;
}

/* A task has stopped for its tracer, which calls. siglock held. */
static bool wait_tracee_stopped(struct wait_opts *wo, struct task_struct *p)
{
	if (!(READ_ONCE(p->__state) & __TASK_TRACED) || (p->jobctl & JOBCTL_LISTENING) ||
	    !p->exit_code)
		return false;
	found_child(wo, p, p->exit_code << 8 | 0x7f);
	wo->trapped = true;
	if (!(wo->flags & WNOWAIT))
		p->exit_code = 0;
	return true;
}

static bool wait_task_stopped(struct wait_opts *wo, struct task_struct *p)
{
	struct signal_struct *signal = p->signal;
	int code = signal->group_exit_code;

	if (!(wo->flags & WSTOPPED) || !(signal->flags & SIGNAL_STOP_STOPPED) || !code)
		return false;
	found_child(wo, p, code << 8 | 0x7f);
	if (!(wo->flags & WNOWAIT))
		signal->group_exit_code = 0;
	return true;
}

static bool wait_task_continued(struct wait_opts *wo, struct task_struct *p)
{
	struct signal_struct *signal = p->signal;

	if (!(wo->flags & WCONTINUED) || !(signal->flags & SIGNAL_STOP_CONTINUED))
		return false;
	found_child(wo, p, 0xffff);
	if (!(wo->flags & WNOWAIT))
		signal->flags &= ~SIGNAL_STOP_CONTINUED;
	return true;
}

/*
 * Whether p has done what wo waits for; traced: a thread of the current process traces it.
 * tasklist_lock held.
 */
static bool consider_child(struct wait_opts *wo, struct task_struct *p, bool traced)
{
	struct sighand_struct *sighand = p->sighand;
	unsigned long flags;
	bool found;

	if (p->exit_state == EXIT_DEAD || !eligible_child(wo, p, traced))
		return false;
	/* A child that the own process traces must not report one stop twice. */
	if (unlikely(p->tracee))
		traced |= !traced_by_other(p);
	if (p->exit_state == EXIT_ZOMBIE && (!thread_group_leader(p) || thread_group_empty(p))) {
		/* It will never stop or continue: only a wait for its end finds it. */
		wo->has_children |= (wo->flags & WEXITED) != 0;
		return likely(traced || !p->tracee) && wait_task_zombie(wo, p);
	}
	wo->has_children = true;
	spin_lock_irqsave(&sighand->siglock, flags);
	found = (unlikely(traced) ? wait_tracee_stopped(wo, p) : wait_task_stopped(wo, p)) ||
		wait_task_continued(wo, p);
	spin_unlock_irqrestore(&sighand->siglock, flags);
	return found;
}

/* The tasks that thread t traces. True: one was found. tasklist_lock held. */
static bool scan_tracees(struct wait_opts *wo, const struct task_struct *t)
{
	for (struct tracee *tracee = t->tracees; tracee; tracee = tracee->next)
		if (consider_child(wo, tracee->task, true))
			return true;
	return false;
}

/*
 * Whether p can be passed over in a few instructions: it is not waited for, or it runs and only its
 * end is waited for. A process may have thousands of children, and tasklist_lock is held.
 */
static __always_inline bool pass_over(struct wait_opts *wo, const struct task_struct *p)
{
	if (!eligible_child(wo, p, false))
		return true;
	if (p->exit_state || p->tracee || (wo->flags & (WSTOPPED | WCONTINUED)))
		return false;
	wo->has_children = true;
	return true;
}

/* The children of the process, and what its threads trace. tasklist_lock held. */
static void scan(struct wait_opts *wo)
{
	struct task_struct *p;

	list_for_each_entry (p, &current->group_leader->children, sibling)
		if (!pass_over(wo, p) && consider_child(wo, p, false))
			return;
	list_for_each_entry (p, &current->signal->thread_head, thread_node)
		if (unlikely(p->tracees) && (p == current || !(wo->flags & __WNOTHREAD)) &&
		    scan_tracees(wo, p))
			return;
}

/* One scan. The PID of a child, 0 if none has done that yet, or -ECHILD. */
static pid_t scan_children(struct wait_opts *wo)
{
	wo->has_children = false;
	spin_lock(&tasklist_lock);
	scan(wo);
	spin_unlock(&tasklist_lock);
	if (wo->dead)
		release_task(wo->dead);
	if (wo->found)
		return wo->found;
	return wo->has_children ? 0 : -ECHILD;
}

static pid_t do_wait(struct wait_opts *wo)
{
	wait_queue_head_t *queue = &current->signal->wait_chldexit;
	DEFINE_WAIT(wait);
	pid_t ret;

	trace_sched_process_wait(wo->pid ? wo->pid->nr : 0);
	for (;;) {
		prepare_to_wait(queue, &wait, TASK_INTERRUPTIBLE);
		ret = scan_children(wo);
		if (ret || (wo->flags & WNOHANG))
			break;
		if (signal_pending(current)) {
			ret = interrupted_error();
			break;
		}
		schedule();
	}
	finish_wait(queue, &wait);
	return ret;
}

/* Sets the child, or the children in a process group, that wo waits for. 0: the own group. */
static void set_target(struct wait_opts *wo, enum pid_type type, pid_t nr)
{
	wo->type = type;
	spin_lock(&tasklist_lock);
	if (nr)
		wo->pid = get_pid(find_pid(nr));
	else
		wo->pid = get_pid(task_pid_type(current->group_leader, type));
	spin_unlock(&tasklist_lock);
	if (!wo->pid)
		wo->pid = get_pid(&no_such_pid);
}

static pid_t wait4(pid_t pid, int options, struct wait_opts *wo)
{
	pid_t ret;

	if (options & ~(WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD | __WCLONE | __WALL))
		return -EINVAL;
	if (pid == INT32_MIN)
		return -ESRCH;
	wo->flags = options | WEXITED;
	if (pid > 0)
		set_target(wo, PIDTYPE_PID, pid);
	else if (pid != -1)
		set_target(wo, PIDTYPE_PGID, -pid);
	ret = do_wait(wo);
	put_pid(wo->pid);
	return ret;
}

pid_t kernel_wait4(pid_t pid, int *status, int options)
{
	struct wait_opts wo = { 0 };
	pid_t ret;

	syscall_boundary();
	ret = wait4(pid, options | __WALL, &wo);
	if (ret > 0 && status)
		*status = wo.status;
	return ret;
}

static int put_usage(struct rusage __user *ru, const struct task_usage *usage)
{
	struct rusage rusage;

	usage_to_rusage(usage, &rusage);
	return copy_to_user(ru, &rusage, sizeof(rusage)) ? -EFAULT : 0;
}

SYSCALL_DEFINE4(wait4, pid_t, upid, int __user *, stat_addr, int, options, struct rusage __user *,
		ru)
{
	struct wait_opts wo = { .wants_usage = ru };
	pid_t ret = wait4(upid, options, &wo);

	if (ret <= 0)
		return ret;
	if ((stat_addr && put_user(wo.status, stat_addr)) || (ru && put_usage(ru, &wo.usage)))
		return -EFAULT;
	return ret;
}

/* si_code and si_status of a wait status: waitid(2). */
static int wait_code(int status, int *si_status)
{
	if (status == 0xffff) {
		*si_status = SIGCONT;
		return CLD_CONTINUED;
	}
	if ((status & 0xff) == 0x7f) {
		*si_status = status >> 8;
		return CLD_STOPPED;
	}
	if (status & 0x7f) {
		*si_status = status & 0x7f;
		return status & 0x80 ? CLD_DUMPED : CLD_KILLED;
	}
	*si_status = status >> 8 & 0xff;
	return CLD_EXITED;
}

/* The fields of siginfo_t that waitid() sets; the union after them starts at byte 16. */
struct wait_siginfo {
	int si_signo, si_errno, si_code, pad;
	int si_pid;
	u32 si_uid;
	int si_status;
};

static int put_siginfo(struct siginfo __user *infop, const struct wait_opts *wo)
{
	struct wait_siginfo info = { 0 };

	if (wo->found) {
		info.si_signo = SIGCHLD;
		info.si_code = wait_code(wo->status, &info.si_status);
		if (wo->trapped)
			info.si_code = CLD_TRAPPED;
		info.si_pid = wo->found;
		info.si_uid = wo->uid;
	}
	/* Linux leaves the padding alone. */
	return put_user(info.si_signo, &infop->si_signo) ||
			       put_user(info.si_errno, &infop->si_errno) ||
			       put_user(info.si_code, &infop->si_code) ||
			       put_user(info.si_pid, &infop->si_pid) ||
			       put_user(info.si_uid, &infop->si_uid) ||
			       put_user(info.si_status, &infop->si_status)
		       ? -EFAULT
		       : 0;
}

#define P_ALL   0
#define P_PID   1
#define P_PGID  2
#define P_PIDFD 3

static int waitid_target(struct wait_opts *wo, int which, pid_t upid, bool *nonblock)
{
	struct pid *pid;

	switch (which) {
	case P_ALL:
		return 0;
	case P_PID:
		if (upid <= 0)
			return -EINVAL;
		set_target(wo, PIDTYPE_PID, upid);
		return 0;
	case P_PGID:
		if (upid < 0)
			return -EINVAL;
		set_target(wo, PIDTYPE_PGID, upid);
		return 0;
	case P_PIDFD:
		if (upid < 0)
			return -EINVAL;
		pid = pidfd_ops->get(upid, nonblock);
		if (IS_ERR(pid))
			return (int)PTR_ERR(pid);
		wo->type = PIDTYPE_PID;
		wo->pid = pid;
		return 0;
	}
	return -EINVAL;
}

SYSCALL_DEFINE5(waitid, int, which, pid_t, upid, struct siginfo __user *, infop, int, options,
		struct rusage __user *, ru)
{
	struct wait_opts wo = { .flags = options, .wants_usage = ru };
	bool nonblock = false;
	long ret;

	if (options & ~(WNOHANG | WNOWAIT | WEXITED | WSTOPPED | WCONTINUED | __WNOTHREAD |
			__WCLONE | __WALL))
		return -EINVAL;
	if (!(options & (WEXITED | WSTOPPED | WCONTINUED)))
		return -EINVAL;
	ret = waitid_target(&wo, which, upid, &nonblock);
	if (ret)
		return ret;
	if (nonblock) /* the pidfd is */
		wo.flags |= WNOHANG;
	ret = do_wait(&wo);
	put_pid(wo.pid);
	if (!ret && nonblock && !(options & WNOHANG))
		return -EAGAIN;
	if (ret < 0)
		return ret;
	if (ret > 0 && ru && put_usage(ru, &wo.usage))
		return -EFAULT;
	return infop ? put_siginfo(infop, &wo) : 0;
}
