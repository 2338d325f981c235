/* Self-tests of the time that a program computes from the TSC. */
#include "arch/time/clock.h"

#include "arch/cpu/irqflags.h"
#include "arch/cpu/special_insns.h"
#include "arch/time/tsc.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"
#include "selftest/selftest.h"

/* As perf_event_open(2) says: without a product of more than 64 bits. */
static u64 program_time(u64 tsc, u32 mult, u16 shift, u64 zero)
{
	u64 quotient = tsc >> shift, rest = tsc & ((1UL << shift) - 1);

	return zero + quotient * mult + ((rest * mult) >> shift);
}

SELFTEST(tsc, program_computes_the_time_of_the_kernel)
{
	u32 mult;
	u16 shift;
	u64 zero;

	ktime_t start = ktime_get();

	tsc_conversion(&mult, &shift, &zero);
	for (unsigned i = 0; i < 20; i++) {
		ktime_t before, after;
		unsigned long flags;
		u64 time, error;

		local_irq_save(flags);
		before = ktime_get();
		time = program_time(rdtsc(), mult, shift, zero);
		after = ktime_get();
		local_irq_restore(flags);
		error = 2 + (after - start) / (2 * NSEC_PER_SEC);
		EXPECT(time + error >= before && time <= after + error);
		msleep(1);
	}
}

/* A timer may be set for any time: a quotient that does not fit would be a #DE in the kernel. */
SELFTEST(tsc, is_far_away_at_a_time_that_does_not_fit)
{
	u64 now = rdtsc(), last = now;

	for (unsigned bit = 50; bit < 64; bit++) {
		u64 tsc = tsc_at(1UL << bit);

		EXPECT(tsc >= last);
		last = tsc;
	}
	EXPECT(tsc_at(KTIME_MAX - 1) == last);
	EXPECT(last - now > 1UL << 59);
}
