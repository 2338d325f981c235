/* Makes the events of kernel/time/timer_events.h. */
#define TRACE_EVENTS_HEADER "kernel/time/timer_events.h"
#include "trace/events/define.h"
