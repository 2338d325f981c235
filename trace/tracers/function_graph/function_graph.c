/*
 * The function graph tracer records an entry in the ring buffer at each call of a function, and
 * another at its return. The second one has both times.
 *
 * The callbacks are in quick.c, or in call.c without the feature `quick`. As in
 * trace/tracers/function/function.c they call no traced functions. The time of the call is on the
 * task's shadow stack (trace/fgraph/fgraph.h).
 */
#include "arch/time/clock.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "trace/ftrace_files/filter.h"
#include "trace/ring_buffer/write.h"
#include "trace/core/cmdlines.h"
#include "trace/core/write.h"
#include "trace/tracers/function/args.h"
#include "trace/tracers/function/function.h"
#include "trace/tracers/function_graph/internal.h"

u32 graph_checks;

/*
 * Reserves an entry in this CPU's buffer and fills in its head. timed: the entry gets the time
 * `now`. NULL: nothing is recorded. Preemption off.
 */
static __always_inline void *graph_reserve(struct trace_buffer *buffer,
					   struct ring_buffer_per_cpu *cb, u32 type, size_t size,
					   bool timed, u64 now)
{
	struct ring_buffer_event *event = __rb_lock_reserve(buffer, cb, size, timed, now);

	if (unlikely(!event))
		return NULL;
	tracing_entry_init((struct trace_entry *)event->array, type, tracing_gen_ctx_dec(1),
			   current_stable->pid);
	return event->array; /* a short event has no length word before its data */
}

static __always_inline void graph_commit(struct ring_buffer_per_cpu *cb)
{
	this_cpu_write(trace_taskinfo_save, true);
	rb_unlock_commit(cb);
}

/* fregs: the arguments to record, or NULL. False: nothing is recorded. */
static bool graph_write_call(struct trace_array *tr, const struct ftrace_graph_ent *trace,
			     const struct ftrace_regs *fregs)
{
	struct trace_buffer *buffer = READ_ONCE(tr->buffer);
	struct ring_buffer_per_cpu *cb = buffer->cpus[smp_processor_id_stable()];
	struct ftrace_graph_ent_entry *entry;
	size_t size = sizeof(*entry);

	if (fregs)
		size += FTRACE_REGS_MAX_ARGS * sizeof(entry->args[0]);
	entry = graph_reserve(buffer, cb, TRACE_GRAPH_ENT, size, false, 0);
	if (unlikely(!entry))
		return false;
	graph_fill_call(entry, trace);
	if (fregs)
		ftrace_get_arguments(fregs, entry->args);
	graph_commit(cb);
	return true;
}

/* The same with the return address, which is on top of the task's shadow stack. */
static bool graph_write_call_retaddr(struct trace_array *tr, const struct ftrace_graph_ent *trace,
				     const struct ftrace_regs *fregs)
{
	struct trace_buffer *buffer = READ_ONCE(tr->buffer);
	struct ring_buffer_per_cpu *cb = buffer->cpus[smp_processor_id_stable()];
	struct fgraph_stack *stack = current_stable->trace;
	struct fgraph_retaddr_ent_entry *entry;
	size_t size = sizeof(*entry);

	if (fregs)
		size += FTRACE_REGS_MAX_ARGS * sizeof(entry->args[0]);
	entry = graph_reserve(buffer, cb, TRACE_GRAPH_RETADDR_ENT, size, false, 0);
	if (unlikely(!entry))
		return false;
	entry->func = trace->func;
	entry->depth = trace->depth;
	entry->retaddr = stack->top->ret;
	if (fregs)
		ftrace_get_arguments(fregs, entry->args);
	graph_commit(cb);
	return true;
}

static void graph_write_return(struct trace_array *tr, const struct ftrace_graph_ret *trace,
			       u64 calltime, u64 rettime, bool retval)
{
	struct trace_buffer *buffer = READ_ONCE(tr->buffer);
	struct ring_buffer_per_cpu *cb = buffer->cpus[smp_processor_id_stable()];
	struct ftrace_graph_ret_entry *entry;

	entry = graph_reserve(buffer, cb, TRACE_GRAPH_RET,
			      sizeof(*entry) + (retval ? sizeof(entry->retval[0]) : 0), true,
			      rettime);
	if (unlikely(!entry))
		return;
	graph_fill_return(entry, trace, calltime, rettime);
	if (retval)
		entry->retval[0] = trace->retval;
	graph_commit(cb);
}

