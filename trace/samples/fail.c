/*
 * A sample: have a function fail (fault injection). Its callers are told that there is no memory,
 * and it is not run at all: do they give everything back, and say so?
 *
 *	cd /sys/kernel/debug/samples
 *	echo sys_mkdir > fail.function		one that returns 0 or a negative errno!
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
 * rax, in which the caller looks for the result, becomes the error; and ip, where the function
 * would go on, leads to a return. (A live patch has it lead to another function.)
 */
static void fail_call(unsigned long ip __unused, unsigned long parent_ip __unused,
		      struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	ftrace_regs_set_return_value(fregs, (unsigned long)injected);
	ftrace_override_function_with_return(fregs);
	atomic64_inc(&failed);
}

/* IPMODIFY: the call is led elsewhere. Of each function's users only one may do that. */
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
