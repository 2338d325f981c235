/*
 * What switching a tracer on and off for all functions costs: /sys/kernel/debug/ftrace_bench
 * measures it when it is read, in TSC ticks as fs/bench.c does.
 */
#include "arch/x86_64/processor.h"
#include "fs/debugfs.h"
#include "fs/seq_file.h"
#include "kernel/init.h"
#include "trace/ftrace_internal.h"

static void bench_callback(unsigned long ip __unused, unsigned long parent_ip __unused,
			   struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
}

static struct ftrace_ops bench_ops = { .func = bench_callback };

static void show_ticks(struct seq_file *m, const char *what, u64 ticks)
{
	unsigned sites = ftrace_record_count();

	seq_printf(m, "%s: %llu ticks, %u sites, %llu each\n", what, (unsigned long long)ticks,
		   sites, (unsigned long long)(sites ? ticks / sites : 0));
}

static int ftrace_bench_show(struct seq_file *m, void *unused __unused)
{
	u64 begin = rdtsc(), enabled, disabled;
	int error = register_ftrace_function(&bench_ops);

	if (error)
		return error;
	enabled = rdtsc();
	error = unregister_ftrace_function(&bench_ops);
	disabled = rdtsc();
	if (error)
		return error;
	show_ticks(m, "enable", enabled - begin);
	show_ticks(m, "disable", disabled - enabled);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ftrace_bench);

static int __init ftrace_bench_init(void)
{
	debugfs_create_file("ftrace_bench", 0400, NULL, NULL, &ftrace_bench_fops);
	return 0;
}
device_initcall(ftrace_bench_init);
