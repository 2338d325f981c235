/*
 * The classes of the events of monitors, with the names, fields and texts of Linux. Each monitor
 * has an event for transitions, event_NAME, and one for errors, error_NAME. RV_MONITOR() defines
 * them. Those of monitors of tasks have a PID in front.
 *
 * The texts are names of the automaton: constant.
 */
#if !defined(RV_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define RV_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rv

#include "kernel/tracepoint.h"

/* clang-format off */

DECLARE_EVENT_CLASS(event_da_monitor,
	TP_PROTO(const char *state, const char *event, const char *next_state, bool final_state),
	TP_ARGS(state, event, next_state, final_state),
	TP_STRUCT__entry(
		__string(state, state)
		__string(event, event)
		__string(next_state, next_state)
		__field(bool, final_state)
	),
	TP_fast_assign(
		__assign_str(state, state);
		__assign_str(event, event);
		__assign_str(next_state, next_state);
		__entry->final_state = final_state;
	),
	TP_printk("%s x %s -> %s%s",
		__get_str(state),
		__get_str(event),
		__get_str(next_state),
		__entry->final_state ? " (final)" : "")
);

DECLARE_EVENT_CLASS(error_da_monitor,
	TP_PROTO(const char *state, const char *event),
	TP_ARGS(state, event),
	TP_STRUCT__entry(
		__string(state, state)
		__string(event, event)
	),
	TP_fast_assign(
		__assign_str(state, state);
		__assign_str(event, event);
	),
	TP_printk("event %s not expected in the state %s",
		__get_str(event),
		__get_str(state))
);

DECLARE_EVENT_CLASS(event_da_monitor_id,
	TP_PROTO(int id, const char *state, const char *event, const char *next_state,
		 bool final_state),
	TP_ARGS(id, state, event, next_state, final_state),
	TP_STRUCT__entry(
		__field(int, id)
		__string(state, state)
		__string(event, event)
		__string(next_state, next_state)
		__field(bool, final_state)
	),
	TP_fast_assign(
		__assign_str(state, state);
		__assign_str(event, event);
		__assign_str(next_state, next_state);
		__entry->id = id;
		__entry->final_state = final_state;
	),
	TP_printk("%d: %s x %s -> %s%s",
		__entry->id,
		__get_str(state),
		__get_str(event),
		__get_str(next_state),
		__entry->final_state ? " (final)" : "")
);

DECLARE_EVENT_CLASS(error_da_monitor_id,
	TP_PROTO(int id, const char *state, const char *event),
	TP_ARGS(id, state, event),
	TP_STRUCT__entry(
		__field(int, id)
		__string(state, state)
		__string(event, event)
	),
	TP_fast_assign(
		__assign_str(state, state);
		__assign_str(event, event);
		__entry->id = id;
	),
	TP_printk("%d: event %s not expected in the state %s",
		__entry->id,
		__get_str(event),
		__get_str(state))
);

/* clang-format on */
#endif
