/*
 * The cost of tracing. Reading a file of debugfs measures it, in TSC ticks as in
 * selftest/bench/kernel.c. ftrace_bench: enabling and disabling all functions. ftrace_ops_bench: a
 * call through a trampoline and one through the list of ops, and the registration of one ops.
 */
#include "arch/time/clock.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/rcu/rcu.h"
#include "selftest/bench/call_cost.h"
#include "selftest/lib/ftrace_targets.h"
#include "trace/ftrace/internal.h"
#include "trace/core/trace_array.h"
#include "trace/tracers/function/function.h"

#define CALLS 20000

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
	u64 begin = arch_cycles(), enabled, disabled;
	int error = register_ftrace_function(&bench_ops);

	if (error)
		return error;
	enabled = arch_cycles();
	error = unregister_ftrace_function(&bench_ops);
	disabled = arch_cycles();
	if (error)
		return error;
	show_ticks(m, "enable", enabled - begin);
	show_ticks(m, "disable", disabled - enabled);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ftrace_bench);

/* ---- one function ---- */

/* Registers ops, with register_ftrace_direct() if it is a direct one. */
static int attach(struct ftrace_ops *ops)
{
	return ops->direct_call ? register_ftrace_direct(ops, ops->direct_call)
				: register_ftrace_function(ops);
}

/* Prints a line: the additional cost of a call while these ops are registered for it. */
static int show_call(struct seq_file *m, const char *what, struct ftrace_ops *ops, unsigned count)
{
	u64 plain = call_cost(ftrace_target_other, CALLS), traced = 0;
	unsigned registered = 0;
	int error = 0;

	while (!error && registered < count) {
		error = ftrace_set_filter_ip(&ops[registered], (unsigned long)ftrace_target_other,
					     false, true);
		if (!error)
			error = attach(&ops[registered]);
		registered += !error;
	}
	if (!error)
		traced = call_cost(ftrace_target_other, CALLS);
	while (registered)
		unregister_ftrace_function(&ops[--registered]);
	for (unsigned i = 0; i < count; i++)
		ftrace_free_filter(&ops[i]);
	if (!error)
		show_call_cost(m, what, plain, traced);
	return error;
}

/* Registering and unregistering for one function. That includes a grace period, shown alone too. */
static int show_register(struct seq_file *m)
{
	struct ftrace_ops ops = { .func = bench_callback };
	u64 begin, end, grace_period;
	int error = ftrace_set_filter_ip(&ops, (unsigned long)ftrace_target_other, false, true);

	if (error)
		return error;
	begin = arch_cycles();
	synchronize_rcu_tasks();
	grace_period = arch_cycles() - begin;
	begin = arch_cycles();
	error = register_ftrace_function(&ops);
	if (!error)
		error = unregister_ftrace_function(&ops);
	end = arch_cycles();
	ftrace_free_filter(&ops);
	if (!error)
		seq_printf(m, "register and unregister: %lu ticks\ngrace period: %lu ticks\n",
			   end - begin, grace_period);
	return error;
}

static int ftrace_ops_bench_show(struct seq_file *m, void *unused __unused)
{
	struct ftrace_ops empty[] = { { .func = bench_callback }, { .func = bench_callback } };
	struct ftrace_ops regs = { .func = bench_callback, .flags = FTRACE_OPS_FL_SAVE_REGS };
	struct ftrace_ops tracing[] = {
		{ .func = function_trace_call, .private = &global_trace },
		{ .func = function_trace_call, .private = &global_trace },
	};
	struct ftrace_ops direct[] = { { .direct_call = (unsigned long)ftrace_many[0],
					 .flags = FTRACE_OPS_FL_JMP },
				       { .func = bench_callback } };
	int error = show_call(m, "own trampoline", empty, 1);

	if (!error)
		error = show_call(m, "own trampoline with registers", &regs, 1);
	if (!error)
		error = show_call(m, "list of two", empty, 2);
	if (!error)
		error = show_call(m, "own trampoline, tracing", tracing, 1);
	if (!error)
		error = show_call(m, "list of two, both tracing", tracing, 2);
	if (!error)
		error = show_call(m, "direct jmp and a callback", direct, 2);
	return error ? error : show_register(m);
}
DEFINE_SHOW_ATTRIBUTE(ftrace_ops_bench);

static int __init ftrace_bench_init(void)
{
	debugfs_create_file("ftrace_bench", 0400, NULL, NULL, &ftrace_bench_fops);
	debugfs_create_file("ftrace_ops_bench", 0400, NULL, NULL, &ftrace_ops_bench_fops);
	return 0;
}
device_initcall(ftrace_bench_init);
