/*
 * The internals of the scheduler: the run queue of a CPU, and the functions that the files of
 * kernel/sched share with kernel/process. Only these files and their self-tests include it.
 *
 * A run-queue lock is the innermost lock of the kernel: its holder takes no other lock and prints
 * nothing, and interrupts are off. Two run-queue locks are taken in the order of the CPU numbers
 * (double_rq_lock). __schedule() takes the lock on the stack of the old task, and
 * finish_task_switch() releases it on the stack of the new one. So the lock is taken raw, without
 * lockdep, which records locks per task.
 */
#pragma once

#include "kernel/sched/quiescent.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"

/* a fair task runs this long before another one may take its place */
#define SCHED_SLICE_NS (3 * NSEC_PER_MSEC)
/* a waking task preempts if it is this far behind */
#define SCHED_WAKEUP_GRAN_NS (1 * NSEC_PER_MSEC)
/* a busy CPU looks for a less busy one after this time */
#define SCHED_BALANCE_NS (20 * NSEC_PER_MSEC)
#define NICE_0_WEIGHT    1024

/* The fair class on a CPU, by its name in Linux. */
struct cfs_rq {
	struct task_struct *first;  /* [R] the waiting task with the least vruntime */
	struct rb_root_cached tree; /* [R] the other waiting tasks, by vruntime */
	u64 min_vruntime;           /* [R] never decreases: a waking task starts near it */
	unsigned nr_running;        /* [R] includes the running task */
};

#define RT_LEVELS STOP_PRIO

struct rt_rq {
	unsigned nr_running; /* [R] includes the running task, which stays in its list */
	/* [R] bit 100 - priority: the first set bit is the best level */
	u64 bitmap[2];
	struct list_head queue[RT_LEVELS]; /* [R] by 100 - priority */
	u64 time;           /* [R] that tasks have run in this period, and too much before */
	ktime_t period_end; /* [R] */
	bool in_period;     /* [R] CPU_EVENT_RT_PERIOD is started, or there is no limit */
	bool throttled;     /* [R] the time is used up: only migration/N may run */
};

struct runqueue {
	spinlock_t lock; /* R */
	unsigned cpu;    /* [C] */
	/* [R] to write, read by all: */
	unsigned nr_running;
	bool need_resched; /* this CPU must pass through __schedule() soon */
	bool tick_armed;   /* [O] the CPU itself: CPU_EVENT_TICK is started */
	bool polling;      /* [O] its idle task looks at need_resched: a waker sends no interrupt */
	struct task_struct *curr;
	struct task_struct *idle; /* [C] */
	u64 nr_switches;
	u64 same_picked; /* passes through __schedule() without a switch */
	/* summed over all CPUs: a task may sleep here and be woken there */
	long nr_uninterruptible;
	ktime_t online_since; /* [C] */
	ktime_t picked;       /* when curr was chosen */
	ktime_t next_balance; /* [O] */
	unsigned balanced_to; /* [O] the CPU that run_rebalance() tried last */
	unsigned idle_nr;     /* nr_running when the CPU became idle: throttled tasks */
	struct cfs_rq fair;
	struct rt_rq rt;
} __cacheline_aligned;

DECLARE_PER_CPU(struct runqueue, runqueues);
#define cpu_rq(cpu) per_cpu_ptr(&runqueues, cpu)
#define this_rq()   this_cpu_ptr(&runqueues)
#define task_rq(p)  cpu_rq((p)->cpu)

/* p belongs to the run queue of that CPU from now on. */
static inline void __set_task_cpu(struct task_struct *p, unsigned cpu)
{
	p->se.cfs_rq = &cpu_rq(cpu)->fair;
	WRITE_ONCE(p->cpu, cpu);
}

/* [A] CPUs that halt without a task to run: a hint for the placement of tasks. */
extern struct cpumask sched_idle_mask;

static __always_inline void rq_lock(struct runqueue *rq)
{
	trace_sched_rq_lock_tp(rq);
	raw_ticket_lock(&rq->lock);
}

static __always_inline void rq_unlock(struct runqueue *rq)
{
	raw_ticket_unlock(&rq->lock);
	trace_sched_rq_unlock_tp(rq);
}

static inline bool task_is_rt(const struct task_struct *p)
{
	return p->rt_priority != 0;
}

static inline bool task_allowed(const struct task_struct *p, unsigned cpu)
{
	return cpumask_test_cpu(cpu, &p->cpus_allowed);
}

