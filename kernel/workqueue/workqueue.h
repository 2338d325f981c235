/* Workqueues: functions run later by kworker threads, in task context. */
#pragma once

#include "kernel/lib/list.h"
#include "kernel/time/timer.h"

struct task_struct;
struct worker_pool;
struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);

struct work_struct {
	unsigned long pending;  /* [A] bit 0 while queued */
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
 * Boot, in the first task: the pools, and the boot CPU's first worker. The others' come as an
 * initcall.
 */
void workqueue_init(void);
/* False if it was already queued. Any context but NMI. Queued on this CPU (or cpu). */
bool schedule_work(struct work_struct *work);
bool schedule_work_on(unsigned cpu, struct work_struct *work);
/* The same for a worker that runs on any CPU: a real-time task on this one does not hold it up. */
bool schedule_work_unbound(struct work_struct *work);
bool schedule_delayed_work(struct delayed_work *work, u64 delay_ns);
/* The same delay, counted from now, whether it was queued or not. True if it was. */
bool mod_delayed_work(struct delayed_work *work, u64 delay_ns);
/*
 * Wait until what is queued or running now has ended (flush: true if there was any); cancel first
 * takes it off the queue and keeps it from queueing itself again (true if it was queued). Not from
 * the work itself. Task context.
 */
bool flush_work(struct work_struct *work);
bool cancel_work_sync(struct work_struct *work);
bool cancel_delayed_work_sync(struct delayed_work *work);

/*
 * Kworkers there are now: each is a task and two slab objects that come and go on their own. Any
 * context.
 */
unsigned workqueue_nr_workers(void);

/* The scheduler tells when a worker is about to sleep within a work item, and when it goes on. */
void wq_worker_sleeping(struct task_struct *task);
void wq_worker_running(struct task_struct *task);
