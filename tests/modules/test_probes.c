/*
 * Callbacks of each kind, in a module, at functions of another module (test_traced): a kprobe, a
 * kretprobe, an ftrace_ops and an fgraph_ops. They call a traced function of this module, so they
 * would call themselves for ever without their guards. The last message has what they have counted.
 */
#include "kernel/atomic.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/module/moduleparam.h"
#include "kernel/printk/printk.h"
#include "trace/fgraph/fgraph.h"
#include "trace/kprobes/kprobes.h"

static char *pattern = "test_traced_l*";
module_param(pattern, charp, 0444);
MODULE_PARM_DESC(pattern, "the functions that get an ftrace_ops and an fgraph_ops");

static char *symbol = "test_traced_leaf";
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "the function that gets a kprobe and a kretprobe");

static atomic64_t calls, entries, returns, lost, hits, returned;
module_param_named(returned, returned.counter, long, 0444); /* for a test that waits for a hit */

noinline void test_probes_count(atomic64_t *counter);
noinline void test_probes_count(atomic64_t *counter)
{
	atomic64_inc(counter);
}

static void count_call(unsigned long ip __unused, unsigned long parent_ip __unused,
		       struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	test_probes_count(&calls);
}

static int count_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		       struct ftrace_regs *fregs __unused)
{
	unsigned long *func = fgraph_call_reserve(trace, gops, sizeof(*func));

	test_probes_count(&entries);
	*func = trace->func;
	return 1;
}

static void count_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			 struct ftrace_regs *fregs __unused)
{
	const unsigned long *func = fgraph_call_data(trace, gops);

	if (*func != trace->func)
		pr_err("test_probes: %lx returns as %lx\n", *func, trace->func);
	test_probes_count(&returns);
}

static void count_lost(struct fgraph_ops *gops __unused, unsigned long func __unused,
		       void *data __unused)
{
	test_probes_count(&lost);
}

static int count_hit(struct kprobe *p __unused, struct pt_regs *regs __unused)
{
	test_probes_count(&hits);
	return 0;
}

static int count_returned(struct kretprobe_instance *instance __unused,
			  struct pt_regs *regs __unused)
{
	test_probes_count(&returned);
	return 0;
}

static struct ftrace_ops ops = { .func = count_call };
static struct fgraph_ops gops = {
	.entryfunc = count_entry,
	.retfunc = count_return,
	.lostfunc = count_lost,
};
static struct kprobe probe = { .pre_handler = count_hit };
static struct kretprobe return_probe = { .handler = count_returned };

static int __init test_probes_init(void)
{
	int error = ftrace_set_filter(&ops, pattern, strlen(pattern), true);

	if (!error)
		error = ftrace_set_filter(&gops.ops, pattern, strlen(pattern), true);
	if (!error)
		error = register_ftrace_function(&ops);
	if (error)
		goto free;
	error = register_ftrace_graph(&gops);
	if (error)
		goto no_graph;
	probe.symbol_name = return_probe.kp.symbol_name = symbol;
	error = register_kprobe(&probe);
	if (error)
		goto no_probe;
	error = register_kretprobe(&return_probe);
	if (!error)
		return 0;
	unregister_kprobe(&probe);
no_probe:
	unregister_ftrace_graph(&gops);
no_graph:
	unregister_ftrace_function(&ops);
free:
	ftrace_free_filter(&gops.ops);
	ftrace_free_filter(&ops);
	return error;
}
module_init(test_probes_init);

static void __exit test_probes_exit(void)
{
	unregister_kretprobe(&return_probe);
	unregister_kprobe(&probe);
	unregister_ftrace_graph(&gops);
	unregister_ftrace_function(&ops);
	ftrace_free_filter(&gops.ops);
	ftrace_free_filter(&ops);
	pr_info("test_probes: %ld calls, %ld entries, %ld returns, %ld lost, %ld hits, %ld returned\n",
		(long)atomic64_read(&calls), (long)atomic64_read(&entries),
		(long)atomic64_read(&returns), (long)atomic64_read(&lost),
		(long)atomic64_read(&hits), (long)atomic64_read(&returned));
}
module_exit(test_probes_exit);

MODULE_LICENSE("GPL");
