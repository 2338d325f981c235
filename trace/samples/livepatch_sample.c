/*
 * A sample live patch, like Linux's samples/livepatch/livepatch-sample.c. It replaces the function
 * that shows /proc/cmdline.
 *
 *	cd /sys/kernel
 *	echo 1 > debug/samples/livepatch-sample		in Linux: insmod
 *	cat /proc/cmdline				this has been live patched
 *	cat livepatch/livepatch_sample/transition	0: all tasks have switched
 *	echo 0 > livepatch/livepatch_sample/enabled	switches all tasks back
 *	echo 0 > debug/samples/livepatch-sample		in Linux: rmmod
 */
#include "fs/seq_file.h"
#include "kernel/init.h"
#include "trace/livepatch/livepatch.h"
#include "trace/samples/sample.h"

static int livepatch_cmdline_proc_show(struct seq_file *m, void *v __unused)
{
	seq_printf(m, "%s\n", "this has been live patched");
	return 0;
}

static struct klp_func funcs[] = {
	{
		.old_name = "cmdline_proc_show",
		.new_func = livepatch_cmdline_proc_show,
	},
	{},
};

static struct klp_patch patch = { .name = "livepatch_sample", .funcs = funcs };

static int livepatch_start(const char *function __unused)
{
	return klp_enable_patch(&patch);
}

/* -EBUSY until the patch is disabled and all tasks have switched back. */
static int livepatch_stop(void)
{
	return klp_release_patch(&patch);
}

static struct sample livepatch_sample = {
	.name = "livepatch-sample",
	.start = livepatch_start,
	.stop = livepatch_stop,
};

static int __init livepatch_init(void)
{
	return register_sample(&livepatch_sample);
}
device_initcall(livepatch_init);
