/* HASH, and what all hash tables do. hash.h explains them. */
#include "trace/bpf/maps/hash.h"

#include "kernel/errno.h"
#include "kernel/lib/bitops.h"
#include "kernel/mm/slab.h"
#include "kernel/random/random.h"
#include "kernel/task/cred.h"
#include "trace/bpf/core/prog.h"

#define MAX_ENTRIES (1U << 27) /* Linux's, by the size of its array of buckets */

u32 bpf_htab_hash(const struct bpf_htab *htab, const void *key)
{
	switch (htab->map.key_size) {
	case 24:
		return bpf_htab_hash_sized(htab, key, 24);
	case 16:
		return bpf_htab_hash_sized(htab, key, 16);
	case 8:
		return bpf_htab_hash_sized(htab, key, 8);
	case 4:
		return bpf_htab_hash_sized(htab, key, 4);
	default:
		return bpf_htab_hash_sized(htab, key, htab->map.key_size);
	}
}

struct bpf_htab_elem *bpf_htab_find(const struct bpf_htab *htab, const void *key, u32 hash)
{
	switch (htab->map.key_size) {
	case 24:
		return bpf_htab_find_sized(htab, key, 24, hash);
	case 16:
		return bpf_htab_find_sized(htab, key, 16, hash);
	case 8:
		return bpf_htab_find_sized(htab, key, 8, hash);
	case 4:
		return bpf_htab_find_sized(htab, key, 4, hash);
	default:
		return bpf_htab_find_sized(htab, key, htab->map.key_size, hash);
	}
}

/* ---- lists ---- */

/* The lock of the bucket held. */
static void link_elem(struct bpf_htab_bucket *bucket, struct bpf_htab_elem *elem)
{
	/* LAB 17: A reader may be in the list at any time. Starts as: (void)bucket, (void)elem; */
	__atomic_store_n(&elem->next, bucket->first, __ATOMIC_RELAXED);
	__atomic_store_n(&elem->linked, true, __ATOMIC_RELAXED);
	smp_store_release(&bucket->first, (u64)elem);
	/* END LAB 17 */
}

/* The same; elem is in that bucket. */
static void unlink_elem(struct bpf_htab_bucket *bucket, struct bpf_htab_elem *elem)
{
	/* LAB 17: A reader may be at this element. Starts as: (void)bucket, (void)elem; */
	u64 *link = &bucket->first;

	while (*link != (u64)elem)
		link = &((struct bpf_htab_elem *)*link)->next;
	smp_store_release(link, elem->next);
	__atomic_store_n(&elem->linked, false, __ATOMIC_RELAXED);
	/* END LAB 17 */
}

bool bpf_htab_unlink(struct bpf_htab *htab, struct bpf_htab_elem *elem)
{
	u32 hash = __atomic_load_n(&elem->hash, __ATOMIC_RELAXED);
	struct bpf_htab_bucket *bucket = bpf_htab_bucket_of(htab, hash);
	unsigned long flags;
	bool linked;

	if (!bpf_lock(&bucket->lock, &flags))
		return false;
	/* Else it has become another bucket's, or nobody's, since the caller looked at it. */
	linked = __atomic_load_n(&elem->linked, __ATOMIC_RELAXED) &&
		 bpf_htab_bucket_of(htab, __atomic_load_n(&elem->hash, __ATOMIC_RELAXED)) == bucket;
	if (linked)
		unlink_elem(bucket, elem);
	bpf_unlock(&bucket->lock, flags);
	return linked;
}

/* ---- elements ---- */

static void fill_percpu(const struct bpf_htab *htab, struct bpf_htab_elem *elem, const void *value,
			enum bpf_htab_source source)
{
	u32 cpu;

	if (source == BPF_HTAB_ALL_CPUS) {
		bpf_percpu_write(elem->percpu, htab->percpu_stride, value, htab->value_size);
		return;
	}
	for_each_possible_cpu (cpu) {
		u64 *to = bpf_percpu_value(elem->percpu, htab->percpu_stride, cpu);

		if (cpu == (u32)smp_processor_id())
			bpf_store_words(to, value, htab->value_size);
		else
			bpf_zero_words(to, DIV_ROUND_UP(htab->value_size, 8));
	}
}

/*
 * A new element, in no list. A reader may stand at it since its former life. So it gets its key
 * when it is linked: else the reader would find a key in it that another update has won. NULL: none
 * is free.
 */
static struct bpf_htab_elem *new_elem(struct bpf_htab *htab, u32 hash, const void *value,
				      enum bpf_htab_source source)
{
	struct bpf_htab_elem *elem = (struct bpf_htab_elem *)bpf_pool_take(&htab->pool);

