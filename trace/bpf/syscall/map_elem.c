/*
 * The elements of maps: look up, change, delete, and walk the keys.
 *
 * Keys and values are copied before the map is touched, because it is touched inside
 * rcu_read_lock(). bpf_disable_instrumentation() keeps a program that a probe in the map's code
 * would run from waiting for a lock of the map that this CPU holds.
 */
#include "arch/mm/uaccess.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "trace/bpf/attach/run.h"
#include "trace/bpf/syscall/objects.h"

void *bpf_copy_in(u64 from, u32 size)
{
	void *copy = kvzalloc(max(size, 1U), GFP_KERNEL | __GFP_NOWARN);

	if (!copy)
		return ERR_PTR(-ENOMEM);
	if (!copy_from_user(copy, (const void __user *)from, size))
		return copy;
	kvfree(copy);
	return ERR_PTR(-EFAULT);
}

/* The key of a program; a map without keys has none. NULL, or as bpf_copy_in(). */
static void *copy_key(const struct bpf_map *map, u64 from)
{
	if (map->key_size)
		return bpf_copy_in(from, map->key_size);
	return from ? ERR_PTR(-EINVAL) : NULL;
}

/* An element of a queue or a stack, or membership in a filter: there is no key. */
static bool has_no_keys(const struct bpf_map *map)
{
	return map->map_type == BPF_MAP_TYPE_QUEUE || map->map_type == BPF_MAP_TYPE_STACK ||
	       map->map_type == BPF_MAP_TYPE_BLOOM_FILTER;
}

/* A program that still runs may use the old inner map: the caller shall find it unused. */
static void wait_for_programs(const struct bpf_map *map)
{
	if (map->map_type == BPF_MAP_TYPE_HASH_OF_MAPS ||
	    map->map_type == BPF_MAP_TYPE_ARRAY_OF_MAPS)
		synchronize_rcu();
}

/* ---- for batches, too ---- */

static int lookup_and_copy(struct bpf_map *map, const void *key, void *value)
{
	const void *found = map->ops->lookup ? map->ops->lookup(map, key) : ERR_PTR(-EOPNOTSUPP);

	if (IS_ERR(found))
		return (int)PTR_ERR(found);
	if (!found)
		return -ENOENT;
	memcpy(value, found, map->value_size);
	return 0;
}

int bpf_map_copy_value(struct bpf_map *map, const void *key, void *value, u64 flags)
{
	int error;

	bpf_disable_instrumentation();
	if (has_no_keys(map))
		error = map->ops->peek ? (int)map->ops->peek(map, value) : -EOPNOTSUPP;
	else if (map->ops->read_user)
		error = map->ops->read_user(map, key, value, flags);
	else
		error = lookup_and_copy(map, key, value);
	bpf_enable_instrumentation();
	return error;
}

int bpf_map_update_value(struct bpf_map *map, struct file *file, const void *key, const void *value,
			 u64 flags)
{
	const struct bpf_map_ops *ops = map->ops;
	int error = ops->prepare_update ? ops->prepare_update(map) : 0;

	if (error)
		return error;
	if (ops->write_user) {
		error = ops->write_user(map, key, value, flags, file);
		wait_for_programs(map);
		return error;
	}
	bpf_disable_instrumentation();
	if (has_no_keys(map))
		error = ops->push ? (int)ops->push(map, value, flags) : -EOPNOTSUPP;
	else
		error = ops->update ? (int)ops->update(map, key, value, flags) : -EOPNOTSUPP;
	bpf_enable_instrumentation();
	return error;
}

int bpf_map_delete_value(struct bpf_map *map, const void *key)
{
	int error;

	if (!map->ops->delete)
		return -EOPNOTSUPP;
	if (map->map_type == BPF_MAP_TYPE_PROG_ARRAY) /* its locks sleep */
		return (int)map->ops->delete (map, key);
	bpf_disable_instrumentation();
	error = (int)map->ops->delete (map, key);
	bpf_enable_instrumentation();
	wait_for_programs(map);
	return error;
}

