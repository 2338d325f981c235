/* The time of day: what CLOCK_REALTIME shows. */
#pragma once

#include "kernel/init.h"
#include "kernel/time/ktime.h"
#include "kernel/time/ntp.h"
#include "kernel/time/timer.h"

/* ns since 1970-01-01 00:00 UTC. A program may set it, so it may jump. Any context but NMI. */
u64 ktime_get_real(void);
/* Called in task context after the time of day has jumped. NULL: nobody asks. */
extern void (*clock_was_set_hook)(void);
/*
 * Called in softirq context when the rate has changed or a leap second came: something in task
 * context must call timekeeping_changed(). NULL: there are no tasks yet.
 */
extern void (*clock_changes_hook)(void);
/* Lets timers know, and calls clock_was_set_hook if a leap second came. Task context. */
void timekeeping_changed(void);
/* Sets the time of day. Task context. */
void timekeeping_set_real(u64 ns);
/* Whether the time of day may be set to this: not before the boot, and not after 2262. */
bool timekeeping_may_be(u64 real);
/* What a clock of timers shows. Any context but NMI. */
u64 read_timer_clock(enum timer_clock clock);
/* The ktime at which it shows ns, at its present rate. Any context but NMI. */
ktime_t timer_clock_to_ktime(enum timer_clock clock, u64 ns);
static inline bool deadline_passed(struct deadline end)
{
	return end.time != KTIME_MAX && read_timer_clock(end.clock) >= end.time;
}
/* International atomic time in ns. Any context but NMI. */
u64 ktime_get_clocktai(void);
/*
 * adjtimex(2), for a txc that is valid, and a program that may set it: TIME_*, or -EINVAL. Task
 * context.
 */
int do_adjtimex(struct __kernel_timex *txc);

/* The seconds from 1970 to a date in UTC. month 1..12, day 1..31. */
u64 seconds_since_1970(unsigned year, unsigned month, unsigned day, unsigned hour, unsigned minute,
		       unsigned second);

/*
 * The machine: reads the clock that runs while the machine is off, in seconds since 1970. Boot,
 * then task context.
 */
u64 arch_read_wall_clock(void);
/* How the time of day follows from ktime: real_at() in timekeeping.c. */
struct real_clock {
	u32 seq;       /* odd while it is written */
	u64 offset;    /* ns: time of day - ktime at start */
	ktime_t start; /* of the present rate */
	s64 rate;      /* by which the time of day gains, in units of 2^-32 */
	int tai;       /* s: how far TAI is ahead of the time of day; adjtimex(2) */
};
/* The machine: tells the vDSO of programs the time of day, and the TAI offset in s. Calls are
 * serialized. */
void arch_update_vdso(const struct real_clock *clock, u64 tai_offset);
/* Calls arch_update_vdso(). Boot. */
void timekeeping_update_vdso(void);
