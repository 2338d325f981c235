/*
 * CGROUP_ARRAY: tools make one for an option that limits them to a cgroup. There are no cgroups, so
 * no descriptor can be put in, and the array stays empty.
 */
#include "kernel/errno.h"
#include "trace/bpf/maps/fd_array.h"

static void *get(struct bpf_map *map __unused, struct file *map_file __unused, int fd __unused)
{
	return ERR_PTR(-EBADF);
}

static struct bpf_map *alloc(const union bpf_attr *attr)
{
	static const struct bpf_fd_array_ops ops = { .get = get };

	return bpf_fd_array_alloc(attr, &ops);
}

static const struct bpf_map_ops cgroup_array BPF_MAP_TYPE(cgroup_array) = {
	.type = BPF_MAP_TYPE_CGROUP_ARRAY,
	.name = "cgroup_array",
	.alloc_check = bpf_fd_array_check,
	.alloc = alloc,
	.free = bpf_fd_array_free,
	.delete = bpf_fd_array_delete,
	.get_next_key = bpf_array_get_next_key,
	.read_user = bpf_fd_array_read_user,
	.write_user = bpf_fd_array_write_user,
};
