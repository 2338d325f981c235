/* Makes the events of arch/mm/tlb_events.h. */
#define TRACE_EVENTS_HEADER "arch/mm/tlb_events.h"
#include "trace/events/define.h"
