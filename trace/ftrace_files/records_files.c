/*
 * The files that show the records of dynamic ftrace: available_filter_functions and the same with
 * addresses, enabled_functions, touched_functions and dyn_ftrace_total_info in tracefs;
 * ftrace_verify and text_patch in debugfs.
 */
#include "arch/patch/text_patch.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "fs/tracefs/tracefs.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "trace/ftrace/trampoline.h"

static void *record_start(struct seq_file *m __unused, loff_t *pos)
{
	mutex_lock(&ftrace_lock);
	return *pos < ftrace_record_count() ? ftrace_record((unsigned)*pos) : NULL;
}

static void *record_next(struct seq_file *m __unused, void *v __unused, loff_t *pos)
{
	++*pos;
	return *pos < ftrace_record_count() ? ftrace_record((unsigned)*pos) : NULL;
}

static void record_stop(struct seq_file *m __unused, void *v __unused)
{
	mutex_unlock(&ftrace_lock);
}

static int available_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%ps\n", (void *)ftrace_record_ip(v));
	return 0;
}

static const struct seq_operations available_sops = {
	.start = record_start, .next = record_next, .stop = record_stop, .show = available_show
};
DEFINE_SEQ_ATTRIBUTE(available);

static int available_addrs_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%lx %ps\n", ftrace_record_ip(v), (void *)ftrace_record_ip(v));
	return 0;
}

static const struct seq_operations available_addrs_sops = { .start = record_start,
							    .next = record_next,
							    .stop = record_stop,
							    .show = available_addrs_show };
DEFINE_SEQ_ATTRIBUTE(available_addrs);

/*
 * Prints a line in Linux's format: the name, the count of users, a letter for each special use, the
 * trampoline with the callback of its ops, and the function that the call reaches. M is of later
 * Linux, and has no column in Linux 6.1: only functions with an M have a longer line.
 */
static void show_users(struct seq_file *m, const struct dyn_ftrace *rec)
{
	const struct ftrace_ops *ops;

	seq_printf(m, "%ps (%u)%s%s%s%s", (void *)ftrace_record_ip(rec),
		   (unsigned)(rec->flags & FTRACE_REF_MASK),
		   rec->flags & FTRACE_FL_REGS ? " R" : "  ",
		   rec->flags & FTRACE_FL_IPMODIFY ? " I" : "  ",
		   rec->flags & FTRACE_FL_DIRECT ? " D" : "  ",
		   rec->flags & FTRACE_FL_MODIFIED ? " M" : "");
	ops = ftrace_trampoline_ops(rec);
	if (ops && ops->flags & FTRACE_OPS_FL_DIRECT)
		seq_printf(m, "\n\tdirect-->%pS\n", (void *)ops->direct_call);
	else if (ops)
		seq_printf(m, "\ttramp: 0x%lx (%pS) ->%pS\n", ops->trampoline->address,
			   (void *)ops->func, (void *)ops->trampoline->target);
	else if (rec->flags & FTRACE_FL_ENABLED)
		seq_printf(m, " ->%pS\n", (void *)ftrace_ops_list_func);
	else
		seq_putc(m, '\n');
}

static int enabled_show(struct seq_file *m, void *v)
{
	const struct dyn_ftrace *rec = v;

	if (!(rec->flags & FTRACE_FL_ENABLED))
		return SEQ_SKIP;
	show_users(m, rec);
	return 0;
}

/* The functions that were ever traced: a file of later Linux. */
static int touched_show(struct seq_file *m, void *v)
{
	const struct dyn_ftrace *rec = v;

	if (!(rec->flags & FTRACE_FL_TOUCHED))
		return SEQ_SKIP;
	show_users(m, rec);
	return 0;
}

static const struct seq_operations enabled_sops = {
	.start = record_start, .next = record_next, .stop = record_stop, .show = enabled_show
};
DEFINE_SEQ_ATTRIBUTE(enabled);

static const struct seq_operations touched_sops = {
	.start = record_start, .next = record_next, .stop = record_stop, .show = touched_show
};
DEFINE_SEQ_ATTRIBUTE(touched);

static int total_info_show(struct seq_file *m, void *v __unused)
{
	seq_printf(m, "%u pages:%u groups: %u\n", ftrace_record_count(), ftrace_page_count(),
		   ftrace_record_count() ? 1 : 0);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(total_info);

static void show_mismatch(void *m, const struct dyn_ftrace *rec, const u8 *bytes)
{
	seq_printf(m, "%016lx %pS: %5ph, flags %08x\n", ftrace_record_ip(rec),
		   (void *)ftrace_record_ip(rec), bytes, rec->flags);
}

static int verify_show(struct seq_file *m, void *v __unused)
{
	unsigned mismatches = ftrace_verify(show_mismatch, m);

	seq_printf(m, "%u sites, %u mismatches\n", ftrace_record_count(), mismatches);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(verify);

/* Counters for tests and students. breakpoints: how often a CPU has met a half-patched site. */
static int stats_show(struct seq_file *m, void *v __unused)
{
	struct text_patch_stats stats;

	text_patch_stats_read(&stats);
	seq_printf(m, "batches: %lu\nsites: %lu\nbreakpoints: %lu\n", stats.batches, stats.sites,
		   stats.breakpoints);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int __init ftrace_files_init(void)
{
	tracefs_create_file("available_filter_functions", 0440, NULL, NULL, &available_fops);
	tracefs_create_file("available_filter_functions_addrs", 0440, NULL, NULL,
			    &available_addrs_fops);
	tracefs_create_file("enabled_functions", 0440, NULL, NULL, &enabled_fops);
	tracefs_create_file("touched_functions", 0440, NULL, NULL, &touched_fops);
	tracefs_create_file("dyn_ftrace_total_info", 0440, NULL, NULL, &total_info_fops);
	debugfs_create_file("ftrace_verify", 0444, NULL, NULL, &verify_fops);
	debugfs_create_file("text_patch", 0444, NULL, NULL, &stats_fops);
	return 0;
}
device_initcall(ftrace_files_init);
