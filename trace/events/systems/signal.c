/* Makes the events of kernel/sched/signal_events.h. */
#define TRACE_EVENTS_HEADER "kernel/sched/signal_events.h"
#include "trace/events/define.h"