/* ---- commands ---- */

/* What a command works on: the map of a descriptor, whose file is needed for some updates. */
struct element {
	struct fd f;
	struct bpf_map *map;
	bool writes;
	void *key, *value;
};

/* 0 or an errno; the caller calls put_element() in both cases. */
static int get_element(struct element *e, int fd, bool reads, bool writes)
{
	*e = (struct element){ .f = fdget((unsigned)fd) };
	e->map = bpf_map_of_fd(e->f);
	if (IS_ERR(e->map))
		return (int)PTR_ERR(e->map);
	if (reads && !(e->f.file->f_mode & FMODE_READ))
		return -EPERM;
	if (!writes)
		return 0;
	if (!(e->f.file->f_mode & FMODE_WRITE) || !bpf_map_write_begin(e->map))
		return -EPERM;
	e->writes = true;
	return 0;
}

static void put_element(struct element *e)
{
	kvfree(e->key);
	kvfree(e->value);
	if (e->writes)
		bpf_map_write_end(e->map);
	fdput(e->f);
}

/* Takes over what bpf_copy_in() has returned. 0 or its error. */
static int set_copy(void **to, void *copy)
{
	if (IS_ERR(copy))
		return (int)PTR_ERR(copy);
	*to = copy;
	return 0;
}

/* The key, and room for the value. */
static int get_key_and_room(struct element *e, u64 key)
{
	int error = set_copy(&e->key, copy_key(e->map, key));

	if (error)
		return error;
	e->value = kvzalloc(bpf_map_user_value_size(e->map), GFP_KERNEL | __GFP_NOWARN);
	return e->value ? 0 : -ENOMEM;
}

static int put_value(const struct element *e, u64 to)
{
	return copy_to_user((void __user *)to, e->value, bpf_map_user_value_size(e->map)) ? -EFAULT
											  : 0;
}

static int lookup(struct element *e, const union bpf_attr *attr)
{
	u32 size = bpf_map_user_value_size(e->map);
	int error = attr->flags & BPF_F_LOCK ? -EINVAL : get_key_and_room(e, attr->key);

	if (error)
		return error;
	/* Whether a filter may have the value: the program tells the value. */
	if (e->map->map_type == BPF_MAP_TYPE_BLOOM_FILTER)
		return copy_from_user(e->value, (const void __user *)attr->value, size)
			       ? -EFAULT
			       : bpf_map_copy_value(e->map, e->key, e->value, attr->flags);
	error = bpf_map_copy_value(e->map, e->key, e->value, attr->flags);
	return error ? error : put_value(e, attr->value);
}

static long map_lookup_elem(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
			    u32 size __unused)
{
	struct element e;
	int error;

	if (attr->flags & ~(u64)BPF_F_LOCK)
		return -EINVAL;
	error = get_element(&e, (int)attr->map_fd, true, false);
	if (!error)
		error = lookup(&e, attr);
	put_element(&e);
	return error;
}
static const struct bpf_command map_lookup_elem_command BPF_COMMAND(map_lookup_elem) = {
	BPF_MAP_LOOKUP_ELEM, BPF_ATTR_END(flags), map_lookup_elem
};

static long map_update_elem(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
			    u32 size __unused)
{
	struct element e;
	int error = get_element(&e, (int)attr->map_fd, false, true);

	if (!error && (attr->flags & BPF_F_LOCK))
		error = -EINVAL; /* no value has a spin lock */
	if (!error)
		error = set_copy(&e.key, copy_key(e.map, attr->key));
	if (!error)
		error = set_copy(&e.value,
				 bpf_copy_in(attr->value, bpf_map_user_value_size(e.map)));
	if (!error)
		error = bpf_map_update_value(e.map, e.f.file, e.key, e.value, attr->flags);
	put_element(&e);
	return error;
}
static const struct bpf_command map_update_elem_command BPF_COMMAND(map_update_elem) = {
	BPF_MAP_UPDATE_ELEM, BPF_ATTR_END(flags), map_update_elem
};

