/* Makes the event of trace/bpf/helpers/bpf_trace_events.h. */
#define TRACE_EVENTS_HEADER "trace/bpf/helpers/bpf_trace_events.h"
#include "trace/events/define.h"
