/* nanosleep(2) and clock_nanosleep(2). */
#include "kernel/posix_time/clock.h"

#include "arch/uaccess.h"
#include "kernel/sched/sched.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/ktime.h"

/* Sleeps until a ktime. 0, or -ERESTARTNOHAND: a signal. */
static long sleep_until(ktime_t end)
{
	for (;;) {
		ktime_t now = ktime_get();

		if (now >= end)
			return 0;
		set_current_state(TASK_INTERRUPTIBLE);
		if (signal_pending(current)) {
			__set_current_state(TASK_RUNNING);
			return -ERESTARTNOHAND;
		}
		schedule_timeout(end - now);
	}
}

/* restart_block: time is the ktime of the end, args[0] the user address for the rest. */
static long sleep_restart(struct restart_block *restart)
{
	struct __kernel_timespec __user *rest = (void __user *)restart->args[0];
	long ret = sleep_until(restart->time);
	ktime_t now = ktime_get();

	if (!ret)
		return 0;
	if (rest && put_timespec(restart->time > now ? restart->time - now : 0, rest))
		return -EFAULT;
	return -ERESTART_RESTARTBLOCK;
}

static long sleep_for(u64 ns, struct __kernel_timespec __user *rest)
{
	struct restart_block *restart = &current->restart_block;
	ktime_t now = ktime_get();

	*restart = (struct restart_block){
		.fn = sleep_restart,
		.time = ns < KTIME_MAX - now ? now + ns : KTIME_MAX - 1,
		.args = { (unsigned long)rest },
	};
	return sleep_restart(restart);
}

SYSCALL_DEFINE2(nanosleep, struct __kernel_timespec *, rqtp, struct __kernel_timespec *, rmtp)
{
	u64 ns;
	int err = get_timespec(&ns, rqtp);

	return err ? err : sleep_for(ns, rmtp);
}

SYSCALL_DEFINE4(clock_nanosleep, const clockid_t, which_clock, int, flags,
		const struct __kernel_timespec *, rqtp, struct __kernel_timespec *, rmtp)
{
	u64 ns, now;
	int err;

	switch (which_clock) {
	case CLOCK_REALTIME:
	case CLOCK_MONOTONIC:
	case CLOCK_BOOTTIME:
	case CLOCK_TAI:
	case CLOCK_REALTIME_ALARM:
	case CLOCK_BOOTTIME_ALARM:
		break;
	default:
		return clock_now(which_clock, &now) || which_clock == CLOCK_THREAD_CPUTIME_ID
			       ? -EINVAL
			       : -EOPNOTSUPP;
	}
	err = get_timespec(&ns, rqtp);
	if (err)
		return err;
	if (flags & TIMER_ABSTIME)
		return sleep_until(clock_to_ktime(which_clock, ns));
	return sleep_for(ns, rmtp);
}
