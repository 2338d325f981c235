/*
 * Process ids, process groups and sessions: getpid(2), setpgid(2), setsid(2) and the like.
 *
 * A session is made by its leader; a process group lies in one session. Only the leaders of thread
 * groups are in the lists of struct pid, and signal->pids is what all their threads see.
 */
#include "kernel/process/session.h"

#include "kernel/process/exit.h"
#include "kernel/process/fork.h"
#include "kernel/process/process.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/sched.h"
#include "kernel/signal/signal.h"
#include "kernel/syscalls/syscalls.h"

/*
 * Whether no process of the group has a parent in another group of the session, not counting
 * ignored: a shell that could let a stopped process of the group continue. tasklist_lock held.
 */
static bool will_become_orphaned_pgrp(struct pid *pgrp, struct task_struct *ignored)
{
	struct task_struct *p;

	for_each_pid_task (p, pgrp, PIDTYPE_PGID) {
		if (p == ignored || (p->exit_state && thread_group_empty(p)) ||
		    p->real_parent == child_reaper || p->real_parent == &init_task)
			continue;
		if (p->real_parent->signal->pids[PIDTYPE_PGID] != pgrp &&
		    p->real_parent->signal->pids[PIDTYPE_SID] == p->signal->pids[PIDTYPE_SID])
			return false;
	}
	return true;
}

bool is_current_pgrp_orphaned(void)
{
	bool orphaned;

	spin_lock(&tasklist_lock);
	orphaned = will_become_orphaned_pgrp(current->signal->pids[PIDTYPE_PGID], NULL);
	spin_unlock(&tasklist_lock);
	return orphaned;
}

static bool has_stopped_jobs(struct pid *pgrp)
{
	struct task_struct *p;

	for_each_pid_task (p, pgrp, PIDTYPE_PGID)
		if (p->signal->flags & SIGNAL_STOP_STOPPED)
			return true;
	return false;
}

void kill_orphaned_pgrp(struct task_struct *p, struct task_struct *parent)
{
	struct pid *pgrp = p->signal->pids[PIDTYPE_PGID];
	struct task_struct *ignored = parent ? NULL : p, *member;
	struct siginfo hup, cont;

	if (!parent)
		parent = p->real_parent;
	if (!pgrp || parent->signal->pids[PIDTYPE_PGID] == pgrp ||
	    parent->signal->pids[PIDTYPE_SID] != p->signal->pids[PIDTYPE_SID] ||
	    !will_become_orphaned_pgrp(pgrp, ignored) || !has_stopped_jobs(pgrp))
		return;
	/* From the kernel: the task that ends may have no right to send signals to the group. */
	init_siginfo(&hup, SIGHUP, SI_KERNEL);
	init_siginfo(&cont, SIGCONT, SI_KERNEL);
	for_each_pid_task (member, pgrp, PIDTYPE_PGID) {
		(void)do_send_sig_info(&hup, member, PIDTYPE_PGID);
		(void)do_send_sig_info(&cont, member, PIDTYPE_PGID);
	}
}

void (*clear_tty_hook)(struct signal_struct *signal);

SYSCALL_DEFINE0(getpid)
{
	return current->tgid;
}

SYSCALL_DEFINE0(gettid)
{
	return current->pid;
}

SYSCALL_DEFINE0(getppid)
{
	return READ_ONCE(current->signal->ppid);
}

/* The process with that number, 0: the current one; or NULL. tasklist_lock held. */
static struct task_struct *find_process(pid_t nr)
{
	struct pid *pid;

	if (!nr)
		return current->group_leader;
	pid = find_pid(nr);
	return pid ? pid_task(pid, PIDTYPE_PID) : NULL;
}

/* Whether the current process may move p to another group. L held. */
static int may_set_pgrp(struct task_struct *p)
{
	struct task_struct *leader = current->group_leader;

	if (!p)
		return -ESRCH;
	if (!thread_group_leader(p))
		return -EINVAL;
	if (p != leader && p->real_parent != leader)
		return -ESRCH;
	if (p != leader) {
		if (p->signal->pids[PIDTYPE_SID] != leader->signal->pids[PIDTYPE_SID])
			return -EPERM;
		if (!(p->flags & PF_FORKNOEXEC))
			return -EACCES;
	}
	return p->signal->leader ? -EPERM : 0;
}

/* Moves p to the group pgid. L held. */
static int move_to_pgrp(struct task_struct *p, pid_t pgid)
{
	struct pid *pgrp = p->thread_pid;

	if (pgid != p->pid) {
		struct task_struct *member;

		pgrp = find_pid(pgid);
		member = pgrp ? pid_task(pgrp, PIDTYPE_PGID) : NULL;
		if (!member || member->signal->pids[PIDTYPE_SID] != p->signal->pids[PIDTYPE_SID])
			return -EPERM;
	}
	change_pid(p, PIDTYPE_PGID, pgrp);
	return 0;
}

SYSCALL_DEFINE2(setpgid, pid_t, pid, pid_t, pgid)
{
	struct task_struct *p;
	int error;

	if (pgid < 0 || (!pgid && pid < 0))
		return -EINVAL;
	spin_lock(&tasklist_lock);
	p = find_process(pid);
	error = may_set_pgrp(p);
	if (!error)
		error = move_to_pgrp(p, pgid ? pgid : p->pid);
	spin_unlock(&tasklist_lock);
	return error;
}

/* The number of the group or session of a process. */
static long get_name(pid_t nr, enum pid_type type)
{
	struct task_struct *p;
	long ret;

	spin_lock(&tasklist_lock);
	p = find_process(nr);
	ret = p ? p->signal->pids[type]->nr : -ESRCH;
	spin_unlock(&tasklist_lock);
	return ret;
}

SYSCALL_DEFINE1(getpgid, pid_t, pid)
{
	return get_name(pid, PIDTYPE_PGID);
}

SYSCALL_DEFINE0(getpgrp)
{
	return get_name(0, PIDTYPE_PGID);
}

SYSCALL_DEFINE1(getsid, pid_t, pid)
{
	return get_name(pid, PIDTYPE_SID);
}

SYSCALL_DEFINE0(setsid)
{
	struct task_struct *leader = current->group_leader;
	struct signal_struct *signal = leader->signal;
	struct pid *pid;
	long ret = -EPERM;

	spin_lock(&tasklist_lock);
	pid = leader->thread_pid;
	if (!signal->leader && !pid_task(pid, PIDTYPE_PGID)) {
		signal->leader = true;
		change_pid(leader, PIDTYPE_SID, pid);
		change_pid(leader, PIDTYPE_PGID, pid);
		ret = pid->nr;
		/* Under the lock: a child that joins the session gets no other terminal. */
		if (clear_tty_hook)
			clear_tty_hook(signal);
	}
	spin_unlock(&tasklist_lock);
	return ret;
}
