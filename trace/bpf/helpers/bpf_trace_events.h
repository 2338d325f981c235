/* The event of Linux's system bpf_trace: a text that a program prints. */
#if !defined(BPF_TRACE_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define BPF_TRACE_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM bpf_trace

#include "kernel/tracepoint.h"

/* clang-format off */

TRACE_EVENT(bpf_trace_printk,
	TP_PROTO(const char *bpf_string),
	TP_ARGS(bpf_string),
	TP_STRUCT__entry(
		__string(bpf_string, bpf_string)
	),
	TP_fast_assign(
		__assign_str(bpf_string, bpf_string);
	),
	TP_printk("%s", __get_str(bpf_string))
);

/* clang-format on */
#endif
