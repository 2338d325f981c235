/*
 * /sys/devices/system/cpu: which CPUs there are. The C library and lscpu read the lists
 * (Documentation/admin-guide/cputopology.rst).
 */
#include "fs/vfs/seq_file.h"
#include "fs/sys/sysfs.h"
#include "kernel/init.h"
#include "kernel/lib/cpulist.h"

static int show_list(struct seq_file *m, const struct cpumask *mask)
{
	char list[NR_CPUS * 4];

	cpulist_print(list, sizeof(list), mask);
	seq_printf(m, "%s\n", list);
	return 0;
}

static int show_possible(struct seq_file *m, void *v __unused)
{
	return show_list(m, &cpu_possible_mask);
}

static int show_online(struct seq_file *m, void *v __unused)
{
	return show_list(m, &cpu_online_mask);
}

/* CPUs that did not answer at boot. */
static int show_offline(struct seq_file *m, void *v __unused)
{
	struct cpumask offline = cpu_possible_mask;
	unsigned cpu;

	for_each_online_cpu (cpu)
		cpumask_clear_cpu(cpu, &offline);
	return show_list(m, &offline);
}

static int show_kernel_max(struct seq_file *m, void *v __unused)
{
	seq_printf(m, "%d\n", NR_CPUS - 1);
	return 0;
}

static const struct {
	const char *name;
	int (*show)(struct seq_file *m, void *v);
} cpu_files[] = {
	{ "possible", show_possible }, { "present", show_possible },      { "online", show_online },
	{ "offline", show_offline },   { "kernel_max", show_kernel_max },
};

static int cpu_file_open(struct inode *inode, struct file *file)
{
	size_t i = (size_t)inode->i_private;
	int error = sysfs_may_open(inode, file);

	return error ? error : single_open(file, cpu_files[i].show, NULL);
}

static const struct file_operations cpu_fops = {
	.open = cpu_file_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init cpu_sysfs_init(void)
{
	struct dentry *dir = sysfs_create_dir("devices", NULL), *file = dir;

	dir = sysfs_create_dir("cpu", sysfs_create_dir("system", dir));
	for (size_t i = 0; i < ARRAY_SIZE(cpu_files) && !IS_ERR(file); i++)
		file = sysfs_create_file(cpu_files[i].name, 0444, dir, (void *)i, &cpu_fops);
	return IS_ERR(file) ? (int)PTR_ERR(file) : 0;
}
device_initcall(cpu_sysfs_init);
