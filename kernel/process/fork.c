/* Copies of the current task, as fork(2) and its kin make them. kernel/task/ makes kernel tasks. */
#include "kernel/process/fork.h"

#include "arch/cpu/switch.h"
#include "arch/user/process.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"
#include "kernel/process/exit.h"
#include "kernel/task/pid.h"
#include "kernel/process/process.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/runqueue.h"
#include "kernel/sched/sched_events.h"
#include "kernel/sched/task_events.h"
#include "kernel/task/seccomp.h"
#include "kernel/task/task.h"
#include "kernel/task/tracee.h"
#include "kernel/signal/signal.h"
#include "kernel/smp.h"
#include "kernel/vm/mm.h"

static void copy_sched(struct task_struct *child, struct task_struct *parent)
{
	child->ioprio = parent->ioprio;
	sched_fork(child, parent);
	set_load_weight(child);
	if (parent->flags & PF_IDLE)
		return;
	child->cpus_allowed = parent->cpus_allowed;
	child->nr_cpus_allowed = parent->nr_cpus_allowed;
}

/* Adds p, which leads a new process, to its parent and to the names of its kind. L held. */
static void publish_process(struct task_struct *p, const struct kernel_clone_args *args,
			    struct pid *pid)
{
	struct task_struct *leader = current->group_leader;
	struct pid *pgrp = leader->signal->pids[PIDTYPE_PGID];
	struct pid *session = leader->signal->pids[PIDTYPE_SID];

	p->real_parent = args->flags & CLONE_PARENT ? leader->real_parent : leader;
	p->signal->ppid = p->real_parent->tgid;
	p->signal->parent_tid =
		args->flags & CLONE_PARENT ? leader->signal->parent_tid : current->pid;
	p->signal->parent_exec_id = args->flags & CLONE_PARENT ? leader->signal->parent_exec_id
							       : leader->signal->exec_id;
	if (!pgrp)
		pgrp = session = &init_struct_pid;
	p->signal->has_child_subreaper = p->real_parent->signal->has_child_subreaper ||
					 p->real_parent->signal->is_child_subreaper;
	list_add_tail(&p->sibling, &p->real_parent->children);
	list_add_tail(&p->thread_node, &p->signal->thread_head);
	/* Under tasklist_lock, with the join of the session: a hang-up clears it in both. */
	p->signal->tty = leader->signal->tty;
	attach_pid(p, PIDTYPE_TGID, pid);
	attach_pid(p, PIDTYPE_PGID, pgrp);
	attach_pid(p, PIDTYPE_SID, session);
}

/* Adds p to the threads of the current process. L held. */
static void publish_thread(struct task_struct *p)
{
	struct signal_struct *signal = p->signal;

	p->group_leader = current->group_leader;
	p->tgid = p->group_leader->tgid;
	atomic_inc(&signal->live);
	signal->nr_threads++;
	list_add_tail(&p->thread_node, &signal->thread_head);
}

/*
 * Whether the current task, a program, must act on a signal before it has a child.
 * *group_signals: for signal_comes_first().
 */
static bool signal_is_first(unsigned *group_signals)
{
	struct sighand_struct *sighand = current->sighand;

	spin_lock_irq(&sighand->siglock);
	recalc_sigpending();
	*group_signals = current->signal->group_signals;
	spin_unlock_irq(&sighand->siglock);
	return signal_pending(current);
}

/*
 * True if the current task must act on a signal that has come since signal_is_first(). A process
 * that ends gets no new thread, which would not know of the end; and one that stops none that would
 * go on. A signal to the process group reaches the child, if it comes after the child has joined
 * the group; one that came before reaches only the parent, and the parent decides whether there is
 * a child at all. Other signals wait: if they came faster than a large process is copied, fork()
 * would begin again and again. siglock held.
 */
static bool signal_comes_first(const struct kernel_clone_args *args, unsigned group_signals)
{
	if (fatal_signal_pending(current))
		return true;
	return current->mm && signal_pending(current) &&
	       ((args->flags & CLONE_THREAD) || current->signal->group_signals != group_signals);
}

/*
 * Gives p its names and a parent, and adds it to the lists. 0; -ERESTARTNOINTR: a signal is first.
 */
static int publish_task(struct task_struct *p, const struct kernel_clone_args *args,
			struct pid *pid, unsigned group_signals)
{
	unsigned long flags;

	spin_lock(&tasklist_lock);
	spin_lock_irqsave(&current->sighand->siglock, flags);
	if (signal_comes_first(args, group_signals)) {
		spin_unlock_irqrestore(&current->sighand->siglock, flags);
		spin_unlock(&tasklist_lock);
		return -ERESTARTNOINTR;
	}
	add_to_task_list(p, pid);
	if (args->flags & CLONE_THREAD)
		publish_thread(p);
	else
		publish_process(p, args, pid);
	if (unlikely(p->tracee))
		ptrace_ops.fork_attach(p);
	if (unlikely(current->seccomp.mode))
		seccomp_ops->fork(p);
	spin_unlock_irqrestore(&current->sighand->siglock, flags);
	spin_unlock(&tasklist_lock);
	new_task_parts(p);
	return 0;
}

