/*
 * Arrays whose elements are objects: user space writes descriptors and reads ids, and programs use
 * the objects. PROG_ARRAY, ARRAY_OF_MAPS, PERF_EVENT_ARRAY, CGROUP_ARRAY.
 *
 * Programs read an element under RCU. So put() must keep the object until a grace period is over.
 */
#pragma once

#include "kernel/rcu/rcu.h"
#include "trace/bpf/maps/array.h"

/* What the objects of a type are. Constant. Task context. */
struct bpf_fd_array_ops {
	/* The object of a descriptor with a reference, or ERR_PTR(). */
	void *(*get)(struct bpf_map *map, struct file *map_file, int fd);
	void (*put)(struct bpf_map *map, void *object);
	u32 (*id)(const void *object); /* NULL: user space cannot read elements, -ENOTSUPP */
};

struct bpf_fd_array {
	struct bpf_map map;
	const struct bpf_fd_array_ops *ops; /* [C] */
	void **objects;                     /* [C] the array; [A] its elements */
};

static inline struct bpf_fd_array *to_fd_array(const struct bpf_map *map)
{
	return container_of((struct bpf_map *)map, struct bpf_fd_array, map);
}

/* The object at index, or NULL. RCU held, any context. */
static __always_inline void *bpf_fd_array_get(const struct bpf_map *map, u64 index)
{
	return index < map->max_entries ? rcu_dereference(to_fd_array(map)->objects[index]) : NULL;
}

int bpf_fd_array_check(const union bpf_attr *attr);
struct bpf_map *bpf_fd_array_alloc(const union bpf_attr *attr, const struct bpf_fd_array_ops *ops);
/* Puts all objects, then frees. */
void bpf_fd_array_free(struct bpf_map *map);
/* Puts all objects. Task context. */
void bpf_fd_array_clear(struct bpf_map *map);
long bpf_fd_array_delete(struct bpf_map *map, const void *key);
int bpf_fd_array_read_user(struct bpf_map *map, const void *key, void *value, u64 flags);
int bpf_fd_array_write_user(struct bpf_map *map, const void *key, const void *value, u64 flags,
			    struct file *map_file);
