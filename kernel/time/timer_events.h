/*
 * The events of timers. Names, fields and texts are Linux's (events/timer/). Times are in
 * nanoseconds of ktime_get(); Linux has jiffies there.
 */
#if !defined(TIMER_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define TIMER_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM timer

#include "kernel/time/timer.h"
#include "kernel/tracepoint.h"

/* clang-format off */

DECLARE_EVENT_CLASS(timer_class,
	TP_PROTO(struct timer_list *timer),
	TP_ARGS(timer),
	TP_STRUCT__entry(
		__field(void *, timer)
	),
	TP_fast_assign(
		__entry->timer = timer;
	),
	TP_printk("timer=%p", __entry->timer)
);

DEFINE_EVENT(timer_class, timer_init,
	TP_PROTO(struct timer_list *timer),
	TP_ARGS(timer)
);

/* The timer is queued on that CPU. Its base lock is held. */
TRACE_EVENT(timer_start,
	TP_PROTO(struct timer_list *timer, unsigned cpu),
	TP_ARGS(timer, cpu),
	TP_STRUCT__entry(
		__field(void *, timer)
		__field(void *, function)
		__field(unsigned long, expires)
		__field(unsigned long, now)
		__field(unsigned int, flags)
	),
	TP_fast_assign(
		__entry->timer = timer;
		__entry->function = timer->function;
		__entry->expires = timer_ktime(timer);
		__entry->now = ktime_get();
		__entry->flags = cpu;
	),
	TP_printk("timer=%p function=%ps expires=%lu [timeout=%ld] cpu=%u idx=%u flags=%s",
		  __entry->timer, __entry->function, __entry->expires,
		  (long)__entry->expires - __entry->now, __entry->flags & 0x0003FFFF,
		  __entry->flags >> 22,
		  __print_flags(__entry->flags &
				(0x00040000 | 0x00080000 | 0x00100000 | 0x00200000),
				"|", { 0x00040000, "M" }, { 0x00080000, "D" },
				{ 0x00100000, "P" }, { 0x00200000, "I" }))
);

/* Before the timer's function. baseclk: when the timer was due. Softirq context, interrupts off. */
TRACE_EVENT(timer_expire_entry,
	TP_PROTO(struct timer_list *timer, unsigned long baseclk),
	TP_ARGS(timer, baseclk),
	TP_STRUCT__entry(
		__field(void *, timer)
		__field(unsigned long, now)
		__field(void *, function)
		__field(unsigned long, baseclk)
	),
	TP_fast_assign(
		__entry->timer = timer;
		__entry->now = ktime_get();
		__entry->function = timer->function;
		__entry->baseclk = baseclk;
	),
	TP_printk("timer=%p function=%ps now=%lu baseclk=%lu", __entry->timer, __entry->function,
		  __entry->now, __entry->baseclk)
);

/* After the timer's function, which may have freed the timer. Softirq context, interrupts on. */
DEFINE_EVENT(timer_class, timer_expire_exit,
	TP_PROTO(struct timer_list *timer),
	TP_ARGS(timer)
);

/* A timer is removed: before it expires, is armed again, or by del_timer(). Base lock held. */
DEFINE_EVENT(timer_class, timer_cancel,
	TP_PROTO(struct timer_list *timer),
	TP_ARGS(timer)
);

/* clang-format on */
#endif
