/* The time-stamp counter and ktime. */
#pragma once

#include "kernel/time/ktime.h"

/*
 * A later time counts as this one, 36 years after the boot: the TSC would not fit in 64 bits. A
 * TSC of up to 8 GHz fits, even if it began at half of its range.
 */
#define TSC_AT_MAX (1UL << 60)
/* The TSC's value at a ktime, at least 1. Any context. */
u64 tsc_at(ktime_t time);
/* Boot, some time after time_init(), interrupts off: measures the TSC more exactly. */
void time_refine(void);
