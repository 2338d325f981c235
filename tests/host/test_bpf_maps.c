/*
 * The maps of eBPF: what each type's operations do, and their errors, which are Linux's; that maps that are full,
 * that memory that is short, and that deletions during walks do no harm; and that all memory comes back.
 *
 * sources: trace/bpf/maps/map.c trace/bpf/maps/pool.c trace/bpf/maps/hash.c trace/bpf/maps/lru.c trace/bpf/maps/array.c
 * sources: trace/bpf/maps/fd_array.c trace/bpf/maps/prog_array.c trace/bpf/maps/map_in_map.c trace/bpf/maps/queue_stack.c
 * sources: trace/bpf/maps/bloom_filter.c trace/bpf/maps/lpm_trie.c tests/host/bpf_maps_task.c
 * flags: -DHOST_CPUS
 */
#include "test.h"

#include "bpf_maps_host.h"
#include "host_mutex.h"
#include "kernel/vm/mm_types.h"
#include "trace/bpf/core/btf.h"
#include "trace/bpf/maps/hash.h"

void spin_lock_wait(spinlock_t *lock, u16 ticket)
{
	(void)lock, (void)ticket;
	abort();
}

void ticket_lock_kick(const spinlock_t *lock, u16 ticket)
{
	(void)lock, (void)ticket;
	abort();
}

/* ---- objects behind descriptors ---- */

static struct bpf_map *host_map_fd; /* 5 */
static struct bpf_prog *host_prog_fd; /* 6 */

struct bpf_map *bpf_map_get_fd(int fd)
{
	if (fd != 5)
		return ERR_PTR(fd == 6 ? -EINVAL : -EBADF);
	atomic64_inc(&host_map_fd->refs);
	return host_map_fd;
}

void bpf_map_put(struct bpf_map *map)
{
	atomic64_dec(&map->refs);
}

struct bpf_prog *bpf_prog_get_fd(int fd)
{
	if (fd != 6)
		return ERR_PTR(fd == 5 ? -EINVAL : -EBADF);
	atomic_inc(&host_prog_fd->refs);
	return host_prog_fd;
}

void bpf_prog_put(struct bpf_prog *prog)
{
	atomic_dec(&prog->refs);
}

void bpf_btf_get(struct bpf_btf *btf)
{
	atomic_inc(&btf->refs);
}

void bpf_btf_put(struct bpf_btf *btf)
{
	atomic_dec(&btf->refs);
}

static void free_map(struct bpf_map *map)
{
	map->ops->free(map);
	assert_int_equal(host_objects, 0);
}

static const u32 hashes[] = { BPF_MAP_TYPE_HASH, BPF_MAP_TYPE_PERCPU_HASH, BPF_MAP_TYPE_LRU_HASH,
			      BPF_MAP_TYPE_LRU_PERCPU_HASH };

/* ---- what maps can be made ---- */

static void wrong_attributes_of_hashes_get_linux_errors(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(hashes); i++) {
		u32 type = hashes[i];
		bool lru = i >= 2, percpu = i & 1;

		assert_int_equal(create(type, 4, 4, 10, 0), 0);
		assert_int_equal(create(type, 0, 4, 10, 0), -EINVAL);
		assert_int_equal(create(type, 4, 0, 10, 0), -EINVAL);
		assert_int_equal(create(type, 4, 4, 0, 0), -EINVAL);
		assert_int_equal(create(type, 4, 4, 10, BPF_F_MMAPABLE), -EINVAL);
		assert_int_equal(create(type, 4, 4, 10, BPF_F_NO_PREALLOC), lru ? -ENOTSUPP : 0);
		assert_int_equal(create(type, 4, 4, 10, BPF_F_NO_COMMON_LRU), lru ? 0 : -EINVAL);
		assert_int_equal(create(type, 4, 4, 10, BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG), -EINVAL);
		assert_int_equal(create(type, 4, 4, 10, BPF_F_NUMA_NODE), percpu ? -EINVAL : 0);
		assert_int_equal(create(type, 4, 4 << 20, 10, 0), -E2BIG);
		assert_int_equal(create(type, 4, 32769, 2, 0), percpu ? -E2BIG : 0);
		assert_int_equal(create(type, 4, 4, ~0U, 0), -E2BIG);
		assert_int_equal(create(type, 4, 4, 1 << 27, 0), -ENOMEM);
		host_set_capabilities(0);
		assert_int_equal(create(type, 4, 4, 10, BPF_F_ZERO_SEED), -EPERM);
		host_set_capabilities(~0UL);
		assert_int_equal(create(type, 4, 4, 10, BPF_F_ZERO_SEED), 0);
	}
	assert_int_equal(create(BPF_MAP_TYPE_HASH_OF_MAPS, 4, 8, 10, 0), -EINVAL);
	assert_int_equal(host_objects, 0);
}

