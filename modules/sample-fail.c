/*
 * A sample that makes a function fail (fault injection). The function does not run; its callers get
 * -ENOMEM. So you can test whether the callers release everything and report the error.
 *
 *	modprobe sample-fail function=__x64_sys_mkdir		must return 0 or a negative errno!
 *	mkdir /tmp/x					Cannot allocate memory
 *	cat /sys/kernel/debug/sample-fail
 *	rmmod sample-fail
 *
 * With times=10 only 10 calls fail. That is needed for functions that rmmod needs, too.
 */
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/atomic.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/module/moduleparam.h"
#include "trace/ftrace/ftrace.h"

static char *function = "__x64_sys_mkdir";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "a function, or a pattern as in set_ftrace_filter");

static unsigned long times = ~0UL;
module_param(times, ulong, 0444);
MODULE_PARM_DESC(times, "how many calls fail");

static const long injected = -ENOMEM;

static atomic64_t calls;
static struct dentry *file;

/*
 * Sets rax, the return value, to the error, and ip to a return instruction, so that the function
 * does not run. (A live patch sets ip to another function.)
 */
static void fail_call(unsigned long ip __unused, unsigned long parent_ip __unused,
		      struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	if ((u64)atomic64_inc_return(&calls) > times)
		return;
	ftrace_regs_set_return_value(fregs, (unsigned long)injected);
	ftrace_override_function_with_return(fregs);
}

/*
 * IPMODIFY: the callback changes ip. Only one ops of each function may do this. SAVE_REGS: it changes
 * rax, which is not saved otherwise.
 */
static struct ftrace_ops fail_ops = {
	.func = fail_call,
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS,
};

static int sample_fail_show(struct seq_file *m, void *unused __unused)
{
	seq_printf(m, "%lu calls failed\n", min((unsigned long)atomic64_read(&calls), times));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sample_fail);

static int __init sample_fail_init(void)
{
	int error = ftrace_set_filter(&fail_ops, function, strlen(function), true);

	if (!error)
		error = register_ftrace_function(&fail_ops);
	if (error)
		ftrace_free_filter(&fail_ops);
	else
		file = debugfs_create_file("sample-fail", 0444, NULL, NULL, &sample_fail_fops);
	return error;
}
module_init(sample_fail_init);

static void __exit sample_fail_exit(void)
{
	debugfs_remove(file);
	unregister_ftrace_function(&fail_ops);
	ftrace_free_filter(&fail_ops);
}
module_exit(sample_fail_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("makes a function fail");
