/*
 * LPM_TRIE, the longest prefix of a key: the example of Linux's source, and random networks against a list.
 *
 * sources: trace/bpf/maps/map.c trace/bpf/maps/pool.c trace/bpf/maps/lpm_trie.c tests/host/bpf_maps_task.c
 * flags: -DHOST_CPUS
 */
#include "test.h"

#include <pthread.h>

#include "bpf_maps_host.h"
#include "host_mutex.h"

static void free_map(struct bpf_map *map)
{
	map->ops->free(map);
	assert_int_equal(host_objects, 0);
}

struct net {
	u32 bits;
	u8 addr[4];
};

static void the_longest_prefix_is_found(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_LPM_TRIE, 8, 8, 5, BPF_F_NO_PREALLOC);
	struct net nets[] = { { 16, { 192, 168, 0, 0 } }, { 24, { 192, 168, 0, 0 } },
			      { 24, { 192, 168, 128, 0 } }, { 24, { 192, 168, 1, 0 } } };
	struct net key = { 32, { 192, 168, 0, 1 } }, all = { 0, { 0, 0, 0, 0 } };
	static const unsigned order[] = { 1, 3, 2, 0 };

	assert_int_equal(map->ops->get_next_key(map, NULL, &key), -ENOENT);
	for (u64 i = 0; i < 4; i++)
		assert_int_equal(update(map, &nets[i], &i, BPF_NOEXIST), 0);
	assert_int_equal(update(map, &nets[2], &(u64){ 9 }, BPF_NOEXIST), -EEXIST);
	assert_int_equal(update(map, &all, &(u64){ 9 }, BPF_EXIST), -ENOENT);
	assert_int_equal(*(u64 *)lookup(map, &key), 1);
	key.addr[2] = 1;
	assert_int_equal(*(u64 *)lookup(map, &key), 3);
	key.addr[2] = 5;
	assert_int_equal(*(u64 *)lookup(map, &key), 0);
	key.addr[1] = 5;
	assert_null(lookup(map, &key));
	assert_int_equal(update(map, &all, &(u64){ 4 }, BPF_ANY), 0);
	assert_int_equal(*(u64 *)lookup(map, &key), 4);
	key.bits = 33;
	assert_null(lookup(map, &key));
	assert_int_equal(update(map, &key, &(u64){ 4 }, BPF_ANY), -EINVAL);
	assert_int_equal(map->ops->delete (map, &key), -EINVAL);
	key.bits = 8;
	assert_int_equal(update(map, &key, &(u64){ 4 }, BPF_ANY), -ENOSPC);
	assert_int_equal(map->ops->delete (map, &key), -ENOENT);
	assert_int_equal(map->ops->delete (map, &all), 0);

	/* The order of the example in Linux's lpm_trie.c. */
	assert_int_equal(map->ops->get_next_key(map, NULL, &key), 0);
	for (unsigned i = 0; i < 4; i++) {
		assert_memory_equal(&key, &nets[order[i]], sizeof(key));
		assert_int_equal(map->ops->get_next_key(map, &key, &key), i == 3 ? -ENOENT : 0);
	}
	free_map(map);
}

/* A list as a model: random networks come, go and are looked up. */
static void a_trie_agrees_with_a_list(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_LPM_TRIE, 8, 8, 60, BPF_F_NO_PREALLOC);
	struct {
		struct net net;
		u64 value;
		bool used;
	} list[60] = { 0 }, *best;
	unsigned used = 0;

	for (unsigned round = 0; round < 200000; round++) {
		/* Few different bits, so that keys meet. */
		struct net net = { (u32)random() % 33, { (u8)(random() & 0x81), (u8)(random() & 1), 0,
							 (u8)(random() & 3) } };
		u64 value = round;
		int at = -1, place = -1;

		for (u32 bit = net.bits; bit < 32; bit++)
			net.addr[bit / 8] &= (u8)~(0x80 >> bit % 8);
		for (int i = 0; i < 60; i++) {
			if (list[i].used && !memcmp(&list[i].net, &net, sizeof(net)))
				at = i;
			if (!list[i].used)
				place = i;
		}
		switch (random() % 3) {
		case 0:
			map->ops->prepare_update(map);
			if (at < 0 && place < 0) {
				assert_int_equal(update(map, &net, &value, BPF_ANY), -ENOSPC);
				break;
			}
			assert_int_equal(update(map, &net, &value, BPF_ANY), 0);
			at = at < 0 ? used++, place : at;
			list[at].used = true;
			list[at].net = net;
			list[at].value = value;
			break;
		case 1:
			assert_int_equal(map->ops->delete (map, &net), at < 0 ? -ENOENT : 0);
			if (at >= 0) {
				list[at].used = false;
				used--;
			}
			break;
		default:
			best = NULL;
			for (int i = 0; i < 60; i++) {
				u32 a = __builtin_bswap32(*(u32 *)list[i].net.addr),
				    b = __builtin_bswap32(*(u32 *)net.addr), n = list[i].net.bits;

				if (list[i].used && n <= net.bits && (n == 0 || (a ^ b) >> (32 - n) == 0) &&
				    (!best || best->net.bits < n))
					best = (void *)&list[i];
			}
			if (best)
				assert_int_equal(*(u64 *)lookup(map, &net), best->value);
			else
				assert_null(lookup(map, &net));
		}
		if (round % 1000 == 0) {
			struct net key, *prev = NULL;
			unsigned n = 0;

			while (map->ops->get_next_key(map, prev, &key) == 0) {
				n++;
				prev = &key;
			}
			assert_int_equal(n, used);
		}
	}
	free_map(map);
}

static struct net *changed;
static volatile bool *stopped;

static void *change_key(void *arg)
{
	while (!*stopped)
		for (u32 i = 0; i < 4; i++) {
			*(volatile u32 *)&changed->bits = i == 3 ? 0x7fffffff : 8 * i + 8;
			*(volatile u32 *)changed->addr = i % 2 ? 0 : ~0U;
		}
	return arg;
}

/* The key lies in an array that a program in ring 3 has mapped, and changes while the map reads it. */
static void a_key_that_changes_finds_nothing_outside(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_LPM_TRIE, 8, 8, 60, BPF_F_NO_PREALLOC);
	struct net *key = malloc(sizeof(*key)), next; /* ASan knows its end */
	volatile bool stop = false;
	pthread_t ring3;

	changed = key;
	stopped = &stop;
	assert_int_equal(pthread_create(&ring3, NULL, change_key, NULL), 0);
	for (u64 round = 0; round < 300000; round++) {
		map->ops->prepare_update(map);
		update(map, key, &round, BPF_ANY);
		lookup(map, key);
		if (round % 3 == 0)
			map->ops->delete (map, key);
	}
	stop = true;
	pthread_join(ring3, NULL);
	/* What is in the tree are keys, each once. */
	for (unsigned n = 0; map->ops->get_next_key(map, NULL, &next) == 0; n++) {
		assert_true(n < 60 && next.bits <= 32);
		assert_int_equal(map->ops->delete (map, &next), 0);
	}
	free(key);
	free_map(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_prefix_is_found),
		cmocka_unit_test(a_trie_agrees_with_a_list),
		cmocka_unit_test(a_key_that_changes_finds_nothing_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
