/*
 * The hash tables of eBPF's maps under threads, each a CPU, and signal handlers as NMIs: no update is lost, no key
 * is there twice, readers find what stays, and in the end all elements are there.
 *
 * sources: trace/bpf/maps/map.c trace/bpf/maps/pool.c trace/bpf/maps/hash.c trace/bpf/maps/percpu_hash.c trace/bpf/maps/lru.c tests/host/bpf_maps_task.c kernel/task/capability.c
 * flags: -DHOST_CPUS
 * threads: tsan
 */
#define _GNU_SOURCE
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>

#include "bpf_maps_host.h"
#include "trace/bpf/maps/hash.h"

DEFINE_PER_CPU(u32, __preempt_count);
DEFINE_PER_CPU(bool, host_irqs_off);

/* grow_lock: threads may grow the pool at once. */
static pthread_mutex_t grow_lock = PTHREAD_MUTEX_INITIALIZER;

void __mutex_init(struct mutex *m)
{
	(void)m;
}

void mutex_lock(struct mutex *m)
{
	(void)m;
	pthread_mutex_lock(&grow_lock);
}

void mutex_unlock(struct mutex *m)
{
	(void)m;
	pthread_mutex_unlock(&grow_lock);
}

#define THREADS HOST_NR_CPUS
#define ROUNDS  60000
#define KEYS    64

static struct bpf_map *storm_map;
static u64 busy, added[KEYS]; /* what the threads have added to each key */
static __thread unsigned seed;

static unsigned next_random(void)
{
	seed = seed * 1103515245 + 12345;
	return seed >> 16;
}