	if (!elem)
		return NULL;
	__atomic_store_n(&elem->hash, hash, __ATOMIC_RELAXED);
	__atomic_store_n(&elem->referenced, false, __ATOMIC_RELAXED);
	if (htab->percpu) {
		if (!elem->percpu) /* its first use */
			elem->percpu = bpf_pool_percpu(&htab->pool, &elem->pool);
		fill_percpu(htab, elem, value, source);
	} else {
		bpf_store_words(bpf_htab_value(htab, elem), value, htab->value_size);
	}
	return elem;
}

/* Takes a place for one more element. LRU maps take that of another element if they have none. */
static long take_place(struct bpf_htab *htab)
{
	if (atomic_add_unless(&htab->count, 1, (int)htab->map.max_entries))
		return 0;
	if (!htab->lru)
		return -E2BIG;
	return bpf_htab_evict(htab) ? 0 : -ENOMEM;
}

/* An update under way. */
struct update {
	const void *key, *value;
	u64 flags;
	bool in_place;  /* a value for this CPU: it goes into the old element, if there is one */
	bool has_place; /* for one more element */
};

/*
 * Puts an element into its bucket, and takes the one with the same key out: *replaced. If the value
 * goes into the old element, which stays, *replaced is elem itself. -EAGAIN: it needs a place.
 */
static long insert(struct bpf_htab *htab, struct bpf_htab_elem *elem, const struct update *update,
		   struct bpf_htab_elem **replaced)
{
	struct bpf_htab_bucket *bucket = bpf_htab_bucket_of(htab, elem->hash);
	struct bpf_htab_elem *old;
	unsigned long flags;
	long error;

	if (!bpf_lock(&bucket->lock, &flags))
		return -EBUSY;
	old = bpf_htab_find(htab, update->key, elem->hash);
	error = bpf_htab_check_flags(old, update->flags);
	if (!error && !old && !update->has_place)
		error = -EAGAIN;
	if (!error && old && update->in_place) {
		bpf_store_words(bpf_htab_value(htab, old), update->value, htab->value_size);
		old = elem;
	} else if (!error) {
		__atomic_store_n(&elem->referenced, old != NULL, __ATOMIC_RELAXED);
		bpf_store_words(elem->key, update->key, htab->map.key_size);
		link_elem(bucket, elem);
		if (old)
			unlink_elem(bucket, old);
	}
	bpf_unlock(&bucket->lock, flags);
	*replaced = old;
	return error;
}

/*
 * Prepares an element outside the lock, for two reasons: interrupts are off for a short time only,
 * and an LRU map takes the lock of another bucket to find a place. What the search outside the lock
 * has found may be gone then (-EAGAIN): the second time, the update has its place.
 */
static long replace(struct bpf_htab *htab, struct update *update, u32 hash,
		    enum bpf_htab_source source, struct bpf_htab_elem **replaced)
{
	struct bpf_htab_elem *elem = NULL;
	bool exists = bpf_htab_find(htab, update->key, hash);
	long error = bpf_htab_check_flags(exists, update->flags);

	if (error)
		return error;
	do {
		error = exists ? 0 : take_place(htab);
		if (error)
			break;
		update->has_place = !exists;
		exists = false;
		if (!elem)
			elem = new_elem(htab, hash, update->value, source);
		error = elem ? insert(htab, elem, update, replaced) : -ENOMEM;
	} while (error == -EAGAIN);
	if (error)
		*replaced = elem;
	return error;
}

long bpf_htab_replace(struct bpf_htab *htab, const void *key, const void *value, u64 flags,
		      enum bpf_htab_source source, u64 *old_word)
{
	struct update update = { .key = key, .value = value, .flags = flags };
	u32 hash = bpf_htab_hash(htab, key);
	struct bpf_htab_elem *old = NULL;
	long error;

	if (old_word)
		*old_word = 0;
	if (unlikely(flags > BPF_EXIST))
		return -EINVAL;
	update.in_place = htab->percpu && source == BPF_HTAB_VALUE;
	error = replace(htab, &update, hash, source, &old);
	if (old_word && !error && old)
		*old_word = *bpf_htab_value(htab, old);
	if (update.has_place && (error || old)) /* it is not needed */
		atomic_dec(&htab->count);
	if (old)
		bpf_pool_give(&htab->pool, &old->pool);
	return error;
}

long bpf_htab_update(struct bpf_map *map, const void *key, const void *value, u64 flags)
{
	return bpf_htab_replace(to_htab(map), key, value, flags, BPF_HTAB_VALUE, NULL);
}

