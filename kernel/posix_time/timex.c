/* adjtimex(2): the system calls that adjust the time of day. */
#include "arch/user/uaccess.h"
#include "kernel/posix_time/clock.h"
#include "kernel/posix_time/cpu_clock.h"
#include "kernel/process/capability.h"
#include "kernel/process/cred.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/init.h"
#include "kernel/time/timekeeping.h"
#include "kernel/workqueue/workqueue.h"

#define MIN_TICK (900000 / 100) /* us: 10 % less and more than a hundredth of a second */
#define MAX_TICK (1100000 / 100)
#define MAX_FREQ (INT64_MAX / 65536000) /* what the unit of the state can hold */

/* The modes of adjtime(3). */
static int check_singleshot(const struct __kernel_timex *txc)
{
	if (!(txc->modes & ADJ_SINGLESHOT))
		return -EINVAL;
	return txc->modes & ADJ_OFFSET_READONLY || capable(CAP_SYS_TIME) ? 0 : -EPERM;
}

static int check_modes(const struct __kernel_timex *txc)
{
	if (txc->modes && !capable(CAP_SYS_TIME))
		return -EPERM;
	if ((txc->modes & ADJ_TICK) && (txc->tick < MIN_TICK || txc->tick > MAX_TICK))
		return -EINVAL;
	return 0;
}

static int check_timex(const struct __kernel_timex *txc)
{
	s64 second = txc->modes & ADJ_NANO ? 1000000000 : 1000000;
	int err = txc->modes & ADJ_ADJTIME ? check_singleshot(txc) : check_modes(txc);

	if (err)
		return err;
	if (txc->modes & ADJ_SETOFFSET) {
		if (!capable(CAP_SYS_TIME))
			return -EPERM;
		if (txc->time.tv_usec < 0 || txc->time.tv_usec >= second)
			return -EINVAL;
	}
	if ((txc->modes & ADJ_FREQUENCY) && (txc->freq > MAX_FREQ || txc->freq < -MAX_FREQ))
		return -EINVAL;
	return 0;
}

static int adjust_clock(struct __kernel_timex *txc)
{
	int err = check_timex(txc);

	return err ? err : do_adjtimex(txc);
}

/* Restricted: CLOCK_MONOTONIC keeps its rate, CLOCK_REALTIME and CLOCK_TAI alone are adjusted. */
SYSCALL_DEFINE1(adjtimex, struct __kernel_timex *, txc_p)
{
	struct __kernel_timex txc;
	int state;

	if (copy_from_user(&txc, txc_p, sizeof(txc)))
		return -EFAULT;
	state = adjust_clock(&txc);
	return copy_to_user(txc_p, &txc, sizeof(txc)) ? -EFAULT : state;
}

/* Restricted: as adjtimex. */
SYSCALL_DEFINE2(clock_adjtime, const clockid_t, which_clock, struct __kernel_timex *, utx)
{
	struct __kernel_timex txc;
	int state;
	u64 ns;

	if (copy_from_user(&txc, utx, sizeof(txc)))
		return -EFAULT;
	if (which_clock != CLOCK_REALTIME)
		return which_clock < 0 || !clock_now(which_clock, &ns) ? -EOPNOTSUPP : -EINVAL;
	state = adjust_clock(&txc);
	return state >= 0 && copy_to_user(utx, &txc, sizeof(txc)) ? -EFAULT : state;
}

static void clock_changed(struct work_struct *work __unused)
{
	timekeeping_changed();
}

static DECLARE_WORK(clock_changed_work, clock_changed);

/* clock_changes_hook. */
static void queue_clock_changed(void)
{
	schedule_work_unbound(&clock_changed_work);
}

static int __init timex_init(void)
{
	clock_changes_hook = queue_clock_changed;
	return 0;
}
core_initcall(timex_init);
