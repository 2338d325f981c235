/*
 * tracing_map: each key has one element, sums are exact, drops are counted, whatever threads and
 * signal handlers insert at once; snapshots are sorted.
 *
 * sources: trace/hist/tracing_map.c trace/hist/tracing_map_sort.c
 * threads: tsan
 */
#define _GNU_SOURCE
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "host_kmalloc.h"
#include "trace/hist/tracing_map.h"

void *vmalloc(size_t size)
{
	return __kmalloc(size, 0);
}

void *vzalloc(size_t size)
{
	return __kmalloc(size, __GFP_ZERO);
}

void vfree(const void *addr)
{
	kfree(addr);
}

#define BITS 7
#define SIZE (1U << BITS)

static struct tracing_map_layout layout = { .bits = BITS, .key_size = 8, .n_sums = 2 };

static int compare_words(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static void each_key_has_one_element_and_its_own_sums(void **state)
{
	(void)state;
	struct tracing_map *map = tracing_map_create(&layout);
	u64 sums[SIZE] = { 0 }, hits[SIZE] = { 0 };

	for (unsigned i = 0; i < 100000; i++) {
		u64 key = (u64)random() % SIZE;
		struct tracing_map_elt *elt = tracing_map_insert_word(map, key * key * key);

		assert_non_null(elt);
		assert_int_equal(elt->key[0], key * key * key);
		tracing_map_update_sum(map, elt, 0, 1);
		tracing_map_update_sum(map, elt, 1, i);
		hits[key]++;
		sums[key] += i;
	}
	for (u64 key = 0; key < SIZE; key++) {
		u64 word = key * key * key;
		struct tracing_map_elt *elt = tracing_map_lookup(map, &word);

		assert_int_equal(tracing_map_read_sum(map, elt, 0), hits[key]);
		assert_int_equal(tracing_map_read_sum(map, elt, 1), sums[key]);
	}
	assert_int_equal(atomic64_read(&map->hits), 100000);
	assert_int_equal(atomic64_read(&map->drops), 0);
	tracing_map_destroy(map);
	assert_int_equal(host_objects, 0);
}

static void keys_that_differ_in_one_word_of_many_are_different(void **state)
{
	(void)state;
	for (unsigned words = 1; words <= 20; words++) {
		struct tracing_map_layout wide = { .bits = BITS, .key_size = 8 * words };
		struct tracing_map *map = tracing_map_create(&wide);
		u64 key[20] = { 0 };

		assert_non_null(tracing_map_insert(map, key));
		for (unsigned i = 0; i < words; i++) {
			key[i] = 1ULL << 40;
			assert_null(tracing_map_lookup(map, key));
			assert_non_null(tracing_map_insert(map, key));
			assert_memory_equal(tracing_map_lookup(map, key)->key, key, 8 * words);
			key[i] = 0;
		}
		assert_int_equal(atomic_read(&map->next), words + 1);
		tracing_map_destroy(map);
	}
}

static void a_full_map_counts_drops_and_still_finds_its_keys(void **state)
{
	(void)state;
	struct tracing_map *map = tracing_map_create(&layout);

	for (u64 key = 0; key < SIZE; key++)
		assert_non_null(tracing_map_insert_word(map, key));
	for (u64 key = SIZE; key < 3 * SIZE; key++)
		assert_null(tracing_map_insert_word(map, key));
	for (u64 key = 0; key < SIZE; key++)
		assert_non_null(tracing_map_insert_word(map, key));
	assert_int_equal(atomic64_read(&map->hits), 2 * SIZE);
	assert_int_equal(atomic64_read(&map->drops), 2 * SIZE);

	tracing_map_clear(map);
	assert_int_equal(atomic64_read(&map->drops), 0);
	for (u64 key = SIZE; key < 2 * SIZE; key++)
		assert_non_null(tracing_map_insert_word(map, key));
	assert_null(tracing_map_insert_word(map, 0));
	tracing_map_destroy(map);
}

static void a_snapshot_is_sorted_by_two_keys(void **state)
{
	(void)state;
	struct tracing_map *map = tracing_map_create(&layout);
	struct tracing_map_sort_key keys[] = {
		{ .sum = true, .index = 1, .descending = true },
		{ .compare = compare_words },
	};
	struct tracing_map_snapshot snapshot;

	assert_int_equal(tracing_map_snapshot(map, keys, 2, &snapshot), 0);
	assert_int_equal(snapshot.count, 0);
	for (u64 n = 1; n <= SIZE; n++) {
		u64 key = n * 7919 % 1000;

		tracing_map_update_sum(map, tracing_map_insert_word(map, key), 1, key % 5);
		assert_int_equal(tracing_map_snapshot(map, keys, 2, &snapshot), 0);
		assert_int_equal(snapshot.count, n);
		for (unsigned i = 1; i < n; i++) {
			struct tracing_map_elt *a = snapshot.elts[i - 1], *b = snapshot.elts[i];
			u64 x = tracing_map_read_sum(map, a, 1), y = tracing_map_read_sum(map, b, 1);

			assert_true(x > y || (x == y && a->key[0] < b->key[0]));
		}
		tracing_map_snapshot_free(&snapshot);
	}
	tracing_map_destroy(map);
	assert_int_equal(host_objects, 0);
}

static void an_allocation_that_fails_leaves_nothing_behind(void **state)
{
	(void)state;
	struct tracing_map_snapshot snapshot;
	struct tracing_map *map;
	unsigned failures = 0;

	for (;; failures++) {
		host_allocations_left = failures;
		map = tracing_map_create(&layout);
		host_allocations_left = -1;
		if (map)
			break;
		assert_int_equal(host_objects, 0);
	}
	assert_int_equal(failures, 4);
	tracing_map_insert_word(map, 1);
	for (failures = 0;; failures++) {
		host_allocations_left = failures;
		int error = tracing_map_snapshot(map, NULL, 0, &snapshot);
		host_allocations_left = -1;
		if (!error)
			break;
		assert_int_equal(host_objects, 4);
	}
	assert_int_equal(failures, 2);
	tracing_map_snapshot_free(&snapshot);
	tracing_map_destroy(map);
	assert_int_equal(host_objects, 0);
}

static void a_variable_has_a_value_from_its_first_write_on(void **state)
{
	(void)state;
	struct tracing_map_layout with_vars = { .bits = BITS, .key_size = 8, .n_vars = 64 };
	struct tracing_map *map = tracing_map_create(&with_vars);
	struct tracing_map_elt *elt = tracing_map_insert_word(map, 5);
	u64 value;

	for (unsigned i = 0; i < 64; i++) {
		assert_false(tracing_map_read_var(map, elt, i, false, &value));
		tracing_map_set_var(map, elt, i, i);
		assert_true(tracing_map_read_var(map, elt, i, false, &value));
		assert_int_equal(value, i);
		assert_true(tracing_map_read_var(map, elt, i, true, &value));
		assert_false(tracing_map_read_var(map, elt, i, true, &value));
	}
	tracing_map_destroy(map);
}

static void mark_as_initialized(struct tracing_map *map, struct tracing_map_elt *elt)
{
	*(u64 *)tracing_map_private(map, elt) = elt->key[0] + 1;
}

/* The storm: threads, and signal handlers that interrupt them, insert the same few keys. */
#define THREADS 4
#define ROUNDS  400

static struct tracing_map *storm_map;
static unsigned storm_keys;
static pthread_barrier_t barrier;
static u64 stored, refused;
static __thread unsigned signals_under_way;

static void insert_one(unsigned seed)
{
	u64 key[3] = { seed % storm_keys, seed % storm_keys % 3, 7 };
	struct tracing_map_elt *elt = tracing_map_insert(storm_map, key);

	__atomic_fetch_add(elt ? &stored : &refused, 1, __ATOMIC_RELAXED);
	if (!elt)
		return;
	if (*(u64 *)tracing_map_private(storm_map, elt) != key[0] + 1)
		abort();
	tracing_map_update_sum(storm_map, elt, 0, 1);
	tracing_map_update_sum(storm_map, elt, 1, key[0]);
}

static void interrupting_insert(int sig)
{
	static unsigned seed;

	(void)sig;
	insert_one(__atomic_fetch_add(&seed, 1, __ATOMIC_RELAXED));
	__atomic_sub_fetch(&signals_under_way, 1, __ATOMIC_RELAXED);
}

static void *storm_thread(void *arg)
{
	unsigned thread = (unsigned)(uintptr_t)arg;

	for (unsigned round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&barrier);
		/* All threads insert the same keys in the same order, to race for each slot. */
		for (unsigned i = 0; i < 2 * storm_keys; i++) {
			insert_one(i);
			if (i % 16 == thread) {
				__atomic_add_fetch(&signals_under_way, 1, __ATOMIC_RELAXED);
				pthread_kill(pthread_self(), SIGUSR1);
			}
		}
		while (__atomic_load_n(&signals_under_way, __ATOMIC_RELAXED))
			sched_yield(); /* TSan delivers signals late */
		pthread_barrier_wait(&barrier); /* then the main thread checks and clears */
	}
	return NULL;
}