long bpf_htab_remove(struct bpf_htab *htab, const void *key, u64 *old_word)
{
	u32 hash = bpf_htab_hash(htab, key);
	struct bpf_htab_bucket *bucket = bpf_htab_bucket_of(htab, hash);
	struct bpf_htab_elem *elem;
	unsigned long flags;

	if (old_word)
		*old_word = 0;
	if (!bpf_lock(&bucket->lock, &flags))
		return -EBUSY;
	elem = bpf_htab_find(htab, key, hash);
	if (elem)
		unlink_elem(bucket, elem);
	bpf_unlock(&bucket->lock, flags);
	if (!elem)
		return -ENOENT;
	if (old_word)
		*old_word = *bpf_htab_value(htab, elem);
	atomic_dec(&htab->count);
	bpf_pool_give(&htab->pool, &elem->pool);
	return 0;
}

long bpf_htab_delete(struct bpf_map *map, const void *key)
{
	return bpf_htab_remove(to_htab(map), key, NULL);
}

/* ---- walks ---- */

int bpf_htab_get_next_key(struct bpf_map *map, const void *key, void *next_key)
{
	struct bpf_htab *htab = to_htab(map);
	struct bpf_htab_elem *elem = NULL;
	u32 bucket = 0;
	u64 link = 1; /* the end of a list */

	if (key) {
		u32 hash = bpf_htab_hash(htab, key);

		elem = bpf_htab_find(htab, key, hash);
		if (elem) {
			link = smp_load_acquire(&elem->next);
			bucket = (hash & htab->mask) + 1;
		}
	}
	for (; bpf_htab_is_end(link) && bucket <= htab->mask; bucket++)
		link = smp_load_acquire(&htab->buckets[bucket].first);
	if (bpf_htab_is_end(link))
		return -ENOENT;
	elem = (struct bpf_htab_elem *)link;
	bpf_load_bytes(next_key, elem->key, map->key_size);
	return 0;
}

int bpf_htab_bucket_keys(struct bpf_map *map, u32 bucket, void *keys, u32 max)
{
	const struct bpf_htab *htab = to_htab(map);
	u32 n;
	u64 link;

	if (bucket > htab->mask)
		return -ENOENT;
	do {
		n = 0;
		link = smp_load_acquire(&htab->buckets[bucket].first);
		while (!bpf_htab_is_end(link)) {
			const struct bpf_htab_elem *elem = (const struct bpf_htab_elem *)link;

			if (n == max)
				return -ENOSPC;
			bpf_load_bytes((u8 *)keys + (u64)n++ * map->key_size, elem->key,
				       map->key_size);
			link = smp_load_acquire(&elem->next);
		}
	} while (link >> 1 != bucket);
	return (int)n;
}

/*
 * A callback that deletes another key of the bucket and inserts it again puts it before the element
 * of the call, or where the walk is. It could go on for ever, so the number of calls is bounded.
 */
long bpf_htab_for_each(struct bpf_map *map, const void *callback, void *ctx, u64 flags)
{
	struct bpf_htab *htab = to_htab(map);
	long calls = 0;

	if (flags)
		return -EINVAL;
	for (u32 bucket = 0; bucket <= htab->mask; bucket++) {
		u64 link = smp_load_acquire(&htab->buckets[bucket].first);

		while (!bpf_htab_is_end(link)) {
			struct bpf_htab_elem *elem = (struct bpf_htab_elem *)link;

			if (calls == htab->pool.limit)
				return calls;
			link = smp_load_acquire(&elem->next); /* the callback may delete it */
			calls++;
			if (bpf_call_callback(callback, (u64)map, (u64)elem->key,
					      (u64)bpf_htab_value(htab, elem), (u64)ctx, 0))
				return calls;
		}
	}
	return calls;
}

int bpf_htab_prepare_update(struct bpf_map *map)
{
	bpf_pool_prepare(&to_htab(map)->pool);
	return 0;
}

/* ---- making ---- */

