/* The events of Linux's system signal: a signal is sent, and a task takes it. */
#if !defined(SIGNAL_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define SIGNAL_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM signal

#include "kernel/sched/task.h"
#include "kernel/signal/siginfo.h"
#include "kernel/tracepoint.h"

#ifndef TRACE_EVENTS_PASS
/* The field result of signal_generate. */
enum {
	TRACE_SIGNAL_DELIVERED,
	TRACE_SIGNAL_IGNORED,
	TRACE_SIGNAL_ALREADY_PENDING,
	TRACE_SIGNAL_OVERFLOW_FAIL, /* a real-time signal found no room */
	TRACE_SIGNAL_LOSE_INFO,     /* the signal is pending, without its siginfo */
};
#endif

/* clang-format off */

/* group: 1 for a signal to a process, 0 for one to a task. */
TRACE_EVENT(signal_generate,
	TP_PROTO(int sig, const struct siginfo *info, struct task_struct *task, int group,
		 int result),
	TP_ARGS(sig, info, task, group, result),
	TP_STRUCT__entry(
		__field(int, sig)
		__field(int, errno)
		__field(int, code)
		__array(char, comm, TASK_COMM_LEN)
		__field(pid_t, pid)
		__field(int, group)
		__field(int, result)
	),
	TP_fast_assign(
		__entry->sig = sig;
		__entry->errno = info->si_errno;
		__entry->code = info->si_code;
		memcpy(__entry->comm, task->comm, TASK_COMM_LEN);
		__entry->pid = task->pid;
		__entry->group = group;
		__entry->result = result;
	),
	TP_printk("sig=%d errno=%d code=%d comm=%s pid=%d grp=%d res=%d",
		__entry->sig, __entry->errno, __entry->code,
		__entry->comm, __entry->pid, __entry->group, __entry->result)
);

/* The current task takes the signal. */
TRACE_EVENT(signal_deliver,
	TP_PROTO(int sig, const struct siginfo *info, const void *handler, unsigned long flags),
	TP_ARGS(sig, info, handler, flags),
	TP_STRUCT__entry(
		__field(int, sig)
		__field(int, errno)
		__field(int, code)
		__field(unsigned long, sa_handler)
		__field(unsigned long, sa_flags)
	),
	TP_fast_assign(
		__entry->sig = sig;
		__entry->errno = info->si_errno;
		__entry->code = info->si_code;
		__entry->sa_handler = (unsigned long)handler;
		__entry->sa_flags = flags;
	),
	TP_printk("sig=%d errno=%d code=%d sa_handler=%lx sa_flags=%lx",
		__entry->sig, __entry->errno, __entry->code,
		__entry->sa_handler, __entry->sa_flags)
);

/* clang-format on */
#endif
