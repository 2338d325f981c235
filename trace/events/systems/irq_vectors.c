/* Makes the events of arch/irq/irq_vectors_events.h. */
#define TRACE_EVENTS_HEADER "arch/irq/irq_vectors_events.h"
#include "trace/events/define.h"
