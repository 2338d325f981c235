/* Makes the events of kernel/ipi_events.h. */
#define TRACE_EVENTS_HEADER "kernel/ipi_events.h"
#include "trace/events/define.h"
