/*
 * STACK_TRACE: stacks by an id, so that a program can count them without copying them. The id is a
 * hash of the frames, and the number of a bucket, which holds one stack.
 *
 * A bucket has the number of an element of a pool, which grows as it is used: a tool that asks for
 * 131,072 stacks rarely sees more than some thousands. To change a bucket, code exchanges its
 * number; who gets a number by that owns the element. Programs compare the frames of an element
 * without owning it. If it is replaced meanwhile, they may find a difference, and only count the
 * stack as another one.
 *
 * An NMI may do all this at any instruction, as another CPU may: an element that is being filled or
 * read is in no bucket, so the NMI does not find it, and the pool has no lock.
 * selftest/bpf/maps_each_nmi.c tries all instructions.
 */
#include "trace/bpf/maps/stack_trace.h"

#include "kernel/errno.h"
#include "kernel/lib/bitops.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/bpf/maps/pool.h"

struct stack {
	struct bpf_pool_elem elem;
	u32 hash, nr;
	u64 ips[];
};

struct stack_map {
	struct bpf_map map;
	struct bpf_pool pool;
	u32 nr_buckets; /* a power of 2 */
	u32 *buckets;   /* [A] number of the element plus 1; 0: no stack */
};

static struct stack_map *to_stack_map(const struct bpf_map *map)
{
	return container_of(map, struct stack_map, map);
}

static struct stack *stack_of(struct stack_map *smap, u32 bucket)
{
	return (struct stack *)bpf_pool_elem(&smap->pool, bucket - 1);
}

/* ---- making ---- */

static int alloc_check(const union bpf_attr *attr)
{
	u32 size = attr->value_size;

	if ((attr->map_flags & ~(BPF_F_NUMA_NODE | BPF_F_RDONLY | BPF_F_WRONLY)) ||
	    !attr->max_entries || attr->key_size != 4 || size < 8 || size % 8 ||
	    size / 8 > BPF_MAX_STACK_FRAMES)
		return -EINVAL;
	return attr->max_entries > BPF_POOL_MAX / 2 ? -E2BIG : 0;
}

static struct bpf_map *alloc(const union bpf_attr *attr)
{
	struct stack_map *smap = kzalloc(sizeof(*smap), GFP_KERNEL);
	struct bpf_pool_layout layout = {
		.limit = attr->max_entries,
		.elem_size = (u32)sizeof(struct stack) + attr->value_size,
		.grows = true,
	};

	if (!smap)
		return ERR_PTR(-ENOMEM);
	bpf_map_init(&smap->map, bpf_find_map_type(attr->map_type), attr);
	layout.map = &smap->map;
	smap->nr_buckets = 1U << fls64(attr->max_entries - 1);
	smap->buckets = bpf_map_area_alloc(&smap->map, smap->nr_buckets * sizeof(u32));
	if (smap->buckets && !bpf_pool_init(&smap->pool, &layout))
		return &smap->map;
	bpf_map_area_free(&smap->map, smap->buckets, smap->nr_buckets * sizeof(u32));
	kfree(smap);
	return ERR_PTR(-ENOMEM);
}

static void free_map(struct bpf_map *map)
{
	struct stack_map *smap = to_stack_map(map);

	bpf_pool_destroy(&smap->pool);
	bpf_map_area_free(map, smap->buckets, smap->nr_buckets * sizeof(u32));
	kfree(smap);
}

/* ---- adding ---- */

u32 bpf_stack_map_depth(const struct bpf_map *map)
{
	return map->value_size / 8;
}

static u32 hash_of(const u64 *ips, u32 nr)
{
	u64 hash = nr;

	for (u32 i = 0; i < nr; i++)
		hash = (hash ^ ips[i]) * 0x9e3779b97f4a7c15ULL;
	return (u32)(hash >> 32);
}

