/*
 * QUEUE and STACK: values without keys. A queue gives the oldest value, a stack the newest one.
 *
 * Both are a ring of max_entries + 1 places, so that a full ring is not like an empty one.
 */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/bpf/maps/types.h"

/* Legend: [C] constant; [L] lock. */
struct bpf_queue_stack {
	struct bpf_map map;
	u8 *values; /* [C] the ring; [L] its bytes */
	u32 size;   /* [C] places */
	u32 head;   /* [L] where the next value goes */
	u32 tail;   /* [L] the oldest value */
	u32 lock;   /* bpf_lock() */
};

static inline struct bpf_queue_stack *to_queue_stack(const struct bpf_map *map)
{
	return container_of((struct bpf_map *)map, struct bpf_queue_stack, map);
}

static int queue_stack_check(const union bpf_attr *attr)
{
	if (!attr->max_entries || attr->key_size || !attr->value_size ||
	    !bpf_map_flags_ok(attr->map_flags, BPF_F_NUMA_NODE | BPF_F_ACCESS_MASK))
		return -EINVAL;
	return attr->value_size > KMALLOC_MAX_SIZE ? -E2BIG : 0;
}

static u64 bytes_of(const struct bpf_map *map)
{
	return (map->max_entries + 1ULL) * map->value_size;
}

static struct bpf_map *queue_stack_alloc(const union bpf_attr *attr)
{
	struct bpf_queue_stack *qs;

	if (attr->max_entries == ~0U)
		return ERR_PTR(-E2BIG);
	qs = kzalloc(sizeof(*qs), GFP_KERNEL);
	if (!qs)
		return ERR_PTR(-ENOMEM);
	bpf_map_init(&qs->map, bpf_find_map_type(attr->map_type), attr);
	qs->size = attr->max_entries + 1;
	qs->values = bpf_map_area_alloc(&qs->map, bytes_of(&qs->map));
	if (!qs->values) {
		kfree(qs);
		return ERR_PTR(-ENOMEM);
	}
	return &qs->map;
}

static void queue_stack_free(struct bpf_map *map)
{
	struct bpf_queue_stack *qs = to_queue_stack(map);

	bpf_map_area_free(map, qs->values, bytes_of(map));
	kfree(qs);
}

/* ---- the ring ---- */

static inline u32 after(const struct bpf_queue_stack *qs, u32 place)
{
	return place + 1 == qs->size ? 0 : place + 1;
}

static inline u32 before(const struct bpf_queue_stack *qs, u32 place)
{
	return place ? place - 1 : qs->size - 1;
}

static inline void *value_at(const struct bpf_queue_stack *qs, u32 place)
{
	return qs->values + (u64)place * qs->map.value_size;
}

/* BPF_EXIST: drops the oldest value of a full ring. */
static long push(struct bpf_map *map, const void *value, u64 flags)
{
	struct bpf_queue_stack *qs = to_queue_stack(map);
	unsigned long irq_flags;
	long error = 0;

	if ((flags & BPF_NOEXIST) || flags > BPF_EXIST)
		return -EINVAL;
	if (!bpf_lock(&qs->lock, &irq_flags))
		return -EBUSY;
	/*
	 * LAB 17: A ring is full when one more value would make it look empty. Starts as:
	 * error = -E2BIG;
	 * (void)value, (void)after;
	 */
	if (after(qs, qs->head) == qs->tail) {
		if (flags == BPF_EXIST)
			qs->tail = after(qs, qs->tail);
		else
			error = -E2BIG;
	}
	if (!error) {
		memcpy(value_at(qs, qs->head), value, map->value_size);
		qs->head = after(qs, qs->head);
	}
	/* END LAB 17 */
	bpf_unlock(&qs->lock, irq_flags);
	return error;
}

/* Fills value in any case: the program may have an array there that it has not written. */
static long get(struct bpf_map *map, void *value, bool newest, bool take)
{
	struct bpf_queue_stack *qs = to_queue_stack(map);
	unsigned long irq_flags;
	bool empty;

	if (!bpf_lock(&qs->lock, &irq_flags)) {
		memset(value, 0, map->value_size);
		return -EBUSY;
	}
	/*
	 * LAB 17: The oldest value is at tail, the newest one before head. Starts as:
	 * empty = true;
	 * memset(value, 0, map->value_size);
	 * (void)newest, (void)take, (void)before, (void)value_at;
	 */
	empty = qs->head == qs->tail;
	if (empty)
		memset(value, 0, map->value_size);
	else
		memcpy(value, value_at(qs, newest ? before(qs, qs->head) : qs->tail),
		       map->value_size);
	if (!empty && take && newest)
		qs->head = before(qs, qs->head);
	else if (!empty && take)
		qs->tail = after(qs, qs->tail);
	/* END LAB 17 */
	bpf_unlock(&qs->lock, irq_flags);
	return empty ? -ENOENT : 0;
}

static long queue_pop(struct bpf_map *map, void *value)
{
	return get(map, value, false, true);
}

static long queue_peek(struct bpf_map *map, void *value)
{
	return get(map, value, false, false);
}

static long stack_pop(struct bpf_map *map, void *value)
{
	return get(map, value, true, true);
}

static long stack_peek(struct bpf_map *map, void *value)
{
	return get(map, value, true, false);
}

static long no_delete(struct bpf_map *map __unused, const void *key __unused)
{
	return -EINVAL;
}

static int no_keys(struct bpf_map *map __unused, const void *key __unused, void *next __unused)
{
	return -EINVAL;
}

static const struct bpf_map_ops queue BPF_MAP_TYPE(queue) = {
	.type = BPF_MAP_TYPE_QUEUE,
	.name = "queue",
	.alloc_check = queue_stack_check,
	.alloc = queue_stack_alloc,
	.free = queue_stack_free,
	.push = push,
	.pop = queue_pop,
	.peek = queue_peek,
	.delete = no_delete,
	.get_next_key = no_keys,
};

static const struct bpf_map_ops stack BPF_MAP_TYPE(stack) = {
	.type = BPF_MAP_TYPE_STACK,
	.name = "stack",
	.alloc_check = queue_stack_check,
	.alloc = queue_stack_alloc,
	.free = queue_stack_free,
	.push = push,
	.pop = stack_pop,
	.peek = stack_peek,
	.delete = no_delete,
	.get_next_key = no_keys,
};
