/*
 * Maps as objects: how they are made, counted, frozen and freed.
 *
 * The last reference takes the id back, and leaves the rest to a worker, which waits until no
 * program looks at the map. References of user space are counted apart: when they are gone, a prog
 * array forgets its programs, since those may hold the array in turn.
 */
#include "kernel/mm/slab.h"
#include "trace/bpf/syscall/objects.h"

DEFINE_BPF_IDS(bpf_map_ids);

/* ---- references ---- */

/* A worker. */
static void free_map(struct work_struct *work)
{
	struct bpf_map *map = container_of(work, struct bpf_map, free_work);
	struct user_struct *payer = map->payer;

	synchronize_rcu();
	map->ops->free(map);
	put_user_struct(payer);
}

void bpf_map_get(struct bpf_map *map)
{
	atomic64_inc(&map->refs);
}

void bpf_map_put(struct bpf_map *map)
{
	if (!atomic64_dec_and_test(&map->refs))
		return;
	bpf_id_remove(&bpf_map_ids, map->id);
	if (map->btf)
		bpf_btf_put(map->btf);
	schedule_work_unbound(&map->free_work);
}

void bpf_map_get_user(struct bpf_map *map)
{
	atomic64_inc(&map->user_refs);
	bpf_map_get(map);
}

void bpf_map_put_user(struct bpf_map *map)
{
	if (atomic64_dec_and_test(&map->user_refs) && map->ops->release_uref)
		map->ops->release_uref(map);
	bpf_map_put(map);
}

/* ---- freezing ---- */

bool bpf_map_write_begin(struct bpf_map *map)
{
	return atomic_add_unless(&map->writers, 1, BPF_MAP_FROZEN);
}

void bpf_map_write_end(struct bpf_map *map)
{
	atomic_dec(&map->writers);
}

bool bpf_map_is_rdonly(const struct bpf_map *map)
{
	return (map->map_flags & BPF_F_RDONLY_PROG) && bpf_map_is_frozen(map);
}

static long map_freeze(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
		       u32 size __unused)
{
	struct bpf_map *map = bpf_map_get_fd((int)attr->map_fd);
	long ret;

	if (IS_ERR(map))
		return PTR_ERR(map);
	if (atomic_read(&map->writers))
		ret = -EBUSY;
	else if (!bpf_capable())
		ret = -EPERM;
	else
		ret = atomic_cmpxchg(&map->writers, 0, BPF_MAP_FROZEN) ? -EBUSY : 0;
	bpf_map_put(map);
	return ret;
}
static const struct bpf_command map_freeze_command BPF_COMMAND(map_freeze) = { BPF_MAP_FREEZE,
									       BPF_ATTR_END(map_fd),
									       map_freeze };

/* ---- making ---- */

struct bpf_map *bpf_map_alloc(const union bpf_attr *attr)
{
	const struct bpf_map_ops *ops = bpf_find_map_type(attr->map_type);
	int error = ops ? 0 : -EINVAL;
	struct bpf_map *map;

	if (!error && ops->alloc_check)
		error = ops->alloc_check(attr);
	if (!error && attr->map_ifindex)
		error = -EINVAL; /* no device runs programs */
	if (error)
		return ERR_PTR(error);
	map = ops->alloc(attr);
	if (IS_ERR(map))
		return map;
	map->payer = get_current_user();
	atomic64_set(&map->refs, 1);
	atomic64_set(&map->user_refs, 1);
	INIT_WORK(&map->free_work, free_map);
	return map;
}

/* Bytes of a type of a program, without modifiers; 0: it has none, or is no type. */
static u32 size_of_type(const struct btf *btf, u32 id)
{
	u64 nr = 1;

	for (unsigned depth = 0; depth < 32 && id < btf->nr_types; depth++) {
		const struct btf_type *t = btf_type_skip_modifiers(btf, id, NULL);

		switch (t ? btf_kind(t) : BTF_KIND_UNKN) {
		case BTF_KIND_ARRAY:
			nr *= btf_array(t)->nelems;
			if (nr > 0xffffffff)
				return 0;
			id = btf_array(t)->type;
			break;
		case BTF_KIND_PTR:
			return nr * 8 > 0xffffffff ? 0 : (u32)nr * 8;
		case BTF_KIND_INT:
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
		case BTF_KIND_FLOAT:
		case BTF_KIND_DATASEC:
			return nr * t->size > 0xffffffff ? 0 : (u32)nr * t->size;
		default:
			return 0;
		}
	}
	return 0;
}

