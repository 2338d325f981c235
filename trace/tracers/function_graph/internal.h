/*
 * Recording, between function_graph.c and the callbacks: those of quick.c, or of call.c without the
 * feature `quick`.
 */
#pragma once

#include "trace/tracers/function_graph/entries.h"
#include "trace/tracers/function_graph/record.h"

/* Sets graph_record_call() and graph_record_return(), and their stubs. */
void graph_set_callbacks(struct fgraph_ops *gops);

/*
 * These record a call or its return after all checks that an option or a file needs. The first one
 * returns 0 if the call has no entry and needs no return. rettime: when it returned, clock local.
 */
__keeps_registers int graph_entry_checked(struct ftrace_graph_ent trace, struct fgraph_ops *gops,
					  const struct ftrace_regs *fregs);
__keeps_registers void graph_return_checked(struct ftrace_graph_ret trace, struct fgraph_ops *gops,
					    const struct graph_call *call, u64 rettime);

static __always_inline struct graph_tracer *graph_of_ops(struct fgraph_ops *gops)
{
	return container_of(gops, struct graph_tracer, gops);
}

static __always_inline void graph_fill_call(struct ftrace_graph_ent_entry *entry,
					    const struct ftrace_graph_ent *trace)
{
	entry->func = trace->func;
	entry->depth = trace->depth;
}

static __always_inline void graph_fill_return(struct ftrace_graph_ret_entry *entry,
					      const struct ftrace_graph_ret *trace, u64 calltime,
					      u64 rettime)
{
	entry->func = trace->func;
	entry->depth = trace->depth;
	entry->overrun = trace->overrun;
	entry->calltime = calltime;
	entry->rettime = rettime;
}
