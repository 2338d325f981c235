/* Makes the events of arch/exceptions_events.h. */
#define TRACE_EVENTS_HEADER "arch/exceptions_events.h"
#include "trace/events/define.h"
