/*
 * The hash tables of eBPF's maps, LRU and per CPU too: each operation and its errors, which are Linux's; tables that are
 * full; walks during which keys go; and what an NMI finds that interrupts an update.
 *
 * sources: trace/bpf/maps/map.c trace/bpf/maps/pool.c trace/bpf/maps/hash.c trace/bpf/maps/percpu_hash.c trace/bpf/maps/lru.c tests/host/bpf_maps_task.c kernel/task/capability.c
 * flags: -DHOST_CPUS
 */
#include "test.h"

#include "bpf_maps_host.h"
#include "host_mutex.h"
#include "trace/bpf/maps/hash.h"

static void free_map(struct bpf_map *map)
{
	map->ops->free(map);
	assert_int_equal(host_objects, 0);
}

static const u32 hashes[] = { BPF_MAP_TYPE_HASH, BPF_MAP_TYPE_PERCPU_HASH, BPF_MAP_TYPE_LRU_HASH,
			      BPF_MAP_TYPE_LRU_PERCPU_HASH };

static void a_hash_knows_its_keys_of_any_size(void **state)
{
	(void)state;
	for (u32 key_size = 1; key_size <= 40; key_size++) {
		struct bpf_map *map = new_map(BPF_MAP_TYPE_HASH, key_size, key_size, 200, 0);
		u8 key[40] = { 0 }, value[40];

		for (u32 i = 0; i < key_size; i++) {
			key[i] = 7;
			assert_null(lookup(map, key));
			memset(value, (int)i, sizeof(value));
			assert_int_equal(update(map, key, value, BPF_ANY), 0);
			key[i] = 0;
		}
		for (u32 i = 0; i < key_size; i++) {
			key[i] = 7;
			memset(value, (int)i, sizeof(value));
			assert_memory_equal(lookup(map, key), value, key_size);
			key[i] = 0;
		}
		assert_null(lookup(map, key));
		free_map(map);
	}
}

static void the_flags_of_updates_mean_what_linux_says(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(hashes); i++) {
		struct bpf_map *map = new_map(hashes[i], 8, 8, 2, 0);
		u64 key = 1, value = 10;

		assert_int_equal(update(map, &key, &value, BPF_EXIST), -ENOENT);
		assert_int_equal(update(map, &key, &value, 3), -EINVAL);
		assert_int_equal(update(map, &key, &value, BPF_F_LOCK), -EINVAL);
		assert_int_equal(update(map, &key, &value, BPF_NOEXIST), 0);
		assert_int_equal(update(map, &key, &value, BPF_NOEXIST), -EEXIST);
		value = 11;
		assert_int_equal(update(map, &key, &value, BPF_EXIST), 0);
		assert_int_equal(*(u64 *)lookup(map, &key), 11);
		value = 12;
		assert_int_equal(update(map, &key, &value, BPF_ANY), 0);
		assert_int_equal(*(u64 *)lookup(map, &key), 12);
		assert_int_equal(map->ops->delete (map, &key), 0);
		assert_int_equal(map->ops->delete (map, &key), -ENOENT);
		assert_null(lookup(map, &key));
		assert_int_equal(atomic_read(&to_htab(map)->count), 0);
		free_map(map);
	}
}

static void a_full_hash_refuses_new_keys_and_still_replaces_old_ones(void **state)
{
	(void)state;
	for (u32 flags = 0; flags <= BPF_F_NO_PREALLOC; flags += BPF_F_NO_PREALLOC)
		for (unsigned i = 0; i < 2; i++) {
			struct bpf_map *map = new_map(hashes[i], 8, 8, 1000, flags);
			u64 key, value;

			for (key = 0; key < 1000; key++) {
				map->ops->prepare_update(map);
				assert_int_equal(update(map, &key, &key, BPF_ANY), 0);
			}
			assert_int_equal(update(map, &key, &key, BPF_ANY), -E2BIG);
			assert_int_equal(update(map, &key, &key, BPF_NOEXIST), -E2BIG);
			assert_int_equal(update(map, &key, &key, BPF_EXIST), -ENOENT);
			for (key = 0; key < 1000; key++) {
				value = 2 * key;
				assert_int_equal(update(map, &key, &value, BPF_EXIST), 0);
				assert_int_equal(*(u64 *)lookup(map, &key), value);
			}
			key = 500;
			assert_int_equal(map->ops->delete (map, &key), 0);
			key = 5000;
			assert_int_equal(update(map, &key, &key, BPF_ANY), 0);
			assert_int_equal(atomic_read(&to_htab(map)->count), 1000);
			free_map(map);
		}
}

