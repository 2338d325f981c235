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
#include "kernel/process/signal_struct.h"
#include "kernel/sched/sched.h"

void kernel_setpgid(pid_t nr)
{
	struct pid *pgrp;

	spin_lock(&tasklist_lock);
	/* The task with that number may not have joined its group yet. */
	pgrp = nr ? find_pid(nr) : current->thread_pid;
	if (pgrp)
		change_pid(current, PIDTYPE_PGID, pgrp);
	spin_unlock(&tasklist_lock);
}

/*
 * Whether no process of the group has a parent in another group of the session, not counting
 * ignored: a shell that could let a stopped process of the group continue. tasklist_lock held.
 */
static bool will_become_orphaned_pgrp(struct pid *pgrp, struct task_struct *ignored)
{
	struct task_struct *p;

	for_each_pid_task(p, pgrp, PIDTYPE_PGID)
	{
		if (p == ignored || (p->exit_state && thread_group_empty(p)) ||
		    p->parent == child_reaper || p->parent == &init_task)
			continue;
		if (p->parent->signal->pids[PIDTYPE_PGID] != pgrp &&
		    p->parent->signal->pids[PIDTYPE_SID] == p->signal->pids[PIDTYPE_SID])
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

	for_each_pid_task(p, pgrp,
			  PIDTYPE_PGID) if (p->signal->flags & SIGNAL_STOP_STOPPED) return true;
	return false;
}

void kill_orphaned_pgrp(struct task_struct *p, struct task_struct *parent)
{
	struct pid *pgrp = p->signal->pids[PIDTYPE_PGID];
	struct task_struct *ignored = parent ? NULL : p, *member;

	if (!parent)
		parent = p->parent;
	if (!pgrp || parent->signal->pids[PIDTYPE_PGID] == pgrp ||
	    parent->signal->pids[PIDTYPE_SID] != p->signal->pids[PIDTYPE_SID] ||
	    !will_become_orphaned_pgrp(pgrp, ignored) || !has_stopped_jobs(pgrp))
		return;
	for_each_pid_task(member, pgrp, PIDTYPE_PGID)
	{
		(void)send_signal(SIGHUP, member);
		(void)send_signal(SIGCONT, member);
	}
}
