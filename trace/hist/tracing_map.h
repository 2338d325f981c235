/*
 * tracing_map: a hash table from keys of bytes to sums and variables, for histograms.
 *
 * All elements are allocated when the map is made, so that an insertion takes no lock, allocates
 * nothing, and works in any context, NMI included. When no element is free, the map counts a drop.
 * An element stays in the map until the map is cleared or destroyed.
 *
 * A slot is one 64-bit word: the hash of the key, and the number of the element plus 1. An
 * insertion fills in its element first, then publishes it with one cmpxchg on a free slot. So a
 * slot is free or complete, no CPU waits, and a key never has two elements. A CPU that loses the
 * race returns its element to the map. There are two slots per element, so that a search always
 * ends at a free slot.
 *
 * Elements lie in one array. An element is
 *
 *	struct tracing_map_elt   which variables are set
 *	key                      key_size bytes
 *	sums                     n_sums words that are added to
 *	variables                n_vars words that are written and read
 *	private data             private_size bytes of the owner
 *
 * The order of equal entries in a sorted snapshot is Linux's, so that a histogram prints as in
 * Linux.
 */
#pragma once

#include "kernel/atomic.h"

#define TRACING_MAP_BITS_DEFAULT  11 /* log2 of the number of elements */
#define TRACING_MAP_BITS_MIN      7
#define TRACING_MAP_BITS_MAX      17
#define TRACING_MAP_SORT_KEYS_MAX 2
#define TRACING_MAP_VARS_MAX      64

struct tracing_map_elt {
	u64 vars_set; /* [A] bit i: variable i has a value */
	u64 key[];    /* [P], and behind it sums [A], variables [A], private data */
};                    /* [A] atomic; [P] constant once the element is in a slot */

struct tracing_map {
	u64 *slots;              /* [A] 2 * size; 0: free */
	unsigned hash_shift;     /* the hash shifted by this is the first slot to look at */
	unsigned slot_mask;      /* number of slots - 1 */
	unsigned key_size;       /* bytes, a multiple of 8 */
	unsigned elt_size;       /* bytes */
	unsigned sums, vars;     /* offsets in an element */
	unsigned private_offset; /* offset in an element */
	unsigned size;           /* elements */
	unsigned n_sums, n_vars; /* of an element */
	u8 *elts;                /* the elements */
	void (*elt_init)(struct tracing_map *map, struct tracing_map_elt *elt);
	void *owner;           /* for elt_init */
	atomic_t next;         /* elements that were taken, and refused requests */
	atomic_t n_spares;     /* bits set in spares */
	unsigned long *spares; /* [A] elements that lost a race: free again */
	atomic64_t hits;       /* insertions and successful look-ups by insertion */
	atomic64_t drops;      /* insertions without a free element */
};                             /* [A] atomic; unmarked fields are constant */

struct tracing_map_layout {
	unsigned bits; /* log2 of the number of elements, within TRACING_MAP_BITS_MIN and _MAX */
	unsigned key_size; /* bytes, a multiple of 8 */
	unsigned n_sums, n_vars, private_size;
	/*
	 * Prepares the private data of an element before other CPUs can see it. Its memory is
	 * zero, or holds what an earlier elt_init() wrote. Any context. May be NULL.
	 */
	void (*elt_init)(struct tracing_map *map, struct tracing_map_elt *elt);
	void *owner;
};

/* Returns a new map, or NULL: memory is short. Task context. */
struct tracing_map *tracing_map_create(const struct tracing_map_layout *layout);
/* Frees a map that no CPU uses any more. NULL is fine. Task context. */
void tracing_map_destroy(struct tracing_map *map);
/* Empties the map and zeroes its counts. No CPU uses the map. Task context. */
void tracing_map_clear(struct tracing_map *map);

/*
 * Returns the element of a key, and makes it if there is none. NULL: no element is free, and the
 * drop has been counted. key is aligned to 8 bytes. Any context.
 */
struct tracing_map_elt *tracing_map_insert(struct tracing_map *map, const u64 *key);
/* Counts an insertion for whose key there was no memory. Any context. */
static inline void tracing_map_count_drop(struct tracing_map *map)
{
	atomic64_inc(&map->drops);
}

/* Inserts as tracing_map_insert() does, in a map with keys of 8 bytes. */
struct tracing_map_elt *tracing_map_insert_word(struct tracing_map *map, u64 key);
/* The same, and adds 1 to the first sum. */
void tracing_map_count_word(struct tracing_map *map, u64 key);
/* Returns the element of a key, or NULL. Counts nothing. Any context. */
struct tracing_map_elt *tracing_map_lookup(struct tracing_map *map, const u64 *key);

static inline u64 *tracing_map_sum(const struct tracing_map *map, struct tracing_map_elt *elt,
				   unsigned i)
{
	return (u64 *)((u8 *)elt + map->sums) + i;
}

static inline void tracing_map_update_sum(const struct tracing_map *map,
					  struct tracing_map_elt *elt, unsigned i, u64 n)
{
	__atomic_fetch_add(tracing_map_sum(map, elt, i), n, __ATOMIC_RELAXED);
}

static inline u64 tracing_map_read_sum(const struct tracing_map *map, struct tracing_map_elt *elt,
				       unsigned i)
{
	return __atomic_load_n(tracing_map_sum(map, elt, i), __ATOMIC_RELAXED);
}

static inline u64 *tracing_map_var(const struct tracing_map *map, struct tracing_map_elt *elt,
				   unsigned i)
{
	return (u64 *)((u8 *)elt + map->vars) + i;
}

/* Gives a variable a value. Any context. */
void tracing_map_set_var(const struct tracing_map *map, struct tracing_map_elt *elt, unsigned i,
			 u64 value);
/*
 * Reads a variable. False: it has no value. once: takes the value away, so that of several readers
 * of one value only the first has it. Any context.
 */
bool tracing_map_read_var(const struct tracing_map *map, struct tracing_map_elt *elt, unsigned i,
			  bool once, u64 *value);

static inline void *tracing_map_private(const struct tracing_map *map, struct tracing_map_elt *elt)
{
	return (u8 *)elt + map->private_offset;
}

/*
 * Sorted snapshots (tracing_map_sort.c). A snapshot holds a copy of each element, so that the order
 * is that of the values that the reader sees.
 */
struct tracing_map_sort_key {
	bool descending;
	bool sum;        /* the sort key is the sum of that index, not a part of the key */
	unsigned index;  /* of the sum */
	unsigned offset; /* of the part in the key */
	/* Compares two parts of keys as strcmp(). Sums are compared as unsigned numbers. */
	int (*compare)(const void *a, const void *b);
};

struct tracing_map_snapshot {
	unsigned count;                /* entries */
	struct tracing_map_elt **elts; /* [count] sorted copies of elements */
	u8 *copies;                    /* memory of the copies */
};

/*
 * Copies all elements and sorts them by n_keys (0 to 2) keys. Returns 0 or -ENOMEM. Elements that
 * are inserted during the call may be missing. Task context; the map must not be cleared during the
 * call.
 */
int tracing_map_snapshot(struct tracing_map *map, const struct tracing_map_sort_key *keys,
			 unsigned n_keys, struct tracing_map_snapshot *snapshot);
void tracing_map_snapshot_free(struct tracing_map_snapshot *snapshot);
