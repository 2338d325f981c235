/* The events of the scheduler. Names, fields and texts are Linux's (events/sched/). */
#if !defined(SCHED_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define SCHED_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sched

#include "kernel/sched/task.h"
#include "kernel/tracepoint.h"

/* clang-format off */

TRACE_EVENT(sched_kthread_stop,
	TP_PROTO(struct task_struct *t),
	TP_ARGS(t),
	TP_STRUCT__entry(
		__array(char, comm, TASK_COMM_LEN)
		__field(pid_t, pid)
	),
	TP_fast_assign(
		memcpy(__entry->comm, t->comm, TASK_COMM_LEN);
		__entry->pid = t->pid;
	),
	TP_printk("comm=%s pid=%d", __entry->comm, __entry->pid)
);

/* clang-format on */
#endif
