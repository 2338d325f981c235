/* Time: nanoseconds since boot from the TSC, and the one-shot event of this CPU. */
#pragma once

#include "kernel/compiler.h"

#define NSEC_PER_SEC  1000000000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_USEC 1000ULL

/* Nanoseconds since the start of the kernel. Monotonic on each CPU. Any context. */
ktime_t ktime_get(void);
extern u32 tsc_khz;
/* Boot: finds the TSC's frequency (CPUID 15h/16h, else HPET, else PIT; Intel SDM 3B 18.7.3). */
void time_init(void);
/* Spins for that time. Any context. */
void udelay(u64 us);

/*
 * The time that the caller itself has run, in ns. It excludes the time in which the host, an
 * interrupt or another task used the CPU, as far as a gap between two calls shows that. For waits
 * with a time-out, which must not give up because the waiter was stopped. The waiter must call
 * running_time_elapsed() continuously. Any context.
 */
struct running_time {
	ktime_t last;
	u64 elapsed;
};
void running_time_start(struct running_time *time);
u64 running_time_elapsed(struct running_time *time);

/*
 * Programs the local APIC timer of this CPU to interrupt at an absolute ktime, or soon if that is
 * in the past. KTIME_MAX: never. Interrupts off.
 */
#define KTIME_MAX (~0ULL)
void clockevents_program_event(ktime_t expires);