static void run_threads(void *(*func)(void *))
{
	pthread_t threads[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, func, (void *)i);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void start_cpu(void *arg)
{
	host_cpu = (unsigned)(uintptr_t)arg;
	seed = host_cpu + 1;
}

/* A program that counts: lookup, and update if there is no element. It may interrupt itself. */
static void count(unsigned k)
{
	u64 key[2] = { k, ~(u64)k }, zero = 0, *value = lookup(storm_map, key);

	if (!value) {
		long error = update(storm_map, key, &zero, BPF_NOEXIST);

		if (error == -EBUSY) {
			__atomic_fetch_add(&busy, 1, __ATOMIC_RELAXED);
			return;
		}
		if (error && error != -EEXIST)
			abort();
		value = lookup(storm_map, key);
		if (!value)
			abort();
	}
	__atomic_fetch_add(value, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&added[k], 1, __ATOMIC_RELAXED);
}

static void nmi(int sig)
{
	(void)sig;
	count(next_random() % KEYS);
}

static void *counting_cpu(void *arg)
{
	start_cpu(arg);
	for (unsigned i = 0; i < ROUNDS; i++) {
		count(next_random() % KEYS);
		if (i % 64 == 0)
			pthread_kill(pthread_self(), SIGUSR1);
	}
	return NULL;
}

static void check_sums(void)
{
	u64 key[2], *prev = NULL, n = 0;

	while (storm_map->ops->get_next_key(storm_map, prev, key) == 0) {
		u64 sum = 0;

		assert_true(key[0] < KEYS && key[1] == ~key[0]);
		if (storm_map->ops->lookup_percpu)
			for (u32 cpu = 0; cpu < THREADS; cpu++)
				sum += *(u64 *)storm_map->ops->lookup_percpu(storm_map, key, cpu);
		else
			sum = *(u64 *)lookup(storm_map, key);
		assert_int_equal(sum, added[key[0]]);
		prev = key;
		n++;
	}
	assert_int_equal(n, KEYS);
	assert_int_equal(atomic_read(&to_htab(storm_map)->count), KEYS);
}

static void counts_of_all_cpus_are_kept(void **state)
{
	(void)state;
	static const u32 types[] = { BPF_MAP_TYPE_HASH, BPF_MAP_TYPE_PERCPU_HASH, BPF_MAP_TYPE_LRU_HASH,
				     BPF_MAP_TYPE_LRU_PERCPU_HASH };

	signal(SIGUSR1, nmi);
	for (unsigned i = 0; i < ARRAY_SIZE(types); i++) {
		/* Each thread and its NMI may take a place for a key that another one inserts: LRU maps then evict. */
		storm_map = new_map(types[i], 16, 8, KEYS + 2 * THREADS, 0);
		memset(added, 0, sizeof(added));
		run_threads(counting_cpu);
		check_sums();
		storm_map->ops->free(storm_map);
		assert_int_equal(host_objects, 0);
	}
}

/*
 * Keys of a thread: only that thread inserts, replaces and deletes them, so it knows what must be
 * there. All keys share buckets and elements. Values hold the key twice: a reader that finds an element of
 * another key may see that key's value, but no mixture with other words than keys and values that were stored.
 */
#define OWN_KEYS 16

static void *changing_cpu(void *arg)
{
	u64 mine[OWN_KEYS] = { 0 };

	start_cpu(arg);
	for (u64 round = 1; round < ROUNDS; round++) {
		unsigned k = next_random() % OWN_KEYS;
		u64 key[2] = { host_cpu, k }, value[2] = { round << 8 | host_cpu << 4 | k, round }, *found;
		u64 flags = mine[k] ? BPF_EXIST : BPF_NOEXIST;
		long error;

		found = lookup(storm_map, key);
		if (!found != !mine[k] || (found && __atomic_load_n(found, __ATOMIC_RELAXED) != mine[k]))
			abort();
		if (next_random() % 3 == 0) {
			error = storm_map->ops->delete (storm_map, key);
			if (error != (mine[k] ? 0 : -ENOENT))
				abort();
			mine[k] = 0;
		} else {
			storm_map->ops->prepare_update(storm_map);
			error = update(storm_map, key, value, flags);
			if (error)
				abort();
			mine[k] = value[0];
		}
		if (round % 16 == 0) {
			u64 theirs[2] = { next_random() % THREADS, next_random() % OWN_KEYS };

			found = lookup(storm_map, theirs);
			if (found && (__atomic_load_n(found, __ATOMIC_RELAXED) >> 8) >= ROUNDS)
				abort();
		}
	}
	for (u64 k = 0; k < OWN_KEYS; k++)
		if (mine[k] && storm_map->ops->delete (storm_map, &(u64[2]){ host_cpu, k }))
			abort();
	return NULL;
}

static unsigned free_elements(void)
{
	struct bpf_htab *htab = to_htab(storm_map);
	unsigned n = 0;

	while (bpf_pool_take(&htab->pool))
		n++;
	return n;
}

static void keys_come_and_go_and_no_element_is_lost(void **state)
{
	(void)state;
	for (u32 flags = 0; flags <= BPF_F_NO_PREALLOC; flags += BPF_F_NO_PREALLOC) {
		storm_map = new_map(BPF_MAP_TYPE_HASH, 16, 16, THREADS * OWN_KEYS, flags);
		run_threads(changing_cpu);
		assert_int_equal(atomic_read(&to_htab(storm_map)->count), 0);
		assert_int_equal(storm_map->ops->get_next_key(storm_map, NULL, &(u64[2]){ 0 }), -ENOENT);
		if (!flags)
			assert_int_equal(free_elements(), THREADS * OWN_KEYS + bpf_pool_spares());
		storm_map->ops->free(storm_map);
		assert_int_equal(host_objects, 0);
	}
}

/* An LRU map with far more keys than elements: inserts always find a place. */
static void *evicting_cpu(void *arg)
{
	u64 missing = 0;

	start_cpu(arg);
	for (unsigned i = 0; i < ROUNDS; i++) {
		u64 key = next_random() % 1000, value = key * 3, *found;

		if (update(storm_map, &key, &value, BPF_ANY))
			abort();
		found = lookup(storm_map, &key);
		missing += !found;
		if (found && __atomic_load_n(found, __ATOMIC_RELAXED) % 3)
			abort();
		if (i % 10 == 0)
			storm_map->ops->delete (storm_map, &key);
	}
	if (missing > ROUNDS / 2)
		abort();
	return NULL;
}

static void a_full_lru_map_takes_keys_of_all_cpus(void **state)
{
	(void)state;
	u64 key, *prev = NULL, n = 0;
	static u8 seen[1000];

	storm_map = new_map(BPF_MAP_TYPE_LRU_HASH, 8, 8, 100, 0);
	run_threads(evicting_cpu);
	while (storm_map->ops->get_next_key(storm_map, prev, &key) == 0) {
		assert_true(key < 1000 && !seen[key]++);
		assert_int_equal(*(u64 *)lookup(storm_map, &key), key * 3);
		prev = &key;
		n++;
	}
	assert_true(n <= 100);
	assert_int_equal(atomic_read(&to_htab(storm_map)->count), n);
	assert_int_equal(free_elements(), 100 + bpf_pool_spares() - n);
	storm_map->ops->free(storm_map);
	assert_int_equal(host_objects, 0);
}

/*
 * Keys that stay are always found, although an NMI moves elements, at which the reader is, into the list of another
 * bucket. The test is sure only without TSan, which delivers signals late.
 */
#define STAYING 8
#define MOVING  8
#define MOVES   4000

static u64 moves;

static void move_elements(int sig)
{
	u64 value = 1;

	(void)sig;
	for (u64 i = 0; i < MOVING; i++) {
		u64 key = (moves + 1) * 1000 + i;

		if (storm_map->ops->delete (storm_map, &key))
			abort();
	}
	moves++;
	for (u64 i = 0; i < MOVING; i++) {
		u64 key = (moves + 1) * 1000 + i;

		if (update(storm_map, &key, &value, BPF_ANY))
			abort();
	}
}

static void readers_never_miss_keys_that_stay(void **state)
{
	(void)state;
	struct itimerval often = { { 0, 20 }, { 0, 20 } }, never = { 0 };
	u64 missed = 0;

	storm_map = new_map(BPF_MAP_TYPE_HASH, 8, 8, 64, 0);
	/* Two buckets, so that a reader walks over elements that move. */
	to_htab(storm_map)->mask = 1;
	for (u64 key = 0; key < STAYING; key++)
		assert_int_equal(update(storm_map, &key, &key, BPF_ANY), 0);
	for (u64 key = 1000; key < 1000 + MOVING; key++)
		assert_int_equal(update(storm_map, &key, &key, BPF_ANY), 0);
	signal(SIGALRM, move_elements);
	setitimer(ITIMER_REAL, &often, NULL);
	for (u64 key = 0; __atomic_load_n(&moves, __ATOMIC_RELAXED) < MOVES; key = (key + 1) % STAYING)
		missed += !lookup(storm_map, &key);
	setitimer(ITIMER_REAL, &never, NULL);
	assert_int_equal(missed, 0);
	to_htab(storm_map)->mask = 63;
	storm_map->ops->free(storm_map);
	assert_int_equal(host_objects, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_of_all_cpus_are_kept),
		cmocka_unit_test(keys_come_and_go_and_no_element_is_lost),
		cmocka_unit_test(a_full_lru_map_takes_keys_of_all_cpus),
		cmocka_unit_test(readers_never_miss_keys_that_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
