/* BPF_OBJ_PIN and BPF_OBJ_GET: objects in files of the file system bpf. */
#include "fs/calls/getname.h"
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/namei.h"
#include "fs/vfs/permission.h"
#include "trace/bpf/attach/link.h"
#include "trace/bpf/syscall/bpffs.h"
#include "trace/bpf/syscall/objects.h"

void bpf_pin_get(void *object, enum bpf_pin_kind kind)
{
	if (kind == BPF_PIN_PROG)
		bpf_prog_get(object);
	else if (kind == BPF_PIN_MAP)
		bpf_map_get_user(object);
	else
		bpf_link_get(object);
}

void bpf_pin_put(void *object, enum bpf_pin_kind kind)
{
	if (kind == BPF_PIN_PROG)
		bpf_prog_put(object);
	else if (kind == BPF_PIN_MAP)
		bpf_map_put_user(object);
	else
		bpf_link_put(object);
}

/* The object of an open file, counted, and its kind; NULL: another kind of file. */
static void *get_object(struct file *file, enum bpf_pin_kind *kind)
{
	void *object = bpf_map_of_file(file);

	*kind = BPF_PIN_MAP;
	if (!object) {
		object = bpf_prog_of_file(file);
		*kind = BPF_PIN_PROG;
	}
	if (!object) {
		object = bpf_link_of_file(file);
		*kind = BPF_PIN_LINK;
	}
	if (object)
		bpf_pin_get(object, *kind);
	return object;
}

static int pin_at(const char __user *pathname, void *object, enum bpf_pin_kind kind)
{
	struct filename *name = getname(pathname);
	struct dentry *dentry;
	struct path parent;
	int error;

	dentry = IS_ERR(name) ? ERR_PTR(PTR_ERR(name))
			      : kern_path_create(AT_FDCWD, name->name, &parent, false);
	putname(name);
	if (IS_ERR(dentry))
		return (int)PTR_ERR(dentry);
	error = bpffs_create(parent.dentry->d_inode, dentry, kind, object, 0600 & ~current_umask());
	done_path_create(&parent, dentry);
	return error;
}

static long obj_pin(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
		    u32 size __unused)
{
	struct fd f = fdget(attr->bpf_fd);
	enum bpf_pin_kind kind;
	void *object;
	int error = -EINVAL;

	object = f.file && !attr->file_flags ? get_object(f.file, &kind) : NULL;
	if (object)
		error = pin_at((const char __user *)attr->pathname, object, kind);
	if (object && error)
		bpf_pin_put(object, kind);
	fdput(f);
	return error;
}
static const struct bpf_command
	obj_pin_command BPF_COMMAND(obj_pin) = { BPF_OBJ_PIN, BPF_ATTR_END(file_flags), obj_pin };

/* A counted object at a path, or an ERR_PTR. */
static void *object_at(const struct path *path, int flags, enum bpf_pin_kind *kind)
{
	static const unsigned mask[] = { MAY_READ, MAY_WRITE, MAY_READ | MAY_WRITE };
	int error = path_permission(path, mask[flags]);
	void *object;

	if (error)
		return ERR_PTR(error);
	object = bpffs_object(path->dentry->d_inode, kind);
	if (!object)
		return ERR_PTR(-EACCES);
	bpf_pin_get(object, *kind);
	return object;
}

static int new_fd(void *object, enum bpf_pin_kind kind, int flags)
{
	if (kind == BPF_PIN_PROG)
		return bpf_prog_new_fd(object);
	if (kind == BPF_PIN_MAP)
		return bpf_map_new_fd(object, (unsigned)flags);
	return flags == O_RDWR ? bpf_link_new_fd(object) : -EINVAL;
}

static long obj_get(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
		    u32 size __unused)
{
	int flags = bpf_file_flags(attr->file_flags), fd;
	enum bpf_pin_kind kind;
	struct path path;
	void *object;

	if (attr->bpf_fd || (attr->file_flags & ~(BPF_F_RDONLY | BPF_F_WRONLY)) || flags < 0)
		return -EINVAL;
	fd = user_path_at(AT_FDCWD, (const char __user *)attr->pathname, 0, LOOKUP_FOLLOW, &path);
	if (fd)
		return fd;
	object = object_at(&path, flags, &kind);
	path_put(&path);
	if (IS_ERR(object))
		return PTR_ERR(object);
	fd = new_fd(object, kind, flags);
	if (fd < 0)
		bpf_pin_put(object, kind);
	return fd;
}
static const struct bpf_command
	obj_get_command BPF_COMMAND(obj_get) = { BPF_OBJ_GET, BPF_ATTR_END(file_flags), obj_get };
