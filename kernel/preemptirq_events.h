/* Interrupts off and on, preemption off and on. kernel/preemptirq.c calls these tracepoints. */
#if !defined(PREEMPTIRQ_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define PREEMPTIRQ_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM preemptirq

#include "kernel/preemptirq.h"
#include "kernel/sections.h"
#include "kernel/tracepoint.h"

/* clang-format off */

DECLARE_EVENT_CLASS(preemptirq_template,
	TP_PROTO(unsigned long ip, unsigned long parent_ip),
	TP_ARGS(ip, parent_ip),
	TP_STRUCT__entry(
		__field(s32, caller_offs)
		__field(s32, parent_offs)
	),
	TP_fast_assign(
		__entry->caller_offs = (s32)(ip - (unsigned long)_stext);
		__entry->parent_offs = (s32)(parent_ip - (unsigned long)_stext);
	),
	TP_printk("caller=%pS parent=%pS",
		  (void *)((unsigned long)(_stext) + __entry->caller_offs),
		  (void *)((unsigned long)(_stext) + __entry->parent_offs))
);

DEFINE_EVENT(preemptirq_template, irq_disable,
	TP_PROTO(unsigned long ip, unsigned long parent_ip),
	TP_ARGS(ip, parent_ip));

DEFINE_EVENT(preemptirq_template, irq_enable,
	TP_PROTO(unsigned long ip, unsigned long parent_ip),
	TP_ARGS(ip, parent_ip));

DEFINE_EVENT(preemptirq_template, preempt_disable,
	TP_PROTO(unsigned long ip, unsigned long parent_ip),
	TP_ARGS(ip, parent_ip));

DEFINE_EVENT(preemptirq_template, preempt_enable,
	TP_PROTO(unsigned long ip, unsigned long parent_ip),
	TP_ARGS(ip, parent_ip));

/* clang-format on */
#endif
