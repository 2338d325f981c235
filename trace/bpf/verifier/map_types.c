/*
 * Which helpers take which types of maps. Two rules in one table: a type of maps that is in it as
 * `map` goes to the helpers of its lines only; a helper that is in it as `func` takes the types of
 * its lines only. All else is free.
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "trace/bpf/verifier/calls.h"

enum { ONLY_MAP = 1, ONLY_FUNC = 2, BOTH = 3 };

static const struct rule {
	u8 map_type, func_id, only;
} rules[] = {
	{ BPF_MAP_TYPE_PROG_ARRAY, BPF_FUNC_tail_call, BOTH },
	{ BPF_MAP_TYPE_PERF_EVENT_ARRAY, BPF_FUNC_perf_event_read, BOTH },
	{ BPF_MAP_TYPE_PERF_EVENT_ARRAY, BPF_FUNC_perf_event_output, BOTH },
	{ BPF_MAP_TYPE_PERF_EVENT_ARRAY, BPF_FUNC_perf_event_read_value, BOTH },
	{ BPF_MAP_TYPE_RINGBUF, BPF_FUNC_ringbuf_output, BOTH },
	{ BPF_MAP_TYPE_RINGBUF, BPF_FUNC_ringbuf_reserve, BOTH },
	{ BPF_MAP_TYPE_RINGBUF, BPF_FUNC_ringbuf_query, BOTH },
	{ BPF_MAP_TYPE_STACK_TRACE, BPF_FUNC_get_stackid, BOTH },
	{ BPF_MAP_TYPE_CGROUP_ARRAY, BPF_FUNC_current_task_under_cgroup, BOTH },
	{ BPF_MAP_TYPE_ARRAY_OF_MAPS, BPF_FUNC_map_lookup_elem, ONLY_MAP },
	{ BPF_MAP_TYPE_HASH_OF_MAPS, BPF_FUNC_map_lookup_elem, ONLY_MAP },
	{ BPF_MAP_TYPE_QUEUE, BPF_FUNC_map_push_elem, BOTH },
	{ BPF_MAP_TYPE_QUEUE, BPF_FUNC_map_pop_elem, BOTH },
	{ BPF_MAP_TYPE_QUEUE, BPF_FUNC_map_peek_elem, BOTH },
	{ BPF_MAP_TYPE_STACK, BPF_FUNC_map_push_elem, BOTH },
	{ BPF_MAP_TYPE_STACK, BPF_FUNC_map_pop_elem, BOTH },
	{ BPF_MAP_TYPE_STACK, BPF_FUNC_map_peek_elem, BOTH },
	{ BPF_MAP_TYPE_BLOOM_FILTER, BPF_FUNC_map_push_elem, BOTH },
	{ BPF_MAP_TYPE_BLOOM_FILTER, BPF_FUNC_map_peek_elem, BOTH },
	{ BPF_MAP_TYPE_PERCPU_ARRAY, BPF_FUNC_map_lookup_percpu_elem, ONLY_FUNC },
	{ BPF_MAP_TYPE_PERCPU_HASH, BPF_FUNC_map_lookup_percpu_elem, ONLY_FUNC },
	{ BPF_MAP_TYPE_LRU_PERCPU_HASH, BPF_FUNC_map_lookup_percpu_elem, ONLY_FUNC },
};

int check_map_func_compatibility(struct bpf_verifier_env *env, const struct bpf_map *map,
				 u32 func_id)
{
	bool restricted = false;

	if (!map)
		return 0;
	for (u32 i = 0; i < ARRAY_SIZE(rules); i++) {
		const struct rule *rule = &rules[i];
		bool same_map = rule->map_type == map->map_type,
		     same_func = rule->func_id == func_id;

		if (same_map && same_func)
			return 0;
		restricted |= (same_map && rule->only & ONLY_MAP) ||
			      (same_func && rule->only & ONLY_FUNC);
	}
	if (!restricted)
		return 0;
	return refuse(env, -EINVAL, "cannot pass map_type %d into func %s#%d\n", map->map_type,
		      bpf_func_name(func_id), func_id);
}
