/*
 * /sys/devices/system/cpu/cpuN/topology: which CPUs share a core, a die or a package with this one
 * (Documentation/ABI/stable/sysfs-devices-system-cpu).
 */
#include "arch/cpu/topology.h"
#include "fs/sys/cpu.h"
#include "fs/vfs/seq_file.h"

/* The data of a file: the number of the CPU above the level. */
#define LEVEL_BITS 2

static enum topology_level read_topology(const struct seq_file *m, struct cpu_topology *topology)
{
	unsigned long data = (unsigned long)m->private;

	arch_cpu_topology((unsigned)(data >> LEVEL_BITS), topology);
	return data & (BIT(LEVEL_BITS) - 1);
}

static int show_id(struct seq_file *m, void *v __unused)
{
	struct cpu_topology topology;
	enum topology_level level = read_topology(m, &topology);

	seq_printf(m, "%u\n", topology.id[level]);
	return 0;
}

static int show_mask(struct seq_file *m, void *v __unused)
{
	struct cpu_topology topology;
	enum topology_level level = read_topology(m, &topology);

	return sysfs_show_cpumask(m, &topology.cpus[level]);
}

static int show_list(struct seq_file *m, void *v __unused)
{
	struct cpu_topology topology;
	enum topology_level level = read_topology(m, &topology);

	return sysfs_show_cpulist(m, &topology.cpus[level]);
}

/* The last four are the old names of others. */
static const struct {
	const char *name;
	int (*show)(struct seq_file *m, void *v);
	enum topology_level level;
} files[] = {
	{ "core_id", show_id, TOPOLOGY_CORE },
	{ "die_id", show_id, TOPOLOGY_DIE },
	{ "physical_package_id", show_id, TOPOLOGY_PACKAGE },
	{ "core_cpus", show_mask, TOPOLOGY_CORE },
	{ "core_cpus_list", show_list, TOPOLOGY_CORE },
	{ "die_cpus", show_mask, TOPOLOGY_DIE },
	{ "die_cpus_list", show_list, TOPOLOGY_DIE },
	{ "package_cpus", show_mask, TOPOLOGY_PACKAGE },
	{ "package_cpus_list", show_list, TOPOLOGY_PACKAGE },
	{ "thread_siblings", show_mask, TOPOLOGY_CORE },
	{ "thread_siblings_list", show_list, TOPOLOGY_CORE },
	{ "core_siblings", show_mask, TOPOLOGY_PACKAGE },
	{ "core_siblings_list", show_list, TOPOLOGY_PACKAGE },
};

struct dentry *__init sysfs_add_topology(unsigned cpu, struct dentry *dir)
{
	struct dentry *file = dir = sysfs_create_dir("topology", dir);

	for (unsigned i = 0; i < ARRAY_SIZE(files) && !IS_ERR(file); i++)
		file = sysfs_create_text(
			files[i].name, dir, files[i].show,
			(void *)((unsigned long)cpu << LEVEL_BITS | files[i].level));
	return file;
}
