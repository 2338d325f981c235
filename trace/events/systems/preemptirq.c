/* Makes the events of kernel/preemptirq_events.h. */
#define TRACE_EVENTS_HEADER "kernel/preemptirq_events.h"
#include "trace/events/define.h"

#include "kernel/init.h"
#include "kernel/preemptirq.h"

/* Each pair of tracepoints needs all sites of its kind, which are no sites of the tracepoint. */
static int __init preemptirq_init(void)
{
	__tracepoint_irq_disable.sites = &irq_sites_key.key;
	__tracepoint_irq_enable.sites = &irq_sites_key.key;
	__tracepoint_preempt_disable.sites = &preempt_sites_key.key;
	__tracepoint_preempt_enable.sites = &preempt_sites_key.key;
	return 0;
}
early_initcall(preemptirq_init);
