/* The time of day: what CLOCK_REALTIME shows. */
#pragma once

#include "kernel/init.h"
#include "kernel/time/ktime.h"
#include "kernel/time/ntp.h"

/* ns since 1970-01-01 00:00 UTC. A program may set it, so it may jump. Any context but NMI. */
u64 ktime_get_real(void);
/* Called in task context after a program has set the time of day. NULL: nobody asks. */
extern void (*clock_was_set_hook)(void);
/* Sets the time of day. Any context but NMI. */
void timekeeping_set_real(u64 ns);
/* Whether the time of day may be set to this: not before the boot, and not after 2116. */
bool timekeeping_may_be(u64 real);
/* The ktime at which the time of day will be ns, at its present rate. Any context but NMI. */
ktime_t real_to_ktime(u64 ns);
/* International atomic time in ns, and what it is ahead of the time of day, in s: adjtimex(2). */
u64 ktime_get_clocktai(void);
u64 timekeeping_tai_offset(void);
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
};
/* The machine: tells the vDSO of programs the time of day, and the TAI offset in s. Calls are
 * serialized. */
void arch_update_vdso(const struct real_clock *clock, u64 tai_offset);
/* Calls arch_update_vdso(). Boot. */
void timekeeping_update_vdso(void);
