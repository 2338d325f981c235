/* Makes the events of arch/cpu/msr_events.h. */
#define TRACE_EVENTS_HEADER "arch/cpu/msr_events.h"
/* The print fmt is Linux's: %llx for a u64, which is a long in nop5. Both have 64 bits. */
#pragma GCC diagnostic ignored "-Wformat"
#include "trace/events/define.h"
