/*
 * ARRAY_OF_MAPS and HASH_OF_MAPS: maps whose values are maps.
 *
 * The verifier must know what a program finds in such a map. So the descriptor of one map is given
 * when the outer map is made: all maps that are put in later are like that one. Its properties stay
 * in inner_map_meta.
 */
#include "kernel/errno.h"
#include "kernel/mm/slab.h"
#include "trace/bpf/core/btf.h"
#include "trace/bpf/maps/fd_array.h"
#include "trace/bpf/maps/hash.h"

/* ---- what the inner maps are like ---- */

static void free_meta(struct bpf_map *meta)
{
	if (meta->btf)
		bpf_btf_put(meta->btf);
	kfree(meta);
}

static struct bpf_map *copy_meta(const struct bpf_map *inner)
{
	struct bpf_map *meta;

	if (inner->inner_map_meta)
		return ERR_PTR(-EINVAL); /* two levels, not more */
	if (inner->map_type == BPF_MAP_TYPE_PROG_ARRAY)
		return ERR_PTR(-ENOTSUPP); /* only the map itself knows the type of its programs */
	meta = kzalloc(sizeof(*meta), GFP_KERNEL);
	if (!meta)
		return ERR_PTR(-ENOMEM);
	meta->ops = inner->ops;
	meta->map_type = inner->map_type;
	meta->key_size = inner->key_size;
	meta->value_size = inner->value_size;
	meta->max_entries = inner->max_entries;
	meta->map_flags = inner->map_flags;
	meta->btf = inner->btf;
	if (meta->btf)
		bpf_btf_get(meta->btf);
	return meta;
}

static struct bpf_map *meta_of_fd(int fd)
{
	struct bpf_map *inner = bpf_map_get_fd(fd), *meta;

	if (IS_ERR(inner))
		return inner;
	meta = copy_meta(inner);
	bpf_map_put(inner);
	return meta;
}

/* Gives the new outer map the meta of its descriptor. */
static struct bpf_map *finish_alloc(struct bpf_map *outer, struct bpf_map *meta)
{
	if (IS_ERR(outer))
		free_meta(meta);
	else
		outer->inner_map_meta = meta;
	return outer;
}

/* ---- inner maps as objects ---- */

static void *get_inner(struct bpf_map *map, struct file *map_file __unused, int fd)
{
	const struct bpf_map *meta = map->inner_map_meta;
	struct bpf_map *inner = bpf_map_get_fd(fd);
	bool equal;

	if (IS_ERR(inner))
		return inner;
	equal = meta->ops->meta_equal ? meta->ops->meta_equal(meta, inner)
				      : bpf_map_meta_equal(meta, inner);
	if (equal)
		return inner;
	bpf_map_put(inner);
	return ERR_PTR(-EINVAL);
}

static void put_inner(struct bpf_map *map __unused, void *object)
{
	bpf_map_put(object);
}

static u32 inner_id(const void *object)
{
	return ((const struct bpf_map *)object)->id;
}

static const struct bpf_fd_array_ops inner_maps = { .get = get_inner,
						    .put = put_inner,
						    .id = inner_id };

/* ---- ARRAY_OF_MAPS ---- */

static struct bpf_map *array_of_maps_alloc(const union bpf_attr *attr)
{
	struct bpf_map *meta = meta_of_fd((int)attr->inner_map_fd);

	return IS_ERR(meta) ? meta : finish_alloc(bpf_fd_array_alloc(attr, &inner_maps), meta);
}

static void array_of_maps_free(struct bpf_map *map)
{
	struct bpf_map *meta = map->inner_map_meta;

	bpf_fd_array_free(map);
	free_meta(meta);
}

static void *array_of_maps_lookup(struct bpf_map *map, const void *key)
{
	return bpf_fd_array_get(map, READ_ONCE(*(const u32 *)key));
}

static const struct bpf_map_ops array_of_maps BPF_MAP_TYPE(array_of_maps) = {
	.type = BPF_MAP_TYPE_ARRAY_OF_MAPS,
	.name = "array_of_maps",
	.alloc_check = bpf_fd_array_check,
	.alloc = array_of_maps_alloc,
	.free = array_of_maps_free,
	.lookup = array_of_maps_lookup,
	.delete = bpf_fd_array_delete,
	.get_next_key = bpf_array_get_next_key,
	.read_user = bpf_fd_array_read_user,
	.write_user = bpf_fd_array_write_user,
};

/* ---- HASH_OF_MAPS: the value of an element is the address of the map ---- */

static int hash_of_maps_check(const union bpf_attr *attr)
{
	return attr->value_size != sizeof(u32) ? -EINVAL : bpf_htab_check(attr);
}

static struct bpf_map *hash_of_maps_alloc(const union bpf_attr *attr)
{
	struct bpf_map *meta = meta_of_fd((int)attr->inner_map_fd);

	return IS_ERR(meta) ? meta : finish_alloc(bpf_htab_alloc(attr), meta);
}

static void put_word(u64 old)
{
	if (old)
		bpf_map_put((struct bpf_map *)old);
}

static void hash_of_maps_free(struct bpf_map *map)
{
	struct bpf_htab *htab = to_htab(map);
	struct bpf_map *meta = map->inner_map_meta;

	for (u32 bucket = 0; bucket <= htab->mask; bucket++) {
		u64 link = htab->buckets[bucket].first;

		while (!bpf_htab_is_end(link)) {
			struct bpf_htab_elem *elem = (struct bpf_htab_elem *)link;

			put_word(*bpf_htab_value(htab, elem));
			link = elem->next;
		}
	}
	bpf_htab_free(map);
	free_meta(meta);
}

static void *hash_of_maps_lookup(struct bpf_map *map, const void *key)
{
	struct bpf_htab_elem *elem = bpf_htab_lookup(map, key);

	return elem ? (void *)smp_load_acquire(bpf_htab_value(to_htab(map), elem)) : NULL;
}

static long hash_of_maps_delete(struct bpf_map *map, const void *key)
{
	u64 old;
	long error = bpf_htab_remove(to_htab(map), key, &old);

	put_word(old);
	return error;
}

static int hash_of_maps_read_user(struct bpf_map *map, const void *key, void *value,
				  u64 flags __unused)
{
	struct bpf_map *inner = hash_of_maps_lookup(map, key);

	if (!inner)
		return -ENOENT;
	*(u32 *)value = inner->id;
	return 0;
}

static int hash_of_maps_write_user(struct bpf_map *map, const void *key, const void *value,
				   u64 flags, struct file *map_file)
{
	void *inner = get_inner(map, map_file, *(const int *)value);
	long error;
	u64 old;

	if (IS_ERR(inner))
		return (int)PTR_ERR(inner);
	rcu_read_lock();
	error = bpf_htab_replace(to_htab(map), key, &inner, flags, BPF_HTAB_VALUE, &old);
	rcu_read_unlock();
	put_word(error ? (u64)inner : old);
	return (int)error;
}

static const struct bpf_map_ops hash_of_maps BPF_MAP_TYPE(hash_of_maps) = {
	.type = BPF_MAP_TYPE_HASH_OF_MAPS,
	.name = "hash_of_maps",
	.alloc_check = hash_of_maps_check,
	.alloc = hash_of_maps_alloc,
	.free = hash_of_maps_free,
	.lookup = hash_of_maps_lookup,
	.delete = hash_of_maps_delete,
	.get_next_key = bpf_htab_get_next_key,
	.bucket_keys = bpf_htab_bucket_keys,
	.read_user = hash_of_maps_read_user,
	.write_user = hash_of_maps_write_user,
	.prepare_update = bpf_htab_prepare_update,
};
