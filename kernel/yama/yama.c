/*
 * Yama: which processes of the same user a task may attach to, so that a program that has been
 * taken over does not take the keys out of the memory of the others. The rules are those of Linux,
 * Documentation/admin-guide/LSM/Yama.rst. kernel.yama.ptrace_scope says
 *
 *	0	all
 *	1	its descendants, and those that have named it, or an ancestor of it, by
 *		prctl(PR_SET_PTRACER)
 *	2	none
 *	3	none, and the value stays until the next boot
 *
 * CAP_SYS_PTRACE is enough for each value but the last. The value is asked when the tracing, or the
 * access to the memory, begins. A process that asks to be traced (PTRACE_TRACEME) may do so at 0
 * and 1. All of this comes after the rules of kernel/process/ptrace.c, and allows nothing more.
 */
#include "kernel/yama/yama.h"

#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/process/ptrace.h"
#include "kernel/sched/mutex.h"
#include "kernel/task/cred.h"
#include "kernel/task/pid.h"
#include "kernel/task/signal_struct.h"
#include "kernel/task/tracee.h"

#define PTRACER_ANY (-1)

static int scope; /* [scope_mutex] to write */
static DEFINE_MUTEX(scope_mutex);

int yama_scope(void)
{
	return READ_ONCE(scope);
}

int yama_set_scope(int value)
{
	int error = -EINVAL;

	if (value < YAMA_SCOPE_DISABLED || value > YAMA_SCOPE_NO_ATTACH)
		return -EINVAL;
	mutex_lock(&scope_mutex);
	if (scope != YAMA_SCOPE_NO_ATTACH || value == YAMA_SCOPE_NO_ATTACH) {
		WRITE_ONCE(scope, value);
		error = 0;
	}
	mutex_unlock(&scope_mutex);
	return error;
}

/* The process of task is this one or one of its descendants. L held. */
static bool is_in_family(const struct task_struct *task, const struct signal_struct *ancestor)
{
	const struct task_struct *p;

	for (p = task->group_leader; p != &init_task; p = p->real_parent->group_leader)
		if (p->signal == ancestor)
			return true;
	return false;
}

/* The process of task, which has named a tracer, means the current one. L held. */
static bool has_named_current(const struct task_struct *task)
{
	const struct ptracer *named = &task->signal->ptracer;
	const struct task_struct *p;

	if (!named->tgid || named->tgid == PTRACER_ANY)
		return named->tgid;
	for (p = current->group_leader; p != &init_task; p = p->real_parent->group_leader)
		if (p->pid == named->tgid && p->start_time == named->start_time)
			return true;
	return false;
}

static bool is_related(const struct task_struct *task)
{
	bool related;

	spin_lock(&tasklist_lock);
	related = is_in_family(task, current->signal) || has_named_current(task) ||
		  (task->tracee && task->tracee->tracer->signal == current->signal);
	spin_unlock(&tasklist_lock);
	return related;
}

/* ptrace_policy_ops.may_attach() */
static bool may_attach(struct task_struct *task)
{
	switch (yama_scope()) {
	case YAMA_SCOPE_DISABLED:
		return true;
	case YAMA_SCOPE_RELATIONAL:
		return is_related(task) || capable(CAP_SYS_PTRACE);
	case YAMA_SCOPE_CAPABILITY:
		return capable(CAP_SYS_PTRACE);
	}
	return false;
}

/* ptrace_policy_ops.may_trace_me() */
static bool may_trace_me(const struct cred *tracer)
{
	switch (yama_scope()) {
	case YAMA_SCOPE_DISABLED:
	case YAMA_SCOPE_RELATIONAL:
		return true;
	case YAMA_SCOPE_CAPABILITY:
		return tracer->cap_effective & BIT(CAP_SYS_PTRACE);
	}
	return false;
}

/* ptrace_policy_ops.set_ptracer() */
static long set_ptracer(unsigned long pid)
{
	struct ptracer named = { .tgid = (int)pid == PTRACER_ANY ? PTRACER_ANY : 0 };

	if (pid && !named.tgid) {
		struct task_struct *task = find_get_task_by_pid((pid_t)pid);

		if (!task)
			return -EINVAL;
		named.tgid = task->tgid;
		/* Each leader that the process has had, or will get, has this time. */
		spin_lock(&tasklist_lock);
		named.start_time = task->group_leader->start_time;
		spin_unlock(&tasklist_lock);
		put_task_struct(task);
	}
	spin_lock(&tasklist_lock);
	current->signal->ptracer = named;
	spin_unlock(&tasklist_lock);
	return 0;
}

static int __init yama_init(void)
{
	static const struct ptrace_policy_ops policy = { may_attach, may_trace_me, set_ptracer };

	ptrace_policy_ops = &policy;
	return 0;
}
early_initcall(yama_init);
