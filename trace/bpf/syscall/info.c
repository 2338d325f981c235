/* BPF_OBJ_GET_INFO_BY_FD of maps and types, and which kind of object a descriptor is. */
#include "trace/bpf/syscall/info.h"

#include "arch/mm/uaccess.h"
#include "kernel/lib/string.h"
#include "trace/bpf/attach/link.h"
#include "trace/bpf/syscall/objects.h"

int bpf_info_in(const union bpf_attr *attr, void *info, u32 size)
{
	const void __user *uinfo = (const void __user *)attr->info.info;
	int error = bpf_check_uarg_tail_zero(uinfo, size, attr->info.info_len);

	if (error)
		return error;
	memset(info, 0, size);
	return copy_from_user(info, uinfo, min(size, attr->info.info_len)) ? -EFAULT : 0;
}

int bpf_info_out(const union bpf_attr *attr, union bpf_attr __user *uattr, const void *info,
		 u32 size)
{
	u32 len = min(size, attr->info.info_len);

	if (copy_to_user((void __user *)attr->info.info, info, len))
		return -EFAULT;
	return put_user(len, &uattr->info.info_len);
}

static int map_info(const struct bpf_map *map, const union bpf_attr *attr,
		    union bpf_attr __user *uattr)
{
	struct bpf_map_info info;
	int error = bpf_info_in(attr, &info, sizeof(info));

	if (error)
		return error;
	info = (struct bpf_map_info){
		.type = map->map_type,
		.id = map->id,
		.key_size = map->key_size,
		.value_size = map->value_size,
		.max_entries = map->max_entries,
		.map_flags = map->map_flags,
		.map_extra = map->map_extra,
	};
	memcpy(info.name, map->name, sizeof(info.name));
	if (map->btf) {
		info.btf_id = map->btf->id;
		info.btf_key_type_id = map->btf_key_type_id;
		info.btf_value_type_id = map->btf_value_type_id;
	}
	return bpf_info_out(attr, uattr, &info, sizeof(info));
}

/* The name of the types into a buffer of len bytes. 0, -ENOSPC (a part of it), -EFAULT. */
static int put_name(const char *name, char __user *to, u32 len)
{
	size_t n = strlen(name) + 1;

	if (len >= n)
		return copy_to_user(to, name, n) ? -EFAULT : 0;
	if (copy_to_user(to, name, len - 1) || put_user('\0', to + len - 1))
		return -EFAULT;
	return -ENOSPC;
}

static int btf_info(const struct bpf_btf *btf, const union bpf_attr *attr,
		    union bpf_attr __user *uattr)
{
	struct bpf_btf_info info;
	int error = bpf_info_in(attr, &info, sizeof(info)), name_error = 0;

	if (error)
		return error;
	if (copy_to_user((void __user *)info.btf, btf->data, min(btf->size, info.btf_size)))
		return -EFAULT;
	if (!info.name != !info.name_len)
		return -EINVAL;
	if (info.name)
		name_error = put_name(btf->name, (char __user *)info.name, info.name_len);
	if (name_error == -EFAULT)
		return name_error;
	info.id = btf->id;
	info.btf_size = btf->size;
	info.kernel_btf = btf->of_kernel;
	info.name_len = (u32)strlen(btf->name);
	error = bpf_info_out(attr, uattr, &info, sizeof(info));
	return error ? error : name_error;
}

static long info_of_file(struct file *file, const union bpf_attr *attr,
			 union bpf_attr __user *uattr)
{
	const struct bpf_prog *prog = bpf_prog_of_file(file);
	const struct bpf_map *map = bpf_map_of_file(file);
	const struct bpf_btf *btf = bpf_btf_of_file(file);
	struct bpf_link *link = bpf_link_of_file(file);

	if (prog)
		return bpf_prog_get_info(prog, attr, uattr);
	if (map)
		return map_info(map, attr, uattr);
	if (btf)
		return btf_info(btf, attr, uattr);
	return link ? bpf_link_get_info(link, attr, uattr) : -EINVAL;
}

static long obj_get_info_by_fd(const union bpf_attr *attr, union bpf_attr __user *uattr,
			       u32 size __unused)
{
	struct fd f = fdget(attr->info.bpf_fd);
	long ret;

	if (!f.file)
		return -EBADFD;
	ret = info_of_file(f.file, attr, uattr);
	fdput(f);
	return ret;
}
static const struct bpf_command obj_get_info_by_fd_command BPF_COMMAND(obj_get_info_by_fd) = {
	BPF_OBJ_GET_INFO_BY_FD, BPF_ATTR_END(info.info), obj_get_info_by_fd
};
