/* Makes the events of kernel/preemptirq_events.h. */

/*
 * Each pair of tracepoints needs all sites of its kind, which are no sites of the tracepoint. Known
 * from the start: the command line may switch the events on before any initcall.
 */
#define TRACEPOINT_SITES(name) (&SITES_##name.key)
#define SITES_irq_disable      irq_sites_key
#define SITES_irq_enable       irq_sites_key
#define SITES_preempt_disable  preempt_sites_key
#define SITES_preempt_enable   preempt_sites_key

#define TRACE_EVENTS_HEADER "kernel/preemptirq_events.h"
#include "trace/events/define.h"
