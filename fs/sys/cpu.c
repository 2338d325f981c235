/*
 * /sys/devices/system/cpu: which CPUs there are, and a directory of each. The C library, lscpu and
 * perf read them (Documentation/admin-guide/cputopology.rst).
 */
#include "arch/cpu/topology.h"
#include "fs/sys/cpu.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/lib/cpulist.h"
#include "kernel/lib/vsprintf.h"

int sysfs_show_cpulist(struct seq_file *m, const struct cpumask *cpus)
{
	char list[NR_CPUS * 4];

	cpulist_print(list, sizeof(list), cpus);
	seq_printf(m, "%s\n", list);
	return 0;
}

int sysfs_show_cpumask(struct seq_file *m, const struct cpumask *cpus)
{
	char mask[NR_CPUS / 4 + NR_CPUS / 32 + 1];

	cpumask_print(mask, sizeof(mask), cpus);
	seq_printf(m, "%s\n", mask);
	return 0;
}

static int show_possible(struct seq_file *m, void *v __unused)
{
	return sysfs_show_cpulist(m, &cpu_possible_mask);
}

static int show_online(struct seq_file *m, void *v __unused)
{
	return sysfs_show_cpulist(m, &cpu_online_mask);
}

/* CPUs that did not answer at boot. */
static int show_offline(struct seq_file *m, void *v __unused)
{
	struct cpumask offline = cpu_possible_mask;
	unsigned cpu;

	for_each_online_cpu (cpu)
		cpumask_clear_cpu(cpu, &offline);
	return sysfs_show_cpulist(m, &offline);
}

static int show_kernel_max(struct seq_file *m, void *v __unused)
{
	seq_printf(m, "%d\n", NR_CPUS - 1);
	return 0;
}

static bool smt_is_active(void)
{
	struct cpu_topology topology;
	unsigned cpu;

	for_each_online_cpu (cpu) {
		arch_cpu_topology(cpu, &topology);
		if (cpumask_weight(&topology.cpus[TOPOLOGY_CORE]) > 1)
			return true;
	}
	return false;
}

static int show_smt_active(struct seq_file *m, void *v __unused)
{
	seq_printf(m, "%d\n", smt_is_active());
	return 0;
}

/* Linux can switch the second threads of cores off. */
static int show_smt_control(struct seq_file *m, void *v __unused)
{
	seq_printf(m, "%s\n", smt_is_active() ? "on" : "notsupported");
	return 0;
}

static int show_cpu_online(struct seq_file *m, void *v __unused)
{
	seq_printf(m, "%d\n", cpu_online((unsigned)(unsigned long)m->private));
	return 0;
}

static const struct {
	const char *name;
	int (*show)(struct seq_file *m, void *v);
} cpu_files[] = {
	{ "possible", show_possible }, { "present", show_possible },      { "online", show_online },
	{ "offline", show_offline },   { "kernel_max", show_kernel_max },
};

/* As in Linux, CPU 0 has no file `online`: it cannot be switched off. Here none can. */
static struct dentry *__init add_cpu(unsigned cpu, struct dentry *dir)
{
	struct dentry *file;
	char name[16];

	snprintf(name, sizeof(name), "cpu%u", cpu);
	dir = sysfs_create_dir(name, dir);
	file = sysfs_create_link("node0", dir, "../../node/node0");
	if (cpu && !IS_ERR(file))
		file = sysfs_create_text("online", dir, show_cpu_online,
					 (void *)(unsigned long)cpu);
	if (cpu_online(cpu) && !IS_ERR(file))
		file = sysfs_add_topology(cpu, dir);
	if (cpu_online(cpu) && !IS_ERR(file))
		file = sysfs_add_caches(cpu, dir);
	return file;
}

static int __init cpu_sysfs_init(void)
{
	struct dentry *devices = sysfs_create_dir("devices", NULL), *file;
	struct dentry *system = sysfs_create_dir("system", devices);
	struct dentry *dir = sysfs_create_dir("cpu", system), *smt = sysfs_create_dir("smt", dir);
	unsigned cpu;

	file = sysfs_create_text("active", smt, show_smt_active, NULL);
	if (!IS_ERR(file))
		file = sysfs_create_text("control", smt, show_smt_control, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cpu_files) && !IS_ERR(file); i++)
		file = sysfs_create_text(cpu_files[i].name, dir, cpu_files[i].show, NULL);
	for_each_possible_cpu (cpu)
		if (!IS_ERR(file))
			file = add_cpu(cpu, dir);
	if (!IS_ERR(file))
		file = sysfs_add_nodes(system);
	return IS_ERR(file) ? (int)PTR_ERR(file) : 0;
}
device_initcall(cpu_sysfs_init);
