/* The events of workqueues: the way of a work item from schedule_work() to the end of its run. */
#if !defined(WORKQUEUE_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define WORKQUEUE_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM workqueue

#include "kernel/tracepoint.h"
#include "kernel/workqueue/workqueue.h"

/* clang-format off */

/* req_cpu: the CPU that the caller wants, or WORK_CPU_UNBOUND. cpu: the pool's, or -1: any CPU. */
TRACE_EVENT(workqueue_queue_work,
	TP_PROTO(int req_cpu, const char *workqueue, int cpu, struct work_struct *work),
	TP_ARGS(req_cpu, workqueue, cpu, work),
	TP_STRUCT__entry(
		__field(void *, work)
		__field(void *, function)
		__string(workqueue, workqueue)
		__field(int, req_cpu)
		__field(int, cpu)
	),
	TP_fast_assign(
		__entry->work = work;
		__entry->function = (void *)work->func;
		__assign_str(workqueue, workqueue);
		__entry->req_cpu = req_cpu;
		__entry->cpu = cpu;
	),
	TP_printk("work struct=%p function=%ps workqueue=%s req_cpu=%d cpu=%d",
		__entry->work, __entry->function, __get_str(workqueue),
		__entry->req_cpu, __entry->cpu)
);

/* The item enters the list of its pool. In nop5 that is at once, because no queue has a limit. */
TRACE_EVENT(workqueue_activate_work,
	TP_PROTO(struct work_struct *work),
	TP_ARGS(work),
	TP_STRUCT__entry(
		__field(void *, work)
	),
	TP_fast_assign(
		__entry->work = work;
	),
	TP_printk("work struct %p", __entry->work)
);

TRACE_EVENT(workqueue_execute_start,
	TP_PROTO(struct work_struct *work),
	TP_ARGS(work),
	TP_STRUCT__entry(
		__field(void *, work)
		__field(void *, function)
	),
	TP_fast_assign(
		__entry->work = work;
		__entry->function = (void *)work->func;
	),
	TP_printk("work struct %p: function %ps", __entry->work, __entry->function)
);

/* Only the address of the item: its function may have freed it. */
TRACE_EVENT(workqueue_execute_end,
	TP_PROTO(struct work_struct *work, work_func_t function),
	TP_ARGS(work, function),
	TP_STRUCT__entry(
		__field(void *, work)
		__field(void *, function)
	),
	TP_fast_assign(
		__entry->work = work;
		__entry->function = (void *)function;
	),
	TP_printk("work struct %p: function %ps", __entry->work, __entry->function)
);

/* clang-format on */
#endif
