/*
 * Creation of tasks: copy_process() makes every task but the idle ones. And the end of the last
 * reference.
 *
 * References (usage): one because the task can run, dropped by the CPU that has switched away from
 * the dead task; one of the lists of tasks, dropped when the task is reaped; one for each pointer
 * that other code keeps.
 */
#include "kernel/process/fork.h"

#include "arch/cpu/switch.h"
#include "arch/user/process.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/process/cred.h"
#include "kernel/process/exit.h"
#include "kernel/process/pid.h"
#include "kernel/process/process.h"
#include "kernel/process/signal_struct.h"
#include "kernel/sched/fork.h"
#include "kernel/sched/runqueue.h"
#include "kernel/sched/sched_events.h"
#include "kernel/sched/task_events.h"
#include "kernel/signal/signal.h"
#include "kernel/smp.h"
#include "kernel/vm/mm.h"

struct task_struct *child_reaper;

static const struct task_fs_hooks *fs_hooks;
void (*task_fork_hook)(struct task_struct *parent, struct task_struct *child);
void (*task_new_hook)(struct task_struct *task);
void (*task_free_hook)(struct task_struct *task);
static atomic64_t forks;
static unsigned nr_tasks; /* [L] */
unsigned max_threads = PID_MAX;

void task_set_fs_hooks(const struct task_fs_hooks *hooks)
{
	fs_hooks = hooks;
}

static int copy_files(u64 clone_flags, struct task_struct *p)
{
	return fs_hooks ? fs_hooks->copy(clone_flags, p, current) : 0;
}

void exit_files(struct task_struct *p)
{
	if (fs_hooks)
		fs_hooks->exit(p);
}

u64 total_forks(void)
{
	return (u64)atomic64_read(&forks);
}

/* Frees what alloc_task() has made, and what all copies of a task have. */
static void free_task(struct task_struct *p)
{
	flush_sigqueue(&p->pending);
	if (task_free_hook)
		task_free_hook(p);
	put_signal_struct(p->signal);
	exit_creds(p);
	arch_free_task(p);
	free_thread_stack(p->stack);
	kfree(p);
}

void put_task_struct(struct task_struct *p)
{
	if (atomic_dec_and_test(&p->usage)) {
		trace_sched_process_free(p);
		free_task(p);
	}
}

void set_task_comm(struct task_struct *p, const char *name)
{
	unsigned long flags;

	spin_lock_irqsave(&p->lock, flags);
	/* LAB 13: Fires the event while the task still has its old name. */
	trace_task_rename(p, name);
	/* END LAB 13 */
	strscpy(p->comm, name, sizeof(p->comm));
	WRITE_ONCE(p->cmdline_saved, 0);
	spin_unlock_irqrestore(&p->lock, flags);
}

/*
 * Initialises the scheduler's fields of a task that has never run. wake_up_new_task() gives it its
 * virtual time.
 */
void sched_init_task(struct task_struct *p)
{
	u64 now = ktime_get();

	p->se = (struct sched_entity){ .exec_start = now };
	p->pi_prio = PI_PRIO_NONE;
	INIT_LIST_HEAD(&p->pi_mutexes);
	set_load_weight(p);
	p->start_time = now;
}

/*
 * Allocates a task with its stack, and with references to signal and cred, which the new task takes
 * over. It is in no list and has no PID. NULL when memory is short.
 */
static struct task_struct *alloc_task(const char *comm, struct signal_struct *signal)
{
	struct task_struct *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return NULL;
	p->stack = alloc_thread_stack();
	if (!p->stack) {
		kfree(p);
		return NULL;
	}
	p->state = TASK_NEW;
	p->patch_state = KLP_UNDEFINED;
	atomic_set(&p->usage, 1);
	strscpy(p->comm, comm, sizeof(p->comm));
	spin_lock_init(&p->lock);
	p->cpu = smp_processor_id();
	p->cpus_allowed = cpu_possible_mask;
	p->nr_cpus_allowed = cpumask_weight(&cpu_possible_mask);
	INIT_LIST_HEAD(&p->rt_node);
	INIT_LIST_HEAD(&p->children);
	INIT_LIST_HEAD(&p->sibling);
	INIT_LIST_HEAD(&p->tasks);
	INIT_LIST_HEAD(&p->thread_node);
	for (unsigned type = 0; type < PIDTYPE_MAX; type++)
		INIT_LIST_HEAD(&p->pid_links[type]);
	init_sigpending(&p->pending);
	init_completion(&p->exited);
	sched_init_task(p);
	p->group_leader = p;
	p->signal = signal;
	return p;
}

