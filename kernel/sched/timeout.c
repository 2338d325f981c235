/* Sleeping for a time: schedule_timeout() and the functions made of it. */
#include "kernel/sched/sched.h"
#include "kernel/export.h"
#include "kernel/time/timer.h"

/* The timer of a sleeping task, on the stack of that task. */
struct sleep_timer {
	struct timer_list timer;
	struct task_struct *task;
};

static void wake_sleeper(struct timer_list *timer)
{
	wake_up_process(container_of(timer, struct sleep_timer, timer)->task);
}

/* Sleeps until end or until woken. True: end has come. */
static __always_inline bool sleep_on_timer(struct deadline end)
{
	struct sleep_timer sleeper;

	sleeper.task = current;
	hrtimer_setup(&sleeper.timer, wake_sleeper, end.clockid, end.relative);
	mod_timer_on(&sleeper.timer, end.clock, end.time);
	schedule();
	return !del_timer_sync(&sleeper.timer);
}

bool schedule_until(struct deadline end)
{
	if (end.time != KTIME_MAX)
		return sleep_on_timer(end);
	schedule();
	return false;
}

u64 schedule_timeout(u64 ns)
{
	ktime_t now = ktime_get(), end;

	if (ns >= MAX_SCHEDULE_TIMEOUT - now) {
		schedule();
		return ns;
	}
	end = now + ns;
	sleep_on_timer(
		(struct deadline){ .clock = TIMER_MONOTONIC, .clockid = NO_HRTIMER, .time = end });
	now = ktime_get();
	return now < end ? end - now : 0;
}
EXPORT_SYMBOL(schedule_timeout);

void msleep(unsigned ms)
{
	u64 left = ms * NSEC_PER_MSEC;

	while (left) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		left = schedule_timeout(left);
	}
}
EXPORT_SYMBOL(msleep);
