/*
 * A guard for callbacks: a tracer that calls a traced function does not trace itself, but an
 * interrupt that interrupts a tracer is traced.
 *
 * One bit for each context on this CPU; preemption is off in callbacks. The entry code of an
 * interrupt is traced before preempt_count tells of the interrupt; there the bit of the interrupted
 * context is still set, so one level in transition is let through, as Linux does.
 */
#pragma once

#include "kernel/preempt.h"

enum trace_recursion {
	TRACE_RECURSION_NMI,
	TRACE_RECURSION_IRQ,
	TRACE_RECURSION_SOFTIRQ,
	TRACE_RECURSION_TASK,
	TRACE_RECURSION_TRANSITION,
	TRACE_RECURSION_BITS
};

/* Users that nest: the list of callbacks, and each callback by itself. */
DECLARE_PER_CPU(u32, trace_recursion);
#define TRACE_RECURSION_LIST_SHIFT 8

static __always_inline int __trace_recursion_trylock(unsigned shift)
{
	u32 count = preempt_count();
	unsigned bit = count & NMI_MASK         ? TRACE_RECURSION_NMI
		       : count & HARDIRQ_MASK   ? TRACE_RECURSION_IRQ
		       : count & SOFTIRQ_OFFSET ? TRACE_RECURSION_SOFTIRQ
						: TRACE_RECURSION_TASK;
	u32 held = this_cpu_read(trace_recursion) >> shift;

	if (unlikely(held & (1U << bit))) {
		bit = TRACE_RECURSION_TRANSITION;
		if (held & (1U << bit))
			return -1;
	}
	this_cpu_or(trace_recursion, 1U << (bit + shift));
	barrier();
	return (int)(bit + shift);
}

/* -1: this context is in a callback already; else a bit for ftrace_test_recursion_unlock().
 * Preemption off. */
static __always_inline int ftrace_test_recursion_trylock(unsigned long ip __unused,
							 unsigned long parent_ip __unused)
{
	return __trace_recursion_trylock(0);
}

static __always_inline void ftrace_test_recursion_unlock(int bit)
{
	barrier();
	this_cpu_and(trace_recursion, ~(1U << bit));
}
