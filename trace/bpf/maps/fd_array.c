/* Arrays of objects: fd_array.h explains them. */
#include "trace/bpf/maps/fd_array.h"

#include "kernel/errno.h"
#include "kernel/mm/slab.h"

int bpf_fd_array_check(const union bpf_attr *attr)
{
	if (attr->value_size != sizeof(u32) ||
	    (attr->map_flags & (BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG)))
		return -EINVAL;
	return bpf_array_check(
		attr, attr->map_type == BPF_MAP_TYPE_PERF_EVENT_ARRAY ? BPF_F_PRESERVE_ELEMS : 0);
}

static inline u64 bytes_of(const struct bpf_map *map)
{
	return (u64)map->max_entries * sizeof(void *);
}

struct bpf_map *bpf_fd_array_alloc(const union bpf_attr *attr, const struct bpf_fd_array_ops *ops)
{
	struct bpf_fd_array *array = kzalloc(sizeof(*array), GFP_KERNEL);

	if (!array)
		return ERR_PTR(-ENOMEM);
	bpf_map_init(&array->map, bpf_find_map_type(attr->map_type), attr);
	array->ops = ops;
	array->objects = bpf_map_area_alloc(&array->map, bytes_of(&array->map));
	if (!array->objects) {
		kfree(array);
		return ERR_PTR(-ENOMEM);
	}
	return &array->map;
}

void bpf_fd_array_free(struct bpf_map *map)
{
	struct bpf_fd_array *array = to_fd_array(map);

	bpf_fd_array_clear(map);
	bpf_map_area_free(map, array->objects, bytes_of(map));
	kfree(array);
}

/* Puts object, or NULL, at index, and gives up the one that was there. False: there was none. */
static bool replace(struct bpf_map *map, u32 index, void *object)
{
	struct bpf_fd_array *array = to_fd_array(map);
	void *old = xchg(&array->objects[index], object);

	if (old)
		array->ops->put(map, old);
	return old;
}

void bpf_fd_array_clear(struct bpf_map *map)
{
	for (u32 i = 0; i < map->max_entries; i++)
		replace(map, i, NULL);
}

long bpf_fd_array_delete(struct bpf_map *map, const void *key)
{
	u32 index = *(const u32 *)key;

	if (index >= map->max_entries)
		return -E2BIG;
	return replace(map, index, NULL) ? 0 : -ENOENT;
}

int bpf_fd_array_read_user(struct bpf_map *map, const void *key, void *value, u64 flags __unused)
{
	const struct bpf_fd_array_ops *ops = to_fd_array(map)->ops;
	void *object;

	if (!ops->id)
		return -ENOTSUPP;
	object = bpf_fd_array_get(map, *(const u32 *)key);
	if (!object)
		return -ENOENT;
	*(u32 *)value = ops->id(object);
	return 0;
}

int bpf_fd_array_write_user(struct bpf_map *map, const void *key, const void *value, u64 flags,
			    struct file *map_file)
{
	u32 index = *(const u32 *)key;
	void *object;

	if (flags != BPF_ANY)
		return -EINVAL;
	if (index >= map->max_entries)
		return -E2BIG;
	object = to_fd_array(map)->ops->get(map, map_file, *(const int *)value);
	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	replace(map, index, object);
	return 0;
}
