/* The time of day: what CLOCK_REALTIME shows. */
#pragma once

#include "kernel/init.h"
#include "kernel/time/ktime.h"
#include "kernel/time/timer.h"

/* ns since 1970-01-01 00:00 UTC. A program may set it, so it may jump. Any context. */
u64 ktime_get_real(void);
/* ns: the time of day - ktime. Only timekeeping.c writes it; READ_ONCE() it in any context. */
extern u64 real_offset;
/* Called in task context after the time of day has jumped. NULL: nobody asks. */
extern void (*clock_was_set_hook)(void);
/* Sets the time of day. Task context. */
void timekeeping_set_real(u64 ns);
/* Whether the time of day may be set to this: not before the boot, and not after 2262. */
bool timekeeping_may_be(u64 real);
/* What a clock of timers shows. Any context. */
static inline u64 read_timer_clock(enum timer_clock clock)
{
	return ktime_get() + (clock == TIMER_REALTIME ? READ_ONCE(real_offset) : 0);
}
/* The ktime at which it shows ns. Any context. */
ktime_t timer_clock_to_ktime(enum timer_clock clock, u64 ns);
static inline bool deadline_passed(struct deadline end)
{
	return end.time != KTIME_MAX && read_timer_clock(end.clock) >= end.time;
}

/* The seconds from 1970 to a date in UTC. month 1..12, day 1..31. */
u64 seconds_since_1970(unsigned year, unsigned month, unsigned day, unsigned hour, unsigned minute,
		       unsigned second);

/*
 * The machine: reads the clock that runs while the machine is off, in seconds since 1970. Boot,
 * then task context.
 */
u64 arch_read_wall_clock(void);
/*
 * Registers the only copy of real_offset that programs read, the vDSO: calls copy(real_offset) now
 * and after each change. Calls are serialized. Boot.
 */
void timekeeping_copy_to(void (*copy)(u64 real_offset));
