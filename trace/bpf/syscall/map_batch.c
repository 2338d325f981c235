/*
 * Many elements of a map with one call. batch.count is how many there is room for, and how many
 * were done when the call returns.
 *
 * A walk goes on where in_batch says, which is the out_batch of the call before: the last key, or
 * of a map with buckets the number of the next bucket. All keys of a bucket are returned together,
 * so that a walk over a map that changes meets each element that stays.
 */
#include "arch/mm/uaccess.h"
#include "kernel/mm/vmalloc.h"
#include "trace/bpf/syscall/objects.h"

#define BUCKET_MAX 1024 /* keys of a bucket: more mean that someone makes keys collide */

/* What a call works on. */
struct batch {
	struct bpf_map *map;
	struct file *file;
	const union bpf_attr *attr;
	u32 key_size, value_size, done;
	void *key, *prev_key, *value;
	u8 *keys; /* of a bucket: */
	u32 room; /* for so many */
	bool delete;
};

static void __user *user_key(const struct batch *b)
{
	return (void __user *)(b->attr->batch.keys + (u64)b->done * b->key_size);
}

static void __user *user_value(const struct batch *b)
{
	return (void __user *)(b->attr->batch.values + (u64)b->done * b->value_size);
}

static int get_key(struct batch *b)
{
	return copy_from_user(b->key, user_key(b), b->key_size) ? -EFAULT : 0;
}

/* Puts an element into the program's arrays. 0, -ENOENT (it is gone by now), or an errno. */
static int put_element(struct batch *b, const void *key)
{
	int error = b->delete ? bpf_map_take_value(b->map, key, b->value, 0)
			      : bpf_map_copy_value(b->map, key, b->value, 0);

	if (error)
		return error;
	if (copy_to_user(user_key(b), key, b->key_size) ||
	    copy_to_user(user_value(b), b->value, b->value_size))
		return -EFAULT;
	b->done++;
	return 0;
}

/* ---- the four commands: 0 or an errno ---- */

static int delete_all(struct batch *b)
{
	int error = 0;

	for (; b->done < b->attr->batch.count; b->done++) {
		error = get_key(b);
		if (!error)
			error = bpf_map_delete_value(b->map, b->key);
		if (error || signal_pending(current))
			return error ? error : -EINTR;
		cond_resched();
	}
	return 0;
}

static int update_all(struct batch *b)
{
	int error;

	for (; b->done < b->attr->batch.count; b->done++) {
		error = get_key(b);
		if (!error && copy_from_user(b->value, user_value(b), b->value_size))
			error = -EFAULT;
		if (!error)
			error = bpf_map_update_value(b->map, b->file, b->key, b->value,
						     b->attr->batch.elem_flags);
		if (error || signal_pending(current))
			return error ? error : -EINTR;
		cond_resched();
	}
	return 0;
}

static int lookup_by_key(struct batch *b)
{
	const void __user *in = (const void __user *)b->attr->batch.in_batch;
	void __user *out = (void __user *)b->attr->batch.out_batch;
	void *prev = in ? b->prev_key : NULL, *key = b->key, *free;
	int error = 0;

	if (in && copy_from_user(b->prev_key, in, b->key_size))
		return -EFAULT;
	while (b->done < b->attr->batch.count) {
		rcu_read_lock();
		error = b->map->ops->get_next_key(b->map, prev, key);
		rcu_read_unlock();
		if (error)
			break;
		error = put_element(b, key);
		if (error && error != -ENOENT)
			return error;
		error = 0;
		free = prev ? prev : b->prev_key;
		prev = key;
		key = free;
		if (signal_pending(current))
			break;
		cond_resched();
	}
	if (b->done && copy_to_user(out, prev, b->key_size))
		return -EFAULT;
	return error;
}

/* Room for twice as many keys, for a page of them at first. 0 or -ENOMEM. */
static int grow_room(struct batch *b, u32 most)
{
	u32 room = b->room ? 2 * b->room : max((u32)PAGE_SIZE / b->key_size, 1U);

	kvfree(b->keys);
	b->room = min(room, most);
	b->keys = kvzalloc((size_t)b->room * b->key_size, GFP_KERNEL | __GFP_NOWARN);
	return b->keys ? 0 : -ENOMEM;
}

/*
 * Copies the keys of a bucket and returns their number, or an errno; -ENOSPC: they are more than
 * the program has room for. A key may have megabytes, so the memory grows only with what a bucket
 * has.
 */
static int copy_keys(struct batch *b, u32 bucket)
{
	u32 most = min(b->attr->batch.count - b->done, (u32)BUCKET_MAX);
	int nr;

	for (;;) {
		nr = b->map->ops->bucket_keys(b->map, bucket, b->keys, min(b->room, most));
		if (nr != -ENOSPC || b->room >= most)
			return nr;
		if (grow_room(b, most))
			return -ENOMEM;
	}
}

/* Elements that go while their bucket is copied are left out. */
static int lookup_bucket(struct batch *b, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		int error = put_element(b, b->keys + (size_t)i * b->key_size);

		if (error && error != -ENOENT)
			return error;
	}
	return 0;
}

