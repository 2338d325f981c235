/* Self-tests of the lockup detectors: each busy CPU has a check pending. */
#include "arch/cpu/irqflags.h"
#include "arch/cpu/percpu.h"
#include "selftest/selftest.h"
#include "kernel/time/timer.h"

/*
 * The test CPU may not have been idle since the boot: one CPU, and no other test before this one.
 */
SELFTEST(watchdog, a_busy_cpu_has_a_check_to_come)
{
	unsigned long flags;
	ktime_t now, next;

	local_irq_save(flags);
	now = ktime_get();
	next = cpu_event_due(CPU_EVENT_WATCHDOG, smp_processor_id());
	local_irq_restore(flags);
	EXPECT(next != KTIME_MAX);
	EXPECT(next <= now + 1500 * NSEC_PER_MSEC);
}
