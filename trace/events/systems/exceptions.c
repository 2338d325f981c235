/* Makes the events of arch/irq/exceptions_events.h. */
#include "arch/irq/page_fault.h"

/* The two share the site of the page fault with its hook. */
#define TRACEPOINT_SITES(name) (&page_fault_key.key)

#define TRACE_EVENTS_HEADER "arch/irq/exceptions_events.h"
#include "trace/events/define.h"