static void wrong_attributes_of_arrays_get_linux_errors(void **state)
{
	(void)state;
	static const u32 types[] = { BPF_MAP_TYPE_ARRAY, BPF_MAP_TYPE_PERCPU_ARRAY,
				     BPF_MAP_TYPE_PROG_ARRAY };

	for (unsigned i = 0; i < ARRAY_SIZE(types); i++) {
		u32 type = types[i];

		assert_int_equal(create(type, 4, 4, 10, 0), 0);
		assert_int_equal(create(type, 8, 4, 10, 0), -EINVAL);
		assert_int_equal(create(type, 4, 0, 10, 0), -EINVAL);
		assert_int_equal(create(type, 4, 4, 0, 0), -EINVAL);
		assert_int_equal(create(type, 4, 4, 10, BPF_F_NO_PREALLOC), -EINVAL);
		assert_int_equal(create(type, 4, 4, 10, BPF_F_PRESERVE_ELEMS), -EINVAL);
		assert_int_equal(create(type, 4, 4, 10, BPF_F_MMAPABLE), i ? -EINVAL : 0);
		assert_int_equal(create(type, 4, 4, 10, BPF_F_INNER_MAP), i ? -EINVAL : 0);
		assert_int_equal(create(type, 4, 4, 10, BPF_F_RDONLY_PROG), i == 2 ? -EINVAL : 0);
		assert_int_equal(create(type, 4, 4, ~0U, 0), -ENOMEM);
	}
	assert_int_equal(create(BPF_MAP_TYPE_ARRAY, 4, 0x80000000, 1, 0), -E2BIG);
	assert_int_equal(create(BPF_MAP_TYPE_ARRAY, 4, 0x7fffffff, ~0U, 0), -ENOMEM);
	assert_int_equal(create(BPF_MAP_TYPE_PERCPU_ARRAY, 4, 32769, 1, 0), -E2BIG);
	assert_int_equal(create(BPF_MAP_TYPE_PROG_ARRAY, 4, 8, 1, 0), -EINVAL);
	assert_int_equal(host_objects, 0);
}

static void wrong_attributes_of_other_types_get_linux_errors(void **state)
{
	(void)state;
	union bpf_attr bloom = { .map_type = BPF_MAP_TYPE_BLOOM_FILTER, .value_size = 4,
				 .max_entries = 4, .map_extra = 16 };

	assert_int_equal(create(BPF_MAP_TYPE_QUEUE, 0, 4, 4, 0), 0);
	assert_int_equal(create(BPF_MAP_TYPE_QUEUE, 4, 4, 4, 0), -EINVAL);
	assert_int_equal(create(BPF_MAP_TYPE_STACK, 0, 0, 4, 0), -EINVAL);
	assert_int_equal(create(BPF_MAP_TYPE_STACK, 0, 4, 0, 0), -EINVAL);
	assert_int_equal(create(BPF_MAP_TYPE_STACK, 0, 4, 4, BPF_F_NO_PREALLOC), -EINVAL);
	assert_int_equal(create(BPF_MAP_TYPE_STACK, 0, (4 << 20) + 1, 4, 0), -E2BIG);
	assert_int_equal(create(BPF_MAP_TYPE_QUEUE, 0, 4, ~0U, 0), -E2BIG);

	assert_int_equal(create(BPF_MAP_TYPE_BLOOM_FILTER, 0, 4, 4, 0), 0);
	assert_int_equal(create(BPF_MAP_TYPE_BLOOM_FILTER, 4, 4, 4, 0), -EINVAL);
	assert_int_equal(create(BPF_MAP_TYPE_BLOOM_FILTER, 0, 4, 4, BPF_F_NO_PREALLOC), -EINVAL);
	assert_int_equal(create(BPF_MAP_TYPE_BLOOM_FILTER, 0, (4 << 20) + 1, 4, 0), -E2BIG);
	assert_int_equal(PTR_ERR(try_map(&bloom)), -EINVAL);

	assert_int_equal(create(BPF_MAP_TYPE_LPM_TRIE, 8, 4, 4, BPF_F_NO_PREALLOC), 0);
	assert_int_equal(create(BPF_MAP_TYPE_LPM_TRIE, 8, 4, 4, 0), -EINVAL);
	assert_int_equal(create(BPF_MAP_TYPE_LPM_TRIE, 4, 4, 4, BPF_F_NO_PREALLOC), -EINVAL);
	assert_int_equal(create(BPF_MAP_TYPE_LPM_TRIE, 261, 4, 4, BPF_F_NO_PREALLOC), -EINVAL);
	assert_int_equal(create(BPF_MAP_TYPE_LPM_TRIE, 260, 4, 4, BPF_F_NO_PREALLOC), 0);
	assert_int_equal(create(BPF_MAP_TYPE_LPM_TRIE, 8, 4 << 20, 4, BPF_F_NO_PREALLOC), -EINVAL);
	assert_null(bpf_find_map_type(12345));
	assert_int_equal(host_objects, 0);
}

