/*
 * A sample that prints a histogram of the durations of a function's calls, from entry to return.
 *	echo vfs_read > latency.function; echo 1 > latency; cat latency; echo 0 > latency
 */
#include "kernel/atomic.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "trace/fgraph/fgraph.h"
#include "trace/samples/sample.h"
#include "kernel/time/trace_clock.h"

#define SLOTS 64 /* slot n: durations from 2^n ns to 2^(n + 1) - 1 */

static atomic64_t histogram[SLOTS];

/* Stores the time of the call on the shadow stack. 0: no room; do not call latency_return(). */
static int latency_entry(struct ftrace_graph_ent *trace __unused, struct fgraph_ops *gops,
			 struct ftrace_regs *fregs __unused)
{
	u64 *begin = fgraph_reserve_data(gops->idx, sizeof(*begin));

	if (!begin)
		return 0;
	*begin = trace_clock_local();
	return 1;
}

/* Runs in the same task, perhaps on another CPU. The task may have slept in between. */
static void latency_return(struct ftrace_graph_ret *trace __unused, struct fgraph_ops *gops,
			   struct ftrace_regs *fregs __unused)
{
	u64 *begin = fgraph_retrieve_data(gops->idx, NULL);
	u64 ns = trace_clock_local() - *begin;

	atomic64_inc(&histogram[63 - __builtin_clzl(ns | 1)]);
}

static struct fgraph_ops latency_ops = {
	.entryfunc = latency_entry,
	.retfunc = latency_return,
};

static int latency_start(const char *function)
{
	int error = ftrace_set_filter(&latency_ops.ops, function, strlen(function), true);

	memset(histogram, 0, sizeof(histogram));
	if (!error)
		error = register_ftrace_graph(&latency_ops);
	if (error)
		ftrace_free_filter(&latency_ops.ops);
	return error;
}

static int latency_stop(void)
{
	unregister_ftrace_graph(&latency_ops);
	ftrace_free_filter(&latency_ops.ops);
	return 0;
}

static void latency_show(struct seq_file *m)
{
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		s64 calls = atomic64_read(&histogram[slot]);

		if (calls)
			seq_printf(m, "from %10lu ns: %ld calls\n", 1UL << slot, calls);
	}
}

static struct sample latency_sample = {
	.name = "latency",
	.function = "vfs_read",
	.start = latency_start,
	.stop = latency_stop,
	.show = latency_show,
};

static int __init latency_init(void)
{
	return register_sample(&latency_sample);
}
device_initcall(latency_init);