/* core.c: all with R held and interrupts off. */
void resched_curr(struct runqueue *rq);
void activate_task(struct runqueue *rq, struct task_struct *p);
void check_preempt_curr(struct runqueue *rq, struct task_struct *p);
/* Charges the running task for its time until now. */
void update_curr(struct runqueue *rq, u64 now);
/* Moves p, which is queued on from and does not run, to the queue to. Both R held. */
void move_queued_task(struct runqueue *from, struct runqueue *to, struct task_struct *p);
/* Two different run queues, interrupts off. */
void double_rq_lock(struct runqueue *a, struct runqueue *b);
/* Locks P and the run queue of p, which it returns. */
struct runqueue *task_rq_lock(struct task_struct *p, unsigned long *flags);
void task_rq_unlock(struct runqueue *rq, struct task_struct *p, unsigned long flags);
/* One pass through the scheduler. preempt: the task stays runnable. Preemption disabled once. */
void __schedule(bool preempt);
/* The last switch of the current task. Preemption disabled once. */
void __noreturn do_task_dead(void);

/* tick.c: the handler of CPU_EVENT_TICK. */
void scheduler_tick(ktime_t now);
/* Makes this CPU tick at that time. R of this CPU held, tick_armed is false. */
void start_tick(struct runqueue *rq, ktime_t when);
/* The same for a CPU that begins to run a program. */
void start_program_tick(struct runqueue *rq);
/* Starts the tick of this CPU if tasks compete for it. R of this CPU held. */
static __always_inline void start_tick_if_needed(struct runqueue *rq)
{
	if (rq->nr_running > 1 && !rq->tick_armed)
		start_tick(rq, ktime_get() + SCHED_SLICE_NS);
}

/* fair.c: R held. */
void yield_task_fair(struct runqueue *rq, struct task_struct *p);
/* Iterates over the waiting tasks in order: the first one for NULL, then the one after p, then
 * NULL. */
struct task_struct *next_waiting_fair(const struct cfs_rq *fair, const struct task_struct *p);
#include "kernel/sched/fair.h"

/* rt.c: R held. */
void rt_rq_init(struct rt_rq *rt);
void enqueue_task_rt(struct runqueue *rq, struct task_struct *p);
void dequeue_task_rt(struct runqueue *rq, struct task_struct *p);
struct task_struct *pick_next_task_rt(struct runqueue *rq); /* NULL: all are throttled */
/* The running task, of this class or idle, has run for delta ns: the limit counts that. */
void update_curr_rt(struct runqueue *rq, const struct task_struct *curr, u64 delta);
void yield_task_rt(struct runqueue *rq, struct task_struct *p);
/* Makes p, which is queued, the first task of its level. */
void requeue_first_rt(struct runqueue *rq, struct task_struct *p);
/* A SCHED_RR task begins a slice. R of its CPU held, and it is charged. */
void start_rr_slice(struct task_struct *p);
/* The tick has found a SCHED_RR task: at the end of its slice the next one of its level runs. */
void task_tick_rr(struct runqueue *rq, struct task_struct *curr);

/* balance.c */
/* The CPU on which p, asleep, must wake up, if its last CPU is busy or forbidden. P held. */
unsigned select_task_rq_slow(struct task_struct *p);
/* The CPU on which p must wake up: its last one if that is idle or the only one. P held. */
static __always_inline unsigned select_task_rq(struct task_struct *p)
{
	unsigned cpu = p->cpu;

	if ((p->nr_cpus_allowed == 1 || !READ_ONCE(cpu_rq(cpu)->nr_running) || nr_cpu_ids == 1) &&
	    likely(task_allowed(p, cpu)))
		return cpu;
	return select_task_rq_slow(p);
}
/*
 * Takes a waiting task from another CPU, for a CPU without a task to run. True if this CPU now has
 * one. Interrupts off.
 */
bool idle_balance(struct runqueue *rq);
/* Called by the tick: raises SCHED_SOFTIRQ when the CPU should give a task to another CPU. */
void trigger_load_balance(struct runqueue *rq, u64 now);
void balance_init(void);

/* stop_task.c: runs fn(arg) in the task migration/CPU, before every other task there, and waits. */
void stop_one_cpu(unsigned cpu, void (*fn)(void *arg), void *arg);
/* policy.c: gives p the priority of migration/N. */
void sched_set_stop_task(struct task_struct *p);
/*
 * policy.c: gives p the priority of from, which waits for p, if that is more urgent than p's own.
 * from NULL: p has its own again. rt_mutex_lock held; takes P and R of p.
 */
void sched_set_pi_prio(struct task_struct *p, struct task_struct *from);

/*
 * stats.c: called when a CPU becomes idle or busy, or ticks. The present number of active tasks
 * plus adjust is the number before that event. Interrupts off; takes no run-queue lock.
 */
void calc_global_load(u64 now, long adjust);

/* fair.c: sets se.weight from policy and nice. R held, or p is new. */
void set_load_weight(struct task_struct *p);
/* kernel/task/task.c */
void sched_init_task(struct task_struct *p);
