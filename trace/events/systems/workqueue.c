/* Makes the events of kernel/workqueue/workqueue_events.h. */
#define TRACE_EVENTS_HEADER "kernel/workqueue/workqueue_events.h"
#include "trace/events/define.h"
