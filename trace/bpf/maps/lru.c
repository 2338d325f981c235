/*
 * LRU_HASH and LRU_PERCPU_HASH: hash tables that, when they are full, drop an element that was not
 * used for long.
 *
 * A list in the order of use would be a lock that each lookup takes. So this is the clock of page
 * replacement: a lookup sets a bit in the element. A hand goes round over all elements. An element
 * with the bit loses it and stays; one without the bit goes. An element that is in use gets the bit
 * again before the hand comes back.
 *
 * BPF_F_NO_COMMON_LRU asks Linux for a list for each CPU, against fights for the lock of the list.
 * Here there is no such lock: the flag only rounds max_entries as on Linux.
 */
#include "kernel/errno.h"
#include "trace/bpf/maps/hash.h"

#define SECOND_CHANCES 128  /* elements that one search may let stay */
#define MAX_SEARCH     1024 /* elements that it looks at */

/* The hand moves on: the number of the next element. */
static u32 move_hand(struct bpf_htab *htab)
{
	return __atomic_fetch_add(&htab->hand, 1, __ATOMIC_RELAXED) % htab->pool.limit;
}

bool bpf_htab_evict(struct bpf_htab *htab)
{
	/*
	 * LAB 17: The hand clears the bit of an element, or takes the element. Starts as:
	 * (void)htab, (void)move_hand;
	 * return false;
	 */
	for (int i = 0; i < MAX_SEARCH; i++) {
		struct bpf_htab_elem *elem =
			(struct bpf_htab_elem *)bpf_pool_elem(&htab->pool, move_hand(htab));

		if (!__atomic_load_n(&elem->linked, __ATOMIC_RELAXED))
			continue;
		if (i < SECOND_CHANCES && __atomic_load_n(&elem->referenced, __ATOMIC_RELAXED)) {
			__atomic_store_n(&elem->referenced, false, __ATOMIC_RELAXED);
			continue;
		}
		if (bpf_htab_unlink(htab, elem)) {
			bpf_pool_give(&htab->pool, &elem->pool);
			return true;
		}
	}
	return false;
	/* END LAB 17 */
}

/* Only a program's lookup is a use: user space that prints all elements does not use them. */
static void mark(struct bpf_htab_elem *elem)
{
	/* The read first: elements in use are not written, and stay in the caches of all CPUs. */
	if (!__atomic_load_n(&elem->referenced, __ATOMIC_RELAXED))
		__atomic_store_n(&elem->referenced, true, __ATOMIC_RELAXED);
}

static void *lru_lookup(struct bpf_map *map, const void *key)
{
	struct bpf_htab_elem *elem = bpf_htab_lookup(map, key);

	if (!elem)
		return NULL;
	mark(elem);
	return bpf_htab_value(to_htab(map), elem);
}

static void *lru_lookup_cpu(struct bpf_map *map, const void *key, u32 cpu)
{
	struct bpf_htab_elem *elem = cpu < nr_cpu_ids ? bpf_htab_lookup(map, key) : NULL;

	if (!elem)
		return NULL;
	mark(elem);
	return bpf_percpu_value(elem->percpu, to_htab(map)->percpu_stride, cpu);
}

static int lru_read_user(struct bpf_map *map, const void *key, void *value, u64 flags __unused)
{
	struct bpf_htab_elem *elem = bpf_htab_lookup(map, key);

	if (!elem)
		return -ENOENT;
	bpf_load_bytes(value, bpf_htab_value(to_htab(map), elem), map->value_size);
	return 0;
}

static const struct bpf_map_ops lru_hash BPF_MAP_TYPE(lru_hash) = {
	.type = BPF_MAP_TYPE_LRU_HASH,
	.name = "lru_hash",
	.alloc_check = bpf_htab_check,
	.alloc = bpf_htab_alloc,
	.free = bpf_htab_free,
	.lookup = lru_lookup,
	.update = bpf_htab_update,
	.delete = bpf_htab_delete,
	.for_each = bpf_htab_for_each,
	.get_next_key = bpf_htab_get_next_key,
	.bucket_keys = bpf_htab_bucket_keys,
	.read_user = lru_read_user,
};

static const struct bpf_map_ops lru_percpu_hash BPF_MAP_TYPE(lru_percpu_hash) = {
	.type = BPF_MAP_TYPE_LRU_PERCPU_HASH,
	.name = "lru_percpu_hash",
	.alloc_check = bpf_htab_check,
	.alloc = bpf_htab_alloc,
	.free = bpf_htab_free,
	.lookup = lru_lookup,
	.lookup_percpu = lru_lookup_cpu,
	.update = bpf_htab_percpu_update,
	.delete = bpf_htab_delete,
	.for_each = bpf_htab_for_each,
	.get_next_key = bpf_htab_get_next_key,
	.bucket_keys = bpf_htab_bucket_keys,
	.read_user = bpf_htab_percpu_read_user,
	.write_user = bpf_htab_percpu_write_user,
	.user_value_size = bpf_percpu_user_value_size,
};
