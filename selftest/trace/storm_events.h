/* The events of the storm: each counting task (storm_events.c) has one, which only it fires. */
#if !defined(STORM_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define STORM_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM storm

#include "kernel/tracepoint.h"

/* clang-format off */

DECLARE_EVENT_CLASS(storm_class,
	TP_PROTO(unsigned int number, const char *text),
	TP_ARGS(number, text),
	TP_STRUCT__entry(
		__field(unsigned int, number)
		__string(text, text)
	),
	TP_fast_assign(
		__entry->number = number;
		__assign_str(text, text);
	),
	TP_printk("%u %s", __entry->number, __get_str(text))
);

DEFINE_EVENT(storm_class, storm_0,
	TP_PROTO(unsigned int number, const char *text),
	TP_ARGS(number, text)
);

DEFINE_EVENT(storm_class, storm_1,
	TP_PROTO(unsigned int number, const char *text),
	TP_ARGS(number, text)
);

/* clang-format on */
#endif
