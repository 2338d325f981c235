/* tracing_map: the elements, and how keys find them. tracing_map.h explains the slots. */
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "trace/hist/tracing_map.h"

#define WORD_BITS 64

/*
 * Multiplicative hashing (kernel/lib/hash.h), one word after the other. The shift lets the high
 * bits of a product change the low bits of the next one. The high half of the last one is the hash.
 */
#define HASH_FACTOR 0x9e3779b97f4a7c15ULL

static __always_inline u32 hash_key(const u64 *key, unsigned bytes)
{
	u64 hash = 0;

	for (unsigned i = 0; i < bytes / 8; i++)
		hash = (hash ^ hash >> 32 ^ key[i]) * HASH_FACTOR;
	return (u32)(hash >> 32);
}

static inline struct tracing_map_elt *elt_at(const struct tracing_map *map, unsigned number)
{
	return (struct tracing_map_elt *)(map->elts + (size_t)number * map->elt_size);
}

/* Takes a free element. Returns its number, or size: there is none. */
static unsigned take_elt(struct tracing_map *map)
{
	/* The counter stops at the size, so that drops can never make it wrap. */
	if (atomic_read(&map->next) < (int)map->size) {
		unsigned number = (unsigned)atomic_add_return(1, &map->next) - 1;

		if (number < map->size)
			return number;
		atomic_dec(&map->next);
	}
	for (unsigned i = 0; atomic_read(&map->n_spares) > 0 && i < map->size; i++)
		if (test_bit(i, map->spares) && test_and_clear_bit(i, map->spares)) {
			atomic_dec(&map->n_spares);
			return i;
		}
	return map->size;
}

static void return_elt(struct tracing_map *map, unsigned number)
{
	set_bit(number, map->spares);
	atomic_inc(&map->n_spares);
}

