/*
 * Times of waiting and sleeping. A task that does not run either sleeps or waits for a CPU. So one
 * time, se.stat_start, is enough: when its present sleep or wait began.
 */
#include "kernel/sched/schedstats.h"

#include "kernel/sched/mutex.h"
#include "kernel/sched/sched_events.h"
#include "kernel/time/ktime.h"

DEFINE_STATIC_KEY_FALSE(sched_schedstats);
static u64 enabled_since; /* a stat_start before it is left over from an earlier time */
static DEFINE_MUTEX(schedstats_mutex);

int sched_set_schedstats(bool on)
{
	int error = 0;

	mutex_lock(&schedstats_mutex);
	if (on != static_key_enabled(&sched_schedstats)) {
		WRITE_ONCE(enabled_since, ktime_get());
		error = on ? static_branch_enable(&sched_schedstats)
			   : static_branch_disable(&sched_schedstats);
	}
	mutex_unlock(&schedstats_mutex);
	return error;
}

/* Stores the time since stat_start in *delay. False: stat_start is of no use. */
static bool time_since(const struct task_struct *p, u64 now, u64 *delay)
{
	u64 start = p->se.stat_start;

	*delay = now > start ? now - start : 0; /* the clocks of two CPUs may differ by a little */
	return start >= READ_ONCE(enabled_since);
}

void __schedstat_wakeup(struct task_struct *p)
{
	u64 now = ktime_get(), delay;

	if (p->__state != TASK_NEW && time_since(p, now, &delay)) {
		if (p->__state & TASK_INTERRUPTIBLE)
			trace_sched_stat_sleep(p, delay);
		else
			trace_sched_stat_blocked(p, delay);
	}
	p->se.stat_start = now;
}

void __schedstat_switch(struct task_struct *prev, struct task_struct *next, u64 now)
{
	u64 delay;

	prev->se.stat_start = now;
	if (!(next->flags & PF_IDLE) && time_since(next, now, &delay))
		trace_sched_stat_wait(next, delay);
}
