/*
 * What the sites report at which interrupts and preemption go off and on (arch/irq/preemptirq.h).
 *
 * The sites of interrupts have one static key, those of preemption another. A key is on while one
 * of its two tracepoints has a probe (trace/events/systems/preemptirq.c): to know when interrupts
 * go on, one must know when they went off.
 *
 * A report cannot lead to another one of its kind, so there is no guard against recursion.
 * Interrupts are off during a report of interrupts, and a site is silent if they are off already.
 * The preempt count is not 0 during a report of preemption, and a site is silent unless it brings
 * the count from 0 or to 0. Tracing uses the raw_ and _notrace forms, which are not sites, so that
 * its own work does not show.
 */
#include "kernel/preemptirq.h"

#include "kernel/export.h"
#include "kernel/preemptirq_events.h"

DEFINE_STATIC_KEY_FALSE(irq_sites_key);
EXPORT_SYMBOL_GPL(irq_sites_key);
DEFINE_STATIC_KEY_FALSE(preempt_sites_key);
EXPORT_SYMBOL_GPL(preempt_sites_key);

void (*critical_timings_hook)(bool stop);
static DEFINE_PER_CPU(bool, irqs_reported_off); /* this CPU, interrupts off */

notrace /* called by instructions that tracing is about */
void trace_hardirqs_off(unsigned long ip, unsigned long parent)
{
	this_cpu_write(irqs_reported_off, true);
	if (!in_nmi())
		trace_irq_disable(ip, parent);
}

notrace /* as trace_hardirqs_off() */
void trace_hardirqs_on(unsigned long ip, unsigned long parent)
{
	if (!this_cpu_read(irqs_reported_off))
		return;
	if (!in_nmi())
		trace_irq_enable(ip, parent);
	this_cpu_write(irqs_reported_off, false);
}

notrace /* as trace_hardirqs_off() */
void trace_preempt_off(unsigned long ip, unsigned long parent)
{
	trace_preempt_disable(ip, parent);
}

notrace /* as trace_hardirqs_off() */
void trace_preempt_on(unsigned long ip, unsigned long parent)
{
	trace_preempt_enable(ip, parent);
}
