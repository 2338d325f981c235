/* /proc/cmdline. cmdline_proc_show has Linux's name, because live-patching samples replace it. */
#include "fs/proc/internal.h"
#include "kernel/init.h"
#include "kernel/boot/boot_info.h"

static int cmdline_proc_show(struct seq_file *m, void *v)
{
	(void)v;
	seq_printf(m, "%s\n", boot_info.cmdline);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cmdline_proc);

static int __init proc_cmdline_init(void)
{
	proc_create("cmdline", 0444, NULL, &cmdline_proc_fops);
	return 0;
}
device_initcall(proc_cmdline_init);
