/*
 * Makes the events of kernel/time/timer_events.h, and chooses at each place in timer.c between the
 * event of a timer and that of an hrtimer.
 */
#define TRACEPOINT_SITES(name) (&__tracepoint_timers.key.key)

#define TRACE_EVENTS_HEADER "kernel/time/timer_events.h"
#include "trace/events/define.h"

struct timer_places __tracepoint_timers;

/* In this section, so that the stack of an event begins with the function in timer.c. */
#define __place __section(".traceiter.text")

static bool is_hrtimer(const struct timer_list *timer)
{
	return timer->clockid != NO_HRTIMER;
}

static enum hrtimer_mode mode_of(const struct timer_list *timer)
{
	return timer->relative ? HRTIMER_MODE_REL : HRTIMER_MODE_ABS;
}

void __place __traceiter_timers_init(struct timer_list *timer)
{
	if (is_hrtimer(timer))
		TRACEPOINT_WITHOUT_SITE(hrtimer_init, timer, timer->clockid, mode_of(timer));
	else
		TRACEPOINT_WITHOUT_SITE(timer_init, timer);
}

void __place __traceiter_timers_start(struct timer_list *timer, unsigned cpu, bool was_armed)
{
	if (is_hrtimer(timer))
		TRACEPOINT_WITHOUT_SITE(hrtimer_start, timer, mode_of(timer), was_armed);
	else
		TRACEPOINT_WITHOUT_SITE(timer_start, timer, cpu);
}

void __place __traceiter_timers_cancel(struct timer_list *timer)
{
	if (is_hrtimer(timer))
		TRACEPOINT_WITHOUT_SITE(hrtimer_cancel, timer);
	else
		TRACEPOINT_WITHOUT_SITE(timer_cancel, timer);
}

/*
 * The timer whose function this CPU calls, and EXPIRING_HR if it is an hrtimer: when the function
 * has returned, the timer may have been freed. Another value: the places were off when the function
 * began, so that its end is no event. If they are off when a function returns, its timer stays
 * here, and a later end of that timer may be an event without its beginning. Softirq context.
 */
static DEFINE_PER_CPU(unsigned long, expiring);
#define EXPIRING_HR 1UL

void __place __traceiter_timers_expire_entry(struct timer_list *timer, ktime_t due)
{
	this_cpu_write(expiring, (unsigned long)timer | (is_hrtimer(timer) ? EXPIRING_HR : 0));
	if (is_hrtimer(timer))
		TRACEPOINT_WITHOUT_SITE(hrtimer_expire_entry, timer,
					read_timer_clock(timer->clock));
	else
		TRACEPOINT_WITHOUT_SITE(timer_expire_entry, timer, due);
}

void __place __traceiter_timers_expire_exit(struct timer_list *timer)
{
	unsigned long began = this_cpu_read(expiring);

	this_cpu_write(expiring, 0UL);
	if (began == ((unsigned long)timer | EXPIRING_HR))
		TRACEPOINT_WITHOUT_SITE(hrtimer_expire_exit, timer);
	else if (began == (unsigned long)timer)
		TRACEPOINT_WITHOUT_SITE(timer_expire_exit, timer);
}
