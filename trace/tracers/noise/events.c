/* Makes the events of osnoise_events.h. */
#define TRACE_EVENTS_HEADER "trace/tracers/noise/osnoise_events.h"
#include "kernel/irq/softirq.h"
/* The print fmt is Linux's: %09u for a u64, which is less than 1,000,000,000. */
#pragma GCC diagnostic ignored "-Wformat"
#include "trace/events/define.h"
