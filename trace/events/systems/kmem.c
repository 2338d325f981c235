/* Makes the events of kernel/mm/kmem_events.h. */
#define TRACE_EVENTS_HEADER "kernel/mm/kmem_events.h"
#include "trace/events/define.h"
