/*
 * What reports that interrupts and preemption go off and on: the events of system preemptirq, and
 * through their tracepoints (kernel/preemptirq_events.h) each tracer that measures how long they
 * are off.
 *
 * local_irq_disable(), preempt_disable() and the others, which spin_lock() and many functions
 * contain, are instructions that become calls while a tracepoint has a probe
 * (arch/irq/preemptirq.h). The few places where the CPU or a handler changes these states without
 * them call the functions below.
 */
#pragma once

#include "arch/unwind/stacktrace.h"
#include "kernel/jump_label.h"
#include "kernel/preempt.h"
#include "kernel/types.h"

/*
 * Report that interrupts or preemption are off now, or will be on at once. ip: the code that does
 * it; parent: its caller, or 0. Interrupts, respectively preemption, are off during the call. On
 * each CPU, interrupts are reported as on only if they were reported as off, and once.
 */
void trace_hardirqs_off(unsigned long ip, unsigned long parent);
void trace_hardirqs_on(unsigned long ip, unsigned long parent);
void trace_preempt_off(unsigned long ip, unsigned long parent);
void trace_preempt_on(unsigned long ip, unsigned long parent);

/* On while a tracepoint of that pair has probes. The sites are those of arch/irq/preemptirq.h. */
DECLARE_STATIC_KEY_FALSE(irq_sites_key);
DECLARE_STATIC_KEY_FALSE(preempt_sites_key);

/*
 * A tracer that measures how long preemption is off: called on this CPU before it halts, with true,
 * and when it is awake again, with false. The idle task never turns preemption on, so a halt would
 * count otherwise. NULL: no tracer measures. Set in task context, before the tracer's probes are
 * attached; cleared before they are taken away, because the grace period then is also the hook's.
 */
extern void (*critical_timings_hook)(bool stop);

static inline void critical_timings(bool stop)
{
	if (static_branch_unlikely(&preempt_sites_key)) {
		void (*hook)(bool stop) = READ_ONCE(critical_timings_hook);

		if (hook)
			hook(stop);
	}
}

/* For exceptions, interrupts and the halt. A nop while nobody asks. Interrupts off. */
#define report_irqs(state, ip, parent)                                                             \
	do {                                                                                       \
		if (static_branch_unlikely(&irq_sites_key))                                        \
			trace_hardirqs_##state((unsigned long)(ip), (unsigned long)(parent));      \
	} while (0)

/*
 * For the bits of the preempt count that interrupts and softirqs set: if `offset` is all that is
 * set, preemption has just gone off, or will be on at once.
 */
#define report_preempt(state, offset, function)                                                    \
	do {                                                                                       \
		if (static_branch_unlikely(&preempt_sites_key) && preempt_count() == (offset))     \
			trace_preempt_##state((unsigned long)(function), (unsigned long)_RET_IP_); \
	} while (0)
