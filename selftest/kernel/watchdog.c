/* Self-tests of the lockup detectors: that they are on their way wherever something runs. */
#include "kernel/watchdog.h"

#include "arch/irqflags.h"
#include "selftest/selftest.h"
#include "kernel/time/ktime.h"

/* Also if it has not been idle since the boot, as a machine of one CPU has not when this runs
 * alone. */
SELFTEST(watchdog, a_busy_cpu_has_a_check_to_come)
{
	unsigned long flags;
	ktime_t now, next;

	local_irq_save(flags);
	now = ktime_get();
	next = watchdog_next();
	local_irq_restore(flags);
	EXPECT(next != KTIME_MAX);
	EXPECT(next <= now + 1500 * NSEC_PER_MSEC);
}
