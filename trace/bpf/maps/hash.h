/*
 * Hash tables of maps: HASH and PERCPU_HASH, LRU_HASH and LRU_PERCPU_HASH, HASH_OF_MAPS.
 *
 * A bucket is a list of elements. Readers take no lock. A writer changes the list of its bucket
 * under the lock of the bucket, by one store each time, so a reader always finds a whole list. A
 * new element comes first, then the old one with the same key goes: a reader finds one of the two.
 *
 * An element is reused as soon as it is out of its list. A reader that is at it then goes on in the
 * list of another bucket. The link at the end of a list is the number of the bucket, so a reader
 * that ends in a wrong list notices, and begins again. A reader that has found an element may see
 * how it gets another key and value. Linux's maps do the same; a program that cannot bear that
 * deletes no elements.
 *
 *	buckets[n].first ─► elem ─► elem ─► n << 1 | 1
 *
 * An element is struct bpf_htab_elem, the key in whole words, and the value in whole words. The
 * values of a per-CPU map are elsewhere: each CPU has an area with its values of all elements, so
 * that no two CPUs write to one line of the cache.
 */
#pragma once

#include "kernel/errno.h"
#include "trace/bpf/maps/pool.h"

struct bpf_htab_elem {
	struct bpf_pool_elem pool;
	u64 next;        /* [A] of the list; stays when the element goes, for readers */
	u32 hash;        /* [A] */
	bool linked;     /* [A] changed under the lock of the bucket of hash */
	bool referenced; /* [A] found by a program since the clock's hand passed: lru.c */
	u8 *percpu;      /* [C] CPU 0's value of a per-CPU map */
	u64 key[];       /* [A] */
};

struct bpf_htab_bucket {
	u64 first; /* [A] */
	u32 lock;
};

/* Legend: [C] constant; [A] atomic. */
struct bpf_htab {
	struct bpf_map map;
	struct bpf_htab_bucket *buckets; /* [C] */
	u64 seed;                        /* [C] */
	u32 mask;                        /* [C] number of buckets - 1 */
	u32 value_offset;                /* [C] of the value in an element */
	u32 value_size;                  /* [C] bytes of it; HASH_OF_MAPS: 8 */
	u64 percpu_stride;               /* [C] pool.percpu_stride */
	bool percpu, lru;                /* [C] */
	u32 hand;                        /* [A] number of an element: lru.c */
	atomic_t count;                  /* [A] elements in buckets, and on their way */
	struct bpf_pool pool;
};

static inline struct bpf_htab *to_htab(const struct bpf_map *map)
{
	return container_of((struct bpf_map *)map, struct bpf_htab, map);
}

/* ---- hashes ---- */

/* The two halves of a product of 128 bits: each bit of the word changes many bits of it. */
static __always_inline u64 bpf_hash_mix(u64 hash, u64 word)
{
	unsigned __int128 product = (unsigned __int128)(hash ^ word) * 0x9e3779b97f4a7c15ULL;

	return (u64)product ^ (u64)(product >> 64);
}

static __always_inline u64 bpf_hash_bytes(const void *bytes, u32 size, u64 seed)
{
	const u8 *p = bytes;

	unrolled
	for (; size >= 8; size -= 8, p += 8)
		seed = bpf_hash_mix(seed, *(const u64 *)p);
	return size ? bpf_hash_mix(seed, bpf_tail_word(p, size)) : seed;
}

/* ---- searches, for all contexts; RCU held ---- */

static __always_inline bool bpf_htab_same_key(const u64 *key, const void *bytes, u32 size)
{
	const u8 *p = bytes;

	unrolled
	for (; size >= 8; size -= 8, p += 8)
		if (__atomic_load_n(key++, __ATOMIC_RELAXED) != *(const u64 *)p)
			return false;
	return !size || __atomic_load_n(key, __ATOMIC_RELAXED) == bpf_tail_word(p, size);
}

static __always_inline bool bpf_htab_is_end(u64 link)
{
	return link & 1;
}

/* The element of a key of that size with that hash, or NULL. */
static __always_inline struct bpf_htab_elem *
bpf_htab_find_sized(const struct bpf_htab *htab, const void *key, u32 size, u32 hash)
{
	/*
	 * LAB 17: An element may go to another list while this reader is at it. Starts as:
	 * (void)htab, (void)key, (void)size, (void)hash;
	 * return NULL;
	 */
	u64 bucket = hash & htab->mask, link;

	do {
		link = smp_load_acquire(&htab->buckets[bucket].first);
		while (!bpf_htab_is_end(link)) {
			struct bpf_htab_elem *elem = (struct bpf_htab_elem *)link;

			if (__atomic_load_n(&elem->hash, __ATOMIC_RELAXED) == hash &&
			    bpf_htab_same_key(elem->key, key, size))
				return elem;
			link = smp_load_acquire(&elem->next);
		}
	} while (unlikely(link >> 1 != bucket));
	return NULL;
	/* END LAB 17 */
}

