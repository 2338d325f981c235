/*
 * The system calls of extended attributes, xattr(7). No file system keeps any: lists are empty, and
 * the other calls find the file, check their arguments in Linux's order, and end with -EOPNOTSUPP.
 */
#include "fs/file/file.h"
#include "fs/calls/getname.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/permission.h"
#include "kernel/syscalls/syscalls.h"

#define XATTR_FLAGS    3     /* XATTR_CREATE and XATTR_REPLACE */
#define XATTR_NAME_MAX 255   /* bytes of a name, without its NUL */
#define XATTR_SIZE_MAX 65536 /* bytes of a value */

enum xattr_call { SET, GET, LIST, REMOVE };

/* The arguments of a call: those that it does not have are 0. */
struct xattr_args {
	enum xattr_call call;
	const char __user *name;
	size_t size;
	int flags;
};

static int check_name(const char __user *from)
{
	char name[XATTR_NAME_MAX + 1];
	long len = strncpy_from_user(name, from, sizeof(name));

	if (len < 0)
		return -EFAULT;
	return len == 0 || len > XATTR_NAME_MAX ? -ERANGE : 0;
}

static long xattr_of(const struct path *path, const struct xattr_args *args)
{
	bool change = args->call == SET || args->call == REMOVE;
	int err = change ? mnt_want_write(path) : 0;

	if (err || args->call == LIST)
		return err;
	if (args->call == SET && (args->flags & ~XATTR_FLAGS))
		return -EINVAL;
	err = check_name(args->name);
	if (err)
		return err;
	return args->call == SET && args->size > XATTR_SIZE_MAX ? -E2BIG : -EOPNOTSUPP;
}

static long path_xattr(const char __user *pathname, unsigned lookup, struct xattr_args args)
{
	struct path path;
	long err = user_path_at(AT_FDCWD, pathname, 0, lookup, &path);

	if (err)
		return err;
	err = xattr_of(&path, &args);
	path_put(&path);
	return err;
}

static long fd_xattr(int fd, struct xattr_args args)
{
	struct fd f = fdget((unsigned)fd);
	long err;

	if (!f.file)
		return -EBADF;
	err = xattr_of(&f.file->f_path, &args);
	fdput(f);
	return err;
}

/* Restricted: EOPNOTSUPP: no file system keeps attributes. */
SYSCALL_DEFINE5(setxattr, const char __user *, pathname, const char __user *, name,
		const void __user *, value, size_t, size, int, flags)
{
	(void)value;
	return path_xattr(pathname, LOOKUP_FOLLOW, (struct xattr_args){ SET, name, size, flags });
}

/* Restricted: EOPNOTSUPP: no file system keeps attributes. */
SYSCALL_DEFINE5(lsetxattr, const char __user *, pathname, const char __user *, name,
		const void __user *, value, size_t, size, int, flags)
{
	(void)value;
	return path_xattr(pathname, 0, (struct xattr_args){ SET, name, size, flags });
}

/* Restricted: EOPNOTSUPP: no file system keeps attributes. */
SYSCALL_DEFINE5(fsetxattr, int, fd, const char __user *, name, const void __user *, value, size_t,
		size, int, flags)
{
	(void)value;
	return fd_xattr(fd, (struct xattr_args){ SET, name, size, flags });
}

/* Restricted: EOPNOTSUPP: no file system keeps attributes. */
SYSCALL_DEFINE4(getxattr, const char __user *, pathname, const char __user *, name, void __user *,
		value, size_t, size)
{
	(void)value;
	return path_xattr(pathname, LOOKUP_FOLLOW, (struct xattr_args){ GET, name, size, 0 });
}

/* Restricted: EOPNOTSUPP: no file system keeps attributes. */
SYSCALL_DEFINE4(lgetxattr, const char __user *, pathname, const char __user *, name, void __user *,
		value, size_t, size)
{
	(void)value;
	return path_xattr(pathname, 0, (struct xattr_args){ GET, name, size, 0 });
}

/* Restricted: EOPNOTSUPP: no file system keeps attributes. */
SYSCALL_DEFINE4(fgetxattr, int, fd, const char __user *, name, void __user *, value, size_t, size)
{
	(void)value;
	return fd_xattr(fd, (struct xattr_args){ GET, name, size, 0 });
}

SYSCALL_DEFINE3(listxattr, const char __user *, pathname, char __user *, list, size_t, size)
{
	(void)list;
	(void)size;
	return path_xattr(pathname, LOOKUP_FOLLOW, (struct xattr_args){ LIST, NULL, 0, 0 });
}

SYSCALL_DEFINE3(llistxattr, const char __user *, pathname, char __user *, list, size_t, size)
{
	(void)list;
	(void)size;
	return path_xattr(pathname, 0, (struct xattr_args){ LIST, NULL, 0, 0 });
}

SYSCALL_DEFINE3(flistxattr, int, fd, char __user *, list, size_t, size)
{
	(void)list;
	(void)size;
	return fd_xattr(fd, (struct xattr_args){ LIST, NULL, 0, 0 });
}

/* Restricted: EOPNOTSUPP: no file system keeps attributes. */
SYSCALL_DEFINE2(removexattr, const char __user *, pathname, const char __user *, name)
{
	return path_xattr(pathname, LOOKUP_FOLLOW, (struct xattr_args){ REMOVE, name, 0, 0 });
}

/* Restricted: EOPNOTSUPP: no file system keeps attributes. */
SYSCALL_DEFINE2(lremovexattr, const char __user *, pathname, const char __user *, name)
{
	return path_xattr(pathname, 0, (struct xattr_args){ REMOVE, name, 0, 0 });
}

/* Restricted: EOPNOTSUPP: no file system keeps attributes. */
SYSCALL_DEFINE2(fremovexattr, int, fd, const char __user *, name)
{
	return fd_xattr(fd, (struct xattr_args){ REMOVE, name, 0, 0 });
}
