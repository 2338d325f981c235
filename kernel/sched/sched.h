/* The scheduler's interface: the current task, sleeping, waking, priorities, tasks by PID. */
#pragma once

#include "kernel/errno.h"
#include "kernel/jump_label.h"
#include "kernel/sched/sched_tp_events.h"
#include "kernel/sched/signal.h"
#include "kernel/sched/task.h"
#include "kernel/sched/wait.h"

/* The boot context, which becomes the boot CPU's idle task. */
extern struct task_struct init_task;
DECLARE_PER_CPU(struct task_struct *, current_task);
#define current this_cpu_read(current_task)
/* The same, cheaper, where preemption is off: see this_cpu_read_stable(). */
#define current_stable ((struct task_struct *)this_cpu_read_stable(current_task))

/* True if a signal waits for p. Stable for the current task only. Any context. */
static __always_inline bool signal_pending(const struct task_struct *p)
{
	return READ_ONCE(p->user_work) & USER_WORK_SIGPENDING;
}

/* The same for a signal that ends p in any case: SIGKILL. */
static __always_inline bool fatal_signal_pending(const struct task_struct *p)
{
	return signal_pending(p) && (READ_ONCE(p->pending.signal) & SIG_BIT(SIGKILL));
}

/* True if a signal keeps p from sleeping in that state. */
static __always_inline bool signal_pending_state(unsigned state, const struct task_struct *p)
{
	if (likely(!(state & (TASK_INTERRUPTIBLE | TASK_WAKEKILL)) || !signal_pending(p)))
		return false;
	return (state & TASK_INTERRUPTIBLE) || fatal_signal_pending(p);
}

/* Written by the machine: whether the present interrupt has interrupted a program. */
DECLARE_PER_CPU(bool, irq_from_user);

/* A full barrier: set the state, then test the condition. */
#define set_current_state(s)                                                                       \
	do {                                                                                       \
		trace_sched_set_state_tp(current, s);                                              \
		(void)xchg(&current->__state, (s));                                                \
	} while (0)
#define __set_current_state(s)                                                                     \
	do {                                                                                       \
		trace_sched_set_state_tp(current, s);                                              \
		WRITE_ONCE(current->__state, (s));                                                 \
	} while (0)

/* Boot: the run queues and the boot CPU's idle task, which is the boot context itself. */
void sched_init(void);
/* Makes the idle task of another CPU, before that CPU starts. NULL when memory is short. */
struct task_struct *fork_idle(unsigned cpu);
/* The idle loop of this CPU. Never returns. */
void __noreturn cpu_startup_entry(void);

/* Gives up the CPU, and sleeps if the state says so. Task context, preemption on, no spinlock. */
void schedule(void);
/* Sleeps ns nanoseconds, or until woken. The caller sets the state. Returns the remaining time. */
u64 schedule_timeout(u64 ns);
#define MAX_SCHEDULE_TIMEOUT (~0ULL)
/*
 * The same until a deadline. True: the time has come; a clock that was set then may show another.
 */
struct deadline;
bool schedule_until(struct deadline end);
void yield(void);
/* Lets another task run if one waits for the CPU. For long loops in task context. */
void __cond_resched(void);
static inline void cond_resched(void)
{
	__cond_resched(); /* the name that Linux's function has in traces */
}
void msleep(unsigned ms);

/* Makes a sleeping or new task runnable. True if it was not runnable. Any context but NMI. */
bool wake_up_process(struct task_struct *p);
/* The same, if the state of p is one of the mask. */
bool wake_up_state(struct task_struct *p, unsigned state);
/* The same for callers that have interrupts and preemption off. */
bool try_to_wake_up(struct task_struct *p, unsigned state);
/* The first wake-up of a task. False if it was woken before. Any context but NMI. */
bool wake_up_new_task(struct task_struct *p);
/*
 * The handler of the reschedule IPI, between irq_enter() and irq_exit() or without. Interrupts off.
 */
void scheduler_ipi(void);
void resched_cpu(unsigned cpu);
/* Called at interrupt return if preempt_count is 0 and a reschedule is needed. Interrupts off. */
void preempt_schedule_irq(void);
/* Called by ret_from_fork, first in a new task. prev is the task that ran before on this CPU. */
void schedule_tail(struct task_struct *prev);
/* How often the CPU has passed through the scheduler, with or without a switch. Any context. */
u64 sched_pass_count(unsigned cpu);
struct task_struct *idle_task(unsigned cpu);
/*
 * Calls fn(p, asleep, arg) with P and R of p held. asleep: p is not runnable, and stays so during
 * the call. fn must not wake a task or take a lock. Task context.
 */
