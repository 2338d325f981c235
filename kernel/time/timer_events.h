/*
 * The events of timers. Names, fields and texts are Linux's (events/timer/).
 *
 * nop5 has one kind of timer, Linux has two. Those that programs wait for are hrtimers there, so
 * that their events are hrtimer_* (hrtimer_setup() of timer.h). The times of the others are in
 * nanoseconds of ktime_get(); Linux has jiffies there.
 */
#if !defined(TIMER_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define TIMER_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM timer

#include "kernel/time/timekeeping.h"
#include "kernel/time/timer.h"
#include "kernel/tracepoint.h"

/* clang-format off */

#ifndef TIMER_EVENTS_PLACES
#define TIMER_EVENTS_PLACES
/*
 * A place in timer.c at which either a timer's or an hrtimer's event happens: TRACE_TIMER(start,
 * timer, …). One site for both costs no more than one event. All places have one key, which is on
 * while one of the events has a probe. A place calls a function of trace/events/systems/timer.c
 * that chooses the tracepoint. The names are such as those of a tracepoint called `timers`.
 */
extern struct timer_places {
	struct static_key_false key;
} __tracepoint_timers;
void __traceiter_timers_init(struct timer_list *timer);
void __traceiter_timers_start(struct timer_list *timer, unsigned cpu, bool was_armed);
void __traceiter_timers_expire_entry(struct timer_list *timer, ktime_t due);
void __traceiter_timers_expire_exit(struct timer_list *timer);
void __traceiter_timers_cancel(struct timer_list *timer);

#define TRACE_TIMER(place, ...)                                                                    \
	do {                                                                                       \
		if (TRACEPOINT_ENABLED(timers))                                                    \
			__traceiter_timers_##place(__VA_ARGS__);                                   \
	} while (0)

/* The numbers are Linux's. Timers of programs have the first two. */
enum hrtimer_mode {
	HRTIMER_MODE_ABS,
	HRTIMER_MODE_REL,
	HRTIMER_MODE_ABS_PINNED,
	HRTIMER_MODE_REL_PINNED,
	HRTIMER_MODE_ABS_SOFT,
	HRTIMER_MODE_REL_SOFT,
	HRTIMER_MODE_ABS_PINNED_SOFT,
	HRTIMER_MODE_REL_PINNED_SOFT,
	HRTIMER_MODE_ABS_HARD,
	HRTIMER_MODE_REL_HARD,
	HRTIMER_MODE_ABS_PINNED_HARD,
	HRTIMER_MODE_REL_PINNED_HARD,
};
#endif

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

/* ---- hrtimers ---- */

#define HRTIMER_MODE_TEXT(mode)                                                                    \
	__print_symbolic(mode,                                                                     \
		{ HRTIMER_MODE_ABS, "ABS" }, { HRTIMER_MODE_REL, "REL" },                          \
		{ HRTIMER_MODE_ABS_PINNED, "ABS|PINNED" },                                         \
		{ HRTIMER_MODE_REL_PINNED, "REL|PINNED" },                                         \
		{ HRTIMER_MODE_ABS_SOFT, "ABS|SOFT" }, { HRTIMER_MODE_REL_SOFT, "REL|SOFT" },      \
		{ HRTIMER_MODE_ABS_PINNED_SOFT, "ABS|PINNED|SOFT" },                               \
		{ HRTIMER_MODE_REL_PINNED_SOFT, "REL|PINNED|SOFT" },                               \
		{ HRTIMER_MODE_ABS_HARD, "ABS|HARD" }, { HRTIMER_MODE_REL_HARD, "REL|HARD" },      \
		{ HRTIMER_MODE_ABS_PINNED_HARD, "ABS|PINNED|HARD" },                               \
		{ HRTIMER_MODE_REL_PINNED_HARD, "REL|PINNED|HARD" })

TRACE_EVENT(hrtimer_init,
	TP_PROTO(struct timer_list *hrtimer, clockid_t clockid, enum hrtimer_mode mode),
	TP_ARGS(hrtimer, clockid, mode),
	TP_STRUCT__entry(
		__field(void *, hrtimer)
		__field(clockid_t, clockid)
		__field(enum hrtimer_mode, mode)
	),
	TP_fast_assign(
		__entry->hrtimer = hrtimer;
		__entry->clockid = clockid;
		__entry->mode = mode;
	),
	TP_printk("hrtimer=%p clockid=%s mode=%s", __entry->hrtimer,
		  __print_symbolic(__entry->clockid,
				   { 0, "CLOCK_REALTIME" }, { 1, "CLOCK_MONOTONIC" },
				   { 7, "CLOCK_BOOTTIME" }, { 11, "CLOCK_TAI" }),
		  HRTIMER_MODE_TEXT(__entry->mode))
);

/* The timer is queued; was_armed: again. expires: of its clock. Its base lock is held. */
TRACE_EVENT(hrtimer_start,
	TP_PROTO(struct timer_list *hrtimer, enum hrtimer_mode mode, bool was_armed),
	TP_ARGS(hrtimer, mode, was_armed),
	TP_STRUCT__entry(
		__field(void *, hrtimer)
		__field(void *, function)
		__field(s64, expires)
		__field(s64, softexpires)
		__field(enum hrtimer_mode, mode)
		__field(bool, was_armed)
	),
	TP_fast_assign(
		__entry->hrtimer = hrtimer;
		__entry->function = hrtimer->function;
		__entry->expires = (s64)hrtimer->expires;
		__entry->softexpires = (s64)hrtimer->expires;
		__entry->mode = mode;
		__entry->was_armed = was_armed;
	),
	TP_printk("hrtimer=%p function=%ps expires=%llu softexpires=%llu mode=%s was_armed=%d",
		  __entry->hrtimer, __entry->function,
		  (unsigned long long) __entry->expires,
		  (unsigned long long) __entry->softexpires,
		  HRTIMER_MODE_TEXT(__entry->mode), __entry->was_armed)
);

/* Before the timer's function. now: of its clock. Softirq context, interrupts off. */
TRACE_EVENT(hrtimer_expire_entry,
	TP_PROTO(struct timer_list *hrtimer, u64 now),
	TP_ARGS(hrtimer, now),
	TP_STRUCT__entry(
		__field(void *, hrtimer)
		__field(s64, now)
		__field(void *, function)
	),
	TP_fast_assign(
		__entry->hrtimer = hrtimer;
		__entry->now = (s64)now;
		__entry->function = hrtimer->function;
	),
	TP_printk("hrtimer=%p function=%ps now=%llu", __entry->hrtimer, __entry->function,
		  (unsigned long long) __entry->now)
);

DECLARE_EVENT_CLASS(hrtimer_class,
	TP_PROTO(struct timer_list *hrtimer),
	TP_ARGS(hrtimer),
	TP_STRUCT__entry(
		__field(void *, hrtimer)
	),
	TP_fast_assign(
		__entry->hrtimer = hrtimer;
	),
	TP_printk("hrtimer=%p", __entry->hrtimer)
);

/* As timer_expire_exit. */
DEFINE_EVENT(hrtimer_class, hrtimer_expire_exit,
	TP_PROTO(struct timer_list *hrtimer),
	TP_ARGS(hrtimer)
);

/* As timer_cancel. */
DEFINE_EVENT(hrtimer_class, hrtimer_cancel,
	TP_PROTO(struct timer_list *hrtimer),
	TP_ARGS(hrtimer)
);

/* clang-format on */
#endif
