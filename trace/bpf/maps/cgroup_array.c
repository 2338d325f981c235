/*
 * CGROUP_ARRAY: tools make one for an option that limits them to a cgroup. There are no cgroups, so
 * no descriptor can be put in, and the array stays empty.
 */
#include "kernel/errno.h"
#include "kernel/mm/slab.h"
#include "trace/bpf/core/map.h"

static int alloc_check(const union bpf_attr *attr)
{
	if (!attr->max_entries || attr->key_size != 4 || attr->value_size != 4 ||
	    (attr->map_flags & ~(BPF_F_NUMA_NODE | BPF_F_RDONLY | BPF_F_WRONLY)))
		return -EINVAL;
	return 0;
}

static struct bpf_map *alloc(const union bpf_attr *attr)
{
	struct bpf_map *map = kzalloc(sizeof(*map), GFP_KERNEL);

	if (!map)
		return ERR_PTR(-ENOMEM);
	bpf_map_init(map, bpf_find_map_type(attr->map_type), attr);
	return map;
}

static void free_map(struct bpf_map *map)
{
	kfree(map);
}

static int get_next_key(struct bpf_map *map, const void *key, void *next_key)
{
	u32 index = key ? *(const u32 *)key : ~0U;

	if (index == map->max_entries - 1)
		return -ENOENT;
	*(u32 *)next_key = index < map->max_entries ? index + 1 : 0;
	return 0;
}

static int read_user(struct bpf_map *map __unused, const void *key __unused, void *value __unused,
		     u64 flags __unused)
{
	return -ENOTSUPP;
}

/* The value is a descriptor, and none is of a cgroup. */
static int write_user(struct bpf_map *map, const void *key, const void *value __unused, u64 flags,
		      struct file *map_file __unused)
{
	if (flags)
		return -EINVAL;
	return *(const u32 *)key < map->max_entries ? -EBADF : -E2BIG;
}

static long delete (struct bpf_map *map, const void *key)
{
	return *(const u32 *)key < map->max_entries ? -ENOENT : -E2BIG;
}

static const struct bpf_map_ops cgroup_array BPF_MAP_TYPE(cgroup_array) = {
	.type = BPF_MAP_TYPE_CGROUP_ARRAY,
	.name = "cgroup_array",
	.alloc_check = alloc_check,
	.alloc = alloc,
	.free = free_map,
	.delete = delete,
	.get_next_key = get_next_key,
	.read_user = read_user,
	.write_user = write_user,
};
