/*
 * The events of the local interrupts, by vector: before and after the handler, in hardirq context.
 * Names, fields and texts are Linux's (events/irq_vectors/).
 *
 * The two vectors for rounds of IPIs have no event: Linux has no name for them. tlb:tlb_flush shows
 * the first one.
 *
 * Recording irq_work_entry may raise the next irq_work, but only while a reader of the trace waits,
 * and once for each wait. The reader has to run in between. So interrupts do not go on for ever.
 */
#if !defined(IRQ_VECTORS_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define IRQ_VECTORS_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM irq_vectors

#include "kernel/tracepoint.h"

/* clang-format off */

DECLARE_EVENT_CLASS(x86_irq_vector,
	TP_PROTO(int vector),
	TP_ARGS(vector),
	TP_STRUCT__entry(
		__field(int, vector)
	),
	TP_fast_assign(
		__entry->vector = vector;
	),
	TP_printk("vector=%d", __entry->vector)
);

DEFINE_EVENT(x86_irq_vector, local_timer_entry, TP_PROTO(int vector), TP_ARGS(vector));
DEFINE_EVENT(x86_irq_vector, local_timer_exit, TP_PROTO(int vector), TP_ARGS(vector));

DEFINE_EVENT(x86_irq_vector, spurious_apic_entry, TP_PROTO(int vector), TP_ARGS(vector));
DEFINE_EVENT(x86_irq_vector, spurious_apic_exit, TP_PROTO(int vector), TP_ARGS(vector));

DEFINE_EVENT(x86_irq_vector, error_apic_entry, TP_PROTO(int vector), TP_ARGS(vector));
DEFINE_EVENT(x86_irq_vector, error_apic_exit, TP_PROTO(int vector), TP_ARGS(vector));

DEFINE_EVENT(x86_irq_vector, irq_work_entry, TP_PROTO(int vector), TP_ARGS(vector));
DEFINE_EVENT(x86_irq_vector, irq_work_exit, TP_PROTO(int vector), TP_ARGS(vector));

DEFINE_EVENT(x86_irq_vector, reschedule_entry, TP_PROTO(int vector), TP_ARGS(vector));
DEFINE_EVENT(x86_irq_vector, reschedule_exit, TP_PROTO(int vector), TP_ARGS(vector));

DEFINE_EVENT(x86_irq_vector, call_function_entry, TP_PROTO(int vector), TP_ARGS(vector));
DEFINE_EVENT(x86_irq_vector, call_function_exit, TP_PROTO(int vector), TP_ARGS(vector));

/* clang-format on */
#endif
