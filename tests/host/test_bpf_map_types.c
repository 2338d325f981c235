/*
 * The types of eBPF's maps: what can be made, and the operations of arrays, of maps of objects, and of maps without keys.
 * Errors are Linux's. Memory that is short does no harm, and all comes back.
 *
 * sources: trace/bpf/maps/map.c trace/bpf/maps/pool.c trace/bpf/maps/hash.c trace/bpf/maps/percpu_hash.c trace/bpf/maps/lru.c trace/bpf/maps/array.c
 * sources: trace/bpf/maps/fd_array.c trace/bpf/maps/prog_array.c trace/bpf/maps/map_in_map.c trace/bpf/maps/queue_stack.c
 * sources: trace/bpf/maps/bloom_filter.c trace/bpf/maps/lpm_trie.c tests/host/bpf_maps_task.c kernel/task/capability.c
 * flags: -DHOST_CPUS
 */
#include "test.h"

#include "bpf_maps_host.h"
#include "host_mutex.h"
#include "kernel/locking/spinlock.h"
#include "kernel/vm/mm_types.h"
#include "trace/bpf/core/btf.h"
#include "trace/bpf/maps/types.h"

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

/* ---- arrays ---- */

static u64 stop_at_third(u64 map, u64 key, u64 value, u64 ctx, u64 zero)
{
	(void)map, (void)key, (void)value, (void)zero;
	return ++*(u64 *)ctx == 3;
}

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

/* The event's record may be shorter than what the target reads: only the caller was compared with it. */
static void a_target_of_tail_calls_reads_no_context_that_may_be_short(void **state)
{
	(void)state;
	static const struct {
		enum bpf_prog_type type;
		u32 max_ctx_offset;
		int result;
	} tries[] = {
		{ BPF_PROG_TYPE_TRACEPOINT, 16, -EINVAL }, { BPF_PROG_TYPE_TRACEPOINT, 0, 0 },
		{ BPF_PROG_TYPE_RAW_TRACEPOINT, 8, -EINVAL }, { BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0 },
		{ BPF_PROG_TYPE_SYSCALL, 8, -EINVAL }, { BPF_PROG_TYPE_KPROBE, 168, 0 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(tries); i++) {
		struct bpf_map *map = new_map(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 3, 0);
		struct bpf_prog prog = { .type = tries[i].type, .max_ctx_offset = tries[i].max_ctx_offset };

		host_prog_fd = &prog;
		assert_int_equal(map->ops->write_user(map, &(u32){ 1 }, &(u32){ 6 }, 0, NULL), tries[i].result);
		map->ops->release_uref(map);
		assert_int_equal(prog.refs.counter, 0);
		free_map(map);
	}
}

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_attributes_of_hashes_get_linux_errors),
		cmocka_unit_test(wrong_attributes_of_arrays_get_linux_errors),
		cmocka_unit_test(wrong_attributes_of_other_types_get_linux_errors),
		cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
		cmocka_unit_test(a_map_leaves_a_part_of_the_memory_to_others),
		cmocka_unit_test(the_memory_of_a_map_is_counted),
		cmocka_unit_test(an_array_has_all_its_elements),
		cmocka_unit_test(the_value_of_an_array_of_one_element_has_an_address),
		cmocka_unit_test(an_array_can_be_mapped_up_to_its_end),
		cmocka_unit_test(each_cpu_has_its_array),
		cmocka_unit_test(a_prog_array_takes_programs_of_one_kind),
		cmocka_unit_test(a_target_of_tail_calls_reads_no_context_that_may_be_short),
		cmocka_unit_test(maps_in_maps_are_like_the_first_one),
		cmocka_unit_test(an_inner_array_may_have_another_length_if_it_was_made_for_that),
		cmocka_unit_test(a_queue_gives_the_oldest_and_a_stack_the_newest_value),
		cmocka_unit_test(a_bloom_filter_never_denies_what_it_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
