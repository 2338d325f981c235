/*
 * A sample that makes a function fail (fault injection). The function does not run; its callers get
 * -ENOMEM. So you can test whether the callers release everything and report the error.
 *
 *	cd /sys/kernel/debug/samples
 *	echo sys_mkdir > fail.function		must return 0 or a negative errno!
 *	echo 1 > fail
 *	mkdir /tmp/x				Cannot allocate memory
 *	echo 0 > fail
 */
#include "kernel/atomic.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "trace/ftrace/ftrace.h"
#include "trace/samples/sample.h"

static const long injected = -ENOMEM;

static atomic64_t failed;

/*
 * Sets rax, the return value, to the error, and ip to a return instruction, so that the function
 * does not run. (A live patch sets ip to another function.)
 */
static void fail_call(unsigned long ip __unused, unsigned long parent_ip __unused,
		      struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	ftrace_regs_set_return_value(fregs, (unsigned long)injected);
	ftrace_override_function_with_return(fregs);
	atomic64_inc(&failed);
}

/* IPMODIFY: the callback changes ip. Only one ops of each function may do this. */
static struct ftrace_ops fail_ops = {
	.func = fail_call,
	.flags = FTRACE_OPS_FL_IPMODIFY,
};

static int fail_start(const char *function)
{
	int error = ftrace_set_filter(&fail_ops, function, strlen(function), true);

	atomic64_set(&failed, 0);
	if (!error)
		error = register_ftrace_function(&fail_ops);
	if (error)
		ftrace_free_filter(&fail_ops);
	return error;
}

static int fail_stop(void)
{
	int error = unregister_ftrace_function(&fail_ops);

	ftrace_free_filter(&fail_ops);
	return error;
}

static void fail_show(struct seq_file *m)
{
	seq_printf(m, "%lld calls failed\n", (long long)atomic64_read(&failed));
}

static struct sample fail_sample = {
	.name = "fail",
	.function = "sys_mkdir",
	.start = fail_start,
	.stop = fail_stop,
	.show = fail_show,
};

static int __init fail_init(void)
{
	return register_sample(&fail_sample);
}
device_initcall(fail_init);
