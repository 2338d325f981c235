/*
 * The map of a histogram: each key has one element, whatever interrupts an insertion.
 * sources: trace/hist/tracing_map.c
 *
 * lab13_map STEP prints what it has seen; labs/tests/lab13.py judges it. elt_init() is called between the look for a key and
 * its publication. So an insertion there is what an interrupt or another CPU could do at that moment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/mm/slab.h"
#include "trace/hist/tracing_map.h"

#define BITS 7
#define SIZE (1U << BITS)

void *__kmalloc(size_t size, gfp_t gfp) { return gfp & __GFP_ZERO ? calloc(1, size) : malloc(size); }
void kfree(const void *p) { free((void *)p); }
void *vzalloc(size_t size) { return calloc(1, size); }
void vfree(const void *p) { free((void *)p); }

static struct tracing_map *map;
static unsigned visible_early, inner_calls;
static u64 inner_key, current_key;
static struct tracing_map_elt *inner_elt;

static void interrupt(struct tracing_map *m, struct tracing_map_elt *elt)
{
	(void)elt;
	if (tracing_map_lookup(m, &current_key))
		visible_early++;
	if (inner_key && !inner_calls) {
		inner_calls++;
		inner_elt = tracing_map_insert(m, &inner_key);
		tracing_map_update_sum(m, inner_elt, 0, 1);
	}
}

static struct tracing_map_elt *count(u64 key)
{
	struct tracing_map_elt *elt;

	current_key = key;
	elt = tracing_map_insert(map, &key);
	if (elt)
		tracing_map_update_sum(map, elt, 0, 1);
	return elt;
}

static unsigned slots_used(void)
{
	unsigned used = 0;

	for (unsigned i = 0; i <= map->slot_mask; i++)
		used += map->slots[i] != 0;
	return used;
}

static u64 sum_of(u64 key)
{
	struct tracing_map_elt *elt = tracing_map_lookup(map, &key);

	return elt && elt->key[0] == key ? tracing_map_read_sum(map, elt, 0) : 0;
}

/* The slot of a key in an empty map. */
static unsigned slot_of(u64 key)
{
	unsigned at = 0;

	tracing_map_clear(map);
	(void)count(key);
	while (at < map->slot_mask && !map->slots[at])
		at++;
	return at;
}

/* Another key for the same slot. */
static u64 rival_of(u64 key)
{
	unsigned slot = slot_of(key);
	u64 rival = 1;

	while (rival == key || (rival < 100000 && slot_of(rival) != slot))
		rival++;
	tracing_map_clear(map);
	return rival;
}

int main(int argc, char **argv)
{
	const char *step = argc > 1 ? argv[1] : "";
	struct tracing_map_layout layout = { .bits = BITS, .key_size = 8, .n_sums = 1, .elt_init = interrupt };
	unsigned refused = 0, wrong = 0;

	if (!strcmp(step, "plain"))
		layout.elt_init = NULL;
	map = tracing_map_create(&layout);
	if (!strcmp(step, "count") || !strcmp(step, "plain")) {
		for (unsigned n = 0; n < 10; n++)
			for (u64 key = 1; key <= SIZE + 20; key++)
				refused += !count(key * 1000003);
		for (u64 key = 1; key <= SIZE; key++)
			wrong += sum_of(key * 1000003) != 10;
	} else if (!strcmp(step, "same")) {
		inner_key = 77;
		wrong = count(77) != inner_elt;
		wrong += sum_of(77) != 2;
		/* The element of the loser must not be lost. */
		for (u64 key = 1000; key < 1000 + SIZE - 1; key++)
			refused += !count(key);
	} else if (!strcmp(step, "other")) {
		u64 rival = rival_of(77);

		inner_key = rival;
		(void)count(77);
		wrong = (sum_of(77) != 1) + (sum_of(rival) != 1);
	}
	printf("hits %ld drops %ld refused %u wrong %u used %u early %u inner %u\n", (long)atomic64_read(&map->hits),
	       (long)atomic64_read(&map->drops), refused, wrong, slots_used(), visible_early, inner_calls);
	return 0;
}
