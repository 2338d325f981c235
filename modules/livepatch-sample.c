/*
 * A live patch: replaces the function that shows /proc/cmdline.
 *
 *	modprobe livepatch-sample
 *	cat /proc/cmdline					this has been live patched
 *	echo 0 > /sys/kernel/livepatch/livepatch_sample/enabled	switches all tasks back
 *	rmmod livepatch-sample					possible when all have switched
 */
#include "fs/vfs/seq_file.h"
#include "kernel/module/module.h"
#include "trace/livepatch/livepatch.h"

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

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = (struct klp_object[]){ { .funcs = funcs }, {} } };

static int livepatch_init(void)
{
	return klp_enable_patch(&patch);
}
module_init(livepatch_init);

/* The enabled patch keeps the module: there is nothing left to do. */
static void livepatch_exit(void)
{
}
module_exit(livepatch_exit);

MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