static bool is_kind(const struct btf *btf, u32 id, enum btf_kind kind)
{
	const struct btf_type *t =
		id < btf->nr_types ? btf_type_skip_modifiers(btf, id, NULL) : NULL;

	return t && btf_kind(t) == kind;
}

/*
 * An array has numbers as keys. One without a type of keys is the data of a program (.bss): its
 * only value has the type DATASEC.
 */
static int check_key_type(const struct bpf_map *map, const struct btf *btf,
			  const union bpf_attr *attr)
{
	u32 key = attr->btf_key_type_id;
	bool array =
		map->map_type == BPF_MAP_TYPE_ARRAY || map->map_type == BPF_MAP_TYPE_PERCPU_ARRAY;

	if (!key)
		return map->map_type == BPF_MAP_TYPE_ARRAY && map->max_entries == 1 &&
				       is_kind(btf, attr->btf_value_type_id, BTF_KIND_DATASEC)
			       ? 0
			       : -EINVAL;
	if (!map->key_size || size_of_type(btf, key) != map->key_size ||
	    (array && !is_kind(btf, key, BTF_KIND_INT)))
		return -EINVAL;
	return map->ops->write_user && !bpf_map_is_percpu(map) ? -ENOTSUPP : 0;
}

/* The types of key and value are only for tools that print the map, but must fit. */
static int set_types(struct bpf_map *map, const union bpf_attr *attr)
{
	struct bpf_btf *btf;
	int error;

	if (!attr->btf_key_type_id && !attr->btf_value_type_id)
		return 0;
	btf = bpf_btf_get_fd((int)attr->btf_fd);
	if (IS_ERR(btf))
		return (int)PTR_ERR(btf);
	map->btf = btf; /* bpf_map_put() gives it up */
	if (btf->of_kernel)
		return -EACCES;
	error = check_key_type(map, &btf->btf, attr);
	if (error)
		return error;
	if (size_of_type(&btf->btf, attr->btf_value_type_id) != map->value_size || !map->value_size)
		return -EINVAL;
	map->btf_key_type_id = attr->btf_key_type_id;
	map->btf_value_type_id = attr->btf_value_type_id;
	return 0;
}

static int check_create(const union bpf_attr *attr)
{
	if (attr->btf_vmlinux_value_type_id || (attr->btf_key_type_id && !attr->btf_value_type_id))
		return -EINVAL;
	if (attr->map_type != BPF_MAP_TYPE_BLOOM_FILTER && attr->map_extra)
		return -EINVAL;
	if (bpf_file_flags(attr->map_flags) < 0)
		return -EINVAL;
	/* There is one node; ~0 means any. */
	return (attr->map_flags & BPF_F_NUMA_NODE) && attr->numa_node && attr->numa_node != ~0U
		       ? -EINVAL
		       : 0;
}

static long map_create(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
		       u32 size __unused)
{
	int error = check_create(attr), fd;
	struct bpf_map *map;

	if (error)
		return error;
	map = bpf_map_alloc(attr);
	if (IS_ERR(map))
		return PTR_ERR(map);
	error = bpf_copy_name(map->name, attr->map_name);
	if (!error)
		error = set_types(map, attr);
	if (!error)
		error = bpf_id_add(&bpf_map_ids, map, &map->id);
	fd = error ? error : bpf_map_new_fd(map, (unsigned)bpf_file_flags(attr->map_flags));
	if (fd < 0)
		bpf_map_put_user(map);
	return fd;
}
static const struct bpf_command map_create_command BPF_COMMAND(map_create) = {
	BPF_MAP_CREATE, BPF_ATTR_END(map_extra), map_create
};
