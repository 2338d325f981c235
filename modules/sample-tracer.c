/*
 * A sample of a tracer that current_tracer chooses. It records the calls of one function, with the
 * caller, as the tracer "function" does, and has a heading of its own.
 *
 *	modprobe sample-tracer function=vfs_open
 *	echo sample > /sys/kernel/tracing/current_tracer
 *	cat /sys/kernel/tracing/trace
 *	echo nop > /sys/kernel/tracing/current_tracer
 *	rmmod sample-tracer
 */
#include "fs/vfs/seq_file.h"
#include "kernel/lib/string.h"
#include "kernel/module/moduleparam.h"
#include "trace/core/iterator.h"
#include "trace/core/trace_array.h"
#include "trace/core/tracer.h"
#include "trace/core/write.h"
#include "trace/ftrace/ftrace.h"
#include "trace/tracers/function/function.h"

static char *function = "vfs_open";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "a function, or a pattern as in set_ftrace_filter");

/* Writes an entry into the buffer of the trace_array that has the tracer. */
static void record_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			struct ftrace_regs *fregs __unused)
{
	struct trace_buffer *buffer;
	/* The guard of the callback has turned preemption off: that is not the caller's. */
	struct ftrace_entry *entry = trace_buffer_lock_reserve(
		op->private, TRACE_FN, sizeof(*entry), tracing_gen_ctx_dec(1), &buffer);

	if (!entry)
		return; /* recording is off */
	entry->ip = ip;
	entry->parent_ip = parent_ip;
	trace_buffer_unlock_commit(buffer);
}

static struct ftrace_ops sample_ops = { .func = record_call };

/* A file in options/ for each. The core keeps the bits of each trace_array. */
#define SAMPLE_HEADING BIT(0)
static const struct tracer_opt sample_opts[] = { { .name = "sample-heading", .bit = SAMPLE_HEADING },
						 {} };
static struct tracer_flags sample_flags = { .val = SAMPLE_HEADING, .opts = sample_opts };

static int sample_init(struct trace_array *tr)
{
	int error = ftrace_set_filter(&sample_ops, function, strlen(function), true);

	sample_ops.private = tr;
	if (!error)
		error = register_ftrace_function(&sample_ops);
	if (error)
		ftrace_free_filter(&sample_ops);
	return error;
}

static void sample_reset(struct trace_array *tr __unused)
{
	unregister_ftrace_function(&sample_ops);
	ftrace_free_filter(&sample_ops);
}

static struct tracer sample_tracer;

static void sample_header(struct seq_file *m, struct trace_iterator *iter)
{
	if (tracer_flags_of(iter->tr, &sample_tracer) & SAMPLE_HEADING)
		seq_printf(m, "# the calls of %s\n#\n", function);
}

/* There is one sample_ops, so only the top level can have the tracer (no allow_instances). */
static struct tracer sample_tracer = {
	.name = "sample",
	.init = sample_init,
	.reset = sample_reset,
	.print_header = sample_header,
	.flags = &sample_flags,
	.owner = THIS_MODULE,
};

static int __init sample_tracer_init(void)
{
	return register_tracer(&sample_tracer);
}
module_init(sample_tracer_init);

static void __exit sample_tracer_exit(void)
{
	unregister_tracer(&sample_tracer);
}
module_exit(sample_tracer_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a tracer that records the calls of a function");
