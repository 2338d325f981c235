/* Makes the events of arch/irq/nmi_events.h. */
#define TRACE_EVENTS_HEADER "arch/irq/nmi_events.h"
/* The print fmt is Linux's: %lld for an s64, which is a long in nop5. Both have 64 bits. */
#pragma GCC diagnostic ignored "-Wformat"
#include "trace/events/define.h"
