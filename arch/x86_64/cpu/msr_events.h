/* The events of model-specific registers. Names, fields and texts are Linux's (events/msr/). */
#if !defined(MSR_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define MSR_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM msr

#include "kernel/tracepoint.h"

/* clang-format off */

DECLARE_EVENT_CLASS(msr_trace_class,
	TP_PROTO(unsigned msr, u64 val, int failed),
	TP_ARGS(msr, val, failed),
	TP_STRUCT__entry(
		__field(unsigned, msr)
		__field(u64, val)
		__field(int, failed)
	),
	TP_fast_assign(
		__entry->msr = msr;
		__entry->val = val;
		__entry->failed = failed;
	),
	TP_printk("%x, value %llx%s", __entry->msr, __entry->val, __entry->failed ? " #GP" : "")
);

/* After the instruction. Any context. */
DEFINE_EVENT(msr_trace_class, read_msr,
	TP_PROTO(unsigned msr, u64 val, int failed),
	TP_ARGS(msr, val, failed)
);

DEFINE_EVENT(msr_trace_class, write_msr,
	TP_PROTO(unsigned msr, u64 val, int failed),
	TP_ARGS(msr, val, failed)
);

/* clang-format on */
#endif
