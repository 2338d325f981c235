/* The event of NMIs. Name, fields and text are Linux's (events/nmi/). */
#if !defined(NMI_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define NMI_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM nmi

#include "kernel/tracepoint.h"

/* clang-format off */

/* A handler has returned: how long it took, and whether the NMI was for it. NMI context. */
TRACE_EVENT(nmi_handler,
	TP_PROTO(void *handler, s64 delta_ns, int handled),
	TP_ARGS(handler, delta_ns, handled),
	TP_STRUCT__entry(
		__field(void *, handler)
		__field(s64, delta_ns)
		__field(int, handled)
	),
	TP_fast_assign(
		__entry->handler = handler;
		__entry->delta_ns = delta_ns;
		__entry->handled = handled;
	),
	TP_printk("%ps() delta_ns: %lld handled: %d", __entry->handler, __entry->delta_ns,
		  __entry->handled)
);

/* clang-format on */
#endif
