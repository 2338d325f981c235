/* Makes the events of kernel/preemptirq_events.h. */
#define TRACE_EVENTS_HEADER "kernel/preemptirq_events.h"
#include "trace/events/define.h"