static long map_delete_elem(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
			    u32 size __unused)
{
	struct element e;
	int error = get_element(&e, (int)attr->map_fd, false, true);

	if (!error)
		error = set_copy(&e.key, copy_key(e.map, attr->key));
	if (!error)
		error = bpf_map_delete_value(e.map, e.key);
	put_element(&e);
	return error;
}
static const struct bpf_command map_delete_elem_command BPF_COMMAND(map_delete_elem) = {
	BPF_MAP_DELETE_ELEM, BPF_ATTR_END(key), map_delete_elem
};

/* value is room for a key. */
static int next_key(struct element *e, const union bpf_attr *attr)
{
	u32 size = e->map->key_size;
	int error = attr->key ? set_copy(&e->key, copy_key(e->map, attr->key)) : 0;

	if (error)
		return error;
	e->value = kvzalloc(max(size, 1U), GFP_KERNEL | __GFP_NOWARN);
	if (!e->value)
		return -ENOMEM;
	if (!e->map->ops->get_next_key)
		return -EOPNOTSUPP;
	rcu_read_lock();
	error = e->map->ops->get_next_key(e->map, e->key, e->value);
	rcu_read_unlock();
	if (!error && copy_to_user((void __user *)attr->next_key, e->value, size))
		error = -EFAULT;
	return error;
}

static long map_get_next_key(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
			     u32 size __unused)
{
	struct element e;
	int error = get_element(&e, (int)attr->map_fd, true, false);

	if (!error)
		error = next_key(&e, attr);
	put_element(&e);
	return error;
}
static const struct bpf_command map_get_next_key_command BPF_COMMAND(map_get_next_key) = {
	BPF_MAP_GET_NEXT_KEY, BPF_ATTR_END(next_key), map_get_next_key
};

/* ---- look up and delete ---- */

static bool is_hash(const struct bpf_map *map)
{
	return map->map_type == BPF_MAP_TYPE_HASH || map->map_type == BPF_MAP_TYPE_LRU_HASH ||
	       map->map_type == BPF_MAP_TYPE_PERCPU_HASH ||
	       map->map_type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static int pop(struct bpf_map *map, void *value)
{
	int error;

	bpf_disable_instrumentation();
	error = (int)map->ops->pop(map, value);
	bpf_enable_instrumentation();
	return error;
}

/*
 * Of two that take the same element one finds it, since one of two deletions does. What a program
 * writes between the two steps is lost, as it is when it still holds the value.
 */
int bpf_map_take_value(struct bpf_map *map, const void *key, void *value, u64 flags)
{
	int error = bpf_map_copy_value(map, key, value, flags);

	return error ? error : bpf_map_delete_value(map, key);
}

static int lookup_and_delete(struct element *e, const union bpf_attr *attr)
{
	bool queue = e->map->ops->pop;
	int error = attr->flags ? -EINVAL : get_key_and_room(e, attr->key);

	if (!error && !queue && !is_hash(e->map))
		error = -ENOTSUPP;
	if (!error)
		error = queue ? pop(e->map, e->value)
			      : bpf_map_take_value(e->map, e->key, e->value, attr->flags);
	return error ? error : put_value(e, attr->value);
}

static long map_lookup_and_delete_elem(const union bpf_attr *attr,
				       union bpf_attr __user *uattr __unused, u32 size __unused)
{
	struct element e;
	int error;

	if (attr->flags & ~(u64)BPF_F_LOCK)
		return -EINVAL;
	error = get_element(&e, (int)attr->map_fd, true, true);
	if (!error)
		error = lookup_and_delete(&e, attr);
	put_element(&e);
	return error;
}
static const struct bpf_command
	map_lookup_and_delete_elem_command BPF_COMMAND(map_lookup_and_delete_elem) = {
		BPF_MAP_LOOKUP_AND_DELETE_ELEM, BPF_ATTR_END(flags), map_lookup_and_delete_elem
	};
