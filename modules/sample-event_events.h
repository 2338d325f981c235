/*
 * An event to copy: sample-event.c records it at each call of a function that you choose. The chapter
 * docs/your-own-event.md explains each line.
 */
#if !defined(SAMPLE_EVENT_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define SAMPLE_EVENT_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sample

#include "kernel/tracepoint.h"

/* clang-format off */

TRACE_EVENT(sample_call,
	TP_PROTO(unsigned long ip, const char *caller, unsigned int context, unsigned int off),
	TP_ARGS(ip, caller, context, off),
	TP_STRUCT__entry(
		__field(unsigned long, ip)
		__string(caller, caller)
		__field(unsigned int, context)
		__field(unsigned int, off)
	),
	TP_fast_assign(
		__entry->ip = ip;
		__assign_str(caller, caller);
		__entry->context = context;
		__entry->off = off;
	),
	TP_printk("%ps caller=%s context=%s off=%s", (void *)__entry->ip, __get_str(caller),
		  __print_symbolic(__entry->context,
			{ 0, "task" }, { 1, "softirq" }, { 2, "irq" }, { 3, "nmi" }),
		  __print_flags(__entry->off, "|", { 1, "irqs" }, { 2, "preemption" }))
);

/* clang-format on */
#endif
