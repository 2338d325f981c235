/*
 * BPF_PROG_BIND_MAP: a map lives as long as a program that does not use it. Loaders do that with
 * the map that has the program's notes (.rodata).
 */
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/sched/mutex.h"
#include "trace/bpf/syscall/objects.h"

DEFINE_MUTEX(bpf_used_maps_mutex);

/* Takes over the reference of the map on success. The mutex is held. */
static int add_map(struct bpf_prog *prog, struct bpf_map *map)
{
	struct bpf_map **old = prog->used_maps, **new;
	u32 nr = prog->nr_used_maps;

	new = kvzalloc((nr + 1) * sizeof(*new), GFP_KERNEL | __GFP_NOWARN);
	if (!new)
		return -ENOMEM;
	if (nr)
		memcpy(new, old, nr * sizeof(*new));
	new[nr] = map;
	prog->used_maps = new;
	prog->nr_used_maps = nr + 1;
	kvfree(old);
	return 0;
}

static bool uses_map(const struct bpf_prog *prog, const struct bpf_map *map)
{
	for (u32 i = 0; i < prog->nr_used_maps; i++)
		if (prog->used_maps[i] == map)
			return true;
	return false;
}

static int bind_map(struct bpf_prog *prog, struct bpf_map *map)
{
	int error = 0;

	mutex_lock(&bpf_used_maps_mutex);
	if (uses_map(prog, map))
		bpf_map_put(map);
	else
		error = add_map(prog, map);
	mutex_unlock(&bpf_used_maps_mutex);
	return error;
}

static long prog_bind_map(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
			  u32 size __unused)
{
	struct bpf_prog *prog;
	struct bpf_map *map;
	int error;

	if (attr->prog_bind_map.flags)
		return -EINVAL;
	prog = bpf_prog_get_fd((int)attr->prog_bind_map.prog_fd);
	if (IS_ERR(prog))
		return PTR_ERR(prog);
	map = bpf_map_get_fd((int)attr->prog_bind_map.map_fd);
	error = IS_ERR(map) ? (int)PTR_ERR(map) : bind_map(prog, map);
	if (error && !IS_ERR(map))
		bpf_map_put(map);
	bpf_prog_put(prog);
	return error;
}
static const struct bpf_command prog_bind_map_command BPF_COMMAND(prog_bind_map) = {
	BPF_PROG_BIND_MAP, BPF_ATTR_END(prog_bind_map.flags), prog_bind_map
};