/* Each allocation of each type fails once. */
static void a_failed_allocation_leaves_nothing_behind(void **state)
{
	(void)state;
	static const struct {
		u32 type, key_size, flags;
	} kinds[] = {
		{ BPF_MAP_TYPE_HASH, 4, 0 },
		{ BPF_MAP_TYPE_HASH, 4, BPF_F_NO_PREALLOC },
		{ BPF_MAP_TYPE_PERCPU_HASH, 4, 0 },
		{ BPF_MAP_TYPE_LRU_HASH, 4, 0 },
		{ BPF_MAP_TYPE_ARRAY, 4, 0 },
		{ BPF_MAP_TYPE_ARRAY, 4, BPF_F_MMAPABLE },
		{ BPF_MAP_TYPE_PERCPU_ARRAY, 4, 0 },
		{ BPF_MAP_TYPE_PROG_ARRAY, 4, 0 },
		{ BPF_MAP_TYPE_QUEUE, 0, 0 },
		{ BPF_MAP_TYPE_BLOOM_FILTER, 0, 0 },
		{ BPF_MAP_TYPE_LPM_TRIE, 8, BPF_F_NO_PREALLOC },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
		int failures = 0, error;

		do {
			host_allocations_left = failures++;
			error = create(kinds[i].type, kinds[i].key_size, 4, 5000, kinds[i].flags);
			host_allocations_left = -1;
			assert_true(error == 0 || error == -ENOMEM);
			assert_int_equal(host_objects, 0);
		} while (error);
		assert_true(failures > 2);
	}
}

static void a_map_leaves_a_part_of_the_memory_to_others(void **state)
{
	(void)state;
	host_free_memory = 100 << 20;
	assert_int_equal(create(BPF_MAP_TYPE_ARRAY, 4, 1 << 20, 30, 0), 0);
	assert_int_equal(create(BPF_MAP_TYPE_ARRAY, 4, 1 << 20, 40, 0), -ENOMEM);
	host_free_memory = 1ULL << 30;
}

static void the_memory_of_a_map_is_counted(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_ARRAY, 4, 100, 1000, 0);

	assert_int_equal(atomic64_read(&map->charged), 104000);
	free_map(map);
	map = new_map(BPF_MAP_TYPE_PERCPU_HASH, 16, 8, 1000, 0);
	assert_true(atomic64_read(&map->charged) > 1000 * (32 + 16 + 8 * HOST_NR_CPUS));
	assert_true(atomic64_read(&map->charged) < 1200 * (32 + 16 + 8 * HOST_NR_CPUS) + 16 * 1024);
	free_map(map);
}

/* ---- hashes ---- */

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

/* ---- arrays ---- */

