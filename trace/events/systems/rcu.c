/* Makes the events of kernel/rcu/rcu_events.h. */
#define TRACE_EVENTS_HEADER "kernel/rcu/rcu_events.h"
#include "trace/events/define.h"
