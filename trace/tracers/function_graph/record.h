/*
 * What the function graph tracer asks at each call before it records it. All of it is off unless
 * somebody wants it: one word tells the fast path so.
 */
#pragma once

#include "trace/fgraph/fgraph.h"
#include "trace/tracers/function_graph/function_graph.h"

/* Bits of graph_checks, which are for all trace_arrays: */
#define GRAPH_CHECK_FUNCTION 0x01 /* set_graph_function is not empty */
#define GRAPH_CHECK_NOTRACE  0x02 /* set_graph_notrace is not empty */
#define GRAPH_CHECK_DEPTH    0x04 /* max_graph_depth */
#define GRAPH_CHECK_THRESH   0x10 /* tracing_thresh */
/* And of what the options of one ask for: */
#define GRAPH_CHECK_IRQS   0x08 /* nofuncgraph-irqs */
#define GRAPH_CHECK_SLEEP  0x20 /* nosleep-time */
#define GRAPH_CHECK_ARGS   0x40 /* funcgraph-args */
#define GRAPH_CHECK_RETVAL 0x80 /* funcgraph-retval */

extern u32 graph_checks; /* [A] */

static inline void graph_check(u32 bit, bool on)
{
	if (on)
		__atomic_or_fetch(&graph_checks, bit, __ATOMIC_RELAXED);
	else
		__atomic_and_fetch(&graph_checks, ~bit, __ATOMIC_RELAXED);
}

/* What is kept for a call until it returns. */
struct graph_call {
	u64 calltime;
	u64 sleep; /* with GRAPH_CALL_SLEEP: fgraph_sleep_time() at the entry */
	u64 flags; /* GRAPH_CALL_* */
};

#define GRAPH_CALL_INSIDE  0x01 /* in a function of set_graph_function, or itself one */
#define GRAPH_CALL_IRQ     0x02 /* which was called in an interrupt */
#define GRAPH_CALL_NOTRACE 0x04 /* a function of set_graph_notrace: nothing is recorded */
#define GRAPH_CALL_THRESH  0x08 /* only the return is recorded, and if it took long */
#define GRAPH_CALL_SLEEP   0x10
#define GRAPH_CALL_RETVAL  0x20 /* its value is recorded */
#define GRAPH_CALL_SKIP    0x80 /* leave the call alone */

/* Whether and how a call is recorded: GRAPH_CALL_*. checks: what to ask. In an entryfunc. */
u32 graph_choose(const struct ftrace_graph_ent *trace, const struct fgraph_ops *gops, u32 checks);

/* ftrace_graph_filter=, ftrace_graph_notrace=. Boot, task context. */
void graph_set_early_filters(void);
