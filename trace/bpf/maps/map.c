/* The types of maps, and the memory of maps. */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/vmalloc.h"
#include "trace/bpf/maps/types.h"

DEFINE_LINKER_TABLE(rodata, const struct bpf_map_ops, bpf_map_types);

DEFINE_PER_CPU(int, bpf_locks_held);

const struct bpf_map_ops *bpf_find_map_type(u32 type)
{
	for_each_linker_table_entry (ops, bpf_map_types)
		if (ops->type == type)
			return ops;
	return NULL;
}

void bpf_map_init(struct bpf_map *map, const struct bpf_map_ops *ops, const union bpf_attr *attr)
{
	map->ops = ops;
	map->map_type = attr->map_type;
	map->key_size = attr->key_size;
	map->value_size = attr->value_size;
	map->max_entries = attr->max_entries;
	map->map_flags = attr->map_flags;
	map->map_extra = attr->map_extra;
}

/* The kernel cannot take memory back from a map. So a part of the free memory stays free. */
bool bpf_map_enough_memory(u64 size)
{
	struct meminfo info;

	if (size <= PAGE_SIZE)
		return true;
	si_meminfo(&info);
	return size < info.free && info.free - size > info.total / 16;
}

void *bpf_map_area_alloc(struct bpf_map *map, u64 size)
{
	void *area = bpf_map_enough_memory(size) ? kvzalloc(size, GFP_KERNEL | __GFP_NOWARN) : NULL;

	if (area)
		atomic64_add((s64)size, &map->charged);
	return area;
}

void bpf_map_area_free(struct bpf_map *map, void *area, u64 size)
{
	if (!area)
		return;
	kvfree(area);
	atomic64_sub((s64)size, &map->charged);
}

u32 bpf_map_user_value_size(const struct bpf_map *map)
{
	return map->ops->user_value_size ? map->ops->user_value_size(map) : map->value_size;
}

bool bpf_map_meta_equal(const struct bpf_map *meta, const struct bpf_map *map)
{
	return meta->map_type == map->map_type && meta->key_size == map->key_size &&
	       meta->value_size == map->value_size && meta->map_flags == map->map_flags;
}

u32 bpf_percpu_user_value_size(const struct bpf_map *map)
{
	return ALIGN(map->value_size, 8) * cpumask_weight(&cpu_possible_mask);
}

void bpf_percpu_read(void *to, u8 *base, u64 stride, u32 value_size)
{
	u32 words = DIV_ROUND_UP(value_size, 8), cpu;

	for_each_possible_cpu (cpu) {
		bpf_load_bytes(to, bpf_percpu_value(base, stride, cpu), 8 * words);
		to = (u64 *)to + words;
	}
}

void bpf_percpu_write(u8 *base, u64 stride, const void *from, u32 value_size)
{
	u32 words = DIV_ROUND_UP(value_size, 8), cpu;

	for_each_possible_cpu (cpu) {
		bpf_store_words(bpf_percpu_value(base, stride, cpu), from, 8 * words);
		from = (const u64 *)from + words;
	}
}
