/*
 * /sys/devices/system/cpu/cpuN/cache: the caches of a CPU
 * (Documentation/ABI/testing/sysfs-devices-system-cpu).
 */
#include "arch/cpu/topology.h"
#include "fs/sys/cpu.h"
#include "fs/vfs/seq_file.h"
#include "kernel/lib/vsprintf.h"

/* The data of a file: the number of the CPU above that of the cache. */
#define INDEX_BITS 8

static void read_leaf(const struct seq_file *m, struct cache_leaf *leaf)
{
	unsigned long data = (unsigned long)m->private;

	arch_cache_leaf((unsigned)(data >> INDEX_BITS), data & (BIT(INDEX_BITS) - 1), leaf);
}

#define DEFINE_SHOW_NUMBER(member)                                                                 \
	static int show_##member(struct seq_file *m, void *v __unused)                             \
	{                                                                                          \
		struct cache_leaf leaf;                                                            \
                                                                                                   \
		read_leaf(m, &leaf);                                                               \
		seq_printf(m, "%u\n", leaf.member);                                                \
		return 0;                                                                          \
	}
DEFINE_SHOW_NUMBER(id)
DEFINE_SHOW_NUMBER(level)
DEFINE_SHOW_NUMBER(line_size)
DEFINE_SHOW_NUMBER(partitions)
DEFINE_SHOW_NUMBER(sets)
DEFINE_SHOW_NUMBER(ways)

static int show_size(struct seq_file *m, void *v __unused)
{
	struct cache_leaf leaf;

	read_leaf(m, &leaf);
	seq_printf(m, "%uK\n", leaf.size / 1024);
	return 0;
}

static int show_type(struct seq_file *m, void *v __unused)
{
	static const char *const names[] = { [CACHE_DATA] = "Data",
					     [CACHE_INSTRUCTION] = "Instruction",
					     [CACHE_UNIFIED] = "Unified" };
	struct cache_leaf leaf;

	read_leaf(m, &leaf);
	seq_printf(m, "%s\n", names[leaf.type]);
	return 0;
}

static int show_shared_map(struct seq_file *m, void *v __unused)
{
	struct cache_leaf leaf;

	read_leaf(m, &leaf);
	return sysfs_show_cpumask(m, &leaf.cpus);
}

static int show_shared_list(struct seq_file *m, void *v __unused)
{
	struct cache_leaf leaf;

	read_leaf(m, &leaf);
	return sysfs_show_cpulist(m, &leaf.cpus);
}

static const struct {
	const char *name;
	int (*show)(struct seq_file *m, void *v);
} files[] = {
	{ "coherency_line_size", show_line_size },
	{ "id", show_id },
	{ "level", show_level },
	{ "number_of_sets", show_sets },
	{ "physical_line_partition", show_partitions },
	{ "shared_cpu_list", show_shared_list },
	{ "shared_cpu_map", show_shared_map },
	{ "size", show_size },
	{ "type", show_type },
	{ "ways_of_associativity", show_ways },
};

struct dentry *__init sysfs_add_caches(unsigned cpu, struct dentry *dir)
{
	struct dentry *file = dir = sysfs_create_dir("cache", dir), *cache;
	struct cache_leaf leaf;
	char name[16];

	for (unsigned i = 0; !IS_ERR(file) && arch_cache_leaf(cpu, i, &leaf); i++) {
		snprintf(name, sizeof(name), "index%u", i);
		file = cache = sysfs_create_dir(name, dir);
		for (unsigned f = 0; f < ARRAY_SIZE(files) && !IS_ERR(file); f++)
			file = sysfs_create_text(files[f].name, cache, files[f].show,
						 (void *)((unsigned long)cpu << INDEX_BITS | i));
	}
	return file;
}
