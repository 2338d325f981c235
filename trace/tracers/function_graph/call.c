/*
 * The readable callbacks of the function graph tracer, for a kernel without the feature `quick`:
 * each call goes through all checks. Those of quick.c record the same in fewer instructions.
 */
#include "arch/time/clock.h"
#include "trace/fgraph/inline.h"
#include "trace/tracers/function_graph/internal.h"

int graph_record_call(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		      struct ftrace_regs *fregs)
{
	struct trace_array *tr = gops->private;

	if (READ_ONCE(tr->cpus[smp_processor_id()].ignore_pid))
		return 0;
	return graph_entry_checked(*trace, gops, fregs);
}

void graph_record_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			 struct ftrace_regs *fregs __unused)
{
	u64 rettime = arch_ktime();
	struct graph_call *call = fgraph_call_data(trace, gops);

	if (call)
		graph_return_checked(*trace, gops, call, rettime);
}

/* enabled_functions shows the name of the first one, as on Linux. */
DEFINE_FGRAPH_ENTRY_STUB(ftrace_graph_func, graph_record_call)
DEFINE_FGRAPH_RETURN_STUB(graph_return_stub, graph_record_return)

void graph_set_callbacks(struct fgraph_ops *gops)
{
	gops->entryfunc = graph_record_call;
	gops->retfunc = graph_record_return;
	gops->entry_stub = ftrace_graph_func;
	gops->return_stub = graph_return_stub;
}