static void an_array_has_all_its_elements(void **state)
{
	(void)state;
	for (u32 flags = 0; flags <= BPF_F_MMAPABLE; flags += BPF_F_MMAPABLE) {
		struct bpf_map *map = new_map(BPF_MAP_TYPE_ARRAY, 4, 12, 1000, flags);
		u32 key = 999, value[3] = { 1, 2, 3 };
		u64 calls = 0, address;

		assert_int_equal(((u32 *)lookup(map, &key))[2], 0);
		assert_int_equal(update(map, &key, value, BPF_ANY), 0);
		assert_int_equal(update(map, &key, value, BPF_EXIST), 0);
		assert_int_equal(update(map, &key, value, BPF_NOEXIST), -EEXIST);
		assert_int_equal(update(map, &key, value, 3), -EINVAL);
		assert_int_equal(((u32 *)lookup(map, &key))[2], 3);
		assert_int_equal(map->ops->delete (map, &key), -EINVAL);
		assert_int_equal(map->ops->get_next_key(map, &key, &key), -ENOENT);
		key = 1000;
		assert_null(lookup(map, &key));
		assert_int_equal(update(map, &key, value, BPF_ANY), -E2BIG);
		assert_int_equal(map->ops->get_next_key(map, &key, &key), 0);
		assert_int_equal(key, 0);
		assert_int_equal(map->ops->get_next_key(map, &key, &key), 0);
		assert_int_equal(key, 1);
		assert_int_equal(map->ops->get_next_key(map, NULL, &key), 0);
		assert_int_equal(key, 0);
		assert_int_equal(map->ops->for_each(map, stop_at_third, &calls, 0), 3);
		assert_int_equal(map->ops->direct_value_addr(map, &address, 0), -ENOTSUPP);
		free_map(map);
	}
}

static void the_value_of_an_array_of_one_element_has_an_address(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_ARRAY, 4, 100, 1, BPF_F_MMAPABLE);
	u32 key = 0;
	u64 address;

	assert_int_equal(map->ops->direct_value_addr(map, &address, 99), 0);
	assert_ptr_equal((u8 *)lookup(map, &key) + 99, address);
	assert_int_equal(map->ops->direct_value_addr(map, &address, 100), -EINVAL);
	free_map(map);
}

static void an_array_can_be_mapped_up_to_its_end(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1024, BPF_F_MMAPABLE);
	struct vm_area_struct vma = { .vm_start = 0x10000, .vm_end = 0x12000 };

	assert_int_equal(map->ops->mmap(map, &vma), 0);
	vma.vm_pgoff = 1;
	assert_int_equal(map->ops->mmap(map, &vma), -EINVAL);
	vma.vm_end -= PAGE_SIZE;
	assert_int_equal(map->ops->mmap(map, &vma), 0);
	vma.vm_pgoff = ~0UL;
	assert_int_equal(map->ops->mmap(map, &vma), -EINVAL);
	assert_non_null(map->ops->mmap_page(map, 1));
	assert_null(map->ops->mmap_page(map, 2));
	free_map(map);
	map = new_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1024, 0);
	assert_int_equal(map->ops->mmap(map, &vma), -EINVAL);
	free_map(map);
}

static void each_cpu_has_its_array(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_PERCPU_ARRAY, 4, 5, 3, 0);
	u32 key = 1;
	u8 all[8 * HOST_NR_CPUS];

	assert_int_equal(bpf_map_user_value_size(map), sizeof(all));
	for (host_cpu = 0; host_cpu < HOST_NR_CPUS; host_cpu++)
		for (key = 0; key < 3; key++)
			*(u8 *)lookup(map, &key) = (u8)(10 * key + host_cpu);
	host_cpu = 3;
	key = 2;
	assert_int_equal(*(u8 *)lookup(map, &key), 23);
	assert_int_equal(*(u8 *)map->ops->lookup_percpu(map, &key, 1), 21);
	assert_null(map->ops->lookup_percpu(map, &key, HOST_NR_CPUS));
	assert_int_equal(map->ops->read_user(map, &key, all, 0), 0);
	for (u32 cpu = 0; cpu < HOST_NR_CPUS; cpu++) {
		assert_int_equal(all[8 * cpu], 20 + cpu);
		all[8 * cpu] = (u8)cpu;
	}
	assert_int_equal(update(map, &key, "abcd", BPF_ANY), 0);
	assert_string_equal((char *)lookup(map, &key), "abcd");
	assert_int_equal(map->ops->write_user(map, &key, all, BPF_ANY, NULL), 0);
	assert_int_equal(*(u8 *)lookup(map, &key), 3);
	assert_int_equal(map->ops->write_user(map, &key, all, BPF_NOEXIST, NULL), -EEXIST);
	key = 3;
	assert_int_equal(map->ops->write_user(map, &key, all, BPF_ANY, NULL), -E2BIG);
	assert_int_equal(map->ops->read_user(map, &key, all, 0), -ENOENT);
	assert_null(lookup(map, &key));
	host_cpu = 0;
	free_map(map);
}

