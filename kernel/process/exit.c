/*
 * The end of programs: exit_program(), zombies. kernel/task/exit.c ends kernel threads.
 *
 * A process ends with its last thread. Its children go to a subreaper or to PID 1, its leader is a
 * zombie, and the parent is told; the parent's wait4() calls release_task(), which takes the leader
 * out of the lists. Other threads release themselves, and so does a process for which no parent
 * waits: a child of a parent that ignores SIGCHLD. If the leader calls exit() before other threads,
 * it waits as a zombie, and the last thread tells the parent.
 *
 * Dropping the last reference frees the memory (kernel/task/task.c).
 */
#include "kernel/task/cred.h"
#include "kernel/process/exit.h"

#include "arch/mm/uaccess.h"
#include "kernel/panic.h"
#include "kernel/task/clone_flags.h"
#include "kernel/process/fork.h"
#include "kernel/process/part.h"
#include "kernel/task/pid.h"
#include "kernel/process/process.h"
#include "kernel/process/rusage.h"
#include "kernel/process/session.h"
#include "kernel/task/signal_struct.h"
#include "kernel/init.h"
#include "kernel/sched/runqueue.h"
#include "kernel/sched/sched_events.h"
#include "kernel/signal/coredump.h"
#include "kernel/signal/signal.h"
#include "kernel/task/part.h"
#include "kernel/task/program.h"
#include "kernel/task/task.h"
#include "kernel/task/task_work.h"
#include "kernel/task/tracee.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/vm/mm.h"

bool thread_group_empty(const struct task_struct *p)
{
	return p->signal->nr_threads == 1;
}

/* Removes p from its process: the names, the list of threads, the signals. tasklist_lock held. */
static void __exit_signal(struct task_struct *p)
{
	struct signal_struct *signal = p->signal;
	struct sighand_struct *sighand = p->sighand;
	bool leader = thread_group_leader(p);
	unsigned long flags;

	spin_lock_irqsave(&sighand->siglock, flags);
	add_task_usage(&signal->ended, p);
	detach_pid(p, PIDTYPE_PID);
	list_del_init(&p->sibling);
	list_del_init(&p->thread_node);
	signal->nr_threads--;
	if (leader) {
		detach_pid(p, PIDTYPE_TGID);
		detach_pid(p, PIDTYPE_PGID);
		detach_pid(p, PIDTYPE_SID);
	} else if (signal->notify_count > 0 && !--signal->notify_count) {
		wake_up_process(signal->group_exec_task);
	}
	p->sighand = NULL;
	/* A reference to a reaped task, such as one of /proc, must not keep signals counted. */
	flush_sigqueue(&p->pending);
	if (!signal->nr_threads)
		flush_sigqueue(&signal->shared_pending);
	spin_unlock_irqrestore(&sighand->siglock, flags);
	put_sighand(sighand);
}

void release_task(struct task_struct *p)
{
	void (*exit_hook)(struct task_struct * task) = READ_ONCE(task_exit_hook);
	struct task_struct *leader, *next = NULL;

	do {
		if (exit_hook)
			exit_hook(p);
		spin_lock(&tasklist_lock);
		p->exit_state = EXIT_DEAD;
		leader = p->group_leader;
		if (unlikely(p->tracee))
			ptrace_ops.unlink(p);
		remove_from_task_list(p);
		__exit_signal(p);
		next = NULL;
		/* The last thread but the leader: the leader's parent does not know the end yet. */
		if (leader != p && leader->exit_state == EXIT_ZOMBIE &&
		    thread_group_empty(leader) && do_notify_parent(leader, leader->exit_signal)) {
			leader->exit_state = EXIT_DEAD;
			next = leader;
		}
		spin_unlock(&tasklist_lock);
		uncount_process(p);
		put_task_struct(p);
		p = next;
	} while (p);
}

/* The process that gets the children of leader: the nearest subreaper above, or PID 1. L held. */
static struct task_struct *find_new_reaper(struct task_struct *leader)
{
	struct task_struct *p;

	if (!leader->signal->has_child_subreaper)
		return child_reaper;
	for (p = leader->real_parent; p != child_reaper && p != &init_task; p = p->real_parent)
		if (p->signal->is_child_subreaper && atomic_read(&p->signal->live))
			return p;
	return child_reaper;
}

/* The parent of child ends: child gets the signals for which its threads have asked. L held. */
static void send_pdeath_signals(struct task_struct *child)
{
	struct siginfo info;
	struct task_struct *t;

	list_for_each_entry (t, &child->signal->thread_head, thread_node) {
		if (!t->pdeath_signal)
			continue;
		fill_kill_info(&info, t->pdeath_signal, SI_USER);
		(void)group_send_sig_info(&info, t, PIDTYPE_TGID);
	}
}

