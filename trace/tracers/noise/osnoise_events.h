/*
 * The events of the tracers osnoise and timerlat: what has taken the CPU, and for how long. Names,
 * fields and texts are Linux's (Documentation/trace/osnoise-tracer.rst).
 *
 * start is a time of trace_clock_local(). duration is net: without the time of other interruptions
 * that have interrupted this one. Each is recorded when the interruption ends, in its own context.
 */
#if !defined(OSNOISE_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define OSNOISE_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM osnoise

#include "kernel/sched/sched.h"
#include "kernel/tracepoint.h"

/* clang-format off */

/* prev, a task that is not the workload, gives the CPU to another task. As sched_switch. */
TRACE_EVENT(thread_noise,
	TP_PROTO(struct task_struct *t, u64 start, u64 duration),
	TP_ARGS(t, start, duration),
	TP_STRUCT__entry(
		__array(char, comm, TASK_COMM_LEN)
		__field(u64, start)
		__field(u64, duration)
		__field(pid_t, pid)
	),
	TP_fast_assign(
		memcpy(__entry->comm, t->comm, TASK_COMM_LEN);
		__entry->pid = t->pid;
		__entry->start = start;
		__entry->duration = duration;
	),
	TP_printk("%8s:%d start %llu.%09u duration %llu ns", __entry->comm, __entry->pid,
		  (__entry->start) / 1000000000UL, (__entry->start) % 1000000000UL,
		  __entry->duration)
);

TRACE_EVENT(softirq_noise,
	TP_PROTO(int vector, u64 start, u64 duration),
	TP_ARGS(vector, start, duration),
	TP_STRUCT__entry(
		__field(u64, start)
		__field(u64, duration)
		__field(int, vector)
	),
	TP_fast_assign(
		__entry->vector = vector;
		__entry->start = start;
		__entry->duration = duration;
	),
	TP_printk("%8s:%d start %llu.%09u duration %llu ns",
		  __print_symbolic(__entry->vector, { HI_SOFTIRQ, "HI" },
				   { TIMER_SOFTIRQ, "TIMER" }, { NET_TX_SOFTIRQ, "NET_TX" },
				   { NET_RX_SOFTIRQ, "NET_RX" },
				   { BLOCK_SOFTIRQ, "BLOCK" }, { IRQ_POLL_SOFTIRQ, "IRQ_POLL" },
				   { TASKLET_SOFTIRQ, "TASKLET" }, { SCHED_SOFTIRQ, "SCHED" },
				   { HRTIMER_SOFTIRQ, "HRTIMER" }, { RCU_SOFTIRQ, "RCU" }),
		  __entry->vector, (__entry->start) / 1000000000UL,
		  (__entry->start) % 1000000000UL, __entry->duration)
);

/* desc, vector: interrupt_name(). */
TRACE_EVENT(irq_noise,
	TP_PROTO(int vector, const char *desc, u64 start, u64 duration),
	TP_ARGS(vector, desc, start, duration),
	TP_STRUCT__entry(
		__field(u64, start)
		__field(u64, duration)
		__string(desc, desc)
		__field(int, vector)
	),
	TP_fast_assign(
		__assign_str(desc, desc);
		__entry->vector = vector;
		__entry->start = start;
		__entry->duration = duration;
	),
	TP_printk("%s:%d start %llu.%09u duration %llu ns", __get_str(desc), __entry->vector,
		  (__entry->start) / 1000000000UL, (__entry->start) % 1000000000UL,
		  __entry->duration)
);

TRACE_EVENT(nmi_noise,
	TP_PROTO(u64 start, u64 duration),
	TP_ARGS(start, duration),
	TP_STRUCT__entry(
		__field(u64, start)
		__field(u64, duration)
	),
	TP_fast_assign(
		__entry->start = start;
		__entry->duration = duration;
	),
	TP_printk("start %llu.%09u duration %llu ns", (__entry->start) / 1000000000UL,
		  (__entry->start) % 1000000000UL, __entry->duration)
);

/* osnoise has found a gap. interference: how many interruptions lay in it. Task context. */
TRACE_EVENT(sample_threshold,
	TP_PROTO(u64 start, u64 duration, u64 interference),
	TP_ARGS(start, duration, interference),
	TP_STRUCT__entry(
		__field(u64, start)
		__field(u64, duration)
		__field(u64, interference)
	),
	TP_fast_assign(
		__entry->start = start;
		__entry->duration = duration;
		__entry->interference = interference;
	),
	TP_printk("start %llu.%09u duration %llu ns interference %llu",
		  (__entry->start) / 1000000000UL, (__entry->start) % 1000000000UL,
		  __entry->duration, __entry->interference)
);

/* clang-format on */
#endif
