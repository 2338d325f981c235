/*
 * The structures in which programs give and get times, and the functions that read and write them.
 */
#pragma once

#include "kernel/compiler.h"

#ifdef NOP5_HOST /* the host's structures are the same */
#include <sys/time.h>
#include <time.h>
#else
struct timespec {
	s64 tv_sec;
	long tv_nsec;
};

struct timeval {
	s64 tv_sec;
	long tv_usec;
};
#endif

struct __kernel_timespec {
	s64 tv_sec;
	s64 tv_nsec;
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
