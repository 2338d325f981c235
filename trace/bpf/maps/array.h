/* Maps with elements 0 to max_entries - 1, which are always there. */
#pragma once

#include "trace/bpf/maps/types.h"

struct bpf_array {
	struct bpf_map map;
	u8 *values;    /* [C] ARRAY: elements; PERCPU_ARRAY: those of CPU 0, of CPU 1, … */
	u64 elem_size; /* [C] bytes from one element to the next one, a multiple of 8 */
	u64 stride;    /* [C] PERCPU_ARRAY: bytes from one CPU's elements to the next one's */
	/* An ARRAY with BPF_F_MMAPABLE: its pages, which programs of user space may map. [C] */
	struct page **pages;
	u32 nr_pages;
};

static inline struct bpf_array *to_array(const struct bpf_map *map)
{
	return container_of((struct bpf_map *)map, struct bpf_array, map);
}

/* For all kinds of arrays. Checks all but the type's own flags. 0, -EINVAL, -E2BIG. */
int bpf_array_check(const union bpf_attr *attr, u32 flags);
int bpf_array_get_next_key(struct bpf_map *map, const void *key, void *next_key);
