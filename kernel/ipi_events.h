/*
 * The events of interrupts that one CPU sends to others. Names, fields and texts are those of Linux
 * 6.4 (events/ipi/). Its ipi_raise, ipi_entry and ipi_exit never happen on x86.
 */
#if !defined(IPI_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define IPI_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ipi

#include "kernel/cpumask.h"
#include "kernel/tracepoint.h"

/* clang-format off */

/*
 * Before it is sent. callsite: the code that asks for it. callback: what the CPU shall do; NULL: to
 * choose a task anew. Any context but NMI.
 */
TRACE_EVENT(ipi_send_cpu,
	TP_PROTO(unsigned cpu, void *callsite, void *callback),
	TP_ARGS(cpu, callsite, callback),
	TP_STRUCT__entry(
		__field(unsigned int, cpu)
		__field(void *, callsite)
		__field(void *, callback)
	),
	TP_fast_assign(
		__entry->cpu = cpu;
		__entry->callsite = callsite;
		__entry->callback = callback;
	),
	TP_printk("cpu=%u callsite=%pS callback=%pS", __entry->cpu, __entry->callsite,
		  __entry->callback)
);

/* The same for several CPUs. */
TRACE_EVENT(ipi_send_cpumask,
	TP_PROTO(const struct cpumask *cpumask, void *callsite, void *callback),
	TP_ARGS(cpumask, callsite, callback),
	TP_STRUCT__entry(
		__cpumask(cpumask)
		__field(void *, callsite)
		__field(void *, callback)
	),
	TP_fast_assign(
		__assign_cpumask(cpumask, cpumask);
		__entry->callsite = callsite;
		__entry->callback = callback;
	),
	TP_printk("cpumask=%s callsite=%pS callback=%pS", __get_cpumask(cpumask),
		  __entry->callsite, __entry->callback)
);

/* clang-format on */
#endif
