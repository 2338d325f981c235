/* The events of device interrupts and softirqs. Names and texts are Linux's (events/irq/). */
#if !defined(IRQ_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define IRQ_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM irq

#include "kernel/irq/irq.h"
#include "kernel/tracepoint.h"

/* clang-format off */

/* Before and after a device's handler. Hardirq context. */
TRACE_EVENT(irq_handler_entry,
	TP_PROTO(int irq, struct irqaction *action),
	TP_ARGS(irq, action),
	TP_STRUCT__entry(
		__field(int, irq)
		__string(name, action->name)
	),
	TP_fast_assign(
		__entry->irq = irq;
		__assign_str(name, action->name);
	),
	TP_printk("irq=%d name=%s", __entry->irq, __get_str(name))
);

TRACE_EVENT(irq_handler_exit,
	TP_PROTO(int irq, struct irqaction *action, int ret),
	TP_ARGS(irq, action, ret),
	TP_STRUCT__entry(
		__field(int, irq)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->irq = irq;
		__entry->ret = ret;
	),
	TP_printk("irq=%d ret=%s", __entry->irq, __entry->ret ? "handled" : "unhandled")
);

DECLARE_EVENT_CLASS(softirq,
	TP_PROTO(unsigned int vec),
	TP_ARGS(vec),
	TP_STRUCT__entry(
		__field(unsigned int, vec)
	),
	TP_fast_assign(
		__entry->vec = vec;
	),
	TP_printk("vec=%u [action=%s]", __entry->vec,
		  __print_symbolic(__entry->vec, { 0, "HI" }, { 1, "TIMER" }, { 2, "NET_TX" },
				   { 3, "NET_RX" }, { 4, "BLOCK" }, { 5, "IRQ_POLL" },
				   { 6, "TASKLET" }, { 7, "SCHED" }, { 8, "HRTIMER" },
				   { 9, "RCU" }))
);

/* Before and after a softirq's action. Softirq context, interrupts on. */
DEFINE_EVENT(softirq, softirq_entry,
	TP_PROTO(unsigned int vec),
	TP_ARGS(vec)
);

DEFINE_EVENT(softirq, softirq_exit,
	TP_PROTO(unsigned int vec),
	TP_ARGS(vec)
);

/* A softirq becomes pending. Interrupts off. */
DEFINE_EVENT(softirq, softirq_raise,
	TP_PROTO(unsigned int vec),
	TP_ARGS(vec)
);

/* clang-format on */
#endif