static void copy_sched(struct task_struct *child, struct task_struct *parent)
{
	child->ioprio = parent->ioprio;
	sched_copy_policy(child, parent);
	set_load_weight(child);
	if (parent->flags & PF_IDLE)
		return;
	child->cpus_allowed = parent->cpus_allowed;
	child->nr_cpus_allowed = parent->nr_cpus_allowed;
}

/* The first function of a task that runs fn. If fn has called exec, the task goes to user mode. */
static void clone_entry(void)
{
	int code = current->thread_fn(current->thread_data);

	if (!current->mm) /* else it has called exec, and goes on as a program */
		do_exit((code & 0xff) << 8);
}

/* Adds p, which leads a new process, to its parent and to the names of its kind. L held. */
static void publish_process(struct task_struct *p, const struct kernel_clone_args *args,
			    struct pid *pid)
{
	struct task_struct *leader = current->group_leader;
	struct pid *pgrp = leader->signal->pids[PIDTYPE_PGID];
	struct pid *session = leader->signal->pids[PIDTYPE_SID];

	if (args->kthread)
		p->parent = &init_task;
	else
		p->parent = args->flags & CLONE_PARENT ? leader->parent : leader;
	p->signal->ppid = p->parent->tgid;
	p->signal->parent_exec_id = args->flags & CLONE_PARENT ? leader->signal->parent_exec_id
							       : leader->signal->exec_id;
	if (args->kthread || !pgrp)
		pgrp = session = &init_struct_pid;
	p->signal->has_child_subreaper =
		p->parent->signal->has_child_subreaper || p->parent->signal->is_child_subreaper;
	list_add_tail(&p->sibling, &p->parent->children);
	list_add_tail(&p->thread_node, &p->signal->thread_head);
	/* Under tasklist_lock, with the join of the session: a hang-up clears it in both. */
	p->signal->tty = args->kthread ? NULL : leader->signal->tty;
	attach_pid(p, PIDTYPE_TGID, pid);
	attach_pid(p, PIDTYPE_PGID, pgrp);
	attach_pid(p, PIDTYPE_SID, session);
	if (pid->nr == 1) {
		child_reaper = p;
		p->signal->flags |= SIGNAL_UNKILLABLE;
	}
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
	if (args->kthread)
		return false;
	if (fatal_signal_pending(current))
		return true;
	return current->mm && signal_pending(current) &&
	       ((args->flags & CLONE_THREAD) || current->signal->group_signals != group_signals);
}

/* Gives p its names and a parent, and adds it to the lists. 0; -ERESTARTNOINTR: a signal is first.
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
	atomic_inc(&p->usage);
	p->pid = p->tgid = pid->nr;
	/* As its creator; under tasklist_lock, as both change for all tasks. */
	p->syscall_trace = current->syscall_trace;
	p->patch_state = current->patch_state;
	p->patch_pending = current->patch_pending;
	if (args->flags & CLONE_THREAD)
		publish_thread(p);
	else
		publish_process(p, args, pid);
	attach_pid(p, PIDTYPE_PID, pid);
	list_add_tail(&p->tasks, &task_list);
	nr_tasks++;
	spin_unlock_irqrestore(&current->sighand->siglock, flags);
	spin_unlock(&tasklist_lock);
	atomic64_inc(&forks);
	if (task_new_hook)
		task_new_hook(p);
	return 0;
}

void unpublish_task(struct task_struct *p)
{
	list_del_init(&p->tasks);
	nr_tasks--;
}

unsigned nr_threads(void)
{
	return READ_ONCE(nr_tasks);
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
	if (!args->fn && !args->entry)
		return copy_thread(p, args->stack, args->flags & CLONE_SETTLS, args->tls);
	arch_setup_new_task(p, args->entry ? args->entry : clone_entry);
	return 0;
}