/* The signals of p: its own, or shared ones. */
static void copy_signals(u64 clone_flags, struct task_struct *p)
{
	p->blocked = current->blocked;
	if (clone_flags & CLONE_THREAD)
		p->exit_signal = -1;
	else if (clone_flags & CLONE_PARENT)
		p->exit_signal = current->group_leader->exit_signal;
	/* A new stack in the same address space has another alternate stack. */
	if (!(clone_flags & CLONE_VM) || (clone_flags & CLONE_VFORK)) {
		p->sas_ss_sp = current->sas_ss_sp;
		p->sas_ss_size = current->sas_ss_size;
		p->sas_ss_flags = current->sas_ss_flags;
	}
}

static int copy_mm(u64 clone_flags, struct task_struct *p)
{
	struct mm_struct *mm = current->mm;

	if (!mm)
		return 0;
	if (clone_flags & CLONE_VM) {
		mmget(mm);
	} else {
		mm = dup_mm(mm);
		if (!mm)
			return -ENOMEM;
	}
	p->mm = mm;
	return 0;
}

/* The registers with which p starts. */
static int copy_registers(const struct kernel_clone_args *args, struct task_struct *p)
{
	if (!args->fn)
		return copy_thread(p, args->stack, args->flags & CLONE_SETTLS, args->tls);
	arch_setup_new_task(p, kernel_task_entry);
	return 0;
}

/*
 * True if the user has more tasks than are allowed. The new task is already counted, so two
 * concurrent forks cannot take the same last slot.
 */
static bool too_many_of_user(void)
{
	return nproc_exceeded(current_cred()->user) && !capable(CAP_SYS_RESOURCE) &&
	       !capable(CAP_SYS_ADMIN);
}

static const char *new_comm(const struct kernel_clone_args *args)
{
	return args->comm ? args->comm : current->comm;
}

static struct signal_struct *copy_signal_struct(u64 clone_flags)
{
	if (!(clone_flags & CLONE_THREAD))
		return alloc_signal_struct();
	atomic_inc(&current->signal->sigcnt);
	return current->signal;
}

int (*uprobe_fork_hook)(struct task_struct *p, u64 clone_flags);

struct task_struct *copy_process(const struct kernel_clone_args *args)
{
	struct task_struct *p;
	struct signal_struct *signal;
	struct pid *pid;
	unsigned group_signals = 0;
	int error;

	if (nr_threads() >= max_threads)
		return ERR_PTR(-EAGAIN);
	if (current->mm && signal_is_first(&group_signals))
		return ERR_PTR(-ERESTARTNOINTR);
	signal = copy_signal_struct(args->flags);
	if (!signal)
		return ERR_PTR(-ENOMEM);
	p = alloc_task(new_comm(args), signal);
	if (!p) {
		put_signal_struct(signal);
		return ERR_PTR(-ENOMEM);
	}
	copy_creds(p, current_cred());
	error = -EAGAIN;
	if (too_many_of_user())
		goto free;
	p->exit_signal = args->exit_signal;
	p->flags = PF_FORKNOEXEC | (current->flags & PF_NPROC_EXCEEDED);
	current->flags &= ~PF_NPROC_EXCEEDED;
	p->thread_fn = args->fn;
	p->thread_data = args->fn_arg;
	p->personality = current->personality;
	p->no_new_privs = current->no_new_privs;
	copy_sched(p, current);
	copy_signals(args->flags, p);
	error = copy_sighand(args->flags, p);
	if (error)
		goto free;
	error = copy_task_parts(args->flags, p);
	if (error)
		goto exit_sighand;
	/* A kernel task has no mm, even if a program's system call makes it. */
	error = args->fn ? 0 : copy_mm(args->flags, p);
	if (error)
		goto exit_parts;
	error = copy_registers(args, p);
	if (!error && unlikely(current->utask) && !args->fn)
		error = uprobe_fork_hook(p, args->flags);
	if (!error && unlikely(current->tracee) && (args->event || (args->flags & CLONE_PTRACE)))
		error = ptrace_ops.fork(p);
	if (error)
		goto exit_mm;
	p->set_child_tid = args->flags & CLONE_CHILD_SETTID ? args->child_tid : NULL;
	p->clear_child_tid = args->flags & CLONE_CHILD_CLEARTID ? args->child_tid : NULL;
	p->vfork_done = args->vfork_done;
	p->timer_slack_ns = p->default_timer_slack_ns = current->timer_slack_ns;
	pid = alloc_pid();
	if (IS_ERR(pid)) {
		error = (int)PTR_ERR(pid);
		goto exit_mm;
	}
	error = publish_task(p, args, pid, group_signals);
	if (!error)
		return p;

	spin_lock(&tasklist_lock);
	free_pid(pid);
	spin_unlock(&tasklist_lock);
exit_mm:
	kfree(p->tracee);
	if (unlikely(p->utask))
		uprobe_exit_hook(p);
	/*
	 * LAB 20: Each label undoes what was done before the jump to it. Starts as:
	 * exit_parts:
	 * exit_sighand:
	 * free:
	 *	return ERR_PTR(error);
	 */
	if (p->mm)
		mmput(p->mm);
exit_parts:
	exit_task_parts(p);
exit_sighand:
	put_sighand(p->sighand);
free:
	uncount_process(p);
	free_task(p);
	return ERR_PTR(error);
	/* END LAB 20 */
}
