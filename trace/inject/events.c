/* Makes the event of trace/inject/inject_events.h. */
#define TRACE_EVENTS_HEADER "trace/inject/inject_events.h"
#include "trace/events/define.h"
