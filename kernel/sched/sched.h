/* The scheduler's interface: the current task, sleeping, waking, priorities, tasks by PID. */
#pragma once

#include "kernel/errno.h"
#include "kernel/sched/signal.h"
#include "kernel/sched/task.h"
#include "kernel/sched/wait.h"

/* The boot context, which becomes the boot CPU's idle task. */
extern struct task_struct init_task;
DECLARE_PER_CPU(struct task_struct *, current_task);
#define current this_cpu_read(current_task)
/* For functions that run with preemption off: see this_cpu_read_stable(). */
#define current_stable ((struct task_struct *)this_cpu_read_stable(current_task))

/* Of the current task; of another it may have changed by the time it is used. Any context. */
static __always_inline bool signal_pending(const struct task_struct *p)
{
	return READ_ONCE(p->pending) != 0;
}

#define set_current_state(s)   ((void)xchg(&current->state, (s))) /* full barrier: test after it */
#define __set_current_state(s) WRITE_ONCE(current->state, (s))

/* Boot: the run queues and the boot CPU's idle task, which is the boot context itself. */
void sched_init(void);
/* For each further CPU, before it starts: make its idle task. NULL when memory is short. */
struct task_struct *fork_idle(unsigned cpu);
/* The idle loop of this CPU. Never returns. */
void __noreturn cpu_startup_entry(void);

/* Give the CPU up (to sleep if the state says so). Task context, preemption on, no spinlock. */
void schedule(void);
/* Sleep at most ns nanoseconds, or until woken (state set by the caller); the rest that remains. */
u64 schedule_timeout(u64 ns);
#define MAX_SCHEDULE_TIMEOUT (~0ULL)
void yield(void);
/* Let others run if they want to; for long loops in task context. */
void cond_resched(void);
void msleep(unsigned ms);
/* -EINTR if a signal cut it short. */
int sleep_interruptible(u64 ns);

/* Make a sleeping (or new) task runnable; true if it was not. Any context but NMI. */
bool wake_up_process(struct task_struct *p);
/* The same, only if its state is one of those in the mask. */
bool wake_up_state(struct task_struct *p, unsigned state);
/* The same for callers that have interrupts and preemption off anyhow. */
bool try_to_wake_up(struct task_struct *p, unsigned state);
void wake_up_new_task(struct task_struct *p);
/*
 * What the reschedule IPI's handler calls, between irq_enter and irq_exit or without. Interrupts
 * off.
 */
void scheduler_ipi(void);
void resched_cpu(unsigned cpu);
/* Interrupt return with preempt_count 0 and a reschedule wanted; interrupts off. */
void preempt_schedule_irq(void);
/*
 * ret_from_fork: what a new task does first, with the task that ran before it. Then its entry
 * function.
 */
void schedule_tail(struct task_struct *prev);
/* How often this CPU has passed through the scheduler, whether it switched or not. Any context. */
u64 sched_pass_count(unsigned cpu);
struct task_struct *idle_task(unsigned cpu);
/*
 * Call fn(p, asleep, arg) with P and R of p held: asleep, p is not runnable and stays so for the
 * time of the call. fn wakes nobody and takes no lock. Task context.
 */
void task_call_func(struct task_struct *p,
		    void (*fn)(struct task_struct *p, bool asleep, void *arg), void *arg);
/* True if this CPU runs its idle task and has nothing else to run. Any context. */
bool idle_cpu(unsigned cpu);

/* In a function that may sleep: DEBUG reports a caller that must not. */
#ifdef CONFIG_DEBUG
void __might_sleep(const char *file, int line);
#define might_sleep() __might_sleep(__FILE__, __LINE__)
#else
#define might_sleep() ((void)0)
#endif

/* policy SCHED_NORMAL takes priority 0, SCHED_FIFO 1..99. 0 or -EINVAL. */
int sched_setscheduler(struct task_struct *p, enum sched_policy policy, int priority);
/*
 * 0, -EINVAL (no online CPU in the mask, or bound). Migrates p before it returns if p runs
 * elsewhere.
 */
int set_cpus_allowed(struct task_struct *p, const struct cpumask *mask);
int set_user_nice(struct task_struct *p, int nice);

/*
 * Wait until every online CPU has switched tasks: what ran with preemption off when this was called
 * has ended. What RCU is made of: use synchronize_rcu() and its like (kernel/rcu/rcu.h). Task
 * context.
 */
void synchronize_sched(void);

/* All tasks but the idle ones: hold tasklist_lock while iterating. Taken in task context only. */
extern spinlock_t tasklist_lock;
extern struct list_head task_list;
#define for_each_task(p) list_for_each_entry (p, &task_list, tasks)
/* A referenced task or NULL; put_task_struct() when done. */
struct task_struct *find_get_task_by_pid(pid_t pid);
/* Call fn for each task, the idle ones too, with tasklist_lock held. Task context. */
void for_all_tasks(void (*fn)(struct task_struct *p, void *arg), void *arg);
static inline struct task_struct *get_task_struct(struct task_struct *p)
{
	atomic_inc(&p->usage);
	return p;
}
/* The last one frees the task. Any context but NMI. */
void put_task_struct(struct task_struct *p);
char task_state_to_char(const struct task_struct *p);
/* Rename a task; truncated to TASK_COMM_LEN - 1. */
void set_task_comm(struct task_struct *p, const char *name);