static u64 ended_parents; /* [L] their number is what pid->asked_by compares */

/*
 * Gives the children of a process that ends to their new parent. Zombies that this parent does not
 * want go to the list dead. Looks at each of their process groups once, because that takes time for
 * each member: when no child of the group has the old parent any more. tasklist_lock held.
 */
static void forget_original_parent(struct task_struct *father, struct list_head *dead)
{
	struct task_struct *reaper, *p, *n;
	struct pid *pgrp;

	if (list_empty(&father->children))
		return;
	reaper = find_new_reaper(father);
	list_for_each_entry (p, &father->children, sibling) {
		p->real_parent = reaper;
		WRITE_ONCE(p->signal->ppid, reaper->tgid);
	}
	ended_parents++;
	list_for_each_entry_safe (p, n, &father->children, sibling) {
		list_move_tail(&p->sibling, &reaper->children);
		send_pdeath_signals(p);
		p->exit_signal = SIGCHLD; /* the new parent has not chosen another one, or none */
		/* A tracer learns of the end before the parent does. */
		if (p->exit_state == EXIT_ZOMBIE && thread_group_empty(p) && likely(!p->tracee) &&
		    do_notify_parent(p, p->exit_signal)) {
			p->exit_state = EXIT_DEAD;
			list_move_tail(&p->sibling, dead);
		}
		pgrp = p->signal->pids[PIDTYPE_PGID];
		if (pgrp && pgrp->asked_by != ended_parents) {
			pgrp->asked_by = ended_parents;
			kill_orphaned_pgrp(p, father);
		}
	}
}

/*
 * Tells the tracer of tsk, which will release it or hand it on to its parent. tasklist_lock held.
 */
static void notify_tracer_of_end(struct task_struct *tsk)
{
	bool for_parent =
		thread_group_leader(tsk) && thread_group_empty(tsk) && !traced_by_other(tsk);

	(void)do_notify_parent(tsk, for_parent ? tsk->exit_signal : SIGCHLD);
}

/* Tells parent and children that the task ends. True if no parent will release it. */
static bool exit_notify(struct task_struct *tsk, bool group_dead)
{
	struct signal_struct *signal = tsk->signal;
	struct task_struct *p, *n;
	LIST_HEAD(dead);
	bool autoreap;

	spin_lock(&tasklist_lock);
	if (unlikely(tsk->tracees))
		ptrace_ops.tracer_exits(tsk, &dead);
	if (group_dead) {
		forget_original_parent(tsk->group_leader, &dead);
		kill_orphaned_pgrp(tsk->group_leader, NULL);
	}
	if (unlikely(tsk->tracee)) {
		notify_tracer_of_end(tsk);
		autoreap = false;
	} else if (!thread_group_leader(tsk) || tsk->exit_signal == -1)
		autoreap = true;
	else
		autoreap = thread_group_empty(tsk) && do_notify_parent(tsk, tsk->exit_signal);
	tsk->exit_state = autoreap ? EXIT_DEAD : EXIT_ZOMBIE;
	if (unlikely(signal->notify_count < 0)) /* exec waits for its leader to be a zombie */
		wake_up_process(signal->group_exec_task);
	spin_unlock(&tasklist_lock);

	list_for_each_entry_safe (p, n, &dead, sibling)
		release_task(p);
	return autoreap;
}

/*
 * A quick form of rt_mutex_exit(), for a task without mutexes, as most tasks are. False: it may
 * have some. Only the task itself calls it, and only if it has no robust list, whose locks would
 * have to be released first.
 */
static bool rt_mutex_none(struct task_struct *task)
{
	if (task->flags & PF_EXITING)
		(void)xchg(&task->pi_dead, true); /* a barrier: see rt_mutex_init_owned() */
	return list_empty(&task->pi_mutexes);
}

void (*futex_exit_hook)(struct task_struct *tsk);
void (*futex_wake_hook)(int __user *addr);
void (*uprobe_exit_hook)(struct task_struct *p);

void mm_release(struct task_struct *tsk)
{
	int __user *tid = tsk->clear_child_tid;
	struct completion *vfork_done;

	if (unlikely(tsk->utask))
		uprobe_exit_hook(tsk);
	if (unlikely(tsk->debugregs))
		ptrace_ops.clear_debugregs();
	if (tsk->mm && (tsk->robust_list || !rt_mutex_none(tsk)) && futex_exit_hook)
		futex_exit_hook(tsk);
	/* Another thread may be waiting for the word, as pthread_join(3) does. */
	if (tid && tsk->mm && atomic_read(&tsk->mm->mm_users) > 1 && !put_user(0, tid) &&
	    futex_wake_hook)
		futex_wake_hook(tid);
	tsk->clear_child_tid = NULL;
	vfork_done = xchg(&tsk->vfork_done, NULL);
	if (vfork_done)
		complete(vfork_done);
}

