/*
 * A guard for callbacks: a tracer that calls a traced function does not trace itself, but an
 * interrupt that interrupts a tracer is traced.
 *
 * One bit for each context, in the task: what interrupts it, on its CPU, takes its own bit and
 * gives it back before the task goes on, and a task that is preempted in a callback takes its bits
 * along. So they need no atomic operation and no preemption off. The entry code of an interrupt is
 * traced before preempt_count tells of the interrupt; there the bit of the interrupted context is
 * still set, so one level in transition is let through, as Linux does.
 */
#pragma once

#include "kernel/preempt.h"
#include "kernel/sched/sched.h"

/* Bits of task_struct.trace_recursion. */
#define TRACE_RECURSION_NMI        0x01
#define TRACE_RECURSION_IRQ        0x02
#define TRACE_RECURSION_SOFTIRQ    0x04
#define TRACE_RECURSION_TASK       0x08
#define TRACE_RECURSION_TRANSITION 0x10
#define TRACE_RECURSION_BITS       5

/* Users that nest: what ftrace calls callbacks through, and each callback by itself. */
#define TRACE_RECURSION_LIST_SHIFT 8

/* Not a guard: how many times fgraph keeps preemption off around an entryfunc in this task. */
#define TRACE_RECURSION_GRAPH_SHIFT 16
#define TRACE_RECURSION_GRAPH       (1U << TRACE_RECURSION_GRAPH_SHIFT)

/*
 * How many preempt_disable()s of tracing itself, not of a callback, a task with these bits is in:
 * one for each guard that it has taken, and those of fgraph. The fast ways of fgraph count nothing,
 * and are seen on the stack (trace/ftrace/oops.c).
 */
static inline unsigned trace_recursion_preempt_count(u32 bits)
{
	unsigned count = bits >> TRACE_RECURSION_GRAPH_SHIFT;

	for (u32 guards = bits & (TRACE_RECURSION_GRAPH - 1); guards; guards &= guards - 1)
		count++;
	return count;
}

/* The bit is taken, shifted so far, or 0 if this context has it already. */
static __always_inline int __trace_recursion_trylock(unsigned shift)
{
	struct task_struct *task = current;
	u32 count = preempt_count(), held = READ_ONCE(task->trace_recursion);
	u32 bit = TRACE_RECURSION_TASK << shift;

	if (unlikely(count & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)))
		bit = (count & NMI_MASK       ? TRACE_RECURSION_NMI
		       : count & HARDIRQ_MASK ? TRACE_RECURSION_IRQ
					      : TRACE_RECURSION_SOFTIRQ)
		      << shift;
	if (unlikely(held & bit)) {
		bit = TRACE_RECURSION_TRANSITION << shift;
		if (held & bit)
			return 0;
	}
	WRITE_ONCE(task->trace_recursion, held | bit);
	barrier();
	return (int)bit;
}

static __always_inline void __trace_recursion_unlock(int bit)
{
	barrier();
	current->trace_recursion -= (u32)bit; /* it is set */
}

/*
 * -1: this context is in a callback already; else what ftrace_test_recursion_unlock() wants.
 * Preemption is off in between. Any context.
 */
static __always_inline int ftrace_test_recursion_trylock(unsigned long ip __unused,
							 unsigned long parent_ip __unused)
{
	int bit;

	preempt_disable();
	bit = __trace_recursion_trylock(0);
	if (likely(bit))
		return bit;
	preempt_enable();
	return -1;
}

static __always_inline void ftrace_test_recursion_unlock(int bit)
{
	__trace_recursion_unlock(bit);
	preempt_enable();
}