__keeps_registers int graph_entry_checked(struct ftrace_graph_ent trace, struct fgraph_ops *gops,
					  const struct ftrace_regs *fregs)
{
	u32 checks = READ_ONCE(graph_checks) | READ_ONCE(graph_of_ops(gops)->checks);
	u32 flags = graph_choose(&trace, gops, checks);
	struct graph_call *call;

	if (!(checks & GRAPH_CHECK_ARGS))
		fregs = NULL;
	if (flags & GRAPH_CALL_SKIP)
		return 0;
	/* Until its entry is in the buffer, an interrupt is not yet inside the first call. */
	call = fgraph_call_reserve_first(&trace, gops, sizeof(*call),
					 flags & GRAPH_CALL_FIRST ? 0 : flags);
	if (!call)
		return 0;
	if (!(flags & (GRAPH_CALL_NOTRACE | GRAPH_CALL_THRESH)) &&
	    !(checks & GRAPH_CHECK_RETADDR ? graph_write_call_retaddr(gops->private, &trace, fregs)
					   : graph_write_call(gops->private, &trace, fregs)))
		return 0;
	barrier();
	call->flags = flags;
	if (flags & GRAPH_CALL_SLEEP)
		call->sleep = fgraph_sleep_time();
	call->calltime = arch_ktime();
	return 1;
}

__keeps_registers void graph_return_checked(struct ftrace_graph_ret trace, struct fgraph_ops *gops,
					    const struct graph_call *call, u64 rettime)
{
	u64 calltime = call->calltime, thresh = READ_ONCE(tracing_thresh);

	if (call->flags & GRAPH_CALL_NOTRACE)
		return;
	if (call->flags & GRAPH_CALL_SLEEP)
		calltime += fgraph_sleep_time() - call->sleep;
	/* With a threshold the call has no entry. If the threshold is off now, skip the return,
	 * too. */
	if ((call->flags & GRAPH_CALL_THRESH) && (!thresh || rettime - calltime < thresh))
		return;
	graph_write_return(gops->private, &trace, calltime, rettime,
			   call->flags & GRAPH_CALL_RETVAL);
}

void graph_record_leaf(struct trace_array *tr, unsigned long func)
{
	u64 now = arch_ktime();

	if (graph_write_call(tr, &(struct ftrace_graph_ent){ .func = func }, NULL))
		graph_write_return(tr, &(struct ftrace_graph_ret){ .func = func }, now, now, false);
}

static struct graph_tracer *graph_of(struct trace_array *tr)
{
	return *trace_tracer_private(tr, &graph_trace);
}

/* Sets the checks for the options that change recording. T held. */
static void graph_apply_flags(struct trace_array *tr, u32 flags)
{
	struct graph_tracer *g = graph_of(tr);

	WRITE_ONCE(g->checks,
		   (flags & TRACE_GRAPH_PRINT_IRQS ? 0 : GRAPH_CHECK_IRQS) |
			   (flags & TRACE_GRAPH_SLEEP_TIME ? 0 : GRAPH_CHECK_SLEEP) |
			   (flags & TRACE_GRAPH_ARGS ? GRAPH_CHECK_ARGS : 0) |
			   (flags & TRACE_GRAPH_PRINT_RETADDR ? GRAPH_CHECK_RETADDR : 0) |
			   (flags & TRACE_GRAPH_PRINT_RETVAL ? GRAPH_CHECK_RETVAL : 0));
}

static int graph_trace_init(struct trace_array *tr)
{
	struct graph_tracer *g = graph_of(tr);
	int error;

	graph_apply_flags(tr, tracer_flags_of(tr, &graph_trace));
	ftrace_share_hashes(function_trace_ops(tr), &g->gops.ops);
	error = register_ftrace_graph(&g->gops);
	if (error)
		ftrace_unshare_hashes(function_trace_ops(tr), &g->gops.ops);
	else
		tracing_record_cmdline(true);
	return error;
}

static void graph_trace_reset(struct trace_array *tr)
{
	struct graph_tracer *g = graph_of(tr);

	tracing_record_cmdline(false);
	unregister_ftrace_graph(&g->gops);
	ftrace_unshare_hashes(function_trace_ops(tr), &g->gops.ops);
}

static int graph_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, bool set)
{
	u32 flags = set ? old_flags | bit : old_flags & ~bit;

	if (flags & TRACE_GRAPH_ARGS)
		load_function_arg_types();
	graph_apply_flags(tr, flags);
	return 0;
}

static int graph_trace_create(struct trace_array *tr)
{
	struct graph_tracer *g = kzalloc(sizeof(*g), GFP_KERNEL);

	if (!g)
		return -ENOMEM;
	graph_set_callbacks(&g->gops);
	g->gops.private = tr;
	*trace_tracer_private(tr, &graph_trace) = g;
	return 0;
}

static void graph_trace_destroy(struct trace_array *tr)
{
	kfree(graph_of(tr));
}

struct tracer graph_trace = {
	.name = "function_graph",
	.init = graph_trace_init,
	.reset = graph_trace_reset,
	.open = graph_trace_open,
	.close = graph_trace_close,
	.print_header = print_graph_headers,
	.print_line = print_graph_function,
	.set_flag = graph_set_flag,
	.create = graph_trace_create,
	.destroy = graph_trace_destroy,
	.flags = &graph_flags,
	.allow_instances = true,
};

static int __init init_graph_trace(void)
{
	graph_set_early_filters();
	return register_tracer(&graph_trace);
}
early_initcall(init_graph_trace);