static void a_hash_without_preallocation_grows_by_a_worker(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_HASH, 8, 8, 1000, BPF_F_NO_PREALLOC);
	s64 charged = atomic64_read(&map->charged);
	u64 key = 0, refused = 0;

	/* A program cannot allocate. Without the worker, it soon finds no element. */
	while (update(map, &key, &key, BPF_ANY) == 0)
		key++;
	assert_true(key < 1000);
	assert_int_equal(update(map, &key, &key, BPF_ANY), -ENOMEM);
	assert_int_equal(atomic64_read(&map->charged), charged);
	for (; key < 1000; key++)
		while (update(map, &key, &key, BPF_ANY)) {
			refused++;
			assert_non_null(host_work);
			host_run_work();
		}
	assert_true(refused < 20);
	assert_true(atomic64_read(&map->charged) > charged);
	assert_int_equal(update(map, &key, &key, BPF_ANY), -E2BIG);
	free_map(map);
	assert_null(host_work);
}

static void each_cpu_has_its_value(void **state)
{
	(void)state;
	for (unsigned i = 1; i < ARRAY_SIZE(hashes); i += 2) {
		struct bpf_map *map = new_map(hashes[i], 4, 12, 20, 0);
		u32 key = 3, value[3] = { 1, 2, 3 };
		u8 all[16 * HOST_NR_CPUS];

		assert_int_equal(bpf_map_user_value_size(map), sizeof(all));
		host_cpu = 2;
		assert_int_equal(update(map, &key, value, BPF_ANY), 0);
		for (host_cpu = 0; host_cpu < HOST_NR_CPUS; host_cpu++) {
			u32 *mine = lookup(map, &key);

			assert_true(((u64)mine & 7) == 0);
			assert_int_equal(mine[2], host_cpu == 2 ? 3 : 0);
			assert_ptr_equal(map->ops->lookup_percpu(map, &key, host_cpu), mine);
			mine[0] = host_cpu + 100;
		}
		assert_null(map->ops->lookup_percpu(map, &key, HOST_NR_CPUS));
		/* An update of one CPU leaves the others alone. */
		host_cpu = 1;
		assert_int_equal(update(map, &key, value, BPF_EXIST), 0);
		assert_int_equal(map->ops->read_user(map, &key, all, 0), 0);
		for (u32 cpu = 0; cpu < HOST_NR_CPUS; cpu++)
			assert_int_equal(*(u32 *)(all + 16 * cpu), cpu == 1 ? 1 : cpu + 100);
		for (u32 cpu = 0; cpu < HOST_NR_CPUS; cpu++)
			*(u32 *)(all + 16 * cpu) = 1000 + cpu;
		assert_int_equal(map->ops->write_user(map, &key, all, BPF_ANY, NULL), 0);
		assert_int_equal(map->ops->write_user(map, &key, all, BPF_NOEXIST, NULL), -EEXIST);
		assert_int_equal(*(u32 *)lookup(map, &key), 1001);
		key = 4;
		assert_int_equal(map->ops->read_user(map, &key, all, 0), -ENOENT);
		assert_int_equal(atomic_read(&to_htab(map)->count), 1);
		host_cpu = 0;
		free_map(map);
	}
}

/* The values that a reused element had on other CPUs do not come back. */
static void a_reused_element_is_zero_on_other_cpus(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_PERCPU_HASH, 8, 8, 4, 0);
	u64 key = 1, value = 77;

	for (unsigned i = 0; i < 100; i++, key++) {
		assert_int_equal(update(map, &key, &value, BPF_ANY), 0);
		for (host_cpu = 0; host_cpu < HOST_NR_CPUS; host_cpu++) {
			assert_int_equal(*(u64 *)lookup(map, &key), host_cpu == 0 ? 77 : 0);
			*(u64 *)lookup(map, &key) = 77;
		}
		host_cpu = 0;
		assert_int_equal(map->ops->delete (map, &key), 0);
	}
	free_map(map);
}

static void a_walk_visits_each_key_once(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(hashes); i++) {
		struct bpf_map *map = new_map(hashes[i], 6, 8, 300, 0);
		u8 seen[300] = { 0 }, key[6] = { 0 }, *prev = NULL;
		unsigned n = 0;
		u64 value = 0;

		for (u16 k = 0; k < 300; k++) {
			memcpy(key, &k, 2);
			assert_int_equal(update(map, key, &value, BPF_ANY), 0);
		}
		while (map->ops->get_next_key(map, prev, key) == 0) {
			u16 k;

			memcpy(&k, key, 2);
			assert_true(k < 300 && !seen[k]++);
			prev = key;
			n++;
		}
		assert_int_equal(n, 300);
		memset(key, 0xff, 6); /* a key that is not there: from the start */
		assert_int_equal(map->ops->get_next_key(map, key, key), 0);
		free_map(map);
	}
}