static inline bool is_percpu(const union bpf_attr *attr)
{
	return attr->map_type == BPF_MAP_TYPE_PERCPU_HASH ||
	       attr->map_type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static inline bool is_lru(const union bpf_attr *attr)
{
	return attr->map_type == BPF_MAP_TYPE_LRU_HASH ||
	       attr->map_type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

int bpf_htab_check(const union bpf_attr *attr)
{
	if ((attr->map_flags & BPF_F_ZERO_SEED) && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (!bpf_map_flags_ok(attr->map_flags, BPF_F_NO_PREALLOC | BPF_F_NO_COMMON_LRU |
						       BPF_F_NUMA_NODE | BPF_F_ZERO_SEED |
						       BPF_F_ACCESS_MASK))
		return -EINVAL;
	if (!is_lru(attr) && (attr->map_flags & BPF_F_NO_COMMON_LRU))
		return -EINVAL;
	if (is_lru(attr) && (attr->map_flags & BPF_F_NO_PREALLOC))
		return -ENOTSUPP;
	if (bpf_map_wants_node(attr) &&
	    (is_percpu(attr) || (attr->map_flags & BPF_F_NO_COMMON_LRU)))
		return -EINVAL;
	if (!attr->max_entries || !attr->key_size || !attr->value_size)
		return -EINVAL;
	if ((u64)attr->key_size + attr->value_size >=
	    KMALLOC_MAX_SIZE - sizeof(struct bpf_htab_elem))
		return -E2BIG;
	if (is_percpu(attr) && ALIGN((u64)attr->value_size, 8) > BPF_PERCPU_VALUE_MAX)
		return -E2BIG;
	return 0;
}

static int alloc_buckets(struct bpf_htab *htab)
{
	u64 n = roundup_pow_of_two(htab->map.max_entries);

	if (htab->map.max_entries > MAX_ENTRIES)
		return -E2BIG;
	htab->buckets = bpf_map_area_alloc(&htab->map, n * sizeof(*htab->buckets));
	if (!htab->buckets)
		return -ENOMEM;
	for (u64 i = 0; i < n; i++)
		htab->buckets[i].first = i << 1 | 1;
	htab->mask = (u32)n - 1;
	return 0;
}

/* Linux gives each CPU a list of the same length, so the map gets a few more elements. */
static u32 round_for_lru(u32 max_entries)
{
	u32 cpus = cpumask_weight(&cpu_possible_mask), rest = max_entries % cpus;
	u64 more = (u64)max_entries + (rest ? cpus - rest : 0);

	return more > ~0U ? max_entries - rest : (u32)more;
}

static int init(struct bpf_htab *htab)
{
	struct bpf_map *map = &htab->map;
	struct bpf_pool_layout layout = { .map = map };
	int error;

	htab->value_size = map->map_type == BPF_MAP_TYPE_HASH_OF_MAPS ? 8 : map->value_size;
	htab->value_offset = (u32)sizeof(struct bpf_htab_elem) + ALIGN(map->key_size, 8);
	if (!(map->map_flags & BPF_F_ZERO_SEED))
		htab->seed = get_random_u64();
	error = alloc_buckets(htab);
	if (error)
		return error;
	layout.limit = map->max_entries + bpf_pool_spares();
	layout.elem_size = htab->value_offset + (htab->percpu ? 0 : ALIGN(htab->value_size, 8));
	layout.percpu_size = htab->percpu ? htab->value_size : 0;
	layout.grows = map->map_flags & BPF_F_NO_PREALLOC;
	error = bpf_pool_init(&htab->pool, &layout);
	htab->percpu_stride = htab->pool.percpu_stride;
	return error;
}

static void free_buckets(struct bpf_htab *htab)
{
	bpf_map_area_free(&htab->map, htab->buckets, (htab->mask + 1ULL) * sizeof(*htab->buckets));
	kfree(htab);
}

struct bpf_map *bpf_htab_alloc(const union bpf_attr *attr)
{
	struct bpf_htab *htab = kzalloc(sizeof(*htab), GFP_KERNEL);
	int error;

	if (!htab)
		return ERR_PTR(-ENOMEM);
	bpf_map_init(&htab->map, bpf_find_map_type(attr->map_type), attr);
	htab->percpu = is_percpu(attr);
	htab->lru = is_lru(attr);
	if (attr->map_flags & BPF_F_NO_COMMON_LRU)
		htab->map.max_entries = round_for_lru(attr->max_entries);
	error = init(htab);
	if (error) {
		free_buckets(htab);
		return ERR_PTR(error);
	}
	return &htab->map;
}

void bpf_htab_free(struct bpf_map *map)
{
	struct bpf_htab *htab = to_htab(map);

	bpf_pool_destroy(&htab->pool);
	free_buckets(htab);
}

/* ---- the type ---- */

static void *hash_lookup(struct bpf_map *map, const void *key)
{
	struct bpf_htab_elem *elem = bpf_htab_lookup(map, key);

	return elem ? (u8 *)elem + to_htab(map)->value_offset : NULL;
}

static const struct bpf_map_ops hash BPF_MAP_TYPE(hash) = {
	.type = BPF_MAP_TYPE_HASH,
	.name = "hash",
	.alloc_check = bpf_htab_check,
	.alloc = bpf_htab_alloc,
	.free = bpf_htab_free,
	.lookup = hash_lookup,
	.update = bpf_htab_update,
	.delete = bpf_htab_delete,
	.for_each = bpf_htab_for_each,
	.get_next_key = bpf_htab_get_next_key,
	.bucket_keys = bpf_htab_bucket_keys,
	.prepare_update = bpf_htab_prepare_update,
};
