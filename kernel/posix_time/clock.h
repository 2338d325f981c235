/* Clocks and times as programs pass them (clock_gettime(2), time(7)). */
#pragma once

#include "kernel/time/timer.h"

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

typedef int clockid_t;

struct __kernel_timespec {
	s64 tv_sec;
	s64 tv_nsec;
};

struct __kernel_itimerspec {
	struct __kernel_timespec it_interval, it_value;
};

struct __kernel_old_timeval {
	s64 tv_sec;
	s64 tv_usec;
};

/* A time in ns. KTIME_MAX: it does not fit. The caller has checked it: timespec_valid(). */
u64 timespec_to_ns(const struct __kernel_timespec *ts);
struct __kernel_timespec ns_to_timespec(u64 ns);
static inline bool timespec_valid(const struct __kernel_timespec *ts)
{
	return ts->tv_sec >= 0 && ts->tv_nsec >= 0 && ts->tv_nsec < 1000000000;
}

/*
 * Reads a time from a program: its ns. 0, -EFAULT, or -EINVAL. uts is not NULL. Task context.
 */
int get_timespec(u64 *ns, const struct __kernel_timespec __user *uts);
int put_timespec(u64 ns, struct __kernel_timespec __user *uts);
/* What a clock shows, in ns. -EINVAL: no such clock. Task context. */
int clock_now(clockid_t clock, u64 *ns);
/*
 * When a clock shows ns, or when ns have passed. Not for clocks of CPU time. As on Linux, setting
 * the clock does not move the end of a duration, except on CLOCK_TAI and CLOCK_REALTIME_ALARM. Any
 * context but NMI.
 */
struct deadline make_deadline(clockid_t clock, bool absolute, u64 ns);
