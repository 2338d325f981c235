/*
 * A sample that makes a histogram of the durations of a function's calls, from entry to return.
 *
 *	modprobe sample-latency function=vfs_read
 *	cat /sys/kernel/debug/sample-latency
 *	rmmod sample-latency
 */
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/atomic.h"
#include "kernel/lib/string.h"
#include "kernel/module/moduleparam.h"
#include "kernel/time/trace_clock.h"
#include "trace/fgraph/fgraph.h"

#define SLOTS 64 /* slot n: durations from 2^n ns to 2^(n + 1) - 1 */

static char *function = "vfs_read";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "a function, or a pattern as in set_ftrace_filter");

static atomic64_t histogram[SLOTS];
static struct dentry *file;

/* Stores the time of the call on the shadow stack. 0: do not call latency_return(). */
static int latency_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			 struct ftrace_regs *fregs __unused)
{
	u64 *begin = fgraph_call_reserve(trace, gops, sizeof(*begin));

	*begin = trace_clock_local();
	return 1;
}

/* Runs in the same task, perhaps on another CPU. The task may have slept in between. */
static void latency_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			   struct ftrace_regs *fregs __unused)
{
	u64 *begin = fgraph_call_data(trace, gops);
	u64 ns = trace_clock_local() - *begin;

	atomic64_inc(&histogram[63 - __builtin_clzl(ns | 1)]);
}

static struct fgraph_ops latency_ops = {
	.entryfunc = latency_entry,
	.retfunc = latency_return,
};

static int sample_latency_show(struct seq_file *m, void *unused __unused)
{
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		s64 calls = atomic64_read(&histogram[slot]);

		if (calls)
			seq_printf(m, "from %10lu ns: %ld calls\n", 1UL << slot, calls);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sample_latency);

static int __init sample_latency_init(void)
{
	int error = ftrace_set_filter(&latency_ops.ops, function, strlen(function), true);

	if (!error)
		error = register_ftrace_graph(&latency_ops);
	if (error)
		ftrace_free_filter(&latency_ops.ops);
	else
		file = debugfs_create_file("sample-latency", 0444, NULL, NULL,
					   &sample_latency_fops);
	return error;
}
module_init(sample_latency_init);

static void __exit sample_latency_exit(void)
{
	debugfs_remove(file);
	unregister_ftrace_graph(&latency_ops);
	ftrace_free_filter(&latency_ops.ops);
}
module_exit(sample_latency_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("measures how long the calls of a function take");
