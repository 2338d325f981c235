/*
 * A guard against recursion of callbacks. A tracer that calls a traced function does not trace
 * itself, but an interrupt that interrupts a tracer is traced.
 *
 * A task has one bit for each context. An interrupt sets its own bit and clears it before the task
 * continues. A task that is preempted in a callback keeps its bits. So the bits need no atomic
 * operation, and preemption may stay on.
 *
 * The entry code of an interrupt is traced before preempt_count counts the interrupt. At that time
 * the bit of the interrupted context may still be set. So one call in transition is allowed, as in
 * Linux.
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

/* The bits of ftrace's own guard, by this shift above the bits of the callbacks' guards. */
#define TRACE_RECURSION_LIST_SHIFT 8

/* Not a guard: counts the entryfuncs of this task around which fgraph has turned preemption off. */
#define TRACE_RECURSION_GRAPH_SHIFT 16
#define TRACE_RECURSION_GRAPH       (1U << TRACE_RECURSION_GRAPH_SHIFT)

/*
 * Returns how many times tracing itself, not a callback, has turned preemption off in a task with
 * these bits: once for each guard, and the count of fgraph. The fast paths of fgraph do not count;
 * trace/ftrace/oops.c finds them on the stack.
 */
static inline unsigned trace_recursion_preempt_count(u32 bits)
{
	unsigned count = bits >> TRACE_RECURSION_GRAPH_SHIFT;

	for (u32 guards = bits & (TRACE_RECURSION_GRAPH - 1); guards; guards &= guards - 1)
		count++;
	return count;
}

/* Sets this context's bit, shifted, and returns it; 0 if the bit is set already. */
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
	current->trace_recursion -= (u32)bit; /* the bit is set, so this clears it */
}

/*
 * Returns -1 if this context is in a callback already; else a value for
 * ftrace_test_recursion_unlock(), and preemption is off until then. Any context.
 */
static __always_inline int ftrace_test_recursion_trylock(unsigned long ip __unused,
							 unsigned long parent_ip __unused)
{
	int bit;

	preempt_disable_notrace();
	bit = __trace_recursion_trylock(0);
	if (likely(bit))
		return bit;
	preempt_enable_notrace();
	return -1;
}

static __always_inline void ftrace_test_recursion_unlock(int bit)
{
	__trace_recursion_unlock(bit);
	preempt_enable_notrace();
}
