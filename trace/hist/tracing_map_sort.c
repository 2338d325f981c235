/* Sorted snapshots of a tracing_map, for readers. */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "trace/hist/tracing_map.h"

struct sorter {
	const struct tracing_map *map;
	const struct tracing_map_sort_key *key; /* NULL: by the bytes of the key */
};

static int compare(const struct sorter *s, struct tracing_map_elt *a, struct tracing_map_elt *b)
{
	int order;

	if (!s->key)
		return memcmp(a->key, b->key, s->map->key_size);
	if (s->key->sum) {
		u64 x = *tracing_map_sum(s->map, a, s->key->index);
		u64 y = *tracing_map_sum(s->map, b, s->key->index);

		order = (x > y) - (x < y);
	} else {
		order = s->key->compare((u8 *)a->key + s->key->offset,
					(u8 *)b->key + s->key->offset);
	}
	return s->key->descending ? -order : order;
}

/*
 * Puts elts[root] where it belongs in the heap below it: goes down along the greater children to a
 * leaf, comes back up to the first element that is greater than the root, and moves that path up
 * by one.
 */
static void sift(const struct sorter *s, struct tracing_map_elt **elts, unsigned root, unsigned n)
{
	struct tracing_map_elt *moving = elts[root];
	unsigned at = root, path[32], depth = 0;

	while (2 * at + 2 < n) {
		unsigned left = 2 * at + 1;

		at = compare(s, elts[left], elts[left + 1]) >= 0 ? left : left + 1;
		path[depth++] = at;
	}
	if (2 * at + 2 == n)
		path[depth++] = 2 * at + 1; /* the last leaf has no sibling */
	while (depth && compare(s, moving, elts[path[depth - 1]]) >= 0)
		depth--;
	at = root;
	for (unsigned i = 0; i < depth; at = path[i++])
		elts[at] = elts[path[i]];
	elts[at] = moving;
}

/*
 * Bottom-up heap sort (I. Wegener, 1993). Not stable: equal elements come out in the order in which
 * Linux's sort() leaves them, because Linux uses the same algorithm.
 */
static void heap_sort(const struct sorter *s, struct tracing_map_elt **elts, unsigned n)
{
	for (unsigned root = n / 2; root-- > 0;)
		sift(s, elts, root, n);
	while (n > 1) {
		n--;
		swap(elts[0], elts[n]);
		sift(s, elts, 0, n);
	}
}

/*
 * Sorts by the first key, then each run of equal elements by the second key. Before that, as Linux
 * does, by the bytes of the whole key, because that decides the order of equal entries.
 */
static void sort_elts(const struct tracing_map *map, const struct tracing_map_sort_key *keys,
		      unsigned n_keys, struct tracing_map_elt **elts, unsigned n)
{
	struct sorter first = { map, &keys[0] }, second = { map, &keys[1] };
	struct sorter bytes = { map, NULL };
	unsigned start = 0;

	if (!n_keys)
		return;
	heap_sort(&bytes, elts, n);
	heap_sort(&first, elts, n);
	if (n_keys < 2)
		return;
	for (unsigned i = 1; i <= n; i++)
		if (i == n || compare(&first, elts[start], elts[i]) != 0) {
			heap_sort(&second, elts + start, i - start);
			start = i;
		}
}

static void copy_elt(const struct tracing_map *map, struct tracing_map_elt *copy,
		     struct tracing_map_elt *elt)
{
	copy->vars_set = __atomic_load_n(&elt->vars_set, __ATOMIC_ACQUIRE);
	memcpy(copy->key, elt->key, map->key_size);
	for (unsigned i = 0; i < map->n_sums; i++)
		*tracing_map_sum(map, copy, i) = tracing_map_read_sum(map, elt, i);
	for (unsigned i = 0; i < map->n_vars; i++)
		*tracing_map_var(map, copy, i) =
			__atomic_load_n(tracing_map_var(map, elt, i), __ATOMIC_RELAXED);
	memcpy(tracing_map_private(map, copy), tracing_map_private(map, elt),
	       map->elt_size - map->private_offset);
}

int tracing_map_snapshot(struct tracing_map *map, const struct tracing_map_sort_key *keys,
			 unsigned n_keys, struct tracing_map_snapshot *snapshot)
{
	unsigned room = min((unsigned)atomic_read(&map->next), map->size), count = 0;

	*snapshot = (struct tracing_map_snapshot){ 0 };
	if (!room)
		return 0;
	snapshot->elts = vmalloc(room * sizeof(*snapshot->elts));
	snapshot->copies = vmalloc((size_t)room * map->elt_size);
	if (!snapshot->elts || !snapshot->copies) {
		tracing_map_snapshot_free(snapshot);
		return -ENOMEM;
	}
	for (unsigned i = 0; i <= map->slot_mask && count < room; i++) {
		u64 slot = smp_load_acquire(&map->slots[i]);

		if (!slot)
			continue;
		snapshot->elts[count] = (struct tracing_map_elt *)(snapshot->copies +
								   (size_t)count * map->elt_size);
		copy_elt(map, snapshot->elts[count],
			 (struct tracing_map_elt *)(map->elts +
						    (size_t)((u32)slot - 1) * map->elt_size));
		count++;
	}
	snapshot->count = count;
	sort_elts(map, keys, n_keys, snapshot->elts, count);
	return 0;
}

void tracing_map_snapshot_free(struct tracing_map_snapshot *snapshot)
{
	vfree(snapshot->elts);
	vfree(snapshot->copies);
	*snapshot = (struct tracing_map_snapshot){ 0 };
}
