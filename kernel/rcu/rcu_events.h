/* The events of RCU. Their texts are constant: tracepoint_string() lists them in printk_formats. */
#if !defined(RCU_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define RCU_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rcu

#include "kernel/tracepoint.h"

/* clang-format off */

/* RCU begins or ends to work: it calls the callbacks of a grace period. */
TRACE_EVENT(rcu_utilization,
	TP_PROTO(const char *s),
	TP_ARGS(s),
	TP_STRUCT__entry(
		__field(const char *, s)
	),
	TP_fast_assign(
		__entry->s = s;
	),
	TP_printk("%s", __entry->s)
);

/* A grace period takes too long. */
TRACE_EVENT(rcu_stall_warning,
	TP_PROTO(const char *rcuname, const char *msg),
	TP_ARGS(rcuname, msg),
	TP_STRUCT__entry(
		__field(const char *, rcuname)
		__field(const char *, msg)
	),
	TP_fast_assign(
		__entry->rcuname = rcuname;
		__entry->msg = msg;
	),
	TP_printk("%s %s", __entry->rcuname, __entry->msg)
);

/* clang-format on */
#endif
