/*
 * The system calls of extended attributes, xattr(7). No file system of nop5 keeps any, so each call
 * does what Linux's does on such a file system: it finds the file, checks the arguments and the
 * permission, and ends with -EOPNOTSUPP. A list of attributes is empty.
 */
#include "fs/file.h"
#include "fs/getname.h"
#include "fs/permission.h"
#include "kernel/lib/string.h"
#include "kernel/syscalls/syscalls.h"

#define XATTR_NAME_MAX 255   /* bytes of a name, without its NUL */
#define XATTR_SIZE_MAX 65536 /* bytes of a value */

#define XATTR_CREATE  1
#define XATTR_REPLACE 2

/* A value that setxattr(2) wants to set. */
struct xattr_value {
	const char __user *data;
	size_t size;
	int flags; /* XATTR_* */
};

/* name holds XATTR_NAME_MAX + 1 bytes. */
static int copy_name(char *name, const char __user *from)
{
	long len = strncpy_from_user(name, from, XATTR_NAME_MAX + 1);

	if (len < 0)
		return -EFAULT;
	return len == 0 || len > XATTR_NAME_MAX ? -ERANGE : 0;
}

/* Each class of names has its own rules, which xattr(7) describes. mask: MAY_READ or MAY_WRITE. */
static int xattr_permission(struct inode *inode, const char *name, unsigned mask)
{
	int refused = mask == MAY_WRITE ? -EPERM : -ENODATA;
	umode_t mode = READ_ONCE(inode->i_mode);

	if (strstarts(name, "security.") || strstarts(name, "system."))
		return 0;
	if (strstarts(name, "trusted."))
		return capable(CAP_SYS_ADMIN) ? 0 : refused;
	if (strstarts(name, "user.")) {
		if (!S_ISREG(mode) && !S_ISDIR(mode))
			return refused;
		/* Else each user could fill the attributes of /tmp. */
		if (S_ISDIR(mode) && (mode & S_ISVTX) && mask == MAY_WRITE &&
		    !inode_owner_or_capable(inode))
			return -EPERM;
	}
	return inode_permission(inode, mask);
}

/* The capabilities of a program, as capabilities(7) describes them: a header, then bit masks. */
#define VFS_CAP_FLAGS_EFFECTIVE 1U
#define VFS_CAP_REVISION_2      0x02000000U
#define VFS_CAP_REVISION_3      0x03000000U
#define XATTR_CAPS_SZ_2         20
#define XATTR_CAPS_SZ_3         24

static int check_capability(u32 header, size_t size)
{
	header &= ~VFS_CAP_FLAGS_EFFECTIVE;
	if (!(header == VFS_CAP_REVISION_2 && size == XATTR_CAPS_SZ_2) &&
	    !(header == VFS_CAP_REVISION_3 && size == XATTR_CAPS_SZ_3))
		return -EINVAL;
	return capable(CAP_SETFCAP) ? 0 : -EPERM;
}

/*
 * Reads the whole value, piece by piece, because a bad address in it is an error. *header: its
 * first bytes.
 */
static int read_value(const struct xattr_value *value, u32 *header)
{
	char piece[256];

	if (value->size > XATTR_SIZE_MAX)
		return -E2BIG;
	for (size_t done = 0, n; done < value->size; done += n) {
		n = value->size - done < sizeof(piece) ? value->size - done : sizeof(piece);
		if (copy_from_user(piece, value->data + done, n))
			return -EFAULT;
		if (!done)
			memcpy(header, piece, n < sizeof(*header) ? n : sizeof(*header));
	}
	return 0;
}

static int vfs_setxattr(const struct path *path, const char __user *user_name,
			const struct xattr_value *value)
{
	char name[XATTR_NAME_MAX + 1];
	u32 header = 0;
	int err = mnt_want_write(path);

	if (err)
		return err;
	if (value->flags & ~(XATTR_CREATE | XATTR_REPLACE))
		return -EINVAL;
	err = copy_name(name, user_name);
	if (err)
		return err;
	err = read_value(value, &header);
	if (err)
		return err;
	if (value->size && !strcmp(name, "security.capability"))
		err = check_capability(header, value->size);
	else
		err = xattr_permission(path->dentry->d_inode, name, MAY_WRITE);
	return err ? err : -EOPNOTSUPP;
}

static int vfs_getxattr(const struct path *path, const char __user *user_name)
{
	char name[XATTR_NAME_MAX + 1];
	int err = copy_name(name, user_name);

	if (!err)
		err = xattr_permission(path->dentry->d_inode, name, MAY_READ);
	return err ? err : -EOPNOTSUPP;
}

static int vfs_removexattr(const struct path *path, const char __user *user_name)
{
	char name[XATTR_NAME_MAX + 1];
	int err = mnt_want_write(path);

	if (!err)
		err = copy_name(name, user_name);
	if (!err)
		err = xattr_permission(path->dentry->d_inode, name, MAY_WRITE);
	return err ? err : -EOPNOTSUPP;
}

