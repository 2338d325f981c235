/* ARRAY and PERCPU_ARRAY. */
#include "trace/bpf/maps/array.h"

#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/user_page.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/vm/mm_types.h"
#include "trace/bpf/core/prog.h"

int bpf_array_check(const union bpf_attr *attr, u32 flags)
{
	bool percpu = attr->map_type == BPF_MAP_TYPE_PERCPU_ARRAY;

	if (!attr->max_entries || attr->key_size != 4 || !attr->value_size ||
	    !bpf_map_flags_ok(attr->map_flags, flags | BPF_F_NUMA_NODE | BPF_F_ACCESS_MASK) ||
	    (percpu && bpf_map_wants_node(attr)))
		return -EINVAL;
	if (attr->value_size > 0x7fffffff)
		return -E2BIG;
	if (percpu && ALIGN(attr->value_size, 8) > BPF_PERCPU_VALUE_MAX)
		return -E2BIG;
	return 0;
}

int bpf_array_get_next_key(struct bpf_map *map, const void *key, void *next_key)
{
	u32 index = key ? *(const u32 *)key : ~0U;

	if (index == map->max_entries - 1)
		return -ENOENT;
	*(u32 *)next_key = index < map->max_entries ? index + 1 : 0;
	return 0;
}

static int array_check(const union bpf_attr *attr)
{
	return bpf_array_check(attr, BPF_F_MMAPABLE | BPF_F_INNER_MAP);
}

static int percpu_array_check(const union bpf_attr *attr)
{
	return bpf_array_check(attr, 0);
}

/* ---- memory ---- */

