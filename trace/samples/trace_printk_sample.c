/*
 * Reading /sys/kernel/debug/trace_printk_sample prints into the trace with each variant of
 * trace_printk(). It shows the output, here and in programs that read exported traces.
 */
#include "fs/debugfs.h"
#include "fs/seq_file.h"
#include "kernel/init.h"
#include "kernel/sched/sched.h"
#include "trace/core/trace_printk.h"

static int trace_printk_sample_show(struct seq_file *m, void *unused __unused)
{
	const char *variable = "a format that is %s\n";

	trace_printk("numbers %d %u %5d %lx\n", -1, 2, 34, 0xabcdef123456UL);
	trace_printk("task %s has PID %d\n", current->comm, current->pid);
	trace_puts("a text without arguments, 100%\n");
	trace_printk(variable, "no constant");
	seq_printf(m, "4 lines in the trace\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(trace_printk_sample);

static int __init trace_printk_sample_init(void)
{
	debugfs_create_file("trace_printk_sample", 0400, NULL, NULL, &trace_printk_sample_fops);
	return 0;
}
device_initcall(trace_printk_sample_init);
