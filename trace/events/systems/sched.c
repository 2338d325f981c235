/* Makes the events of kernel/sched/sched_events.h. */
#define TRACE_EVENTS_HEADER "kernel/sched/sched_events.h"
#include "trace/events/define.h"
