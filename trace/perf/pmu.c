/* The table of PMUs, and their directories in sysfs. */
#include "trace/perf/internal.h"

#include "fs/sys/sysfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/printk/printk.h"

DEFINE_LINKER_TABLE(rodata, const struct pmu, perf_pmus);

const struct pmu *perf_find_pmu(u32 type)
{
	for_each_linker_table_entry (pmu, perf_pmus)
		if ((u32)pmu->type == type)
			return pmu;
	return NULL;
}

static int type_show(struct seq_file *m, void *v __unused)
{
	const struct pmu *pmu = m->private;

	seq_printf(m, "%d\n", pmu->type);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(type);

static int format_show(struct seq_file *m, void *v __unused)
{
	const struct pmu_format *format = m->private;

	seq_printf(m, "%s\n", format->text);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(format);

/* An errno of sysfs goes through all the calls. */
static struct dentry *create_files(const struct pmu *pmu, struct dentry *devices)
{
	struct dentry *dir = sysfs_create_dir(pmu->name, devices), *formats = NULL;
	struct dentry *entry =
		sysfs_create_file("type", 0444, dir, (void *)(uintptr_t)pmu, &type_fops);

	if (pmu->format[0].name)
		formats = sysfs_create_dir("format", dir);
	for (unsigned i = 0; i < ARRAY_SIZE(pmu->format) && pmu->format[i].name; i++)
		entry = sysfs_create_file(pmu->format[i].name, 0444, formats,
					  (void *)(uintptr_t)&pmu->format[i], &format_fops);
	return entry;
}

/* Also the line by which the tools of perf know that there is no counter of the CPU. */
static int __init perf_sysfs_init(void)
{
	struct dentry *dir = sysfs_create_dir("bus", NULL), *entry = NULL;

	dir = sysfs_create_dir("devices", sysfs_create_dir("event_source", dir));
	for_each_linker_table_entry (pmu, perf_pmus)
		if (!IS_ERR(entry))
			entry = create_files(pmu, dir);
	printk(KERN_INFO "Performance Events: no PMU driver, software events only.\n");
	return IS_ERR(entry) ? (int)PTR_ERR(entry) : 0;
}
device_initcall(perf_sysfs_init);
