/* /sys/class/rtc/rtc0: the clock that runs while the machine is off. The files are Linux's. */
#include "fs/vfs/seq_file.h"
#include "fs/sys/sysfs.h"
#include "kernel/init.h"
#include "kernel/time/timekeeping.h"

/* The driver, as Linux calls it. */
static int name_show(struct seq_file *m, void *v)
{
	(void)v;
	seq_puts(m, "rtc_cmos\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(name);

static int since_epoch_show(struct seq_file *m, void *v)
{
	(void)v;
	seq_printf(m, "%llu\n", (unsigned long long)arch_read_wall_clock());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(since_epoch);

static int __init rtc_sysfs_init(void)
{
	struct dentry *dir =
		sysfs_create_dir("rtc0", sysfs_create_dir("rtc", sysfs_create_dir("class", NULL)));
	struct dentry *file = sysfs_create_file("name", 0444, dir, NULL, &name_fops);

	if (!IS_ERR(file))
		file = sysfs_create_file("since_epoch", 0444, dir, NULL, &since_epoch_fops);
	return IS_ERR(file) ? (int)PTR_ERR(file) : 0;
}
late_initcall(rtc_sysfs_init);
