/* The time-stamp counter and ktime. */
#pragma once

#include "kernel/time/ktime.h"

/* The TSC's value at a ktime, at least 1. Any context. */
u64 tsc_at(ktime_t time);
/*
 * ktime_get() for a program that reads the TSC: ns = zero + (tsc * mult >> shift), with the product
 * in more than 64 bits. May differ by 1 ns; and with a TSC of less than 1 GHz it drifts by at most
 * 1 ns in 2 s from the call on. Any context, after time_refine().
 */
void tsc_conversion(u32 *mult, u16 *shift, u64 *zero);
/* Boot, some time after time_init(), interrupts off: measures the TSC more exactly. */
void time_refine(void);
