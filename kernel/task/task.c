/*
 * Tasks: making one, the list of all, freeing one. create.c makes kernel tasks of it, and
 * kernel/process/fork.c programs.
 *
 * References (usage): one because the task can run, dropped by the CPU that has switched away from
 * the dead task; one of the lists of tasks, dropped when the task is reaped; one for each pointer
 * that other code keeps.
 */
#include "kernel/task/task.h"

#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/task/cred.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/livepatch.h"
#include "kernel/sched/runqueue.h"
#include "kernel/sched/sched_events.h"
#include "kernel/sched/task_events.h"
#include "kernel/smp.h"
#include "kernel/task/part.h"
#include "kernel/task/program.h"

struct program_ops program_ops __ro_after_init;
struct task_struct *child_reaper;
void (*task_fork_hook)(struct task_struct *parent, struct task_struct *child);
void (*task_ending_hook)(void);
void (*task_exit_hook)(struct task_struct *task);
static atomic64_t forks;
static unsigned nr_tasks; /* [L] */
unsigned max_threads = PID_MAX;

DEFINE_LINKER_TABLE(rodata, const struct task_part, task_parts);

int copy_task_parts(u64 clone_flags, struct task_struct *child)
{
	for_each_linker_table_entry (part, task_parts) {
		int error = part->copy ? part->copy(clone_flags, child) : 0;

		if (likely(!error))
			continue;
		while (part-- != linker_table_start(task_parts))
			if (part->exit)
				part->exit(child);
		return error;
	}
	return 0;
}

void exit_task_parts(struct task_struct *task)
{
	for_each_linker_table_entry (part, task_parts)
		if (part->exit)
			part->exit(task);
}

void new_task_parts(struct task_struct *task)
{
	for_each_linker_table_entry (part, task_parts)
		if (part->new)
			part->new (task);
}

static void free_task_parts(struct task_struct *task)
{
	for_each_linker_table_entry (part, task_parts)
		if (part->free)
			part->free(task);
}

u64 total_forks(void)
{
	return (u64)atomic64_read(&forks);
}

unsigned nr_threads(void)
{
	return READ_ONCE(nr_tasks);
}

void free_task(struct task_struct *p)
{
	free_task_parts(p);
	put_signal_struct(p->signal);
	exit_creds(p);
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

/* Filled with zeros, and stored in words: readers take no lock, and use the name as a key. */
static void store_comm(struct task_struct *p, const char *name)
{
	u64 comm[TASK_COMM_LEN / sizeof(u64)] = { 0 };

	strscpy((char *)comm, name, sizeof(comm));
	for (size_t i = 0; i < ARRAY_SIZE(comm); i++)
		WRITE_ONCE(((u64 *)p->comm)[i], comm[i]);
}

void set_task_comm(struct task_struct *p, const char *name)
{
	unsigned long flags;

	spin_lock_irqsave(&p->lock, flags);
	/* LAB 13: Fires the event while the task still has its old name. */
	trace_task_rename(p, name);
	/* END LAB 13 */
	store_comm(p, name);
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

	p->se = (struct sched_entity){ .cfs_rq = &task_rq(p)->fair, .exec_start = now };
	p->pi_prio = PI_PRIO_NONE;
	INIT_LIST_HEAD(&p->pi_mutexes);
	set_load_weight(p);
	p->start_time = now;
}

struct task_struct *alloc_task(const char *comm, struct signal_struct *signal)
{
	struct task_struct *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return NULL;
	p->stack = alloc_thread_stack();
	if (!p->stack) {
		kfree(p);
		return NULL;
	}
	p->__state = TASK_NEW;
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

void add_to_task_list(struct task_struct *p, struct pid *pid)
{
	atomic_inc(&p->usage);
	p->pid = p->tgid = pid->nr;
	/* As its creator; under tasklist_lock, as both change for all tasks. */
	p->syscall_trace = READ_ONCE(current->syscall_trace) & SYSCALL_WORK_TRACE;
	p->patch_state = current->patch_state;
	p->patch_pending = current->patch_pending;
	attach_pid(p, PIDTYPE_PID, pid);
	list_add_tail(&p->tasks, &task_list);
	nr_tasks++;
	atomic64_inc(&forks);
}

void remove_from_task_list(struct task_struct *p)
{
	list_del_init(&p->tasks);
	nr_tasks--;
}

char task_state_to_char(const struct task_struct *p)
{
	unsigned state = READ_ONCE(p->__state);

	switch (READ_ONCE(p->exit_state)) {
	case EXIT_ZOMBIE:
		return 'Z';
	case EXIT_DEAD:
		return 'X';
	}
	if (state == TASK_IDLE)
		return 'I';
	if (state & __TASK_STOPPED)
		return 'T';
	if (state & __TASK_TRACED)
		return 't';
	if (state & (TASK_UNINTERRUPTIBLE | TASK_NEW))
		return 'D';
	return state & TASK_INTERRUPTIBLE ? 'S' : 'R';
}