/* The last thread gives the process its status, unless exit_group() or a signal did. */
static void note_group_exit(struct task_struct *tsk, int status)
{
	unsigned long flags;

	spin_lock_irqsave(&tsk->sighand->siglock, flags);
	if (!(tsk->signal->flags & SIGNAL_GROUP_EXIT)) {
		tsk->signal->flags |= SIGNAL_GROUP_EXIT;
		tsk->signal->group_exit_code = status;
	}
	spin_unlock_irqrestore(&tsk->sighand->siglock, flags);
}

static void panic_if_init(struct task_struct *tsk, int status)
{
	if (tsk->signal->flags & SIGNAL_GROUP_EXIT)
		status = tsk->signal->group_exit_code;
	if (tsk->group_leader == child_reaper)
		panic("Attempted to kill init! exitcode=0x%08x", (unsigned)status);
}

/* program_ops.exit: do_exit() of a task that is no kernel thread. */
static void __noreturn exit_program(int status)
{
	struct task_struct *tsk = current;
	struct signal_struct *signal = tsk->signal;
	bool group_dead;

	if (unlikely(tsk->tracee)) {
		/* A thread that dumps must not wait for an answer of this task's tracer. */
		if (coredump_ops)
			coredump_ops->wait();
		ptrace_ops.event(PTRACE_EVENT_EXIT, (unsigned)status);
	}
	if (unlikely(exit_signals(tsk))) /* sets PF_EXITING */
		coredump_ops->wait();
	group_dead = atomic_dec_and_test(&signal->live);
	if (group_dead) {
		note_group_exit(tsk, status);
		panic_if_init(tsk, status);
	}
	tsk->exit_code = status;
	trace_sched_process_exit(tsk);
	task_is_ending();
	note_maxrss(tsk);
	mm_release(tsk);
	if (tsk->mm)
		exit_mm();
	exit_task_parts(tsk);
	exit_task_works(); /* those of its files, too, before its parent learns of the end */
	if (group_dead) {
		exit_process_parts();
		free_ended_signals(&signal->shared_pending);
	}
	free_ended_signals(&tsk->pending);

	/*
	 * No preemption from here on. The parent soon waits for the end, and the last switch frees
	 * the memory. And RCU-tasks does not see a task that has left the list of tasks.
	 */
	preempt_disable();
	task_sched_runtime(tsk); /* charge it now: the parent may read the sum before the switch */
	if (tsk->flags & PF_KTHREAD)
		complete_all(&tsk->exited);
	if (exit_notify(tsk, group_dead))
		release_task(tsk);
	do_task_dead();
}

void do_group_exit(int status)
{
	struct task_struct *tsk = current;
	struct signal_struct *signal = tsk->signal;
	unsigned long flags;

	spin_lock(&tasklist_lock);
	spin_lock_irqsave(&tsk->sighand->siglock, flags);
	if (signal->flags & SIGNAL_GROUP_EXIT) {
		status = signal->group_exit_code; /* another thread was first */
	} else if (signal->group_exec_task) {
		status = 0; /* another thread calls exec, and ends this one */
	} else {
		signal->group_exit_code = status;
		signal->flags = SIGNAL_GROUP_EXIT;
		zap_other_threads(tsk);
	}
	spin_unlock_irqrestore(&tsk->sighand->siglock, flags);
	spin_unlock(&tasklist_lock);
	do_exit(status);
}

/* program_ops.forget_children: a kernel thread ends that has made children by kernel_thread(). */
static void forget_children(struct task_struct *father)
{
	struct task_struct *p, *n;
	LIST_HEAD(dead);

	spin_lock(&tasklist_lock);
	forget_original_parent(father, &dead);
	spin_unlock(&tasklist_lock);
	list_for_each_entry_safe (p, n, &dead, sibling)
		release_task(p);
}

static void free_signals(struct signal_struct *signal)
{
	flush_sigqueue(&signal->shared_pending);
	free_spare_sigqueue(signal);
}

static void free_pending_signals(struct task_struct *p)
{
	flush_sigqueue(&p->pending);
}

static const struct task_part pending_signals TASK_PART(pending_signals) = {
	.free = free_pending_signals,
};

static int __init exit_init(void)
{
	program_ops.exit = exit_program;
	program_ops.forget_children = forget_children;
	program_ops.free_signals = free_signals;
	program_ops.send_sig = send_sig;
	return 0;
}
early_initcall(exit_init);

SYSCALL_DEFINE1(exit, int, error_code)
{
	do_exit((error_code & 0xff) << 8);
}

SYSCALL_DEFINE1(exit_group, int, error_code)
{
	do_group_exit((error_code & 0xff) << 8);
}
