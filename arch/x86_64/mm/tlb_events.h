/* The event of TLB flushes. Name, fields and text are Linux's (events/tlb/). */
#if !defined(TLB_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define TLB_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tlb

#include "kernel/tracepoint.h"

/* Why a CPU flushes. Linux's numbers. */
#ifndef TLB_REMOTE_SHOOTDOWN
#define TLB_FLUSH_ON_TASK_SWITCH 0 /* the next task has another address space, or it has changed */
#define TLB_REMOTE_SHOOTDOWN     1 /* another CPU has asked for it */
#define TLB_LOCAL_SHOOTDOWN      2 /* this CPU has removed a translation of the kernel */
#define TLB_LOCAL_MM_SHOOTDOWN   3 /* this CPU has removed a translation of a program */
#define TLB_REMOTE_SEND_IPI      4 /* no flush: this CPU asks the others */
#define TLB_FLUSH_ALL            ~0UL
#endif

/* clang-format off */

/* pages: how many are flushed, TLB_FLUSH_ALL for all. Preemption off; also in hardirq context. */
TRACE_EVENT(tlb_flush,
	TP_PROTO(int reason, unsigned long pages),
	TP_ARGS(reason, pages),
	TP_STRUCT__entry(
		__field(int, reason)
		__field(unsigned long, pages)
	),
	TP_fast_assign(
		__entry->reason = reason;
		__entry->pages = pages;
	),
	TP_printk("pages:%ld reason:%s (%d)", __entry->pages,
		  __print_symbolic(__entry->reason, { 0, "flush on task switch" },
				   { 1, "remote shootdown" }, { 2, "local shootdown" },
				   { 3, "local mm shootdown" }, { 4, "remote ipi send" }),
		  __entry->reason)
);

/* clang-format on */
#endif