/* ---- objects ---- */

static void a_prog_array_takes_programs_of_one_kind(void **state)
{
	(void)state;
	struct bpf_map *map = new_map(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 3, 0);
	struct bpf_prog first = { .type = BPF_PROG_TYPE_KPROBE, .jited = true, .id = 11 };
	struct bpf_prog other = { .type = BPF_PROG_TYPE_TRACEPOINT, .jited = true };
	struct bpf_prog slow = { .type = BPF_PROG_TYPE_KPROBE, .jited = false };
	u32 key = 1, fd = 6, id;

	host_prog_fd = &first;
	assert_int_equal(map->ops->write_user(map, &key, &(u32){ 4 }, 0, NULL), -EBADF);
	assert_int_equal(map->ops->write_user(map, &key, &(u32){ 5 }, 0, NULL), -EINVAL);
	assert_int_equal(map->ops->write_user(map, &key, &fd, BPF_NOEXIST, NULL), -EINVAL);
	assert_int_equal(map->ops->read_user(map, &key, &id, 0), -ENOENT);
	assert_int_equal(map->ops->write_user(map, &key, &fd, 0, NULL), 0);
	assert_int_equal(map->ops->write_user(map, &key, &fd, 0, NULL), 0);
	assert_int_equal(first.refs.counter, 1);
	assert_int_equal(map->ops->read_user(map, &key, &id, 0), 0);
	assert_int_equal(id, 11);
	assert_ptr_equal(bpf_prog_array_get(map, 1), &first);
	assert_null(bpf_prog_array_get(map, 0));
	assert_null(bpf_prog_array_get(map, 3));
	assert_null(bpf_prog_array_get(map, ~0ULL));
	host_prog_fd = &other;
	assert_int_equal(map->ops->write_user(map, &key, &fd, 0, NULL), -EINVAL);
	host_prog_fd = &slow;
	assert_int_equal(map->ops->write_user(map, &key, &fd, 0, NULL), -EINVAL);
	assert_int_equal(other.refs.counter + slow.refs.counter, 0);
	key = 3;
	assert_int_equal(map->ops->write_user(map, &key, &fd, 0, NULL), -E2BIG);
	assert_int_equal(map->ops->delete (map, &key), -E2BIG);
	key = 1;
	assert_int_equal(map->ops->delete (map, &key), 0);
	assert_int_equal(map->ops->delete (map, &key), -ENOENT);
	assert_int_equal(first.refs.counter, 0);
	host_prog_fd = &first;
	assert_int_equal(map->ops->write_user(map, &key, &fd, 0, NULL), 0);
	map->ops->release_uref(map);
	assert_null(bpf_prog_array_get(map, 1));
	assert_int_equal(first.refs.counter, 0);
	free_map(map);
}

