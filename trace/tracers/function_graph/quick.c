/*
 * The quick path of the function graph tracer, built as that of the function tracer: the comment at
 * the top of trace/tracers/function/quick.c explains it. A kernel without the feature `quick` has
 * the callbacks of call.c instead: read these first.
 */
#include "arch/time/clock.h"
#include "kernel/sched/sched.h"
#include "trace/core/cmdlines.h"
#include "trace/core/write.h"
#include "trace/fgraph/inline.h"
#include "trace/ring_buffer/write.h"
#include "trace/tracers/function_graph/internal.h"

#define GRAPH_ENT_SIZE rb_data_size(sizeof(struct ftrace_graph_ent_entry))
#define GRAPH_RET_SIZE rb_data_size(sizeof(struct ftrace_graph_ret_entry))

static __always_inline void graph_commit(struct ring_buffer_per_cpu *cb)
{
	this_cpu_write(trace_taskinfo_save, true);
	rb_unlock_commit(cb);
}

/* Reserves an entry in the usual case, after rb_begin_write(). NULL: another case. */
static __always_inline void *graph_reserve_quick(struct ring_buffer_per_cpu *cb, u16 type, u32 size,
						 bool timed, u64 now, u64 *end)
{
	u32 count = tracing_ctx_count(1);
	struct ring_buffer_event *event;

	if (unlikely(!tracing_ctx_is_simple(count)))
		return NULL;
	event = rb_reserve_quick(cb, size, timed, now, end);
	if (unlikely(!event))
		return NULL;
	tracing_entry_init_simple((struct trace_entry *)event->array, type, count,
				  current_stable->pid);
	return event->array;
}

/*
 * The other cases, after rb_begin_write(). `trace` is a value: if it had an address, the quick path
 * would keep it in memory.
 */
static __keeps_registers noinline bool graph_call_begun(struct ring_buffer_per_cpu *cb,
							struct ftrace_graph_ent trace)
{
	struct ring_buffer_event *event =
		rb_reserve_begun(READ_ONCE(cb->buffer), cb, GRAPH_ENT_SIZE, false, 0);

	if (!event)
		return false;
	tracing_entry_init((struct trace_entry *)event->array, TRACE_GRAPH_ENT,
			   tracing_gen_ctx_dec(1), current_stable->pid);
	graph_fill_call((void *)event->array, &trace);
	graph_commit(cb);
	return true;
}

/*
 * Of a return the quick path reads each word in the frame where it needs it. `trace` has the same
 * words, but registers would hold them all the time.
 */
static __always_inline void graph_fill_return_of(struct ftrace_graph_ret_entry *entry,
						 const struct fgraph_frame *frame, u64 calltime,
						 u64 rettime)
{
	const struct fgraph_stack *stack = current_stable->trace;

	entry->func = fgraph_frame_func(frame);
	entry->depth = frame->depth - 1;
	entry->overrun = stack->overrun;
	entry->calltime = calltime;
	entry->rettime = rettime;
}

static __keeps_registers noinline void
graph_return_with_flags(struct fgraph_frame *frame, struct fgraph_ops *gops,
			const struct graph_call *call, u64 rettime, const struct ftrace_regs *fregs)
{
	struct ftrace_graph_ret trace;

	fgraph_fill_return(&trace, current_stable->trace, frame, fregs);
	graph_return_checked(trace, gops, call, rettime);
}

static __keeps_registers noinline void graph_return_begun(struct ring_buffer_per_cpu *cb,
							  const struct fgraph_frame *frame,
							  u64 calltime, u64 rettime)
{
	struct ring_buffer_event *event =
		rb_reserve_begun(READ_ONCE(cb->buffer), cb, GRAPH_RET_SIZE, true, rettime);

	if (!event)
		return;
	tracing_entry_init((struct trace_entry *)event->array, TRACE_GRAPH_RET,
			   tracing_gen_ctx_dec(1), current_stable->pid);
	graph_fill_return_of((void *)event->array, frame, calltime, rettime);
	graph_commit(cb);
}

static __keeps_registers noinline void graph_end_quick(struct ring_buffer_per_cpu *cb)
{
	rb_end_quick(cb);
}

static __keeps_registers noinline void graph_wake(struct ring_buffer_per_cpu *cb)
{
	rb_wake(cb);
}

static __always_inline void graph_commit_quick(struct ring_buffer_per_cpu *cb, u64 end)
{
	this_cpu_write(trace_taskinfo_save, true);
	local_add(&cb->written, 1);
	if (unlikely(!rb_end_write_quick(cb, end)))
		graph_end_quick(cb);
	else if (unlikely(rb_has_waiting(cb)))
		graph_wake(cb);
}

/* False: nothing is recorded. */
static __always_inline bool graph_write_call_quick(const struct trace_array *tr,
						   const struct ftrace_graph_ent *trace)
{
	struct trace_buffer *buffer = READ_ONCE(tr->buffer);
	struct ring_buffer_per_cpu *cb = buffer->cpus[smp_processor_id_stable()];
	struct ftrace_graph_ent_entry *entry;
	u64 end;

	if (unlikely(!rb_begin_write(buffer, cb)))
		return false;
	entry = graph_reserve_quick(cb, TRACE_GRAPH_ENT, GRAPH_ENT_SIZE, false, 0, &end);
	if (unlikely(!entry))
		return graph_call_begun(cb, *trace);
	graph_fill_call(entry, trace);
	graph_commit_quick(cb, end);
	return true;
}

static __always_inline void graph_write_return_quick(const struct trace_array *tr,
						     const struct fgraph_frame *frame, u64 calltime,
						     u64 rettime)
{
	struct trace_buffer *buffer = READ_ONCE(tr->buffer);
	struct ring_buffer_per_cpu *cb = buffer->cpus[smp_processor_id_stable()];
	struct ftrace_graph_ret_entry *entry;
	u64 end;

	if (unlikely(!rb_begin_write(buffer, cb)))
		return;
	entry = graph_reserve_quick(cb, TRACE_GRAPH_RET, GRAPH_RET_SIZE, true, rettime, &end);
	if (unlikely(!entry)) {
		graph_return_begun(cb, frame, calltime, rettime);
		return;
	}
	graph_fill_return_of(entry, frame, calltime, rettime);
	graph_commit_quick(cb, end);
}

__always_inline int graph_record_call(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
				      struct ftrace_regs *fregs)
{
	struct trace_array *tr = gops->private;
	struct graph_call *call;

	if (unlikely(READ_ONCE(tr->cpus[smp_processor_id_stable()].ignore_pid)))
		return 0;
	if (unlikely(READ_ONCE(graph_checks) | READ_ONCE(graph_of_ops(gops)->checks)))
		return graph_entry_checked(*trace, gops, fregs);
	call = fgraph_call_reserve_first(trace, gops, sizeof(*call), 0);
	if (unlikely(!call))
		return 0;
	if (unlikely(!graph_write_call_quick(tr, trace)))
		return 0;
	call->calltime = arch_ktime();
	return 1;
}

__always_inline void graph_record_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
					 struct ftrace_regs *fregs)
{
	u64 rettime = arch_ktime();
	struct graph_call *call;

	call = fgraph_call_data(trace, gops);
	if (unlikely(!call))
		return;
	if (unlikely(call->flags))
		graph_return_with_flags(trace->frame, gops, call, rettime, fregs);
	else
		graph_write_return_quick(gops->private, trace->frame, call->calltime, rettime);
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