/*
 * Children. kernel_clone() makes a task that runs fn(arg) as a child of the caller with a copy of
 * its files; its return value becomes the exit code. The PID, which stands for this child until it
 * is waited for, or -ENOMEM, -EAGAIN (no PID left), or what kept its files from being copied.
 */
pid_t kernel_clone(int (*fn)(void *arg), void *arg, const char *comm);
/*
 * As wait4(2): pid > 0 that child, -1 any. Returns the PID reaped, 0 (WNOHANG, none yet), -ECHILD,
 * -EINTR.
 */
#define WNOHANG 1
pid_t kernel_wait4(pid_t pid, int *status, int options);
/* A status of kernel_wait4() as a shell's $? has it: the exit code, or 128 + the signal. */
static inline int exit_status(int status)
{
	return status & 0x7f ? 128 + (status & 0x7f) : status >> 8 & 0xff;
}
/*
 * Wait until a child has ended: its exit_status(). A signal that comes meanwhile is passed on to
 * it, and left in *sig (0 at first) for those that are waited for next.
 */
int wait_for_child(pid_t pid, int *sig);
void __noreturn do_exit(int status);
/* The fs room's part in creation and exit of a task: copy returns 0 or a negative errno. */
struct task_fs_hooks {
	int (*copy)(struct task_struct *child, struct task_struct *parent);
	void (*exit)(struct task_struct *task);
};
void task_set_fs_hooks(const struct task_fs_hooks *hooks);

/*
 * A function that __schedule() calls on the CPU that is about to switch from prev to next.
 * Interrupts are off and the run queue's lock is held: the function must not sleep or wake a task.
 */
struct sched_switch_hook {
	void (*fn)(struct task_struct *prev, struct task_struct *next); /* constant */
	struct sched_switch_hook *next; /* [switch_hooks_mutex] to write */
};
extern struct sched_switch_hook *sched_switch_hooks; /* for __schedule() only */
/*
 * Starts the calls of hook->fn at each task switch, or stops them; no effect if that is done
 * already. On return each CPU sees the change: after a stop no CPU is inside hook->fn. Task
 * context.
 */
void sched_switch_hook_set(struct sched_switch_hook *hook, bool on);

/*
 * Hooks of the trace room, NULL while it wants nothing. fork: child is known and has not run. exit:
 * in the task that ends. None may sleep or wake anybody.
 */
extern void (*task_fork_hook)(struct task_struct *parent, struct task_struct *child);
extern void (*task_exit_hook)(struct task_struct *task);
/*
 * The same for what the trace room keeps for a task. new: task is known, or is an idle task, and
 * has not run; may sleep. free: it has made its last switch and nobody knows it any more; any
 * context in which one may free memory.
 */
extern void (*task_new_hook)(struct task_struct *task);
extern void (*task_free_hook)(struct task_struct *task);

/*
 * Hooks of the workqueue room, set before the first worker exists: task, the current task, is about
 * to sleep within a work item, and goes on. Preemption on.
 */
extern void (*wq_worker_sleeping_hook)(struct task_struct *task);
extern void (*wq_worker_running_hook)(struct task_struct *task);
/*
 * Hooks of the lockup detector, NULL until it starts. Interrupts off. leave_idle: this CPU switches
 * from its idle task to another task. ipi: a reschedule IPI has arrived.
 */
extern void (*sched_leave_idle_hook)(ktime_t now);
extern void (*sched_ipi_hook)(void);

/*
 * Sleep once on wq, as an exclusive waiter for wake_up_locked(). The caller holds wq->lock, which
 * guards its condition, and takes it in task context only; it is given up meanwhile. 0, or -EINTR.
 */
static __always_inline int do_wait_intr(wait_queue_head_t *wq)
{
	struct task_struct *task = current;
	struct wait_queue_entry wait;
	int ret = 0;

	wait.task = task;
	wait.exclusive = true;
	list_add_tail(&wait.entry, &wq->head);
	(void)xchg(&task->state, TASK_INTERRUPTIBLE);
	if (unlikely(signal_pending(task))) {
		WRITE_ONCE(task->state, TASK_RUNNING);
		ret = -EINTR;
	} else {
		spin_unlock(&wq->lock);
		schedule();
		spin_lock(&wq->lock);
	}
	if (unlikely(!list_empty(&wait.entry)))
		list_del(&wait.entry);
	return ret;
}

/* How long a task has run until now, in ns. Any context in which R is not held. */
u64 task_sched_runtime(struct task_struct *p);

/* Totals for /proc/stat, /proc/loadavg. */
struct sched_stat {
	u64 user, nice, system, idle, iowait, irq, softirq; /* ns, of one CPU */
};
void sched_cpu_stat(unsigned cpu, struct sched_stat *stat);
u64 nr_context_switches(void);
u64 total_forks(void);
pid_t last_pid(void); /* given to a task most recently */
unsigned nr_running(void);
void get_avenrun(unsigned long loads[3]); /* fixed point, 11 bits of fraction as in Linux */