void task_call_func(struct task_struct *p,
		    void (*fn)(struct task_struct *p, bool asleep, void *arg), void *arg);
/* True if the CPU runs its idle task and has no other task to run. Any context. */
bool idle_cpu(unsigned cpu);

/* For functions that may sleep: a DEBUG build reports a caller that must not sleep. */
#ifdef CONFIG_DEBUG
void __might_sleep(const char *file, int line);
#define might_sleep() __might_sleep(__FILE__, __LINE__)
#else
#define might_sleep() ((void)0)
#endif

/* Whether tasks with this policy are real-time tasks. */
static inline bool rt_policy(int policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}
static inline bool known_policy(int policy)
{
	return rt_policy(policy) || policy == SCHED_NORMAL || policy == SCHED_BATCH ||
	       policy == SCHED_IDLE;
}
/* SCHED_FIFO and SCHED_RR take a priority from 1 to 99, other policies 0. */
static inline bool policy_takes_priority(int policy, int priority)
{
	return known_policy(policy) && priority >= 0 && priority < MAX_RT_PRIO &&
	       rt_policy(policy) == (priority != 0);
}
/* Policy and priority change together. 0; -EINVAL if they do not fit, or p is an idle task. */
int sched_setscheduler(struct task_struct *p, int policy, int priority);
/*
 * Gives a child, which nobody sees yet, the policy, priority and nice of its parent. Tools look for
 * this name, which is Linux's.
 */
void sched_fork(struct task_struct *child, struct task_struct *parent);
/*
 * 0; -EINVAL if the mask has no online CPU, or p is bound. If p is on another CPU, migrates it
 * before the return.
 */
int set_cpus_allowed(struct task_struct *p, const struct cpumask *mask);
int set_user_nice(struct task_struct *p, int nice);

/*
 * Waits until every online CPU has switched tasks. So all code that ran with preemption off at the
 * call has ended. RCU is built on this: use synchronize_rcu() and the like (kernel/rcu/rcu.h). Task
 * context.
 */
void synchronize_sched(void);

/* All tasks but the idle ones. Iterate with tasklist_lock held, which only task context takes. */
extern spinlock_t tasklist_lock;
extern struct list_head task_list;
#define for_each_task(p) list_for_each_entry (p, &task_list, tasks)
/* The task with a reference, or NULL. The caller drops it with put_task_struct(). */
struct task_struct *find_get_task_by_pid(pid_t pid);
/* Calls fn for each task, idle ones too, with tasklist_lock held. Task context. */
void for_all_tasks(void (*fn)(struct task_struct *p, void *arg), void *arg);
static inline struct task_struct *get_task_struct(struct task_struct *p)
{
	atomic_inc(&p->usage);
	return p;
}
/* Drops a reference. The last one frees the task. Any context but NMI. */
void put_task_struct(struct task_struct *p);
char task_state_to_char(const struct task_struct *p);
/* Renames a task. Truncates the name to TASK_COMM_LEN - 1 bytes. */
void set_task_comm(struct task_struct *p, const char *name);

/*
 * Creates a child of the caller that runs fn(arg) with a copy of the caller's files. The result of
 * fn becomes the exit code. Returns the PID, which belongs to the child until the caller reaps it;
 * or -ENOMEM, -EAGAIN (no PID left), or the error of copying the files.
 */
pid_t kernel_thread(int (*fn)(void *arg), void *arg, const char *comm);
/*
 * As wait4(2), options are in kernel/process/wait.h. Returns the PID reaped, 0 (WNOHANG, none yet),
 * -ECHILD, -EINTR.
 */
pid_t kernel_wait4(pid_t pid, int *status, int options);
void __noreturn do_exit(int status);
/*
 * A function that __schedule() calls on the CPU that is about to switch from prev to next.
 * Interrupts are off and the run queue's lock is held: the function must not sleep or wake a task.
 */
struct sched_switch_hook {
	void (*fn)(struct task_struct *prev, struct task_struct *next); /* constant */
	struct sched_switch_hook *next; /* [switch_hooks_mutex] to write */
	/*
	 * Constant. False: fn may read the user memory of prev. True: only __switch_to() comes
	 * after fn, so the CPU does no more work for prev.
	 */
	bool last;
	bool first; /* constant; comes before those that are not */
};
/* For __schedule() only: the lists by `last`, and a static branch: on while a list has an entry. */
extern struct sched_switch_hook *sched_switch_hooks[2];
DECLARE_STATIC_KEY_FALSE(sched_switch_hooks_key);
/*
 * Starts the calls of hook->fn at each task switch, or stops them; no effect if that is done
 * already. On return each CPU sees the change: after a stop no CPU is inside hook->fn. Task
 * context.
 */
