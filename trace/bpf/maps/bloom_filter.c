/*
 * BLOOM_FILTER: a set that answers "perhaps" or "certainly not".
 *
 * A value sets some bits, one for each hash function. A value whose bits are not all set was never
 * put in. Values cannot be taken out, because another value may need the bit.
 */
#include "kernel/errno.h"
#include "kernel/lib/bitops.h"
#include "kernel/mm/slab.h"
#include "kernel/random/random.h"
#include "trace/bpf/maps/hash.h"

#define DEFAULT_HASHES 5
#define MAX_HASHES     0xf
#define MIN_BITS       64
#define MAX_BITS       (1ULL << 32)

/* Legend: [C] constant; [A] atomic. */
struct bpf_bloom_filter {
	struct bpf_map map;
	unsigned long *bits; /* [C] the array; [A] its words */
	u64 seed;            /* [C] */
	u32 mask;            /* [C] number of bits - 1 */
	u32 nr_hashes;       /* [C] */
};

static inline struct bpf_bloom_filter *to_bloom(const struct bpf_map *map)
{
	return container_of((struct bpf_map *)map, struct bpf_bloom_filter, map);
}

static int bloom_check(const union bpf_attr *attr)
{
	if (attr->value_size > KMALLOC_MAX_SIZE)
		return -E2BIG;
	if (attr->key_size || !attr->value_size || !attr->max_entries ||
	    !bpf_map_flags_ok(attr->map_flags,
			      BPF_F_NUMA_NODE | BPF_F_ZERO_SEED | BPF_F_ACCESS_MASK) ||
	    (attr->map_extra & ~(u64)MAX_HASHES))
		return -EINVAL;
	return 0;
}

/*
 * With n values and k hashes, n * k / ln 2 bits give the fewest wrong answers. 7 / 5 is about
 * 1 / ln 2.
 */
static u64 choose_bits(u64 values, u64 hashes)
{
	u64 bits = values * hashes / 5 * 7;

	if (bits > MAX_BITS / 2)
		return MAX_BITS;
	return bits < MIN_BITS ? MIN_BITS : roundup_pow_of_two(bits);
}

static u64 bytes_of(const struct bpf_bloom_filter *bloom)
{
	return (bloom->mask + 1ULL) / 8;
}

static struct bpf_map *bloom_alloc(const union bpf_attr *attr)
{
	struct bpf_bloom_filter *bloom = kzalloc(sizeof(*bloom), GFP_KERNEL);

	if (!bloom)
		return ERR_PTR(-ENOMEM);
	bpf_map_init(&bloom->map, bpf_find_map_type(attr->map_type), attr);
	bloom->nr_hashes = attr->map_extra ? (u32)attr->map_extra : DEFAULT_HASHES;
	bloom->mask = (u32)(choose_bits(attr->max_entries, bloom->nr_hashes) - 1);
	if (!(attr->map_flags & BPF_F_ZERO_SEED))
		bloom->seed = get_random_u64();
	bloom->bits = bpf_map_area_alloc(&bloom->map, bytes_of(bloom));
	if (!bloom->bits) {
		kfree(bloom);
		return ERR_PTR(-ENOMEM);
	}
	return &bloom->map;
}

static void bloom_free(struct bpf_map *map)
{
	struct bpf_bloom_filter *bloom = to_bloom(map);

	bpf_map_area_free(map, bloom->bits, bytes_of(bloom));
	kfree(bloom);
}

/* The bit of the i-th hash function. One hash of the bytes is mixed with i. */
static inline u32 bit_of(const struct bpf_bloom_filter *bloom, u64 hash, u32 i)
{
	return (u32)bpf_hash_mix(hash, i + 1) & bloom->mask;
}

static long bloom_push(struct bpf_map *map, const void *value, u64 flags)
{
	struct bpf_bloom_filter *bloom = to_bloom(map);
	u64 hash = bpf_hash_bytes(value, map->value_size, bloom->seed);

	if (flags != BPF_ANY)
		return -EINVAL;
	for (u32 i = 0; i < bloom->nr_hashes; i++)
		set_bit(bit_of(bloom, hash, i), bloom->bits);
	return 0;
}

static long bloom_peek(struct bpf_map *map, void *value)
{
	struct bpf_bloom_filter *bloom = to_bloom(map);
	u64 hash = bpf_hash_bytes(value, map->value_size, bloom->seed);

	for (u32 i = 0; i < bloom->nr_hashes; i++)
		if (!test_bit(bit_of(bloom, hash, i), bloom->bits))
			return -ENOENT;
	return 0;
}

static const struct bpf_map_ops bloom_filter BPF_MAP_TYPE(bloom_filter) = {
	.type = BPF_MAP_TYPE_BLOOM_FILTER,
	.name = "bloom_filter",
	.alloc_check = bloom_check,
	.alloc = bloom_alloc,
	.free = bloom_free,
	.push = bloom_push,
	.peek = bloom_peek,
};
