/* Makes the classes of trace/rv/rv_events.h, for the events that RV_MONITOR() defines. */
#define TRACE_EVENTS_HEADER "trace/rv/rv_events.h"
#include "trace/events/define.h"

#include "trace/rv/rv.h"

/* define.h makes static functions. The events, which lie in other files, know these names. */
#define RV_EVENT_CLASS(class)                                                                      \
	extern __typeof__(trace_event_fields_##class) rv_fields_##class __attribute__((            \
		alias("trace_event_fields_" #class)));                                             \
	extern __typeof__(trace_event_print_##class) rv_print_##class __attribute__((              \
		alias("trace_event_print_" #class)));                                              \
	extern __typeof__(trace_event_print_fmt_##class) rv_print_fmt_##class __attribute__((      \
		alias("trace_event_print_fmt_" #class)));                                          \
	extern __typeof__(trace_event_record_##class) rv_record_##class __attribute__((            \
		alias("trace_event_record_" #class)))

RV_EVENT_CLASS(event_da_monitor);
RV_EVENT_CLASS(error_da_monitor);
RV_EVENT_CLASS(event_da_monitor_id);
RV_EVENT_CLASS(error_da_monitor_id);