static __always_inline u32 bpf_htab_hash_sized(const struct bpf_htab *htab, const void *key,
					       u32 size)
{
	return (u32)bpf_hash_bytes(key, size, htab->seed);
}

/* The same for keys of the map's size. hash.c */
u32 bpf_htab_hash(const struct bpf_htab *htab, const void *key);
struct bpf_htab_elem *bpf_htab_find(const struct bpf_htab *htab, const void *key, u32 hash);

/*
 * The element of a key. For the usual sizes (a number, an address, a comm, a comm and a number)
 * the compiler makes code without loops: half as many instructions.
 */
static __always_inline struct bpf_htab_elem *bpf_htab_lookup(const struct bpf_map *map,
							     const void *key)
{
	const struct bpf_htab *htab = to_htab(map);
	u32 size = map->key_size;

	if (size == 16)
		return bpf_htab_find_sized(htab, key, 16, bpf_htab_hash_sized(htab, key, 16));
	if (size == 8)
		return bpf_htab_find_sized(htab, key, 8, bpf_htab_hash_sized(htab, key, 8));
	if (size == 24)
		return bpf_htab_find_sized(htab, key, 24, bpf_htab_hash_sized(htab, key, 24));
	if (size == 4)
		return bpf_htab_find_sized(htab, key, 4, bpf_htab_hash_sized(htab, key, 4));
	return bpf_htab_find(htab, key, bpf_htab_hash(htab, key));
}

static inline struct bpf_htab_bucket *bpf_htab_bucket_of(const struct bpf_htab *htab, u32 hash)
{
	return &htab->buckets[hash & htab->mask];
}

/* The value that a program on this CPU sees. */
static __always_inline u64 *bpf_htab_value(const struct bpf_htab *htab, struct bpf_htab_elem *elem)
{
	return htab->percpu ? bpf_percpu_value(elem->percpu, htab->percpu_stride,
					       (u32)smp_processor_id())
			    : (u64 *)((u8 *)elem + htab->value_offset);
}

/* What the flags of an update say of an element that exists or not: 0 or an errno. */
static __always_inline long bpf_htab_check_flags(bool exists, u64 flags)
{
	if (exists)
		return flags == BPF_NOEXIST ? -EEXIST : 0;
	return flags == BPF_EXIST ? -ENOENT : 0;
}

/* ---- hash.c ---- */

int bpf_htab_check(const union bpf_attr *attr);
struct bpf_map *bpf_htab_alloc(const union bpf_attr *attr);
void bpf_htab_free(struct bpf_map *map);
int bpf_htab_get_next_key(struct bpf_map *map, const void *key, void *next_key);
int bpf_htab_bucket_keys(struct bpf_map *map, u32 bucket, void *keys, u32 max);
int bpf_htab_prepare_update(struct bpf_map *map);
long bpf_htab_for_each(struct bpf_map *map, const void *callback, void *ctx, u64 flags);
long bpf_htab_update(struct bpf_map *map, const void *key, const void *value, u64 flags);
long bpf_htab_delete(struct bpf_map *map, const void *key);

/* Where the value of an update comes from. */
enum bpf_htab_source {
	BPF_HTAB_VALUE,    /* one value: of a program in a per-CPU map, for its own CPU */
	BPF_HTAB_ALL_CPUS, /* of user space in a per-CPU map: one value for each CPU */
};
/*
 * An update. *old: where the first word of a replaced value goes; 0: there was none. NULL: not
 * wanted. 0, -EINVAL, -EEXIST, -ENOENT, -E2BIG (full), -ENOMEM, -EBUSY. Any context.
 */
long bpf_htab_replace(struct bpf_htab *htab, const void *key, const void *value, u64 flags,
		      enum bpf_htab_source source, u64 *old);
/* A deletion: 0, -ENOENT, -EBUSY. *old as above. */
long bpf_htab_remove(struct bpf_htab *htab, const void *key, u64 *old);

/* percpu_hash.c: for maps with one value for each CPU. */
long bpf_htab_percpu_update(struct bpf_map *map, const void *key, const void *value, u64 flags);
void *bpf_htab_percpu_lookup_cpu(struct bpf_map *map, const void *key, u32 cpu);
int bpf_htab_percpu_read_user(struct bpf_map *map, const void *key, void *value, u64 flags);
int bpf_htab_percpu_write_user(struct bpf_map *map, const void *key, const void *value, u64 flags,
			       struct file *map_file);

/*
 * lru.c: takes an element out of its bucket that was not used of late. Its place in htab->count is
 * the caller's then: nobody else takes it in between. False: found none.
 */
bool bpf_htab_evict(struct bpf_htab *htab);
/* hash.c: for lru.c. Takes an element out of its bucket, if it is in one. */
bool bpf_htab_unlink(struct bpf_htab *htab, struct bpf_htab_elem *elem);
