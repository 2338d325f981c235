/*
 * A sample: count the calls of a function.
 *
 *	cd /sys/kernel/debug/samples
 *	echo vfs_open > count.function		which (a pattern will do, such as vfs_*)
 *	echo 1 > count				begin
 *	cat count				how many so far
 *	echo 0 > count				end
 */
#include "arch/percpu.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "trace/ftrace/ftrace.h"
#include "trace/samples/sample.h"

/* One for each CPU: nobody waits for anybody, and nothing is lost. */
static DEFINE_PER_CPU(u64, calls);

/* Called at the start of each call, whoever makes it: tasks, interrupts, NMIs. */
static void count_call(unsigned long ip __unused, unsigned long parent_ip __unused,
		       struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	this_cpu_inc(calls); /* one instruction: an interrupt comes before it, or behind it */
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