static bool same_frames(const struct stack *stack, const u64 *ips, u32 nr)
{
	if (READ_ONCE(stack->nr) != nr)
		return false;
	for (u32 i = 0; i < nr; i++)
		if (READ_ONCE(stack->ips[i]) != ips[i])
			return false;
	return true;
}

/* Puts an element into the bucket, or none: 0. The element that was there is free. */
static bool replace(struct stack_map *smap, u32 id, u32 bucket)
{
	u32 old = xchg(&smap->buckets[id], bucket);

	if (old)
		bpf_pool_give(&smap->pool, &stack_of(smap, old)->elem);
	return old;
}

static noinline s64 add_new(struct stack_map *smap, u32 id, const u64 *ips, u32 nr, u32 hash)
{
	struct stack *stack = (struct stack *)bpf_pool_take(&smap->pool);

	if (!stack)
		return -ENOMEM;
	stack->hash = hash;
	stack->nr = nr;
	memcpy(stack->ips, ips, nr * sizeof(u64));
	(void)replace(smap, id, stack->elem.number + 1);
	return id;
}

s64 bpf_stack_map_add(struct bpf_map *map, const u64 *ips, u32 nr, u64 flags)
{
	struct stack_map *smap = to_stack_map(map);
	u32 hash = hash_of(ips, nr), id = hash & (smap->nr_buckets - 1);
	u32 bucket = smp_load_acquire(&smap->buckets[id]);

	if (likely(bucket)) {
		const struct stack *stack = stack_of(smap, bucket);

		if (READ_ONCE(stack->hash) == hash &&
		    ((flags & BPF_F_FAST_STACK_CMP) || same_frames(stack, ips, nr)))
			return id;
		if (!(flags & BPF_F_REUSE_STACKID))
			return -EEXIST;
	}
	return add_new(smap, id, ips, nr, hash);
}

/* ---- bpf(2) ---- */

/* A key that has gone is before the first one. */
static int get_next_key(struct bpf_map *map, const void *key, void *next_key)
{
	struct stack_map *smap = to_stack_map(map);
	u32 id = key ? *(const u32 *)key : ~0U;

	id = id < smap->nr_buckets && READ_ONCE(smap->buckets[id]) ? id + 1 : 0;
	while (id < smap->nr_buckets && !READ_ONCE(smap->buckets[id]))
		id++;
	if (id == smap->nr_buckets)
		return -ENOENT;
	*(u32 *)next_key = id;
	return 0;
}

/* Takes the element out meanwhile, so that nobody changes it. */
static int read_user(struct bpf_map *map, const void *key, void *value, u64 flags __unused)
{
	struct stack_map *smap = to_stack_map(map);
	u32 id = *(const u32 *)key, bucket, size;
	const struct stack *stack;

	bucket = id < smap->nr_buckets ? xchg(&smap->buckets[id], 0) : 0;
	if (!bucket)
		return -ENOENT;
	stack = stack_of(smap, bucket);
	size = stack->nr * (u32)sizeof(u64);
	memcpy(value, stack->ips, size);
	memset((char *)value + size, 0, map->value_size - size);
	(void)replace(smap, id, bucket);
	return 0;
}

static int write_user(struct bpf_map *map __unused, const void *key __unused,
		      const void *value __unused, u64 flags __unused,
		      struct file *map_file __unused)
{
	return -EINVAL;
}

static long delete (struct bpf_map *map, const void *key)
{
	struct stack_map *smap = to_stack_map(map);
	u32 id = *(const u32 *)key;

	if (id >= smap->nr_buckets)
		return -E2BIG;
	return replace(smap, id, 0) ? 0 : -ENOENT;
}

static const struct bpf_map_ops stack_trace BPF_MAP_TYPE(stack_trace) = {
	.type = BPF_MAP_TYPE_STACK_TRACE,
	.name = "stack_trace",
	.alloc_check = alloc_check,
	.alloc = alloc,
	.free = free_map,
	.delete = delete,
	.get_next_key = get_next_key,
	.read_user = read_user,
	.write_user = write_user,
};
