/* Makes the events of arch/nmi_events.h. */
#define TRACE_EVENTS_HEADER "arch/nmi_events.h"
/* The print fmt is Linux's: %lld for an s64, which is a long in nop5. Both have 64 bits. */
#pragma GCC diagnostic ignored "-Wformat"
#include "trace/events/define.h"
