/*
 * The event of error injection: a function returns an error instead of running. Linux prints a
 * message only; an event has its place in the trace, between the calls before and those that clean
 * up. Any context but NMI.
 */
#if !defined(INJECT_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define INJECT_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM fault_injection

#include "kernel/tracepoint.h"

/* clang-format off */

/* name: of the capability. size: what the caller wanted; 1 for fail_function. */
TRACE_EVENT(fault_inject,
	TP_PROTO(const char *name, unsigned long ip, unsigned long parent_ip, size_t size,
		 unsigned long retval),
	TP_ARGS(name, ip, parent_ip, size, retval),
	TP_STRUCT__entry(
		__string(name, name)
		__field(unsigned long, ip)
		__field(unsigned long, parent_ip)
		__field(size_t, size)
		__field(long, retval)
	),
	TP_fast_assign(
		__assign_str(name, name);
		__entry->ip = ip;
		__entry->parent_ip = parent_ip;
		__entry->size = size;
		__entry->retval = (long)retval;
	),
	TP_printk("%s: %ps size=%zu caller=%pS returns %ld", __get_str(name),
		  (void *)__entry->ip, __entry->size, (void *)__entry->parent_ip,
		  __entry->retval)
);

/* clang-format on */
#endif
