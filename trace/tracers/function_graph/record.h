/*
 * The checks that the function graph tracer makes before it records a call. Usually all are off,
 * and the fast path sees this in one word.
 */
#pragma once

#include "trace/fgraph/fgraph.h"
#include "trace/tracers/function_graph/function_graph.h"

/* Bits of graph_checks, for all trace_arrays: */
#define GRAPH_CHECK_FUNCTION 0x01 /* set_graph_function is not empty */
#define GRAPH_CHECK_NOTRACE  0x02 /* set_graph_notrace is not empty */
#define GRAPH_CHECK_DEPTH    0x04 /* max_graph_depth */
#define GRAPH_CHECK_THRESH   0x10 /* tracing_thresh */
/* Bits of graph_tracer.checks, for the options of one trace_array: */
#define GRAPH_CHECK_IRQS    0x08  /* nofuncgraph-irqs */
#define GRAPH_CHECK_SLEEP   0x20  /* nosleep-time */
#define GRAPH_CHECK_ARGS    0x40  /* funcgraph-args */
#define GRAPH_CHECK_RETVAL  0x80  /* funcgraph-retval */
#define GRAPH_CHECK_RETADDR 0x100 /* funcgraph-retaddr */

extern u32 graph_checks; /* [A] */

static inline void graph_check(u32 bit, bool on)
{
	if (on)
		__atomic_or_fetch(&graph_checks, bit, __ATOMIC_RELAXED);
	else
		__atomic_and_fetch(&graph_checks, ~bit, __ATOMIC_RELAXED);
}

/* Data of a call on the shadow stack, until it returns. */
struct graph_call {
	u64 flags; /* GRAPH_CALL_*; first, because graph_choose() reads it in an enclosing call */
	u64 calltime;
	u64 sleep; /* fgraph_sleep_time() at the entry; only with GRAPH_CALL_SLEEP */
};

#define GRAPH_CALL_INSIDE  0x01 /* a function of set_graph_function, or called inside one */
#define GRAPH_CALL_IRQ     0x02 /* that function was called in an interrupt */
#define GRAPH_CALL_NOTRACE 0x04 /* a function of set_graph_notrace; not recorded */
#define GRAPH_CALL_THRESH  0x08 /* record only the return, and only after a long time */
#define GRAPH_CALL_SLEEP   0x10
#define GRAPH_CALL_RETVAL  0x20 /* record the return value */
#define GRAPH_CALL_FIRST   0x40 /* a function of set_graph_function, not inside another */
#define GRAPH_CALL_SKIP    0x80 /* do not trace the call */

/* This tracer's data in a trace_array. A latency tracer has one, too, to record graphs. */
struct graph_tracer {
	struct fgraph_ops gops;
	u32 checks; /* [T] to write: GRAPH_CHECK_* of the trace_array's options */
};

/*
 * The callbacks of a struct graph_tracer for other tracers. gops->private is the trace_array. They
 * are as the entryfunc and retfunc of an fgraph_ops.
 */
int graph_record_call(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		      struct ftrace_regs *fregs);
void graph_record_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			 struct ftrace_regs *fregs);
/* Records a call of func that returns at once. Preemption off, any context. */
void graph_record_leaf(struct trace_array *tr, unsigned long func);

/* Decides whether and how a call is recorded: GRAPH_CALL_*. Called in an entryfunc. */
u32 graph_choose(const struct ftrace_graph_ent *trace, const struct fgraph_ops *gops, u32 checks);

/* Applies ftrace_graph_filter= and ftrace_graph_notrace=. Boot, task context. */
void graph_set_early_filters(void);