static inline bool is_percpu(const struct bpf_array *array)
{
	return array->map.map_type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

static u64 bytes_of(const struct bpf_array *array)
{
	return is_percpu(array) ? array->stride * nr_cpu_ids
				: array->elem_size * array->map.max_entries;
}

static void free_pages_of(struct bpf_array *array)
{
	vunmap(array->values);
	for (u32 i = 0; i < array->nr_pages; i++)
		put_page(array->pages[i]);
	bpf_map_area_free(&array->map, array->pages, array->nr_pages * sizeof(*array->pages));
	atomic64_sub((s64)array->nr_pages * (s64)PAGE_SIZE, &array->map.charged);
}

/* Pages that live as long as someone maps them, in one piece for programs. */
static int alloc_pages_of(struct bpf_array *array)
{
	u64 n = DIV_ROUND_UP(bytes_of(array), PAGE_SIZE);

	if (n > ~0U || !bpf_map_enough_memory(n * PAGE_SIZE))
		return -ENOMEM;
	array->pages = bpf_map_area_alloc(&array->map, n * sizeof(*array->pages));
	if (!array->pages)
		return -ENOMEM;
	atomic64_add((s64)(n * PAGE_SIZE), &array->map.charged);
	for (array->nr_pages = 0; array->nr_pages < n; array->nr_pages++) {
		struct page *page = alloc_user_page(GFP_KERNEL | __GFP_ZERO, MM_SHMEMPAGES);

		if (!page)
			return -ENOMEM;
		array->pages[array->nr_pages] = page;
	}
	array->values = vmap(array->pages, n);
	return array->values ? 0 : -ENOMEM;
}

static void array_free(struct bpf_map *map)
{
	struct bpf_array *array = to_array(map);

	if (map->map_flags & BPF_F_MMAPABLE)
		free_pages_of(array);
	else
		bpf_map_area_free(map, array->values, bytes_of(array));
	kfree(array);
}

static struct bpf_map *array_alloc(const union bpf_attr *attr)
{
	struct bpf_array *array = kzalloc(sizeof(*array), GFP_KERNEL);
	int error;

	if (!array)
		return ERR_PTR(-ENOMEM);
	bpf_map_init(&array->map, bpf_find_map_type(attr->map_type), attr);
	array->elem_size = ALIGN((u64)attr->value_size, 8);
	array->stride = bpf_percpu_stride(attr->max_entries, attr->value_size);
	if (attr->map_flags & BPF_F_MMAPABLE) {
		error = alloc_pages_of(array);
	} else {
		array->values = bpf_map_area_alloc(&array->map, bytes_of(array));
		error = array->values ? 0 : -ENOMEM;
	}
	if (error) {
		array_free(&array->map);
		return ERR_PTR(error);
	}
	return &array->map;
}

static int array_mmap(struct bpf_map *map, struct vm_area_struct *vma)
{
	struct bpf_array *array = to_array(map);

	if (!(map->map_flags & BPF_F_MMAPABLE))
		return -EINVAL;
	if (vma->vm_pgoff > array->nr_pages || vma_pages(vma) > array->nr_pages - vma->vm_pgoff)
		return -EINVAL;
	return 0;
}

static struct page *array_mmap_page(struct bpf_map *map, unsigned long pgoff)
{
	struct bpf_array *array = to_array(map);

	return pgoff < array->nr_pages ? array->pages[pgoff] : NULL;
}

static int array_direct_value_addr(const struct bpf_map *map, u64 *address, u32 off)
{
	if (map->max_entries != 1)
		return -ENOTSUPP;
	if (off >= map->value_size)
		return -EINVAL;
	*address = (u64)to_array(map)->values + off;
	return 0;
}

/* ---- elements ---- */

/* Of this CPU, if each has its own. */
static inline u64 *elem_of(const struct bpf_array *array, u32 index)
{
	u8 *elem = array->values + array->elem_size * index;

	return is_percpu(array) ? bpf_percpu_value(elem, array->stride, (u32)smp_processor_id())
				: (u64 *)elem;
}

/* The key of a caller may be in memory that a program in ring 3 changes: it is read once. */
static inline u32 index_of(const void *key)
{
	return READ_ONCE(*(const u32 *)key);
}

static void *array_lookup(struct bpf_map *map, const void *key)
{
	const struct bpf_array *array = to_array(map);
	u32 index = index_of(key);

	return likely(index < map->max_entries) ? array->values + array->elem_size * index : NULL;
}

static void *percpu_array_lookup_cpu(struct bpf_map *map, const void *key, u32 cpu)
{
	u8 *elem = array_lookup(map, key);

	return elem && cpu < nr_cpu_ids ? bpf_percpu_value(elem, to_array(map)->stride, cpu) : NULL;
}

static void *percpu_array_lookup(struct bpf_map *map, const void *key)
{
	return percpu_array_lookup_cpu(map, key, (u32)smp_processor_id());
}

static long check_update(const struct bpf_map *map, u32 index, u64 flags)
{
	if (unlikely(flags > BPF_EXIST))
		return -EINVAL;
	if (unlikely(index >= map->max_entries))
		return -E2BIG;
	return unlikely(flags == BPF_NOEXIST) ? -EEXIST : 0;
}

static long array_update(struct bpf_map *map, const void *key, const void *value, u64 flags)
{
	u32 index = index_of(key);
	long error = check_update(map, index, flags);

	if (!error)
		memcpy(elem_of(to_array(map), index), value, map->value_size);
	return error;
}

static long array_delete(struct bpf_map *map __unused, const void *key __unused)
{
	return -EINVAL;
}

static int percpu_array_read_user(struct bpf_map *map, const void *key, void *value,
				  u64 flags __unused)
{
	u8 *elem = array_lookup(map, key);

	if (!elem)
		return -ENOENT;
	bpf_percpu_read(value, elem, to_array(map)->stride, map->value_size);
	return 0;
}

static int percpu_array_write_user(struct bpf_map *map, const void *key, const void *value,
				   u64 flags, struct file *map_file __unused)
{
	long error = check_update(map, index_of(key), flags);

	if (!error)
		bpf_percpu_write(array_lookup(map, key), to_array(map)->stride, value,
				 map->value_size);
	return (int)error;
}

static long array_for_each(struct bpf_map *map, const void *callback, void *ctx, u64 flags)
{
	u32 calls = 0;

	if (flags)
		return -EINVAL;
	while (calls < map->max_entries) {
		u32 key = calls++;

		if (bpf_call_callback(callback, (u64)map, (u64)&key,
				      (u64)elem_of(to_array(map), key), (u64)ctx, 0))
			break;
	}
	return calls;
}

/* Programs know the number of elements, unless the outer map was made for any number. */
static bool array_meta_equal(const struct bpf_map *meta, const struct bpf_map *map)
{
	return bpf_map_meta_equal(meta, map) &&
	       ((meta->map_flags & BPF_F_INNER_MAP) || meta->max_entries == map->max_entries);
}

static const struct bpf_map_ops array BPF_MAP_TYPE(array) = {
	.type = BPF_MAP_TYPE_ARRAY,
	.name = "array",
	.alloc_check = array_check,
	.alloc = array_alloc,
	.free = array_free,
	.lookup = array_lookup,
	.update = array_update,
	.delete = array_delete,
	.for_each = array_for_each,
	.get_next_key = bpf_array_get_next_key,
	.mmap = array_mmap,
	.mmap_page = array_mmap_page,
	.direct_value_addr = array_direct_value_addr,
	.meta_equal = array_meta_equal,
};

static const struct bpf_map_ops percpu_array BPF_MAP_TYPE(percpu_array) = {
	.type = BPF_MAP_TYPE_PERCPU_ARRAY,
	.name = "percpu_array",
	.alloc_check = percpu_array_check,
	.alloc = array_alloc,
	.free = array_free,
	.lookup = percpu_array_lookup,
	.lookup_percpu = percpu_array_lookup_cpu,
	.update = array_update,
	.delete = array_delete,
	.for_each = array_for_each,
	.get_next_key = bpf_array_get_next_key,
	.read_user = percpu_array_read_user,
	.write_user = percpu_array_write_user,
	.user_value_size = bpf_percpu_user_value_size,
};
