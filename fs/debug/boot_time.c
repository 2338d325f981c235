/* /sys/kernel/debug/boot_time: the TSC at each stage of the boot, and the ticks since the entry. */
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/boot/boot_time.h"
#include "kernel/init.h"

static const char *const boot_stage_names[BOOT_STAGES] = {
	"entry", "start_kernel", "memory", "first_task", "cpus", "initcalls", "prompt",
};

static int boot_time_show(struct seq_file *m, void *unused __unused)
{
	for (unsigned i = 0; i < BOOT_STAGES; i++)
		seq_printf(m, "%-14s %14llu %14llu\n", boot_stage_names[i],
			   (unsigned long long)boot_stage_tsc[i],
			   (unsigned long long)(boot_stage_tsc[i] - boot_stage_tsc[BOOT_ENTRY]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(boot_time);

static int __init boot_time_init(void)
{
	struct dentry *file = debugfs_create_file("boot_time", 0444, NULL, NULL, &boot_time_fops);

	return IS_ERR(file) ? (int)PTR_ERR(file) : 0;
}
device_initcall(boot_time_init);
