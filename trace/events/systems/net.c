/* Makes the events of net/core/net_events.h. */
#define TRACE_EVENTS_HEADER "net/core/net_events.h"
#include "trace/events/define.h"
