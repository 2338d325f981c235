/* Makes the events of kernel/syscalls/raw_syscalls_events.h. */
#define TRACE_EVENTS_HEADER "kernel/syscalls/raw_syscalls_events.h"
#include "trace/events/define.h"
