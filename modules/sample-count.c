/*
 * A sample that counts the calls of a function while it is loaded.
 *
 *	modprobe sample-count function=vfs_open		or a pattern such as vfs_*
 *	cat /sys/kernel/debug/sample-count		prints the number of calls
 *	rmmod sample-count
 */
#include "arch/cpu/percpu.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/lib/string.h"
#include "kernel/module/moduleparam.h"
#include "trace/ftrace/ftrace.h"

static char *function = "vfs_open";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "a function, or a pattern as in set_ftrace_filter");

/* One counter for each CPU: CPUs do not wait for each other, and no count is lost. */
static DEFINE_PER_CPU(u64, calls);
static struct dentry *file;

/* Runs at the start of each call, in tasks, interrupts and NMIs. */
static void count_call(unsigned long ip __unused, unsigned long parent_ip __unused,
		       struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	this_cpu_inc(calls); /* one instruction, which an interrupt cannot divide */
}

static struct ftrace_ops count_ops = { .func = count_call };

static int sample_count_show(struct seq_file *m, void *unused __unused)
{
	u64 sum = 0;
	unsigned cpu;

	for_each_possible_cpu (cpu)
		sum += per_cpu(calls, cpu);
	seq_printf(m, "%llu calls\n", (unsigned long long)sum);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sample_count);

static int __init sample_count_init(void)
{
	int error = ftrace_set_filter(&count_ops, function, strlen(function), true);

	if (!error)
		error = register_ftrace_function(&count_ops);
	if (error)
		ftrace_free_filter(&count_ops);
	else
		file = debugfs_create_file("sample-count", 0444, NULL, NULL, &sample_count_fops);
	return error;
}
module_init(sample_count_init);

static void __exit sample_count_exit(void)
{
	debugfs_remove(file);
	unregister_ftrace_function(&count_ops);
	ftrace_free_filter(&count_ops);
}
module_exit(sample_count_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("counts the calls of a function");
