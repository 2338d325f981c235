/*
 * The events at the two ends of each system call. Names, fields and texts are Linux's
 * (events/raw_syscalls/). trace/events/syscalls.c makes the events syscalls:sys_enter_NAME and
 * syscalls:sys_exit_NAME out of the same two tracepoints.
 */
#if !defined(RAW_SYSCALLS_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define RAW_SYSCALLS_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM raw_syscalls

#include "kernel/lib/string.h"
#include "kernel/tracepoint.h"

/* Before a tracepoint's first probe and after its last one: switch syscall_trace of all tasks. */
int syscall_regfunc(void);
void syscall_unregfunc(void);

/* clang-format off */

/* args: six values; those that the call does not have are 0. Task context. */
TRACE_EVENT_FN(sys_enter,
	TP_PROTO(const unsigned long *args, long id),
	TP_ARGS(args, id),
	TP_STRUCT__entry(
		__field(long, id)
		__array(unsigned long, args, 6)
	),
	TP_fast_assign(
		__entry->id = id;
		memcpy(__entry->args, args, sizeof(__entry->args));
	),
	TP_printk("NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)", __entry->id, __entry->args[0],
		  __entry->args[1], __entry->args[2], __entry->args[3], __entry->args[4],
		  __entry->args[5]),
	syscall_regfunc, syscall_unregfunc
);

TRACE_EVENT_FN(sys_exit,
	TP_PROTO(long id, long ret),
	TP_ARGS(id, ret),
	TP_STRUCT__entry(
		__field(long, id)
		__field(long, ret)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->ret = ret;
	),
	TP_printk("NR %ld = %ld", __entry->id, __entry->ret),
	syscall_regfunc, syscall_unregfunc
);

/* clang-format on */
#endif
