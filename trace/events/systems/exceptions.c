/* Makes the events of arch/irq/exceptions_events.h. */
#define TRACE_EVENTS_HEADER "arch/irq/exceptions_events.h"
#include "trace/events/define.h"
