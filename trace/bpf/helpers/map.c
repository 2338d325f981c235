/*
 * Helpers of maps: each calls the operation of the map's type. The verifier lets a program call
 * only those that the type has. bpf_loop() is here as well, because it calls a callback as
 * bpf_for_each_map_elem() does.
 */
#include "trace/bpf/core/map.h"

#include "kernel/errno.h"
#include "trace/bpf/helpers/helpers.h"

BPF_CALL_2(bpf_map_lookup_elem, struct bpf_map *, map, const void *, key)
{
	return (u64)map->ops->lookup(map, key);
}

BPF_CALL_4(bpf_map_update_elem, struct bpf_map *, map, const void *, key, const void *, value, u64,
	   flags)
{
	return (u64)map->ops->update(map, key, value, flags);
}

BPF_CALL_2(bpf_map_delete_elem, struct bpf_map *, map, const void *, key)
{
	return (u64)map->ops->delete (map, key);
}

BPF_CALL_3(bpf_map_push_elem, struct bpf_map *, map, const void *, value, u64, flags)
{
	return (u64)map->ops->push(map, value, flags);
}

BPF_CALL_2(bpf_map_pop_elem, struct bpf_map *, map, void *, value)
{
	return (u64)map->ops->pop(map, value);
}

BPF_CALL_2(bpf_map_peek_elem, struct bpf_map *, map, void *, value)
{
	return (u64)map->ops->peek(map, value);
}

BPF_CALL_3(bpf_map_lookup_percpu_elem, struct bpf_map *, map, const void *, key, u32, cpu)
{
	return (u64)map->ops->lookup_percpu(map, key, cpu);
}

BPF_CALL_4(bpf_for_each_map_elem, struct bpf_map *, map, const void *, callback, void *, ctx, u64,
	   flags)
{
	return (u64)map->ops->for_each(map, callback, ctx, flags);
}

#define MAX_LOOPS (1U << 23) /* Linux's */

/* The number of rounds that have begun. A callback that returns 1 ends the loop. */
BPF_CALL_4(bpf_loop, u32, nr_loops, const void *, callback, void *, ctx, u64, flags)
{
	if (flags)
		return (u64)-EINVAL;
	if (nr_loops > MAX_LOOPS)
		return (u64)-E2BIG;
	for (u32 i = 0; i < nr_loops; i++)
		if (bpf_call_callback(callback, i, (u64)ctx, 0, 0, 0))
			return i + 1;
	return nr_loops;
}