static void the_keys_of_all_buckets_are_all_keys(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_HASH, 8, 8, 100, 0);
	u64 keys[100], sum = 0;
	u32 bucket = 0, n = 0;
	int nr;

	for (u64 key = 0; key < 100; key++)
		assert_int_equal(update(map, &key, &key, BPF_ANY), 0);
	for (; (nr = map->ops->bucket_keys(map, bucket, keys, 100)) >= 0; bucket++) {
		if (nr > 1)
			assert_int_equal(map->ops->bucket_keys(map, bucket, keys, (u32)nr - 1), -ENOSPC);
		n += (u32)nr;
		while (nr--)
			sum += keys[nr];
	}
	assert_int_equal(nr, -ENOENT);
	assert_int_equal(n, 100);
	assert_int_equal(sum, 4950);
	free_map(map);
}

static u64 delete_each(u64 map, u64 key, u64 value, u64 ctx, u64 zero)
{
	struct bpf_map *m = (struct bpf_map *)map;
	u64 again = *(u64 *)key + 1000000;

	assert_int_equal(zero, 0);
	++*(u64 *)ctx;
	assert_int_equal(*(u64 *)value, *(u64 *)key % 1000000);
	assert_int_equal(m->ops->delete (m, (void *)key), 0);
	if (again < 2000000) /* reuses the element at once */
		assert_int_equal(update(m, &again, &(u64){ again % 1000000 }, BPF_ANY), 0);
	return 0;
}

static u64 stop_at_third(u64 map, u64 key, u64 value, u64 ctx, u64 zero)
{
	(void)map, (void)key, (void)value, (void)zero;
	return ++*(u64 *)ctx == 3;
}

static void a_callback_may_delete_and_insert_during_a_walk(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_HASH, 8, 8, 300, 0);
	u64 calls = 0;
	long ret;

	for (u64 key = 0; key < 300; key++)
		assert_int_equal(update(map, &key, &key, BPF_ANY), 0);
	ret = map->ops->for_each(map, stop_at_third, &calls, 0);
	assert_int_equal(ret, 3);
	calls = 0;
	ret = map->ops->for_each(map, delete_each, &calls, 0);
	assert_int_equal(ret, calls);
	assert_true(calls >= 300 && calls <= 600);
	assert_int_equal(map->ops->for_each(map, delete_each, &calls, 1), -EINVAL);
	free_map(map);
}

static u64 key_pair[2]; /* in one bucket */

/* Moves the other key to the beginning of the bucket. Gives up at last. */
static u64 move_other(u64 map, u64 key, u64 value, u64 ctx, u64 zero)
{
	struct bpf_map *m = (struct bpf_map *)map;
	u64 other = key_pair[*(u64 *)key == key_pair[0]];

	(void)value, (void)zero;
	assert_int_equal(m->ops->delete (m, &other), 0);
	assert_int_equal(update(m, &other, &other, BPF_ANY), 0);
	return ++*(u64 *)ctx == 10000;
}

static void a_callback_that_moves_keys_to_where_the_walk_is_cannot_make_it_endless(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(hashes); i++) {
		struct bpf_map *map = new_map(hashes[i], 8, 8, 16, 0);
		struct bpf_htab *htab = to_htab(map);
		u64 calls = 0;
		long ret;

		key_pair[1] = key_pair[0] + 1;
		while (bpf_htab_bucket_of(htab, bpf_htab_hash(htab, &key_pair[0])) !=
		       bpf_htab_bucket_of(htab, bpf_htab_hash(htab, &key_pair[1])))
			key_pair[1]++;
		for (unsigned k = 0; k < 2; k++)
			assert_int_equal(update(map, &key_pair[k], &key_pair[k], BPF_ANY), 0);
		ret = map->ops->for_each(map, move_other, &calls, 0);
		assert_int_equal(ret, calls);
		assert_in_range(calls, 2, htab->pool.limit);
		free_map(map);
	}
}

