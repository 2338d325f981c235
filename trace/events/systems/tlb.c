/* Makes the events of arch/tlb_events.h. */
#define TRACE_EVENTS_HEADER "arch/tlb_events.h"
#include "trace/events/define.h"
