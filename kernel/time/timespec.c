/* Times from and to programs. */
#include "kernel/time/timespec.h"

#include "arch/mm/uaccess.h"
#include "kernel/errno.h"
#include "kernel/time/ktime.h"

u64 timespec_to_ns(const struct __kernel_timespec *ts)
{
	u64 ns;

	if (__builtin_mul_overflow((u64)ts->tv_sec, NSEC_PER_SEC, &ns) ||
	    __builtin_add_overflow(ns, (u64)ts->tv_nsec, &ns))
		return KTIME_MAX;
	return ns;
}

struct __kernel_timespec ns_to_timespec(u64 ns)
{
	return (struct __kernel_timespec){ (s64)(ns / NSEC_PER_SEC), (s64)(ns % NSEC_PER_SEC) };
}

int get_timespec(u64 *ns, const struct __kernel_timespec __user *uts)
{
	struct __kernel_timespec ts;

	if (copy_from_user(&ts, uts, sizeof(ts)))
		return -EFAULT;
	if (!timespec_valid(&ts))
		return -EINVAL;
	*ns = timespec_to_ns(&ts);
	return 0;
}

int put_timespec(u64 ns, struct __kernel_timespec __user *uts)
{
	struct __kernel_timespec ts = ns_to_timespec(ns);

	return copy_to_user(uts, &ts, sizeof(ts)) ? -EFAULT : 0;
}