static void check_round(unsigned keys)
{
	struct tracing_map_sort_key by_key = { .compare = compare_words };
	struct tracing_map_snapshot snapshot;
	u64 total = 0;

	assert_int_equal(tracing_map_snapshot(storm_map, &by_key, 1, &snapshot), 0);
	assert_int_equal(snapshot.count, keys < SIZE ? keys : SIZE);
	for (unsigned i = 0; i < snapshot.count; i++) {
		struct tracing_map_elt *elt = snapshot.elts[i];
		u64 hits = tracing_map_read_sum(storm_map, elt, 0);

		assert_true(!i || snapshot.elts[i - 1]->key[0] < elt->key[0]);
		assert_int_equal(tracing_map_read_sum(storm_map, elt, 1), hits * elt->key[0]);
		total += hits;
	}
	assert_int_equal(total, stored);
	assert_int_equal(atomic64_read(&storm_map->hits), stored);
	assert_int_equal(atomic64_read(&storm_map->drops), refused);
	if (keys < SIZE)
		assert_int_equal(refused, 0);
	tracing_map_snapshot_free(&snapshot);
}

static void storm(unsigned keys)
{
	struct tracing_map_layout wide = { .bits = BITS, .key_size = 24, .n_sums = 2, .private_size = 8,
					   .elt_init = mark_as_initialized };
	pthread_t threads[THREADS];

	signal(SIGUSR1, interrupting_insert);
	storm_map = tracing_map_create(&wide);
	storm_keys = keys;
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, storm_thread, (void *)i);
	for (unsigned round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
		check_round(keys);
		tracing_map_clear(storm_map);
		stored = refused = 0;
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	tracing_map_destroy(storm_map);
}

