/* Workqueues: functions run later by kworker threads, in task context. */
#pragma once

#include "kernel/lib/list.h"
#include "kernel/time/timer.h"

struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);

struct workqueue_struct;
extern struct workqueue_struct *system_wq; /* per-CPU kworkers */

struct work_struct {
	unsigned long pending; /* [A] bit 0 while queued */
	struct list_head entry; /* [pool lock] */
	work_func_t func;
	void *pool; /* [pool lock] where it is queued or last ran */
};

struct delayed_work {
	struct work_struct work;
	struct timer_list timer;
};

#define __WORK_INITIALIZER(n, f) { .entry = LIST_HEAD_INIT((n).entry), .func = (f) }
#define DECLARE_WORK(n, f) struct work_struct n = __WORK_INITIALIZER(n, f)
void INIT_WORK(struct work_struct *work, work_func_t func);
void INIT_DELAYED_WORK(struct delayed_work *work, work_func_t func);

void workqueue_init(void);
/* False if it was already queued. Any context but NMI. Queued on this CPU (or cpu). */
bool schedule_work(struct work_struct *work);
bool schedule_work_on(unsigned cpu, struct work_struct *work);
bool schedule_delayed_work(struct delayed_work *work, u64 delay_ns);
/* Wait until it is neither queued nor running; cancel first takes it off the queue. Task context. */
bool flush_work(struct work_struct *work);
bool cancel_work_sync(struct work_struct *work);
bool cancel_delayed_work_sync(struct delayed_work *work);
