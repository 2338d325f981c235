/* Makes the events of kernel/sched/task_events.h. */
#define TRACE_EVENTS_HEADER "kernel/sched/task_events.h"
#include "trace/events/define.h"
