/*
 * The cost of a hit: the file /sys/kernel/debug/probes_bench. Reading it prints, for each kind of
 * probe, the TSC ticks that an empty handler adds to a call.
 */
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/sched/sched.h"
#include "selftest/bench/call_cost.h"
#include "selftest/lib/ftrace_targets.h"
#include "trace/kprobes/kprobes.h"

#define CALLS 1000

static int before(struct kprobe *p __unused, struct pt_regs *regs __unused)
{
	return 0;
}

static int at_return(struct kretprobe_instance *ri __unused, struct pt_regs *regs __unused)
{
	return 0;
}

static void show(struct seq_file *m, const char *what, u64 plain)
{
	show_call_cost(m, what, plain, call_cost(ftrace_target_other, CALLS));
}

static int show_kprobe(struct seq_file *m, const char *what, unsigned long addr)
{
	struct kprobe probe = { .addr = addr, .pre_handler = before };
	u64 plain = call_cost(ftrace_target_other, CALLS);
	int error = register_kprobe(&probe);

	if (error)
		return error;
	show(m, what, plain);
	unregister_kprobe(&probe);
	return 0;
}

/* An int3 at first, and a jump some milliseconds later. */
static int show_kprobe_inside(struct seq_file *m, unsigned long addr)
{
	struct kprobe probe = { .addr = addr, .pre_handler = before };
	u64 plain = call_cost(ftrace_target_other, CALLS);
	int error = register_kprobe(&probe);

	if (error)
		return error;
	show(m, "kprobe inside, int3", plain);
	while (!kprobe_optimized(&probe))
		msleep(1);
	show(m, "kprobe inside, jump", plain);
	unregister_kprobe(&probe);
	return 0;
}

static int show_kretprobe(struct seq_file *m, const char *what, kretprobe_handler_t entry,
			  bool args_only)
{
	struct kretprobe probe = { .kp.addr = (unsigned long)ftrace_target_other,
				   .entry_handler = entry,
				   .handler = at_return,
				   .args_only = args_only };
	u64 plain = call_cost(ftrace_target_other, CALLS);
	int error = register_kretprobe(&probe);

	if (error)
		return error;
	show(m, what, plain);
	unregister_kretprobe(&probe);
	return 0;
}

static int probes_bench_show(struct seq_file *m, void *unused __unused)
{
	unsigned long entry = (unsigned long)ftrace_target_other;
	int error = show_kprobe(m, "kprobe at an entry", entry);

	if (!error)
		error = show_kprobe_inside(m, entry + 5);
	if (!error)
		error = show_kretprobe(m, "kretprobe", NULL, true);
	if (!error)
		error = show_kretprobe(m, "kretprobe with all registers", NULL, false);
	if (!error)
		error = show_kretprobe(m, "kretprobe with an entry handler", at_return, true);
	return error;
}
DEFINE_SHOW_ATTRIBUTE(probes_bench);

static int __init probes_bench_init(void)
{
	debugfs_create_file("probes_bench", 0444, NULL, NULL, &probes_bench_fops);
	return 0;
}
device_initcall(probes_bench_init);