static void threads_and_handlers_never_make_two_elements_for_a_key(void **state)
{
	(void)state;
	storm(20);
}

static void elements_that_lose_races_are_used_until_the_map_is_full(void **state)
{
	(void)state;
	/* Each thread and each handler may hold one more element while it loses a race. */
	storm(SIZE - 2 * THREADS);
}

static void drops_of_a_full_map_are_exact_under_threads(void **state)
{
	(void)state;
	storm(2 * SIZE);
}

static struct tracing_map_elt *token;
static u64 tokens_taken;

static void *take_tokens(void *arg)
{
	u64 value;

	while (!__atomic_load_n((bool *)arg, __ATOMIC_ACQUIRE))
		if (tracing_map_read_var(storm_map, token, 3, true, &value))
			__atomic_fetch_add(&tokens_taken, 1, __ATOMIC_RELEASE);
		else
			sched_yield();
	return NULL;
}

static void a_value_that_is_read_once_goes_to_one_of_many_readers(void **state)
{
	(void)state;
	struct tracing_map_layout with_vars = { .bits = BITS, .key_size = 8, .n_vars = 4 };
	pthread_t threads[THREADS];
	bool stop = false;

	storm_map = tracing_map_create(&with_vars);
	token = tracing_map_insert_word(storm_map, 1);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, take_tokens, &stop);
	for (u64 i = 1; i <= 2000; i++) {
		tracing_map_set_var(storm_map, token, 3, i);
		while (__atomic_load_n(&tokens_taken, __ATOMIC_ACQUIRE) < i)
			sched_yield();
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(tokens_taken, 2000);
	tracing_map_destroy(storm_map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_has_one_element_and_its_own_sums),
		cmocka_unit_test(keys_that_differ_in_one_word_of_many_are_different),
		cmocka_unit_test(a_full_map_counts_drops_and_still_finds_its_keys),
		cmocka_unit_test(a_snapshot_is_sorted_by_two_keys),
		cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
		cmocka_unit_test(a_variable_has_a_value_from_its_first_write_on),
		cmocka_unit_test(threads_and_handlers_never_make_two_elements_for_a_key),
		cmocka_unit_test(elements_that_lose_races_are_used_until_the_map_is_full),
		cmocka_unit_test(drops_of_a_full_map_are_exact_under_threads),
		cmocka_unit_test(a_value_that_is_read_once_goes_to_one_of_many_readers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