static void maps_in_maps_are_like_the_first_one(void **state)
{
	(void)state;
	static const u32 types[] = { BPF_MAP_TYPE_ARRAY_OF_MAPS, BPF_MAP_TYPE_HASH_OF_MAPS };
	struct bpf_btf btf = { .id = 0 };

	for (unsigned i = 0; i < 2; i++) {
		union bpf_attr attr = { .map_type = types[i], .key_size = 4, .value_size = 4,
					.max_entries = 3, .inner_map_fd = 5 };
		struct bpf_map *inner = new_map(BPF_MAP_TYPE_HASH, 4, 8, 10, 0),
			       *other = new_map(BPF_MAP_TYPE_HASH, 4, 16, 10, 0), *outer;
		u32 key = 1, fd = 5, id;

		attr.inner_map_fd = 4;
		assert_int_equal(PTR_ERR(try_map(&attr)), -EBADF);
		attr.inner_map_fd = 5;
		inner->id = 42;
		inner->btf = &btf;
		host_map_fd = inner;
		outer = try_map(&attr);
		assert_int_equal(inner->refs.counter, 0);
		assert_int_equal(btf.refs.counter, 1);
		host_map_fd = outer;
		assert_int_equal(PTR_ERR(try_map(&attr)), -EINVAL);

		host_map_fd = other;
		assert_int_equal(outer->ops->write_user(outer, &key, &fd, 0, NULL), -EINVAL);
		host_map_fd = inner;
		assert_null(lookup(outer, &key));
		assert_int_equal(outer->ops->write_user(outer, &key, &fd, 0, NULL), 0);
		assert_int_equal(outer->ops->write_user(outer, &key, &fd, 0, NULL), 0);
		assert_int_equal(outer->ops->write_user(outer, &key, &fd, BPF_NOEXIST, NULL),
				 i ? -EEXIST : -EINVAL);
		assert_int_equal(inner->refs.counter, 1);
		assert_ptr_equal(lookup(outer, &key), inner);
		assert_int_equal(outer->ops->read_user(outer, &key, &id, 0), 0);
		assert_int_equal(id, 42);
		assert_int_equal(outer->ops->delete (outer, &key), 0);
		assert_int_equal(inner->refs.counter, 0);
		assert_int_equal(outer->ops->delete (outer, &key), -ENOENT);
		assert_int_equal(outer->ops->read_user(outer, &key, &id, 0), -ENOENT);
		assert_int_equal(outer->ops->write_user(outer, &key, &fd, 0, NULL), 0);
		outer->ops->free(outer);
		assert_int_equal(inner->refs.counter, 0);
		assert_int_equal(btf.refs.counter, 0);
		assert_int_equal(host_work == NULL, true);
		inner->ops->free(inner);
		free_map(other);
	}
}

static void an_inner_array_may_have_another_length_if_it_was_made_for_that(void **state)
{
	(void)state;
	for (u32 flags = 0; flags <= BPF_F_INNER_MAP; flags += BPF_F_INNER_MAP) {
		union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY_OF_MAPS, .key_size = 4,
					.value_size = 4, .max_entries = 3, .inner_map_fd = 5 };
		struct bpf_map *first = new_map(BPF_MAP_TYPE_ARRAY, 4, 8, 10, flags),
			       *longer = new_map(BPF_MAP_TYPE_ARRAY, 4, 8, 20, flags),
			       *progs = new_map(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 20, 0), *outer;
		u32 key = 1, fd = 5;

		host_map_fd = progs;
		assert_int_equal(PTR_ERR(try_map(&attr)), -ENOTSUPP);
		host_map_fd = first;
		outer = try_map(&attr);
		host_map_fd = longer;
		assert_int_equal(outer->ops->write_user(outer, &key, &fd, 0, NULL), flags ? 0 : -EINVAL);
		outer->ops->free(outer);
		first->ops->free(first);
		progs->ops->free(progs);
		free_map(longer);
	}
}

/* ---- values without keys ---- */

static void a_queue_gives_the_oldest_and_a_stack_the_newest_value(void **state)
{
	(void)state;
	for (unsigned stack = 0; stack < 2; stack++) {
		struct bpf_map *map = new_map(stack ? BPF_MAP_TYPE_STACK : BPF_MAP_TYPE_QUEUE, 0, 4, 5, 0);
		u32 value = 77;

		assert_int_equal(map->ops->peek(map, &value), -ENOENT);
		assert_int_equal(value, 0);
		value = 77;
		assert_int_equal(map->ops->pop(map, &value), -ENOENT);
		assert_int_equal(value, 0);
		for (unsigned round = 0; round < 20; round++) {
			for (u32 i = 0; i < 5; i++)
				assert_int_equal(map->ops->push(map, &i, BPF_ANY), 0);
			value = 5;
			assert_int_equal(map->ops->push(map, &value, BPF_ANY), -E2BIG);
			assert_int_equal(map->ops->push(map, &value, BPF_NOEXIST), -EINVAL);
			assert_int_equal(map->ops->push(map, &value, 3), -EINVAL);
			assert_int_equal(map->ops->push(map, &value, BPF_EXIST), 0); /* 0 goes */
			for (u32 i = 1; i <= 5; i++) {
				u32 expected = stack ? 6 - i : i;

				assert_int_equal(map->ops->peek(map, &value), 0);
				assert_int_equal(value, expected);
				assert_int_equal(map->ops->pop(map, &value), 0);
				assert_int_equal(value, expected);
			}
			assert_int_equal(map->ops->pop(map, &value), -ENOENT);
			/* so that the ring is at another place next time */
			assert_int_equal(map->ops->push(map, &value, BPF_ANY), 0);
			assert_int_equal(map->ops->pop(map, &value), 0);
		}
		assert_int_equal(map->ops->delete (map, NULL), -EINVAL);
		assert_int_equal(map->ops->get_next_key(map, NULL, &value), -EINVAL);
		bpf_locks_held = 1;
		assert_int_equal(map->ops->push(map, &value, BPF_ANY), 0); /* free: no need to wait */
		bpf_locks_held = 0;
		free_map(map);
	}
}

