/* Makes the events of kernel/signal/signal_events.h. */
#define TRACE_EVENTS_HEADER "kernel/signal/signal_events.h"
#include "trace/events/define.h"
