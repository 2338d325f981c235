/* Workqueues: functions run later by kworker threads, in task context. */
#pragma once

#include "kernel/cpumask.h"
#include "kernel/lib/list.h"
#include "kernel/time/timer.h"

/* For the events of workqueues: the caller wants no particular CPU. */
#define WORK_CPU_UNBOUND NR_CPUS

struct worker_pool;
struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);

struct work_struct {
	unsigned long pending;  /* [A] WORK_PENDING and WORK_CANCELLING */
	struct list_head entry; /* [pool lock] */
	work_func_t func;
	struct worker_pool *pool; /* [pool lock] where it is queued or last ran */
};

struct delayed_work {
	struct work_struct work;
	struct timer_list timer;
};

#define __WORK_INITIALIZER(n, f)                                                                   \
	{                                                                                          \
		.entry = LIST_HEAD_INIT((n).entry), .func = (f)                                    \
	}
#define DECLARE_WORK(n, f) struct work_struct n = __WORK_INITIALIZER(n, f)
void INIT_WORK(struct work_struct *work, work_func_t func);
void INIT_DELAYED_WORK(struct delayed_work *work, work_func_t func);

/*
 * Boot, in the first task: creates the pools and the boot CPU's first worker. An initcall creates
 * the workers of the other CPUs.
 */
void workqueue_init(void);
/* Queues work on this CPU (or cpu). False if it was queued already. Any context but NMI. */
bool schedule_work(struct work_struct *work);
bool schedule_work_on(unsigned cpu, struct work_struct *work);
/* The same for a worker that may run on any CPU, so a real-time task here does not delay it. */
bool schedule_work_unbound(struct work_struct *work);
bool schedule_delayed_work(struct delayed_work *work, u64 delay_ns);
/*
 * The delay counts from now, even if the work was queued already. True if it was, and also if a
 * task cancels the work: then it is not queued.
 */
bool mod_delayed_work(struct delayed_work *work, u64 delay_ns);
/*
 * flush_work() waits until all instances that are queued or running now have ended; true if there
 * was one. The cancel functions first take the work off the queue and keep it from queueing itself
 * again; true if it was queued. Task context, not from the work itself.
 */
bool flush_work(struct work_struct *work);
bool cancel_work_sync(struct work_struct *work);
bool cancel_delayed_work_sync(struct delayed_work *work);

/*
 * The number of kworkers now. Each is a task and two slab objects that come and go by themselves.
 * Any context.
 */
unsigned workqueue_nr_workers(void);
