/*
 * A sample of a tracer with both ends of a call. It records the calls of a function that take long,
 * and prints a line of its own for each.
 *
 *	modprobe sample-slow function=vfs_read min_us=1000
 *	echo slow > /sys/kernel/tracing/current_tracer
 *	cat /sys/kernel/tracing/trace
 *	echo nop > /sys/kernel/tracing/current_tracer
 *	rmmod sample-slow
 */
#include "fs/vfs/seq_file.h"
#include "kernel/lib/string.h"
#include "kernel/module/moduleparam.h"
#include "kernel/time/trace_clock.h"
#include "trace/core/iterator.h"
#include "trace/core/output.h"
#include "trace/core/trace_array.h"
#include "trace/core/tracer.h"
#include "trace/core/write.h"
#include "trace/fgraph/fgraph.h"
#include "trace/tracers/function_graph/entries.h"

static char *function = "vfs_read";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "a function, or a pattern as in set_ftrace_filter");

static unsigned min_us = 1000;
module_param(min_us, uint, 0644);
MODULE_PARM_DESC(min_us, "shorter calls are not recorded, in microseconds");

/* Keeps the time of the call until slow_return(). 0: do not call slow_return(). */
static int slow_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		      struct ftrace_regs *fregs __unused)
{
	/*
	 * LAB 8: Many tasks may be inside the function: each call has a place for its own time.
	 * Starts as:
	 * (void)trace, (void)gops;
	 * return 0;
	 */
	u64 *begin = fgraph_call_reserve(trace, gops, sizeof(*begin));

	*begin = trace_clock_local();
	return 1;
	/* END LAB 8 */
}

/* Writes an entry into the buffer of the trace_array that has the tracer (gops->private). */
static void slow_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			struct ftrace_regs *fregs __unused)
{
	/*
	 * LAB 8: There is no entry when recording is off. Preemption was turned off twice since the
	 * function returned: by return_to_handler, and by the guard.
	 * Starts as: (void)trace, (void)gops;
	 */
	u64 *begin = fgraph_call_data(trace, gops), end = trace_clock_local();
	struct ftrace_graph_ret_entry *entry;
	struct trace_buffer *buffer;

	if (end - *begin < READ_ONCE(min_us) * 1000UL)
		return;
	entry = trace_buffer_lock_reserve(gops->private, TRACE_GRAPH_RET, sizeof(*entry),
					  tracing_gen_ctx_dec(2), &buffer);
	if (!entry)
		return;
	entry->func = trace->func;
	entry->depth = trace->depth;
	entry->overrun = trace->overrun;
	entry->calltime = *begin;
	entry->rettime = end;
	trace_buffer_unlock_commit(buffer);
	/* END LAB 8 */
}

static struct fgraph_ops slow_ops = { .entryfunc = slow_entry, .retfunc = slow_return };

static int slow_init(struct trace_array *tr)
{
	/*
	 * LAB 8: Choose the functions first. After an error nothing may be left behind.
	 * Starts as:
	 * (void)tr, (void)slow_ops;
	 * return 0;
	 */
	int error = ftrace_set_filter(&slow_ops.ops, function, strlen(function), true);

	slow_ops.private = tr;
	if (!error)
		error = register_ftrace_graph(&slow_ops);
	if (error)
		ftrace_free_filter(&slow_ops.ops);
	return error;
	/* END LAB 8 */
}

static void slow_reset(struct trace_array *tr __unused)
{
	/* LAB 8: Undo what slow_init() has done, in the reverse order. */
	unregister_ftrace_graph(&slow_ops);
	ftrace_free_filter(&slow_ops.ops);
	/* END LAB 8 */
}

static void slow_header(struct seq_file *m, struct trace_iterator *iter __unused)
{
	seq_puts(m, "#    PID  CPU         US  FUNCTION\n");
}

/* The buffer may have entries of others, such as the text of trace_marker. */
static enum print_line_t slow_line(struct trace_iterator *iter)
{
	/*
	 * LAB 8: A line under the heading of slow_header().
	 * Starts as:
	 * (void)iter;
	 * return TRACE_TYPE_UNHANDLED;
	 */
	const struct ftrace_graph_ret_entry *entry = (const void *)iter->ent;

	if (iter->ent->type != TRACE_GRAPH_RET)
		return TRACE_TYPE_UNHANDLED;
	trace_seq_printf(&iter->seq, "%8d %4u %10lu  %ps\n", iter->ent->pid, iter->cpu,
			 (entry->rettime - entry->calltime) / 1000, (void *)entry->func);
	return trace_handle_return(&iter->seq);
	/* END LAB 8 */
}

/* There is one slow_ops, so only the top level can have the tracer (no allow_instances). */
static struct tracer slow_tracer = {
	.name = "slow",
	.init = slow_init,
	.reset = slow_reset,
	.print_header = slow_header,
	.print_line = slow_line,
	.owner = THIS_MODULE,
};

static int __init sample_slow_init(void)
{
	return register_tracer(&slow_tracer);
}
module_init(sample_slow_init);

static void __exit sample_slow_exit(void)
{
	unregister_tracer(&slow_tracer);
}
module_exit(sample_slow_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a tracer that records the slow calls of a function");