static void keys_that_are_deleted_while_user_space_walks_are_found_at_most_once(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_HASH, 8, 8, 300, 0);
	u64 key, next, n = 0;

	for (key = 0; key < 300; key++)
		assert_int_equal(update(map, &key, &key, BPF_ANY), 0);
	assert_int_equal(map->ops->get_next_key(map, NULL, &key), 0);
	for (;; n++) {
		int error = map->ops->get_next_key(map, &key, &next);

		assert_int_equal(map->ops->delete (map, &key), 0);
		if (error)
			break;
		key = next;
	}
	assert_int_equal(n, 299);
	assert_int_equal(map->ops->get_next_key(map, NULL, &key), -ENOENT);
	free_map(map);
}

/* What an NMI finds that interrupts an update of this CPU. */
static void a_cpu_that_holds_a_lock_waits_for_none(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_HASH, 8, 8, 4, 0);
	struct bpf_htab *htab = to_htab(map);
	u64 key = 1, value = 5;
	unsigned long flags;

	assert_int_equal(update(map, &key, &value, BPF_ANY), 0);
	struct bpf_htab_bucket *bucket = &htab->buckets[bpf_htab_hash(htab, &key) & htab->mask];
	assert_true(bpf_lock(&bucket->lock, &flags));
	assert_true(host_irqs_off);
	assert_int_equal(update(map, &key, &value, BPF_ANY), -EBUSY);
	assert_int_equal(map->ops->delete (map, &key), -EBUSY);
	assert_int_equal(*(u64 *)lookup(map, &key), 5);
	assert_int_equal(bpf_locks_held, 1);
	bpf_unlock(&bucket->lock, flags);
	assert_false(host_irqs_off);
	assert_int_equal(bpf_locks_held, 0);
	assert_int_equal(atomic_read(&htab->count), 1);
	assert_int_equal(map->ops->delete (map, &key), 0);
	/* All elements have come back. */
	for (key = 0; key < 4; key++)
		assert_int_equal(update(map, &key, &value, BPF_ANY), 0);
	free_map(map);
}

/* What a cmpxchg relies on that was interrupted for long: else it takes an element that is in use (ABA). */
static void the_top_of_a_pool_is_never_the_same_again(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_HASH, 8, 8, 4, 0);
	struct bpf_pool *pool = &to_htab(map)->pool;
	u64 tops[300];

	for (unsigned i = 0; i < ARRAY_SIZE(tops); i += 3) {
		struct bpf_pool_elem *a, *b;

		tops[i] = pool->top;
		a = bpf_pool_take(pool);
		tops[i + 1] = pool->top;
		b = bpf_pool_take(pool);
		bpf_pool_give(pool, a);
		tops[i + 2] = pool->top;
		assert_ptr_equal(bpf_pool_take(pool), a);
		bpf_pool_give(pool, b);
		bpf_pool_give(pool, a);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(tops); i++)
		for (unsigned j = 0; j < i; j++)
			assert_true(tops[i] != tops[j]);
	free_map(map);
}

/* ---- LRU ---- */

static void a_full_lru_drops_what_was_not_used(void **state)
{
	(void)state;
	for (unsigned i = 2; i < 4; i++) {
		struct bpf_map *map = new_map(hashes[i], 8, 8, 100, 0);
		u64 key, kept = 0;

		for (key = 0; key < 100; key++)
			assert_int_equal(update(map, &key, &key, BPF_ANY), 0);
		for (key = 0; key < 50; key++)
			assert_non_null(lookup(map, &key));
		for (key = 1000; key < 1040; key++) {
			assert_int_equal(update(map, &key, &key, BPF_NOEXIST), 0);
			for (u64 used = 0; used < 20; used++)
				kept += lookup(map, &used) != NULL;
			assert_non_null(lookup(map, &key));
		}
		assert_int_equal(kept, 40 * 20);
		assert_int_equal(atomic_read(&to_htab(map)->count), 100);
		/* Replacing a value drops nothing. */
		for (unsigned round = 0; round < 1000; round++) {
			key = 1000 + round % 40;
			assert_int_equal(update(map, &key, &key, BPF_EXIST), 0);
		}
		assert_int_equal(atomic_read(&to_htab(map)->count), 100);
		for (u64 used = 0; used < 20; used++)
			assert_non_null(lookup(map, &used));
		free_map(map);
	}
}

static void a_key_that_was_used_long_ago_goes(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_LRU_HASH, 8, 8, 100, 0);
	u64 key;

	for (key = 0; key < 100; key++)
		assert_int_equal(update(map, &key, &key, BPF_ANY), 0);
	for (key = 0; key < 40; key++)
		lookup(map, &key);
	for (key = 1000; key < 1300; key++)
		assert_int_equal(update(map, &key, &key, BPF_ANY), 0);
	for (key = 0; key < 40; key++)
		assert_null(lookup(map, &key));
	free_map(map);
}

