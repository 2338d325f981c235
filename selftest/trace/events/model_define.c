/* Makes the event of model_events.h. */
#define TRACE_EVENTS_HEADER "selftest/trace/events/model_events.h"
#include "trace/events/define.h"
