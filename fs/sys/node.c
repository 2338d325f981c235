/*
 * /sys/devices/system/node: the nodes of a NUMA machine, whose memory is not equally near to all
 * CPUs (Documentation/ABI/stable/sysfs-devices-node). nop5 takes all machines for one node.
 */
#include "fs/sys/cpu.h"
#include "fs/vfs/seq_file.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/page_alloc.h"

static int show_node0(struct seq_file *m, void *v __unused)
{
	seq_puts(m, "0\n");
	return 0;
}

static int show_cpulist(struct seq_file *m, void *v __unused)
{
	return sysfs_show_cpulist(m, &cpu_online_mask);
}

static int show_cpumap(struct seq_file *m, void *v __unused)
{
	return sysfs_show_cpumask(m, &cpu_online_mask);
}

/* From a node to itself. */
static int show_distance(struct seq_file *m, void *v __unused)
{
	seq_puts(m, "10\n");
	return 0;
}

static void show_kb(struct seq_file *m, const char *name, u64 bytes)
{
	seq_printf(m, "Node 0 %-16s%8llu kB\n", name, (unsigned long long)(bytes / 1024));
}

/* Those of Linux's lines for which nop5 has a number. */
static int show_meminfo(struct seq_file *m, void *v __unused)
{
	struct meminfo info;

	si_meminfo(&info);
	show_kb(m, "MemTotal:", info.total);
	show_kb(m, "MemFree:", info.free);
	show_kb(m, "MemUsed:", info.total - info.free);
	show_kb(m, "FilePages:", info.shmem);
	show_kb(m, "Shmem:", info.shmem);
	show_kb(m, "KernelStack:", info.kernel_stack);
	show_kb(m, "PageTables:", info.page_tables);
	show_kb(m, "Slab:", info.slab);
	show_kb(m, "SReclaimable:", 0);
	show_kb(m, "SUnreclaim:", info.slab);
	return 0;
}

struct node_file {
	const char *name;
	int (*show)(struct seq_file *m, void *v);
};

static const struct node_file files[] = {
	{ "has_cpu", show_node0 },           { "has_memory", show_node0 },
	{ "has_normal_memory", show_node0 }, { "online", show_node0 },
	{ "possible", show_node0 },
};

static const struct node_file node0_files[] = {
	{ "cpulist", show_cpulist },
	{ "cpumap", show_cpumap },
	{ "distance", show_distance },
	{ "meminfo", show_meminfo },
};

struct dentry *__init sysfs_add_nodes(struct dentry *dir)
{
	struct dentry *file = dir = sysfs_create_dir("node", dir), *node0;
	char name[16], target[32];
	unsigned cpu;

	for (unsigned i = 0; i < ARRAY_SIZE(files) && !IS_ERR(file); i++)
		file = sysfs_create_text(files[i].name, dir, files[i].show, NULL);
	file = node0 = IS_ERR(file) ? file : sysfs_create_dir("node0", dir);
	for (unsigned i = 0; i < ARRAY_SIZE(node0_files) && !IS_ERR(file); i++)
		file = sysfs_create_text(node0_files[i].name, node0, node0_files[i].show, NULL);
	for_each_possible_cpu (cpu) {
		if (IS_ERR(file))
			break;
		snprintf(name, sizeof(name), "cpu%u", cpu);
		snprintf(target, sizeof(target), "../../cpu/%s", name);
		file = sysfs_create_link(name, node0, target);
	}
	return file;
}
