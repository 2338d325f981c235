/* Time: nanoseconds since boot from the TSC, and the one-shot event of this CPU. */
#pragma once

#include "kernel/compiler.h"

#define NSEC_PER_SEC  1000000000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_USEC 1000ULL

/* Nanoseconds since the kernel began; monotonic on each CPU. Any context. */
ktime_t ktime_get(void);
extern u32 tsc_khz;
/* Boot: find the TSC's frequency (CPUID 15h/16h, else HPET, else PIT; Intel SDM 3B 18.7.3). */
void time_init(void);
/* Spin. Any context. */
void ndelay(u64 ns);
void udelay(u64 us);

/*
 * How long the caller itself has run: time in which the host, an interrupt or another task had the
 * CPU is left out, as far as that can be seen between two calls. For waits that must not give up
 * because the waiter was stopped. Call running_time_elapsed() (ns) all the time while waiting. Any
 * context.
 */
struct running_time {
	ktime_t last;
	u64 elapsed;
};
void running_time_start(struct running_time *time);
u64 running_time_elapsed(struct running_time *time);

/*
 * Arm this CPU's local APIC timer to fire at an absolute ktime (soon, if that is past); KTIME_MAX
 * disarms. Interrupts off.
 */
#define KTIME_MAX (~0ULL)
void clockevents_program_event(ktime_t expires);