/*
 * Whether the user has more tasks than are allowed, with the new one, which is counted already: of
 * two tasks that call fork() at once, none takes a place that the other one has found free.
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

	if (!args->kthread && READ_ONCE(nr_tasks) >= max_threads)
		return ERR_PTR(-EAGAIN);
	if (!args->kthread && current->mm && signal_is_first(&group_signals))
		return ERR_PTR(-ERESTARTNOINTR);
	signal = copy_signal_struct(args->flags);
	if (!signal)
		return ERR_PTR(-ENOMEM);
	p = alloc_task(new_comm(args), signal);
	if (!p) {
		put_signal_struct(signal);
		return ERR_PTR(-ENOMEM);
	}
	copy_creds(p, args->kthread ? &init_cred : current_cred());
	error = -EAGAIN;
	if (!args->kthread && too_many_of_user())
		goto free;
	p->exit_signal = args->exit_signal;
	if (args->kthread) { /* perhaps in a system call of a program, whose limit was not asked */
		p->flags = PF_KTHREAD;
	} else {
		p->flags = PF_FORKNOEXEC | (current->flags & PF_NPROC_EXCEEDED);
		current->flags &= ~PF_NPROC_EXCEEDED;
	}
	p->thread_fn = args->fn;
	p->thread_data = args->fn_arg;
	p->personality = current->personality;
	p->no_new_privs = current->no_new_privs;
	if (!args->kthread)
		copy_sched(p, current);
	copy_signals(args->flags, p);
	error = copy_sighand(args->flags, p);
	if (error)
		goto free;
	error = args->kthread ? 0 : copy_files(args->flags, p);
	if (error)
		goto exit_sighand;
	/* A kernel task has no mm, even if a program's system call makes it. */
	error = args->fn ? 0 : copy_mm(args->flags, p);
	if (error)
		goto exit_files;
	error = copy_registers(args, p);
	if (!error && unlikely(current->utask) && !args->fn)
		error = uprobe_fork_hook(p, args->flags);
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
	if (unlikely(p->utask))
		uprobe_exit_hook(p);
	if (p->mm)
		mmput(p->mm);
exit_files:
	exit_files(p);
exit_sighand:
	put_sighand(p->sighand);
free:
	uncount_process(p);
	free_task(p);
	return ERR_PTR(error);
}

struct task_struct *create_kthread_task(int (*fn)(void *data), void *data, const char *comm,
					void (*entry)(void))
{
	const struct kernel_clone_args args = {
		.flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED,
		.exit_signal = -1, /* nothing waits for it: it reaps itself */
		.fn = fn,
		.fn_arg = data,
		.entry = entry,
		.comm = comm,
		.kthread = true,
	};
	struct task_struct *p = copy_process(&args);

	if (!IS_ERR(p)) {
		trace_task_newtask(p, args.flags);
		trace_sched_process_fork(&init_task, p);
	}
	return p;
}

struct task_struct *fork_idle(unsigned cpu)
{
	struct runqueue *rq = cpu_rq(cpu);
	struct signal_struct *signal = alloc_signal_struct();
	char comm[TASK_COMM_LEN];
	struct task_struct *p;

	if (!signal)
		return NULL;
	snprintf(comm, sizeof(comm), "swapper/%u", cpu);
	p = alloc_task(comm, signal);
	if (!p) {
		put_signal_struct(signal);
		return NULL;
	}
	p->sighand = &init_sighand;
	copy_creds(p, &init_cred);
	p->flags = PF_KTHREAD | PF_IDLE;
	p->state = TASK_RUNNING;
	p->on_rq = 1;
	p->on_cpu = 1;
	p->cpu = cpu;
	p->nr_cpus_allowed = 1;
	cpumask_clear(&p->cpus_allowed);
	cpumask_set_cpu(cpu, &p->cpus_allowed);
	set_load_weight(p);
	rq->online_since = p->start_time;
	rq->idle = p;
	WRITE_ONCE(rq->curr, p);
	per_cpu(current_task, cpu) = p;
	if (task_new_hook)
		task_new_hook(p);
	return p;
}
