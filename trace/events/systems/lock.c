/* Makes the events of kernel/locking/lock_events.h. */
#define TRACE_EVENTS_HEADER "kernel/locking/lock_events.h"
#include "trace/events/define.h"
