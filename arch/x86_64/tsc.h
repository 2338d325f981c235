/* The time-stamp counter as the kernel's clock. */
#pragma once

#include "arch/processor.h"
#include "kernel/time/ktime.h"

/* ns = (rdtsc - tsc_base) * tsc_ns_mult >> 32; 0 until the frequency is known: time stands at 0.
 * Set once, at boot. */
extern u64 tsc_ns_mult, tsc_base;

/* ktime_get() for tracers: inline, so that there is nothing to trace. Any context. */
static __always_inline ktime_t tsc_ktime(void)
{
	return (u64)(((unsigned __int128)(rdtsc() - tsc_base) * tsc_ns_mult) >> 32);
}

/* The TSC's value at a ktime, at least 1. Any context. */
u64 tsc_at(ktime_t time);
