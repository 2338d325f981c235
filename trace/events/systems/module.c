/* Makes the events of kernel/module/module_events.h. */
#define TRACE_EVENTS_HEADER "kernel/module/module_events.h"
#include "trace/events/define.h"
