/* Makes the events of kernel/initcall_events.h. */
#define TRACE_EVENTS_HEADER "kernel/initcall_events.h"
#include "trace/events/define.h"
