/* Makes the events of kernel/printk/printk_events.h. */
#define TRACE_EVENTS_HEADER "kernel/printk/printk_events.h"
#include "trace/events/define.h"