static __always_inline bool same_key(const u64 *a, const u64 *b, unsigned bytes)
{
	for (unsigned i = 0; i < bytes / 8; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/*
 * Looks for the key from slot *at on. Returns its element; or NULL, and *at is the free slot that
 * ends the search.
 */
static __always_inline struct tracing_map_elt *find(const struct tracing_map *map, const u64 *key,
						    unsigned key_size, u32 hash, unsigned *at)
{
	for (unsigned i = *at;; i = (i + 1) & map->slot_mask) {
		u64 slot = smp_load_acquire(&map->slots[i]);

		if (!slot) {
			*at = i;
			return NULL;
		}
		if (slot >> 32 == hash) {
			struct tracing_map_elt *elt = elt_at(map, (u32)slot - 1);

			if (same_key(elt->key, key, key_size))
				return elt;
		}
	}
}

/* Puts a new element for the key into the free slot at, or into one behind it. */
static noinline struct tracing_map_elt *add(struct tracing_map *map, const u64 *key, u32 hash,
					    unsigned at)
{
	/*
	 * LAB 13: Fill in the element first, then publish it. Another CPU may be faster.
	 * Starts as: (void)key, (void)hash, (void)at, (void)take_elt, (void)return_elt;
	 * atomic64_inc(&map->drops);
	 * return NULL;
	 */
	unsigned number = take_elt(map);
	struct tracing_map_elt *elt = elt_at(map, number), *winner;

	if (number == map->size) {
		atomic64_inc(&map->drops);
		return NULL;
	}
	memcpy(elt->key, key, map->key_size);
	if (map->elt_init)
		map->elt_init(map, elt);
	do {
		if (cmpxchg(&map->slots[at], 0, (u64)hash << 32 | (number + 1)) == 0) {
			atomic64_inc(&map->hits);
			return elt;
		}
		/* Another CPU, or an interrupt, has filled the slot, maybe with the same key. */
		winner = find(map, key, map->key_size, hash, &at);
	} while (!winner);
	return_elt(map, number);
	atomic64_inc(&map->hits);
	return winner;
	/* END LAB 13 */
}

static __always_inline struct tracing_map_elt *insert(struct tracing_map *map, const u64 *key,
						      unsigned key_size)
{
	u32 hash = hash_key(key, key_size);
	unsigned at = hash >> map->hash_shift;
	struct tracing_map_elt *elt = find(map, key, key_size, hash, &at);

	if (unlikely(!elt))
		return add(map, key, hash, at);
	atomic64_inc(&map->hits);
	return elt;
}

struct tracing_map_elt *tracing_map_insert(struct tracing_map *map, const u64 *key)
{
	return insert(map, key, map->key_size);
}

struct tracing_map_elt *tracing_map_insert_word(struct tracing_map *map, u64 key)
{
	return insert(map, &key, sizeof(key));
}

void tracing_map_count_word(struct tracing_map *map, u64 key)
{
	struct tracing_map_elt *elt = insert(map, &key, sizeof(key));

	if (likely(elt))
		__atomic_fetch_add(&elt->key[1], 1, __ATOMIC_RELAXED); /* the sum behind the key */
}

struct tracing_map_elt *tracing_map_lookup(struct tracing_map *map, const u64 *key)
{
	u32 hash = hash_key(key, map->key_size);
	unsigned at = hash >> map->hash_shift;

	return find(map, key, map->key_size, hash, &at);
}

void tracing_map_set_var(const struct tracing_map *map, struct tracing_map_elt *elt, unsigned i,
			 u64 value)
{
	__atomic_store_n(tracing_map_var(map, elt, i), value, __ATOMIC_RELAXED);
	__atomic_fetch_or(&elt->vars_set, 1ULL << i, __ATOMIC_RELEASE);
}

bool tracing_map_read_var(const struct tracing_map *map, struct tracing_map_elt *elt, unsigned i,
			  bool once, u64 *value)
{
	u64 bit = 1ULL << i, set;

	if (!(__atomic_load_n(&elt->vars_set, __ATOMIC_ACQUIRE) & bit))
		return false;
	*value = __atomic_load_n(tracing_map_var(map, elt, i), __ATOMIC_RELAXED);
	if (!once)
		return true;
	set = __atomic_fetch_and(&elt->vars_set, ~bit, __ATOMIC_ACQ_REL);
	return set & bit;
}

static size_t spares_bytes(const struct tracing_map *map)
{
	return map->size / WORD_BITS * sizeof(*map->spares);
}

static size_t slots_bytes(const struct tracing_map *map)
{
	return 2 * map->size * sizeof(*map->slots);
}

struct tracing_map *tracing_map_create(const struct tracing_map_layout *layout)
{
	struct tracing_map *map = kzalloc(sizeof(*map), GFP_KERNEL);

	if (!map)
		return NULL;
	map->size = 1U << layout->bits;
	map->slot_mask = 2 * map->size - 1;
	map->hash_shift = 32 - (layout->bits + 1);
	map->key_size = layout->key_size;
	map->n_sums = layout->n_sums;
	map->n_vars = layout->n_vars;
	map->sums = (unsigned)sizeof(struct tracing_map_elt) + layout->key_size;
	map->vars = map->sums + layout->n_sums * 8;
	map->private_offset = map->vars + layout->n_vars * 8;
	map->elt_size = ALIGN(map->private_offset + layout->private_size, 8);
	map->elt_init = layout->elt_init;
	map->owner = layout->owner;
	map->slots = vzalloc(slots_bytes(map));
	map->elts = vzalloc((size_t)map->size * map->elt_size);
	map->spares = kzalloc(spares_bytes(map), GFP_KERNEL);
	if (!map->slots || !map->elts || !map->spares) {
		tracing_map_destroy(map);
		return NULL;
	}
	return map;
}

void tracing_map_destroy(struct tracing_map *map)
{
	if (!map)
		return;
	vfree(map->slots);
	vfree(map->elts);
	kfree(map->spares);
	kfree(map);
}

void tracing_map_clear(struct tracing_map *map)
{
	memset(map->slots, 0, slots_bytes(map));
	memset(map->elts, 0, (size_t)map->size * map->elt_size);
	memset(map->spares, 0, spares_bytes(map));
	atomic_set(&map->next, 0);
	atomic_set(&map->n_spares, 0);
	atomic64_set(&map->hits, 0);
	atomic64_set(&map->drops, 0);
}