static int lookup_buckets(struct batch *b, u32 *bucket)
{
	for (;; (*bucket)++) {
		int nr = copy_keys(b, *bucket), error;

		if (nr == -ENOSPC)
			return b->done ? 0 : -ENOSPC;
		error = nr < 0 ? nr : lookup_bucket(b, (u32)nr);
		if (error)
			return error;
		if (signal_pending(current)) {
			(*bucket)++;
			return b->done ? 0 : -EINTR;
		}
		cond_resched();
	}
}

static int lookup_by_bucket(struct batch *b)
{
	const u32 __user *in = (const u32 __user *)b->attr->batch.in_batch;
	u32 __user *out = (u32 __user *)b->attr->batch.out_batch;
	u32 bucket = 0;
	int error;

	if (b->attr->batch.flags)
		return -EINVAL;
	if (in && get_user(bucket, in))
		return -EFAULT;
	error = lookup_buckets(b, &bucket);
	kvfree(b->keys);
	if (error != -EFAULT && put_user(bucket, out))
		error = -EFAULT;
	return error;
}

static int lookup_all(struct batch *b)
{
	return b->map->ops->bucket_keys ? lookup_by_bucket(b) : lookup_by_key(b);
}

/* ---- the calls ---- */

static bool is_array(const struct bpf_map *map)
{
	return map->map_type == BPF_MAP_TYPE_ARRAY || map->map_type == BPF_MAP_TYPE_PERCPU_ARRAY ||
	       map->map_type == BPF_MAP_TYPE_ARRAY_OF_MAPS;
}

static bool can_batch(const struct bpf_map *map, bool delete, bool lookup)
{
	if (map->map_type == BPF_MAP_TYPE_LPM_TRIE)
		return !delete || !lookup;
	return map->ops->bucket_keys || (is_array(map) && !delete);
}

static int run_batch(struct batch *b, union bpf_attr __user *uattr, int (*fn)(struct batch *b))
{
	int error;

	if (b->attr->batch.elem_flags)
		return -EINVAL; /* BPF_F_LOCK: no value has a spin lock */
	if (!b->attr->batch.count)
		return 0;
	if (put_user(0, &uattr->batch.count))
		return -EFAULT;
	b->key_size = b->map->key_size;
	b->value_size = bpf_map_user_value_size(b->map);
	b->key = kvzalloc(b->key_size, GFP_KERNEL | __GFP_NOWARN);
	b->prev_key = kvzalloc(b->key_size, GFP_KERNEL | __GFP_NOWARN);
	b->value = kvzalloc(b->value_size, GFP_KERNEL | __GFP_NOWARN);
	error = b->key && b->prev_key && b->value ? fn(b) : -ENOMEM;
	kvfree(b->key);
	kvfree(b->prev_key);
	kvfree(b->value);
	if (put_user(b->done, &uattr->batch.count))
		error = -EFAULT;
	return error;
}

static long do_batch(const union bpf_attr *attr, union bpf_attr __user *uattr, bool reads,
		     bool deletes, int (*fn)(struct batch *b))
{
	struct fd f = fdget(attr->batch.map_fd);
	struct batch b = { .map = bpf_map_of_fd(f), .file = f.file, .attr = attr };
	bool writes = !reads || deletes;
	long ret = -EPERM;

	if (IS_ERR(b.map)) {
		fdput(f);
		return PTR_ERR(b.map);
	}
	b.delete = deletes;
	if ((reads && !(f.file->f_mode & FMODE_READ)) ||
	    (writes && !(f.file->f_mode & FMODE_WRITE)) || (writes && !bpf_map_write_begin(b.map)))
		goto put;
	ret = can_batch(b.map, deletes, reads) ? run_batch(&b, uattr, fn) : -ENOTSUPP;
	if (writes)
		bpf_map_write_end(b.map);
put:
	fdput(f);
	return ret;
}

static long map_lookup_batch(const union bpf_attr *attr, union bpf_attr __user *uattr,
			     u32 size __unused)
{
	return do_batch(attr, uattr, true, false, lookup_all);
}
static const struct bpf_command map_lookup_batch_command BPF_COMMAND(map_lookup_batch) = {
	BPF_MAP_LOOKUP_BATCH, BPF_ATTR_END(batch.flags), map_lookup_batch
};

static long map_lookup_and_delete_batch(const union bpf_attr *attr, union bpf_attr __user *uattr,
					u32 size __unused)
{
	return do_batch(attr, uattr, true, true, lookup_all);
}
static const struct bpf_command map_lookup_and_delete_batch_command BPF_COMMAND(
	map_lookup_and_delete_batch) = { BPF_MAP_LOOKUP_AND_DELETE_BATCH, BPF_ATTR_END(batch.flags),
					 map_lookup_and_delete_batch };

static long map_update_batch(const union bpf_attr *attr, union bpf_attr __user *uattr,
			     u32 size __unused)
{
	return do_batch(attr, uattr, false, false, update_all);
}
static const struct bpf_command map_update_batch_command BPF_COMMAND(map_update_batch) = {
	BPF_MAP_UPDATE_BATCH, BPF_ATTR_END(batch.flags), map_update_batch
};

static long map_delete_batch(const union bpf_attr *attr, union bpf_attr __user *uattr,
			     u32 size __unused)
{
	return do_batch(attr, uattr, false, true, delete_all);
}
static const struct bpf_command map_delete_batch_command BPF_COMMAND(map_delete_batch) = {
	BPF_MAP_DELETE_BATCH, BPF_ATTR_END(batch.flags), map_delete_batch
};
