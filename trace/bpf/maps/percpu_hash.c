/* PERCPU_HASH: each CPU has a value of its own of each element. hash.h explains the table. */
#include "kernel/errno.h"
#include "kernel/rcu/rcu.h"
#include "trace/bpf/maps/hash.h"

static void *percpu_hash_lookup(struct bpf_map *map, const void *key)
{
	struct bpf_htab_elem *elem = bpf_htab_lookup(map, key);

	return elem ? bpf_percpu_value(elem->percpu, to_htab(map)->percpu_stride,
				       (u32)smp_processor_id())
		    : NULL;
}

/*
 * A program's new value for its own CPU, if there is the element. 1: there is none. The lock keeps
 * the element this key's: without it, a deletion could make it another one's before the store.
 */
static __always_inline long update_this_cpu(struct bpf_htab *htab, const void *key, u32 size,
					    const void *value, u64 flags)
{
	u32 hash = bpf_htab_hash_sized(htab, key, size);
	struct bpf_htab_bucket *bucket = bpf_htab_bucket_of(htab, hash);
	struct bpf_htab_elem *old;
	unsigned long irq_flags;
	long error;

	if (!bpf_lock(&bucket->lock, &irq_flags))
		return -EBUSY;
	old = bpf_htab_find_sized(htab, key, size, hash);
	error = bpf_htab_check_flags(old, flags);
	if (!error && likely(old)) {
		u64 *to =
			bpf_percpu_value(old->percpu, htab->percpu_stride, (u32)smp_processor_id());

		if (likely(htab->value_size == 8))
			bpf_store_words(to, value, 8);
		else
			bpf_store_words(to, value, htab->value_size);
	}
	bpf_unlock(&bucket->lock, irq_flags);
	return error ? error : !old;
}

/* As bpf_htab_lookup(), for the usual sizes of keys the compiler makes code without loops. */
long bpf_htab_percpu_update(struct bpf_map *map, const void *key, const void *value, u64 flags)
{
	struct bpf_htab *htab = to_htab(map);
	long error;

	if (unlikely(flags > BPF_EXIST))
		return -EINVAL;
	if (map->key_size == 16)
		error = update_this_cpu(htab, key, 16, value, flags);
	else if (map->key_size == 8)
		error = update_this_cpu(htab, key, 8, value, flags);
	else
		error = update_this_cpu(htab, key, map->key_size, value, flags);
	if (likely(error <= 0))
		return error;
	return bpf_htab_replace(htab, key, value, flags, BPF_HTAB_VALUE, NULL);
}

void *bpf_htab_percpu_lookup_cpu(struct bpf_map *map, const void *key, u32 cpu)
{
	struct bpf_htab_elem *elem = cpu < nr_cpu_ids ? bpf_htab_lookup(map, key) : NULL;

	return elem ? bpf_percpu_value(elem->percpu, to_htab(map)->percpu_stride, cpu) : NULL;
}

int bpf_htab_percpu_read_user(struct bpf_map *map, const void *key, void *value, u64 flags __unused)
{
	struct bpf_htab_elem *elem = bpf_htab_lookup(map, key);

	if (!elem)
		return -ENOENT;
	bpf_percpu_read(value, elem->percpu, to_htab(map)->percpu_stride, map->value_size);
	return 0;
}

int bpf_htab_percpu_write_user(struct bpf_map *map, const void *key, const void *value, u64 flags,
			       struct file *map_file __unused)
{
	long error;

	rcu_read_lock();
	error = bpf_htab_replace(to_htab(map), key, value, flags, BPF_HTAB_ALL_CPUS, NULL);
	rcu_read_unlock();
	return (int)error;
}

static const struct bpf_map_ops percpu_hash BPF_MAP_TYPE(percpu_hash) = {
	.type = BPF_MAP_TYPE_PERCPU_HASH,
	.name = "percpu_hash",
	.alloc_check = bpf_htab_check,
	.alloc = bpf_htab_alloc,
	.free = bpf_htab_free,
	.lookup = percpu_hash_lookup,
	.lookup_percpu = bpf_htab_percpu_lookup_cpu,
	.update = bpf_htab_percpu_update,
	.delete = bpf_htab_delete,
	.for_each = bpf_htab_for_each,
	.get_next_key = bpf_htab_get_next_key,
	.bucket_keys = bpf_htab_bucket_keys,
	.read_user = bpf_htab_percpu_read_user,
	.write_user = bpf_htab_percpu_write_user,
	.user_value_size = bpf_percpu_user_value_size,
	.prepare_update = bpf_htab_prepare_update,
};
