/* Descriptors of maps, and what /proc/PID/fdinfo and the lists of ids say of them. */
#include "arch/mm/uaccess.h"
#include "fs/file/poll.h"
#include "fs/vfs/seq_file.h"
#include "kernel/mm/page_alloc.h"
#include "trace/bpf/syscall/objects.h"

static int map_release(struct inode *inode __unused, struct file *file)
{
	struct bpf_map *map = file->private_data;

	if (map->ops->release_file)
		map->ops->release_file(map, file);
	bpf_map_put_user(map);
	return 0;
}

static unsigned map_poll(struct file *file, struct poll_table_struct *wait)
{
	struct bpf_map *map = file->private_data;

	return map->ops->poll ? map->ops->poll(map, file, wait) : POLLERR;
}

static void map_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct bpf_map *map = file->private_data;
	u64 charged = (u64)atomic64_read(&map->charged);

	seq_printf(m, "map_type:\t%u\nkey_size:\t%u\nvalue_size:\t%u\nmax_entries:\t%u\n",
		   map->map_type, map->key_size, map->value_size, map->max_entries);
	seq_printf(m, "map_flags:\t0x%x\nmap_extra:\t0x%lx\nmemlock:\t%lu\n", map->map_flags,
		   map->map_extra, (charged + PAGE_SIZE - 1) & ~(u64)(PAGE_SIZE - 1));
	seq_printf(m, "map_id:\t%u\nfrozen:\t%u\n", map->id, bpf_map_is_frozen(map));
	if (map->owner.known)
		seq_printf(m, "owner_prog_type:\t%u\nowner_jited:\t%u\n", map->owner.type,
			   map->owner.jited);
	if (map->ops->show_fdinfo)
		map->ops->show_fdinfo(map, m);
}

static const struct file_operations map_fops = {
	.release = map_release,
	.poll = map_poll,
	.mmap = bpf_map_mmap,
	.show_fdinfo = map_show_fdinfo,
};

int bpf_map_new_fd(struct bpf_map *map, unsigned flags)
{
	return anon_inode_getfd("bpf-map", &map_fops, map, flags | O_CLOEXEC);
}

struct bpf_map *bpf_map_of_file(struct file *file)
{
	return file->f_op == &map_fops ? file->private_data : NULL;
}

struct bpf_map *bpf_map_of_fd(struct fd f)
{
	struct bpf_map *map = f.file ? bpf_map_of_file(f.file) : ERR_PTR(-EBADF);

	return map ? map : ERR_PTR(-EINVAL);
}

struct bpf_map *bpf_map_get_fd(int fd)
{
	struct fd f = fdget((unsigned)fd);
	struct bpf_map *map = bpf_map_of_fd(f);

	if (!IS_ERR(map))
		bpf_map_get(map);
	fdput(f);
	return map;
}

/* ---- by id ---- */

/* Called with the lock of the ids: the last reference takes the id back first. */
static bool try_get_user(void *object)
{
	struct bpf_map *map = object;
	s64 refs = atomic64_read(&map->refs), seen;

	for (; refs; refs = seen) {
		seen = atomic64_cmpxchg(&map->refs, refs, refs + 1);
		if (seen == refs)
			break;
	}
	if (refs)
		atomic64_inc(&map->user_refs);
	return refs;
}

static long map_get_fd_by_id(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
			     u32 size __unused)
{
	int flags = bpf_file_flags(attr->open_flags), fd;
	struct bpf_map *map;

	if (attr->open_flags & ~(BPF_F_RDONLY | BPF_F_WRONLY))
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (flags < 0)
		return flags;
	map = bpf_id_get(&bpf_map_ids, attr->map_id, try_get_user);
	if (!map)
		return -ENOENT;
	fd = bpf_map_new_fd(map, (unsigned)flags);
	if (fd < 0)
		bpf_map_put_user(map);
	return fd;
}
static const struct bpf_command map_get_fd_by_id_command BPF_COMMAND(map_get_fd_by_id) = {
	BPF_MAP_GET_FD_BY_ID, BPF_ATTR_END(open_flags), map_get_fd_by_id
};

static long map_get_next_id(const union bpf_attr *attr, union bpf_attr __user *uattr,
			    u32 size __unused)
{
	return bpf_get_next_id(attr, uattr, &bpf_map_ids);
}
static const struct bpf_command map_get_next_id_command BPF_COMMAND(map_get_next_id) = {
	BPF_MAP_GET_NEXT_ID, BPF_ATTR_END(next_id), map_get_next_id
};