static void an_lru_takes_any_number_of_keys(void **state)
{
	(void)state;
	for (u32 flags = 0; flags <= BPF_F_NO_COMMON_LRU; flags += BPF_F_NO_COMMON_LRU)
		for (u32 size = 1; size < 300; size = size * 3 + 1) {
			struct bpf_map *map = new_map(BPF_MAP_TYPE_LRU_HASH, 8, 8, size, flags);
			u32 real_size = flags ? ALIGN(size, HOST_NR_CPUS) : size, there = 0;
			u64 key;

			assert_int_equal(map->max_entries, real_size);
			for (key = 0; key < 3000; key++) {
				assert_int_equal(update(map, &key, &key, BPF_ANY), 0);
				assert_int_equal(*(u64 *)lookup(map, &key), key);
			}
			for (key = 0; key < 3000; key++)
				there += lookup(map, &key) != NULL;
			assert_int_equal(there, real_size);
			free_map(map);
		}
}

static void user_space_that_reads_uses_nothing(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_LRU_HASH, 4, 6, 10, 0);
	u32 key = 1;
	u8 value[6] = "hello", copy[7] = { 0 };

	assert_int_equal(update(map, &key, value, BPF_ANY), 0);
	assert_int_equal(map->ops->read_user(map, &key, copy, 0), 0);
	assert_string_equal((char *)copy, "hello");
	assert_false(bpf_htab_lookup(map, &key)->referenced);
	lookup(map, &key);
	assert_true(bpf_htab_lookup(map, &key)->referenced);
	key = 2;
	assert_int_equal(map->ops->read_user(map, &key, copy, 0), -ENOENT);
	free_map(map);
}

/* ---- random operations against a model ---- */

static void a_hash_agrees_with_an_array(void **state)
{
	(void)state;
	for (u32 flags = 0; flags <= BPF_F_NO_PREALLOC; flags += BPF_F_NO_PREALLOC)
		for (u32 key_size = 4; key_size <= 20; key_size += 4) {
			struct bpf_map *map = new_map(BPF_MAP_TYPE_HASH, key_size, 8, 50, flags);
			u64 model[80] = { 0 };
			unsigned used = 0;

			for (u64 round = 1; round < 20000; round++) {
				u32 k = (u32)random() % 80, key[5] = { k, ~k, k, ~k, k };
				u64 how = (u64)random() % 4, *value = lookup(map, key);
				long expected;

				assert_true(model[k] ? value && *value == model[k] : !value);
				map->ops->prepare_update(map);
				if (how == 3) {
					assert_int_equal(map->ops->delete (map, key), value ? 0 : -ENOENT);
					used -= model[k] != 0;
					model[k] = 0;
					continue;
				}
				expected = how == BPF_EXIST && !value	? -ENOENT
					   : how == BPF_NOEXIST && value ? -EEXIST
					   : !value && used == 50	? -E2BIG
									: 0;
				assert_int_equal(update(map, key, &round, how), expected);
				if (expected == 0) {
					used += model[k] == 0;
					model[k] = round;
				}
			}
			free_map(map);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hash_knows_its_keys_of_any_size),
		cmocka_unit_test(the_flags_of_updates_mean_what_linux_says),
		cmocka_unit_test(a_full_hash_refuses_new_keys_and_still_replaces_old_ones),
		cmocka_unit_test(a_hash_without_preallocation_grows_by_a_worker),
		cmocka_unit_test(each_cpu_has_its_value),
		cmocka_unit_test(a_reused_element_is_zero_on_other_cpus),
		cmocka_unit_test(a_walk_visits_each_key_once),
		cmocka_unit_test(the_keys_of_all_buckets_are_all_keys),
		cmocka_unit_test(a_callback_may_delete_and_insert_during_a_walk),
		cmocka_unit_test(
			a_callback_that_moves_keys_to_where_the_walk_is_cannot_make_it_endless),
		cmocka_unit_test(keys_that_are_deleted_while_user_space_walks_are_found_at_most_once),
		cmocka_unit_test(a_cpu_that_holds_a_lock_waits_for_none),
		cmocka_unit_test(the_top_of_a_pool_is_never_the_same_again),
		cmocka_unit_test(a_full_lru_drops_what_was_not_used),
		cmocka_unit_test(a_key_that_was_used_long_ago_goes),
		cmocka_unit_test(an_lru_takes_any_number_of_keys),
		cmocka_unit_test(user_space_that_reads_uses_nothing),
		cmocka_unit_test(a_hash_agrees_with_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