static void a_bloom_filter_never_denies_what_it_has(void **state)
{
	(void)state;
	for (u64 hash_functions = 0; hash_functions < 16; hash_functions++) {
		union bpf_attr attr = { .map_type = BPF_MAP_TYPE_BLOOM_FILTER, .value_size = 6,
					.max_entries = 1000, .map_extra = hash_functions };
		struct bpf_map *map = try_map(&attr);
		unsigned wrong = 0;
		u8 value[6] = { 0 };

		assert_int_equal(map->ops->push(map, value, BPF_EXIST), -EINVAL);
		for (u16 i = 0; i < 1000; i++) {
			memcpy(value, &i, 2);
			assert_int_equal(map->ops->push(map, value, BPF_ANY), 0);
		}
		for (u16 i = 0; i < 2000; i++) {
			long answer;

			memcpy(value, &i, 2);
			answer = map->ops->peek(map, value);
			if (i < 1000)
				assert_int_equal(answer, 0);
			else
				wrong += answer != -ENOENT;
		}
		/* 5 hash functions: 2 % and less are wrong; 1: less than half. */
		assert_true(wrong < (hash_functions == 1 ? 500 : hash_functions == 2 ? 350 : 150));
		free_map(map);
	}
}

/* ---- prefixes ---- */

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
		cmocka_unit_test(wrong_attributes_of_hashes_get_linux_errors),
		cmocka_unit_test(wrong_attributes_of_arrays_get_linux_errors),
		cmocka_unit_test(wrong_attributes_of_other_types_get_linux_errors),
		cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
		cmocka_unit_test(a_map_leaves_a_part_of_the_memory_to_others),
		cmocka_unit_test(the_memory_of_a_map_is_counted),
		cmocka_unit_test(a_hash_knows_its_keys_of_any_size),
		cmocka_unit_test(the_flags_of_updates_mean_what_linux_says),
		cmocka_unit_test(a_full_hash_refuses_new_keys_and_still_replaces_old_ones),
		cmocka_unit_test(a_hash_without_preallocation_grows_by_a_worker),
		cmocka_unit_test(each_cpu_has_its_value),
		cmocka_unit_test(a_reused_element_is_zero_on_other_cpus),
		cmocka_unit_test(a_walk_visits_each_key_once),
		cmocka_unit_test(the_keys_of_all_buckets_are_all_keys),
		cmocka_unit_test(a_callback_may_delete_and_insert_during_a_walk),
		cmocka_unit_test(keys_that_are_deleted_while_user_space_walks_are_found_at_most_once),
		cmocka_unit_test(a_cpu_that_holds_a_lock_waits_for_none),
		cmocka_unit_test(the_top_of_a_pool_is_never_the_same_again),
		cmocka_unit_test(a_full_lru_drops_what_was_not_used),
		cmocka_unit_test(an_lru_takes_any_number_of_keys),
		cmocka_unit_test(user_space_that_reads_uses_nothing),
		cmocka_unit_test(an_array_has_all_its_elements),
		cmocka_unit_test(the_value_of_an_array_of_one_element_has_an_address),
		cmocka_unit_test(an_array_can_be_mapped_up_to_its_end),
		cmocka_unit_test(each_cpu_has_its_array),
		cmocka_unit_test(a_prog_array_takes_programs_of_one_kind),
		cmocka_unit_test(maps_in_maps_are_like_the_first_one),
		cmocka_unit_test(an_inner_array_may_have_another_length_if_it_was_made_for_that),
		cmocka_unit_test(a_queue_gives_the_oldest_and_a_stack_the_newest_value),
		cmocka_unit_test(a_bloom_filter_never_denies_what_it_has),
		cmocka_unit_test(the_longest_prefix_is_found),
		cmocka_unit_test(a_trie_agrees_with_a_list),
		cmocka_unit_test(a_hash_agrees_with_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
