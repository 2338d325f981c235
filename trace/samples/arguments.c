/*
 * A sample that prints the arguments of each call of a function into the trace.
 *
 *	cd /sys/kernel/debug/samples
 *	echo vfs_read > arguments.function
 *	echo 1 > arguments
 *	cat /sys/kernel/tracing/trace
 *	echo 0 > arguments
 */
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "trace/ftrace/ftrace.h"
#include "trace/samples/sample.h"
#include "trace/core/trace_printk.h"

/*
 * Prints the first arguments, which are in registers, as numbers, because their types are not known
 * at run time. A callback that knows a type may follow a pointer, with care: the callback can run
 * in an interrupt, and with any lock held.
 */
static void print_arguments(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	trace_printk("%ps(0x%lx, 0x%lx, 0x%lx, 0x%lx) called by %ps\n", (void *)ip,
		     ftrace_get_argument(fregs, 0), ftrace_get_argument(fregs, 1),
		     ftrace_get_argument(fregs, 2), ftrace_get_argument(fregs, 3),
		     (void *)parent_ip);
}

/* trace_printk() calls traced functions, so without RECURSION the callback would call itself. */
static struct ftrace_ops arguments_ops = {
	.func = print_arguments,
	.flags = FTRACE_OPS_FL_RECURSION,
};

static int arguments_start(const char *function)
{
	int error = ftrace_set_filter(&arguments_ops, function, strlen(function), true);

	if (!error)
		error = register_ftrace_function(&arguments_ops);
	if (error)
		ftrace_free_filter(&arguments_ops);
	return error;
}

static int arguments_stop(void)
{
	int error = unregister_ftrace_function(&arguments_ops);

	ftrace_free_filter(&arguments_ops);
	return error;
}

static void arguments_show(struct seq_file *m)
{
	seq_puts(m, "see /sys/kernel/tracing/trace\n");
}

static struct sample arguments_sample = {
	.name = "arguments",
	.function = "vfs_read",
	.start = arguments_start,
	.stop = arguments_stop,
	.show = arguments_show,
};

static int __init arguments_init(void)
{
	return register_sample(&arguments_sample);
}
device_initcall(arguments_init);
