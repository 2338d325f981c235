/* Makes the events of kernel/irq/irq_events.h. */
#define TRACE_EVENTS_HEADER "kernel/irq/irq_events.h"
#include "trace/events/define.h"
