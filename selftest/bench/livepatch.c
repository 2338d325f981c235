/*
 * The additional cost of a call of a replaced function: by a live patch, and by the jmp of
 * register_ftrace_direct(). And the time to disable a patch of many functions. Reading
 * livepatch_bench of debugfs measures it, in TSC ticks as in selftest/bench/kernel.c. The old and
 * the new function differ only in a constant.
 */
#include "arch/time/clock.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/vsprintf.h"
#include "selftest/bench/call_cost.h"
#include "selftest/lib/ftrace_targets.h"
#include "trace/ftrace/ftrace.h"
#include "trace/livepatch/livepatch.h"

#define CALLS 20000

static int measure_livepatch(struct seq_file *m)
{
	static struct klp_func funcs[] = { { .old_name = "ftrace_many_0" }, {} };
	static struct klp_object objs[] = { { .funcs = funcs }, {} };
	static struct klp_patch patch = { .name = "livepatch_bench", .objs = objs };
	u64 plain = call_cost(ftrace_many[0], CALLS), replaced;
	int error;

	funcs[0].new_func = ftrace_many[1];
	error = klp_enable_patch(&patch);
	if (error)
		return error;
	klp_wait_for_transition();
	replaced = call_cost(ftrace_many[0], CALLS);
	while (klp_disable_patch(&patch) == -EBUSY) /* another patch is in transition */
		klp_wait_for_transition();
	klp_wait_for_transition();
	show_call_cost(m, "live patch", plain, replaced);
	return 0;
}

static int measure_direct(struct seq_file *m)
{
	struct ftrace_ops ops = { .flags = FTRACE_OPS_FL_JMP };
	u64 plain = call_cost(ftrace_many[0], CALLS), replaced = 0;
	int error = ftrace_set_filter_ip(&ops, (unsigned long)ftrace_many[0], false, true);

	if (!error)
		error = register_ftrace_direct(&ops, (unsigned long)ftrace_many[1]);
	if (!error) {
		replaced = call_cost(ftrace_many[0], CALLS);
		unregister_ftrace_direct(&ops);
		show_call_cost(m, "direct jmp", plain, replaced);
	}
	ftrace_free_filter(&ops);
	return error;
}

/* Replaces all functions but the first one by the first one. */
static int measure_unpatching(struct seq_file *m)
{
	static char names[FTRACE_MANY - 1][sizeof("ftrace_many_99")];
	static struct klp_func funcs[FTRACE_MANY];
	static struct klp_object objs[] = { { .funcs = funcs }, {} };
	static struct klp_patch patch = { .name = "livepatch_bench", .objs = objs };
	u64 start;
	int error;

	for (unsigned i = 0; i < FTRACE_MANY - 1; i++) {
		snprintf(names[i], sizeof(names[i]), "ftrace_many_%u", i + 1);
		funcs[i].old_name = names[i];
		funcs[i].new_func = ftrace_many[0];
	}
	error = klp_enable_patch(&patch);
	if (error)
		return error;
	klp_wait_for_transition();
	start = arch_cycles();
	while (klp_disable_patch(&patch) == -EBUSY)
		klp_wait_for_transition();
	klp_wait_for_transition();
	seq_printf(m, "unpatching %u functions: %lu ticks\n", FTRACE_MANY - 1,
		   arch_cycles() - start);
	return 0;
}

static int livepatch_bench_show(struct seq_file *m, void *unused __unused)
{
	int error = measure_livepatch(m);

	error = error ? error : measure_direct(m);
	return error ? error : measure_unpatching(m);
}
DEFINE_SHOW_ATTRIBUTE(livepatch_bench);

static int __init livepatch_bench_init(void)
{
	debugfs_create_file("livepatch_bench", 0400, NULL, NULL, &livepatch_bench_fops);
	return 0;
}
device_initcall(livepatch_bench_init);
