/* Clocks and times as programs pass them (clock_gettime(2), time(7)). */
#pragma once

#include "kernel/time/timer.h"
#include "kernel/time/timespec.h"

#define CLOCK_REALTIME           0
#define CLOCK_MONOTONIC          1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID  3
#define CLOCK_MONOTONIC_RAW      4
#define CLOCK_REALTIME_COARSE    5
#define CLOCK_MONOTONIC_COARSE   6
#define CLOCK_BOOTTIME           7
#define CLOCK_REALTIME_ALARM     8
#define CLOCK_BOOTTIME_ALARM     9
#define CLOCK_TAI                11

#define TIMER_ABSTIME 1

struct __kernel_itimerspec {
	struct __kernel_timespec it_interval, it_value;
};

/* What a clock shows, in ns. -EINVAL: no such clock. Task context. */
int clock_now(clockid_t clock, u64 *ns);
/*
 * When a clock shows ns, or when ns have passed. Not for clocks of CPU time. As on Linux, setting
 * the clock does not move the end of a duration, except on CLOCK_TAI and CLOCK_REALTIME_ALARM. Any
 * context but NMI.
 */
struct deadline make_deadline(clockid_t clock, bool absolute, u64 ns);

/* When CLOCK_MONOTONIC shows end, which is ktime. */
static inline struct deadline monotonic_deadline(ktime_t end)
{
	return (struct deadline){ .clock = TIMER_MONOTONIC,
				  .clockid = CLOCK_MONOTONIC,
				  .time = end };
}
