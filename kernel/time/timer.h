/* Timers: a function called once, in softirq context, at or after a time. */
#pragma once

#include "kernel/lib/rbtree.h"
#include "kernel/time/ktime.h"

struct timer_base;

typedef int clockid_t; /* CLOCK_* of kernel/posix_time/clock.h */

/* The clocks on which timers expire. The time of day may be set: timekeeping.h. */
enum timer_clock {
	TIMER_MONOTONIC, /* ktime_get() */
	TIMER_REALTIME,
	NR_TIMER_CLOCKS
};

/* A time on a clock: the end of a wait. time KTIME_MAX: never. */
struct deadline {
	union {
		struct {
			enum timer_clock clock : 8;
			/* As hrtimer_setup(), for a task that sleeps until then: */
			clockid_t clockid : 8;
			bool relative;
		};
		u32 how; /* all of these, to keep them in a restart_block */
	};
	u64 time;
};

struct timer_list {
	struct rb_node node;                        /* [base lock] */
	u64 expires;                                /* [base lock] on its clock */
	void (*function)(struct timer_list *timer); /* constant; softirq context, interrupts on */
	/* [base lock] where it is queued or last ran; NULL while it changes base */
	struct timer_base *base;
	bool queued;            /* [base lock] */
	s8 clockid;             /* constant: as of hrtimer_setup(); NO_HRTIMER: another timer */
	bool relative;          /* of the caller: for the events of an hrtimer */
	enum timer_clock clock; /* [base lock] of a timer that is queued */
};

void timers_init(void);
#define NO_HRTIMER (-1)
void timer_setup(struct timer_list *timer, void (*function)(struct timer_list *));
/*
 * The same for a timer that a program waits for. It expires like any other, but has the events of
 * Linux's hrtimers: they say which clock the program has named, and whether it has given a time on
 * that clock or a duration (relative).
 */
void hrtimer_setup(struct timer_list *timer, void (*function)(struct timer_list *),
		   clockid_t clockid, bool relative);
/* Arms or re-arms the timer on this CPU. True if it was pending. Any context but NMI. */
bool mod_timer(struct timer_list *timer, ktime_t expires);
/* The same for a time on a clock. When the clock is set, the timer expires earlier or later. */
bool mod_timer_on(struct timer_list *timer, enum timer_clock clock, u64 expires);
/*
 * Removes the timer. True if it was pending. The _sync form also waits until the timer's function
 * has returned; do not call it from that function.
 */
bool del_timer(struct timer_list *timer);
bool del_timer_sync(struct timer_list *timer);
bool timer_pending(const struct timer_list *timer);
/* When the timer expires as its clock is set now. It is queued, and its base is locked. */
ktime_t timer_ktime(const struct timer_list *timer);
/*
 * The time of day was set: each CPU programs its event for the new ktime of its timers. Task
 * context.
 */
void timers_clock_was_set(void);
/*
 * The interrupt of the local APIC timer: calls the handlers of the CPU events that are due, raises
 * TIMER_SOFTIRQ for due timers, programs the next event. Between irq_enter() and irq_exit().
 */
void local_apic_timer_interrupt(void);

/*
 * CPU events: each CPU has one of each kind, which the timer interrupt itself handles. A higher
 * room owns each kind. An event happens once; its handler may start it again.
 */
enum cpu_event {
	CPU_EVENT_TICK,      /* kernel/sched: tasks compete for the CPU */
	CPU_EVENT_RT_PERIOD, /* kernel/sched: the time of real-time tasks is used up */
	CPU_EVENT_WATCHDOG,  /* kernel/watchdog.c: the check */
	CPU_EVENT_TIMERLAT,  /* trace/tracers/noise: the timer whose latency is measured */
	CPU_EVENT_PERF,      /* trace/perf: the next sample of a clock */
	NR_CPU_EVENTS
};
/* Runs in hardirq context, interrupts off. */
typedef void (*cpu_event_handler_t)(ktime_t now);
/* Sets the handler, before the first start. Returns the previous one, or NULL. */
cpu_event_handler_t cpu_event_setup(enum cpu_event event, cpu_event_handler_t handler);
/* Makes the handler run once on this CPU, at when or soon after. Interrupts off; takes no lock. */
void cpu_event_start(enum cpu_event event, ktime_t when);
/* When the event of that CPU is due, KTIME_MAX if never. Any context. */
ktime_t cpu_event_due(enum cpu_event event, unsigned cpu);
