/* Limits for messages that programs can cause: counts, without a lock, since any context asks. */
#include "kernel/printk/ratelimit.h"

#include "kernel/atomic.h"
#include "kernel/time/ktime.h"

DEFINE_RATELIMIT_STATE(printk_ratelimit_state);

/*
 * One caller begins the new interval. Callers that ask at the same moment may be counted in either.
 */
static void next_interval(struct ratelimit_state *rs, const char *func, u64 begin, u64 now)
{
	unsigned missed;

	if (cmpxchg(&rs->begin, begin, now) != begin)
		return;
	WRITE_ONCE(rs->asked, 0);
	missed = xchg(&rs->missed, 0);
	if (missed)
		printk(KERN_WARNING "%s: %u callbacks suppressed\n", func, missed);
}

bool ___ratelimit(struct ratelimit_state *rs, const char *func)
{
	int interval = READ_ONCE(rs->interval), burst = READ_ONCE(rs->burst);
	u64 now = ktime_get(), begin = READ_ONCE(rs->begin);

	if (interval <= 0)
		return true;
	/* Another CPU may just have begun an interval later than now. */
	if (!begin || (s64)(now - begin) > (s64)interval * (s64)NSEC_PER_SEC)
		next_interval(rs, func, begin, now);
	if ((int)__atomic_fetch_add(&rs->asked, 1, __ATOMIC_RELAXED) < burst)
		return true;
	__atomic_fetch_add(&rs->missed, 1, __ATOMIC_RELAXED);
	return false;
}
