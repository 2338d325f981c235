/* The system calls that read and set clocks. */
#include "kernel/posix_time/clock.h"

#include "arch/mm/uaccess.h"
#include "kernel/posix_time/cpu_clock.h"
#include "kernel/task/capability.h"
#include "kernel/task/cred.h"
#include "kernel/sched/sched.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/timekeeping.h"

struct timezone {
	int tz_minuteswest, tz_dsttime;
};

typedef s64 __kernel_old_time_t;

#define MAX_MINUTES_WEST (15 * 60)

/* As gettimeofday(2) gives it back; the kernel does not use it. Last writer wins. */
static struct timezone sys_tz;

static int cpu_clock_now(clockid_t clock, u64 *ns)
{
	struct cpu_clock cpu;
	int err = get_cpu_clock(clock, true, &cpu);

	if (err)
		return err;
	*ns = cpu_clock_read(&cpu);
	put_cpu_clock(&cpu);
	return 0;
}

int clock_now(clockid_t clock, u64 *ns)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_REALTIME_ALARM:
	case CLOCK_TAI: /* nobody has set how far it is ahead */
		*ns = ktime_get_real();
		return 0;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
	case CLOCK_BOOTTIME_ALARM:
		*ns = ktime_get();
		return 0;
	case CLOCK_THREAD_CPUTIME_ID:
		*ns = task_sched_runtime(current);
		return 0;
	}
	return is_cpu_clock(clock) ? cpu_clock_now(clock, ns) : -EINVAL;
}

struct deadline make_deadline(clockid_t clock, bool absolute, u64 ns)
{
	struct deadline end = {
		.clock = TIMER_MONOTONIC, .clockid = clock, .relative = !absolute, .time = ns
	};
	u64 now;

	if (clock == CLOCK_TAI || clock == CLOCK_REALTIME_ALARM ||
	    (clock == CLOCK_REALTIME && absolute))
		end.clock = TIMER_REALTIME;
	if (!absolute) {
		now = read_timer_clock(end.clock);
		end.time = ns < KTIME_MAX - 1 - now ? now + ns : KTIME_MAX - 1;
	}
	return end;
}

SYSCALL_DEFINE2(clock_gettime, const clockid_t, which_clock, struct __kernel_timespec *, tp)
{
	u64 ns;
	int err = clock_now(which_clock, &ns);

	return err ? err : put_timespec(ns, tp);
}

/* Linux's: a clock that the tick advances has the resolution of its tick. */
static u64 resolution(clockid_t clock)
{
	bool by_tick = clock < 0
			       ? ((unsigned)clock & 3) != CPUCLOCK_SCHED
			       : clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;

	return by_tick ? 4 * NSEC_PER_MSEC : 1;
}

SYSCALL_DEFINE2(clock_getres, const clockid_t, which_clock, struct __kernel_timespec *, tp)
{
	u64 ns;
	int err = clock_now(which_clock, &ns);

	return err || !tp ? err : put_timespec(resolution(which_clock), tp);
}

static int set_time_of_day(u64 ns)
{
	if (!capable(CAP_SYS_TIME))
		return -EPERM;
	if (!timekeeping_may_be(ns))
		return -EINVAL;
	timekeeping_set_real(ns);
	return 0;
}

SYSCALL_DEFINE2(clock_settime, const clockid_t, which_clock, const struct __kernel_timespec *, tp)
{
	u64 ns;
	int err;

	if (which_clock != CLOCK_REALTIME)
		return which_clock < 0 && !clock_now(which_clock, &ns) ? -EPERM : -EINVAL;
	err = get_timespec(&ns, tp);
	return err ? err : set_time_of_day(ns);
}

SYSCALL_DEFINE2(gettimeofday, struct __kernel_old_timeval *, tv, struct timezone *, tz)
{
	u64 ns = ktime_get_real();
	struct __kernel_old_timeval now = { (s64)(ns / NSEC_PER_SEC),
					    (s64)(ns % NSEC_PER_SEC / NSEC_PER_USEC) };

	if (tv && copy_to_user(tv, &now, sizeof(now)))
		return -EFAULT;
	if (tz && copy_to_user(tz, &sys_tz, sizeof(sys_tz)))
		return -EFAULT;
	return 0;
}

SYSCALL_DEFINE2(settimeofday, struct __kernel_old_timeval *, tv, struct timezone *, tz)
{
	struct __kernel_old_timeval new;
	struct timezone zone;
	int err = 0;

	if (tv && copy_from_user(&new, tv, sizeof(new)))
		return -EFAULT;
	if (tz && copy_from_user(&zone, tz, sizeof(zone)))
		return -EFAULT;
	if (tv) {
		struct __kernel_timespec ts = { new.tv_sec, new.tv_usec * 1000 };

		if (new.tv_usec < 0 || new.tv_usec >= 1000000 || !timespec_valid(&ts))
			return -EINVAL;
		err = set_time_of_day(timespec_to_ns(&ts));
	} else if (!capable(CAP_SYS_TIME)) {
		err = -EPERM;
	}
	if (err || !tz)
		return err;
	if (zone.tz_minuteswest > MAX_MINUTES_WEST || zone.tz_minuteswest < -MAX_MINUTES_WEST)
		return -EINVAL;
	sys_tz = zone;
	return 0;
}

SYSCALL_DEFINE1(time, __kernel_old_time_t *, tloc)
{
	s64 seconds = (s64)(ktime_get_real() / NSEC_PER_SEC);

	if (tloc && copy_to_user(tloc, &seconds, sizeof(seconds)))
		return -EFAULT;
	return seconds;
}
