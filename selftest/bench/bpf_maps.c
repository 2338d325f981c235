/*
 * Benchmark of maps: the file /sys/kernel/debug/bpf_map_bench. Reading it prints TSC ticks of one
 * operation of several types. With -icount, a tick is an instruction.
 */
#include "arch/cpu/irqflags.h"
#include "arch/time/clock.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "trace/bpf/core/map.h"

#define ROUNDS 1000U
#define KEYS   100U

static char key[64] = "a command's name";

static u64 time_lookups(struct bpf_map *map)
{
	u64 start = arch_cycles();

	for (unsigned i = 0; i < ROUNDS; i++)
		(void)map->ops->lookup(map, key);
	return arch_cycles() - start;
}

static u64 time_replacements(struct bpf_map *map)
{
	u64 start = arch_cycles(), value = 1;

	for (unsigned i = 0; i < ROUNDS; i++)
		(void)map->ops->update(map, key, &value, BPF_ANY);
	return arch_cycles() - start;
}

static u64 time_insertions(struct bpf_map *map)
{
	u64 start = arch_cycles(), value = 1;

	for (unsigned i = 0; i < ROUNDS; i++) {
		(void)map->ops->delete (map, key);
		(void)map->ops->update(map, key, &value, BPF_ANY);
	}
	return arch_cycles() - start;
}

static void show_type(struct seq_file *m, u32 type, u32 key_size)
{
	union bpf_attr attr = {
		.map_type = type, .key_size = key_size, .value_size = 8, .max_entries = KEYS
	};
	struct bpf_map *map = bpf_map_alloc(&attr);
	u64 lookups, replacements, insertions;
	unsigned long flags;

	if (IS_ERR(map)) {
		seq_printf(m, "error %ld\n", PTR_ERR(map));
		return;
	}
	if (type == BPF_MAP_TYPE_ARRAY || type == BPF_MAP_TYPE_PERCPU_ARRAY)
		*(u32 *)key = KEYS / 2;
	local_irq_save(flags);
	replacements = time_replacements(map);
	lookups = time_lookups(map);
	insertions = time_insertions(map);
	local_irq_restore(flags);
	seq_printf(m, "%s, key of %u bytes: lookup %lu, update %lu, delete and insert %lu\n",
		   map->ops->name, key_size, lookups / ROUNDS, replacements / ROUNDS,
		   insertions / ROUNDS);
	bpf_map_put(map);
}

static int bpf_map_bench_show(struct seq_file *m, void *unused __unused)
{
	static const u32 sizes[] = { 4, 8, 16, 24, 32 };

	for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++)
		show_type(m, BPF_MAP_TYPE_HASH, sizes[i]);
	show_type(m, BPF_MAP_TYPE_PERCPU_HASH, 16);
	show_type(m, BPF_MAP_TYPE_LRU_HASH, 16);
	show_type(m, BPF_MAP_TYPE_ARRAY, 4);
	show_type(m, BPF_MAP_TYPE_PERCPU_ARRAY, 4);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bpf_map_bench);

static int __init bpf_map_bench_init(void)
{
	return IS_ERR_OR_NULL(
		       debugfs_create_file("bpf_map_bench", 0400, NULL, NULL, &bpf_map_bench_fops))
		       ? -ENOMEM
		       : 0;
}
fs_initcall(bpf_map_bench_init);
