/*
 * A sample that prints the arguments of each call of a function into the trace while it is loaded.
 *
 *	modprobe sample-arguments function=vfs_read
 *	cat /sys/kernel/tracing/trace
 *	rmmod sample-arguments
 */
#include "kernel/lib/string.h"
#include "kernel/module/moduleparam.h"
#include "trace/core/trace_printk.h"
#include "trace/ftrace/ftrace.h"

static char *function = "vfs_read";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "a function, or a pattern as in set_ftrace_filter");

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

static int __init sample_arguments_init(void)
{
	int error = ftrace_set_filter(&arguments_ops, function, strlen(function), true);

	if (!error)
		error = register_ftrace_function(&arguments_ops);
	if (error)
		ftrace_free_filter(&arguments_ops);
	return error;
}
module_init(sample_arguments_init);

static void __exit sample_arguments_exit(void)
{
	unregister_ftrace_function(&arguments_ops);
	ftrace_free_filter(&arguments_ops);
}
module_exit(sample_arguments_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("prints the arguments of the calls of a function");