void sched_switch_hook_set(struct sched_switch_hook *hook, bool on);

/* A CPU ticks this often while it runs a program, to see how the program divides its time. */
#define USER_TICK_NS (4 * NSEC_PER_MSEC)

/*
 * Hooks of the trace room, NULL while unused. None may sleep or wake a task. fork: child is in the
 * lists and has not run. ending: current ends, and still runs before any task learns of that. exit:
 * task has ended and still owns its PID. A leader has that of the thread that has taken its place
 * in execve().
 */
extern void (*task_fork_hook)(struct task_struct *parent, struct task_struct *child);
extern void (*task_ending_hook)(void);
extern void (*task_exit_hook)(struct task_struct *task);
/*
 * Hooks of the workqueue room, set before the first worker exists: task, the current task, is about
 * to sleep within a work item, and goes on. Preemption on.
 */
extern void (*wq_worker_sleeping_hook)(struct task_struct *task);
extern void (*wq_worker_running_hook)(struct task_struct *task);
struct runqueue;
/*
 * What the scheduler asks of features, which fill it at the boot. NULL: the feature is not linked,
 * or has not started, and nothing is to be done. Interrupts off, except where stated.
 */
struct sched_ops {
	/* kernel/sched/rt_bandwidth.c: a real-time task runs outside of a period. R held. */
	void (*start_rt_period)(struct runqueue *rq);
	/* kernel/sched/rtmutex.c: the own priority of p has changed. Task context, no lock held. */
	void (*priority_changed)(struct task_struct *p);
	/* kernel/posix_time/: the tick has interrupted p, a program. */
	void (*program_tick)(struct task_struct *p);
	/* kernel/watchdog.c: this CPU switches from its idle task to another task. R held. */
	void (*leave_idle)(ktime_t now);
	/* kernel/watchdog.c: a reschedule IPI has arrived. */
	void (*ipi)(void);
};
extern struct sched_ops sched_ops;

/*
 * Sleeps once on wq, as an exclusive waiter for wake_up_locked(). The caller holds wq->lock, which
 * protects its condition and which only task context takes. Releases the lock while asleep. 0, or
 * interrupted_error().
 */
static __always_inline int do_wait_intr(wait_queue_head_t *wq)
{
	struct task_struct *task = current;
	struct wait_queue_entry wait;
	int ret = 0;

	wait.task = task;
	wait.flags = WQ_FLAG_EXCLUSIVE;
	list_add_tail(&wait.entry, &wq->head);
	trace_sched_set_state_tp(task, TASK_INTERRUPTIBLE);
	(void)xchg(&task->__state, TASK_INTERRUPTIBLE);
	if (unlikely(signal_pending(task))) {
		__set_current_state(TASK_RUNNING);
		ret = interrupted_error();
	} else {
		spin_unlock(&wq->lock);
		schedule();
		spin_lock(&wq->lock);
	}
	if (unlikely(!list_empty(&wait.entry)))
		list_del(&wait.entry);
	return ret;
}

/*
 * RT throttling: of each period, real-time tasks may use runtime; -1: all. In microseconds. The two
 * functions return 0, or -EINVAL: period < 1, runtime < -1, runtime > period. Task context.
 */
void sched_rt_bandwidth(int *period, int *runtime);
int sched_set_rt_period(int period);
int sched_set_rt_runtime(int runtime);
/* The slice of a SCHED_RR task. Not more than 0: 100 ms. Any context. */
int sched_rr_slice_ms(void);
void sched_set_rr_slice_ms(int ms);

/* The time that a task has run until now, in ns. Any context without R held. */
u64 task_sched_runtime(struct task_struct *p);

/* Totals for /proc/stat, /proc/loadavg. */
struct sched_stat {
	u64 user, nice, system, idle, iowait, irq, softirq; /* ns, of one CPU */
};
void sched_cpu_stat(unsigned cpu, struct sched_stat *stat);
u64 nr_context_switches(void);
u64 cpu_switches(unsigned cpu); /* any context */
u64 total_forks(void);
pid_t last_pid(void); /* the most recently allocated PID */
/* The next task gets the number after nr, if it is free. Task context; takes tasklist_lock. */
void set_last_pid(pid_t nr);
unsigned nr_running(void);
void get_avenrun(unsigned long loads[3]); /* fixed point, 11 bits of fraction as in Linux */
