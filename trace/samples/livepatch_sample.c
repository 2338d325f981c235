/*
 * A sample: a live patch, as Linux's samples/livepatch/livepatch-sample.c. It replaces the function
 * behind /proc/cmdline.
 *
 *	cd /sys/kernel
 *	echo 1 > debug/samples/livepatch-sample		as insmod does it
 *	cat /proc/cmdline				this has been live patched
 *	cat livepatch/livepatch_sample/transition	0: by every task
 *	echo 0 > livepatch/livepatch_sample/enabled	go back
 *	echo 0 > debug/samples/livepatch-sample		as rmmod does it
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

/* Device or resource busy, until it was disabled and every task has gone back. */
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
