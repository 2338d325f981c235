/* nanosleep(2) and clock_nanosleep(2). */
#include "kernel/posix_time/cpu_clock.h"

#include "arch/mm/uaccess.h"
#include "kernel/sched/sched.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/timekeeping.h"

/* 0, or -ERESTARTNOHAND: a signal. noinline because tools probe it by this name of Linux's. */
static noinline long do_nanosleep(struct deadline end)
{
	if (deadline_passed(end))
		return 0;
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (signal_pending(current)) {
			__set_current_state(TASK_RUNNING);
			return -ERESTARTNOHAND;
		}
		if (schedule_until(end))
			return 0;
	}
}

/* restart_block: time is the end, args the user address for the rest, and how it sleeps. */
static long sleep_restart(struct restart_block *restart)
{
	struct __kernel_timespec __user *rest = (void __user *)restart->args[0];
	struct deadline end = { .how = (u32)restart->args[1], .time = restart->time };
	long ret = do_nanosleep(end);
	u64 now;

	if (!ret)
		return 0;
	now = read_timer_clock(end.clock);
	if (rest && put_timespec(restart->time > now ? restart->time - now : 0, rest))
		return -EFAULT;
	return -ERESTART_RESTARTBLOCK;
}

/* Sleeps for ns. noinline because tools probe it by this name of Linux's. */
static noinline long hrtimer_nanosleep(clockid_t clock, u64 ns,
				       struct __kernel_timespec __user *rest)
{
	struct restart_block *restart = &current->restart_block;
	struct deadline end = make_deadline(clock, false, ns);

	*restart = (struct restart_block){
		.fn = sleep_restart,
		.time = end.time,
		.args = { (unsigned long)rest, end.how },
	};
	return sleep_restart(restart);
}

SYSCALL_DEFINE2(nanosleep, struct __kernel_timespec *, rqtp, struct __kernel_timespec *, rmtp)
{
	u64 ns;
	int err = get_timespec(&ns, rqtp);

	return err ? err : hrtimer_nanosleep(CLOCK_MONOTONIC, ns, rmtp);
}

/*
 * Sleeps until a CPU clock shows end. The time cannot come earlier than if all CPUs ran threads of
 * the process, so that is when it looks again. 0, or -ERESTARTNOHAND.
 */
static long cpu_sleep_until(const struct cpu_clock *clock, u64 end)
{
	for (;;) {
		u64 now = cpu_clock_read(clock);

		if (now >= end)
			return 0;
		set_current_state(TASK_INTERRUPTIBLE);
		if (signal_pending(current)) {
			__set_current_state(TASK_RUNNING);
			return -ERESTARTNOHAND;
		}
		schedule_timeout(
			max((end - now) / cpumask_weight(&cpu_online_mask), NSEC_PER_MSEC));
	}
}

/* restart_block: time is what the clock shows at the end, args the user address and the clock. */
static long cpu_sleep_restart(struct restart_block *restart)
{
	struct __kernel_timespec __user *rest = (void __user *)restart->args[0];
	struct cpu_clock clock;
	u64 now;
	long ret = get_cpu_clock((clockid_t)restart->args[1], false, &clock);

	if (ret)
		return ret;
	ret = cpu_sleep_until(&clock, restart->time);
	now = cpu_clock_read(&clock);
	put_cpu_clock(&clock);
	if (!ret)
		return 0;
	if (rest && put_timespec(restart->time > now ? restart->time - now : 0, rest))
		return -EFAULT;
	return -ERESTART_RESTARTBLOCK;
}

static long cpu_sleep(clockid_t number, bool absolute, const struct __kernel_timespec __user *time,
		      struct __kernel_timespec __user *rest)
{
	struct cpu_clock clock;
	long ret;
	u64 ns;

	ret = get_timespec(&ns, time);
	if (!ret)
		ret = get_cpu_clock(number, false, &clock);
	if (ret)
		return ret;
	if (clock.thread && clock.task == current)
		ret = -EINVAL; /* it would never come */
	else if (absolute)
		ret = cpu_sleep_until(&clock, ns);
	else
		ns += cpu_clock_read(&clock);
	put_cpu_clock(&clock);
	if (ret || absolute)
		return ret;
	current->restart_block = (struct restart_block){
		.fn = cpu_sleep_restart,
		.time = ns,
		.args = { (unsigned long)rest, (unsigned long)number },
	};
	return cpu_sleep_restart(&current->restart_block);
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
		if (which_clock < 0 || which_clock == CLOCK_PROCESS_CPUTIME_ID)
			return cpu_sleep(which_clock, flags & TIMER_ABSTIME, rqtp, rmtp);
		return clock_now(which_clock, &now) ? -EINVAL : -EOPNOTSUPP;
	}
	err = get_timespec(&ns, rqtp);
	if (err)
		return err;
	if (flags & TIMER_ABSTIME)
		return do_nanosleep(make_deadline(which_clock, true, ns));
	return hrtimer_nanosleep(which_clock, ns, rmtp);
}