/* ---- setxattr ---- */

static long path_setxattr(const char __user *pathname, unsigned lookup, const char __user *name,
			  const struct xattr_value *value)
{
	struct path path;
	int err = user_path_at(AT_FDCWD, pathname, 0, lookup, &path);

	if (err)
		return err;
	err = vfs_setxattr(&path, name, value);
	path_put(&path);
	return err;
}

/* Restricted: no file system keeps attributes. */
SYSCALL_DEFINE5(setxattr, const char __user *, pathname, const char __user *, name,
		const void __user *, value, size_t, size, int, flags)
{
	struct xattr_value set = { value, size, flags };

	return path_setxattr(pathname, LOOKUP_FOLLOW, name, &set);
}

/* Restricted: no file system keeps attributes. */
SYSCALL_DEFINE5(lsetxattr, const char __user *, pathname, const char __user *, name,
		const void __user *, value, size_t, size, int, flags)
{
	struct xattr_value set = { value, size, flags };

	return path_setxattr(pathname, 0, name, &set);
}

/* Restricted: no file system keeps attributes. */
SYSCALL_DEFINE5(fsetxattr, int, fd, const char __user *, name, const void __user *, value, size_t,
		size, int, flags)
{
	struct xattr_value set = { value, size, flags };
	struct fd f = fdget((unsigned)fd);
	int err;

	if (!f.file)
		return -EBADF;
	err = vfs_setxattr(&f.file->f_path, name, &set);
	fdput(f);
	return err;
}

/* ---- getxattr ---- */

static long path_getxattr(const char __user *pathname, unsigned lookup, const char __user *name)
{
	struct path path;
	int err = user_path_at(AT_FDCWD, pathname, 0, lookup, &path);

	if (err)
		return err;
	err = vfs_getxattr(&path, name);
	path_put(&path);
	return err;
}

SYSCALL_DEFINE4(getxattr, const char __user *, pathname, const char __user *, name, void __user *,
		value, size_t, size)
{
	(void)value, (void)size;
	return path_getxattr(pathname, LOOKUP_FOLLOW, name);
}

SYSCALL_DEFINE4(lgetxattr, const char __user *, pathname, const char __user *, name, void __user *,
		value, size_t, size)
{
	(void)value, (void)size;
	return path_getxattr(pathname, 0, name);
}

/* Restricted: a socket has no system.sockprotoname. */
SYSCALL_DEFINE4(fgetxattr, int, fd, const char __user *, name, void __user *, value, size_t, size)
{
	struct fd f = fdget((unsigned)fd);
	int err;

	(void)value, (void)size;
	if (!f.file)
		return -EBADF;
	err = vfs_getxattr(&f.file->f_path, name);
	fdput(f);
	return err;
}

/* ---- listxattr ---- */

static long path_listxattr(const char __user *pathname, unsigned lookup)
{
	struct path path;
	int err = user_path_at(AT_FDCWD, pathname, 0, lookup, &path);

	if (!err)
		path_put(&path);
	return err;
}

SYSCALL_DEFINE3(listxattr, const char __user *, pathname, char __user *, list, size_t, size)
{
	(void)list, (void)size;
	return path_listxattr(pathname, LOOKUP_FOLLOW);
}

SYSCALL_DEFINE3(llistxattr, const char __user *, pathname, char __user *, list, size_t, size)
{
	(void)list, (void)size;
	return path_listxattr(pathname, 0);
}

/* Restricted: a socket has no system.sockprotoname. */
SYSCALL_DEFINE3(flistxattr, int, fd, char __user *, list, size_t, size)
{
	struct fd f = fdget((unsigned)fd);

	(void)list, (void)size;
	if (!f.file)
		return -EBADF;
	fdput(f);
	return 0;
}

/* ---- removexattr ---- */

static long path_removexattr(const char __user *pathname, unsigned lookup, const char __user *name)
{
	struct path path;
	int err = user_path_at(AT_FDCWD, pathname, 0, lookup, &path);

	if (err)
		return err;
	err = vfs_removexattr(&path, name);
	path_put(&path);
	return err;
}

SYSCALL_DEFINE2(removexattr, const char __user *, pathname, const char __user *, name)
{
	return path_removexattr(pathname, LOOKUP_FOLLOW, name);
}

SYSCALL_DEFINE2(lremovexattr, const char __user *, pathname, const char __user *, name)
{
	return path_removexattr(pathname, 0, name);
}

SYSCALL_DEFINE2(fremovexattr, int, fd, const char __user *, name)
{
	struct fd f = fdget((unsigned)fd);
	int err;

	if (!f.file)
		return -EBADF;
	err = vfs_removexattr(&f.file->f_path, name);
	fdput(f);
	return err;
}
