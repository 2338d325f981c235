/* The time-stamp counter and ktime. */
#pragma once

#include "kernel/time/ktime.h"

/* The TSC's value at a ktime, at least 1. Any context. */
u64 tsc_at(ktime_t time);
/* Boot, some time after time_init(), interrupts off: measures the TSC more exactly. */
void time_refine(void);
