/*
 * A sample that counts the calls of a function.
 *
 *	cd /sys/kernel/debug/samples
 *	echo vfs_open > count.function		chooses the function, or a pattern such as vfs_*
 *	echo 1 > count				starts
 *	cat count				prints the number of calls
 *	echo 0 > count				stops
 */
#include "arch/percpu.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "trace/ftrace/ftrace.h"
#include "trace/samples/sample.h"

/* One counter for each CPU: CPUs do not wait for each other, and no count is lost. */
static DEFINE_PER_CPU(u64, calls);

/* Runs at the start of each call, in tasks, interrupts and NMIs. */
static void count_call(unsigned long ip __unused, unsigned long parent_ip __unused,
		       struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	this_cpu_inc(calls); /* one instruction, which an interrupt cannot divide */
}

static struct ftrace_ops count_ops = { .func = count_call };

static int count_start(const char *function)
{
	unsigned cpu;
	int error;

	for_each_possible_cpu (cpu)
		per_cpu(calls, cpu) = 0;
	error = ftrace_set_filter(&count_ops, function, strlen(function), true);
	if (!error)
		error = register_ftrace_function(&count_ops);
	if (error)
		ftrace_free_filter(&count_ops);
	return error;
}

static int count_stop(void)
{
	int error = unregister_ftrace_function(&count_ops);

	ftrace_free_filter(&count_ops);
	return error;
}

static void count_show(struct seq_file *m)
{
	u64 sum = 0;
	unsigned cpu;

	for_each_possible_cpu (cpu)
		sum += per_cpu(calls, cpu);
	seq_printf(m, "%llu calls\n", (unsigned long long)sum);
}

static struct sample count_sample = {
	.name = "count",
	.function = "vfs_open",
	.start = count_start,
	.stop = count_stop,
	.show = count_show,
};

static int __init count_init(void)
{
	return register_sample(&count_sample);
}
device_initcall(count_init);
