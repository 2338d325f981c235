/* The machine's clock. x86_64: the time-stamp counter. */
#pragma once

#include "arch/cpu/special_insns.h"
#include "kernel/types.h"

/* The counter behind the clock, in ticks of its own. Any context. */
static __always_inline u64 arch_cycles(void)
{
	return rdtsc();
}

/*
 * ns = (rdtsc - tsc_base) * tsc_ns_mult >> 32. Before time_init(), tsc_ns_mult is 0, and so is the
 * time. time_init() and time_refine() set both, while only the boot CPU runs and its interrupts are
 * off. They call nothing between the two stores, so a tracer never reads a mixture; an NMI could.
 */
extern u64 tsc_ns_mult, tsc_base;

/* ktime_get() for tracers: inline, so that it cannot be traced. Any context. */
static __always_inline ktime_t arch_ktime(void)
{
	u64 ns;

	/*
	 * Assembly, because C makes gcc do more: with unsigned __int128 it saves two registers in
	 * each caller; with one asm for each step it moves each result to another register and
	 * back.
	 */
	__asm__ __volatile__("rdtsc; shlq $32, %%rdx; orq %%rdx, %0\n\t"
			     "subq %1, %0; mulq %2; shrdq $32, %%rdx, %0"
			     : "=a"(ns)
			     : "m"(tsc_base), "m"(tsc_ns_mult)
			     : "rdx", "cc");
	return ns;
}

/*
 * ktime_get() for a program that reads the TSC: ns = zero + (tsc * mult >> shift), with the product
 * in more than 64 bits. May differ by 1 ns; and with a TSC of less than 1 GHz it drifts by at most
 * 1 ns in 2 s from the call on. Any context, after time_refine().
 */
void tsc_conversion(u32 *mult, u16 *shift, u64 *zero);
