/*
 * The system calls of extended attributes, xattr(7). Each finds the file, checks the arguments and
 * the permission in Linux's order, and then asks the inode. A file system without attributes ends
 * with -EOPNOTSUPP, and has empty lists.
 */
#include "fs/vfs/dcache.h"
#include "fs/file/file.h"
#include "fs/vfs/getname.h"
#include "fs/notify/fsnotify.h"
#include "fs/vfs/permission.h"
#include "fs/xattr/simple_xattr.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/syscalls/syscalls.h"

#define XATTR_NAME_MAX 255   /* bytes of a name, without its NUL */
#define XATTR_SIZE_MAX 65536 /* bytes of a value */
#define XATTR_LIST_MAX 65536 /* bytes of a list */

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

/*
 * Whether the file may have an attribute of this name. The capabilities of programs are refused,
 * because exec would not give them.
 */
static bool inode_keeps_xattr(const struct inode *inode, const char *name)
{
	const struct super_operations *s_op = inode->i_sb->s_op;

	return s_op && s_op->keeps_xattrs && strcmp(name, "security.capability") &&
	       (strstarts(name, "trusted.") || strstarts(name, "security."));
}

/* 0; -EOPNOTSUPP; -EINVAL: the name has a class only. */
static int check_class(const struct inode *inode, const char *name)
{
	if (!inode_keeps_xattr(inode, name))
		return -EOPNOTSUPP;
	return *(strchr(name, '.') + 1) ? 0 : -EINVAL;
}

/* Each class of names has its own rules, which xattr(7) describes. mask: MAY_READ or MAY_WRITE. */
static int xattr_permission(struct inode *inode, const char *name, unsigned mask)
{
	int refused = mask == MAY_WRITE ? -EPERM : -ENODATA;
	umode_t mode = READ_ONCE(inode->i_mode);

	/* What Linux without a security module does. */
	if (strstarts(name, "security."))
		return mask == MAY_READ || !inode_keeps_xattr(inode, name) || capable(CAP_SYS_ADMIN)
			       ? 0
			       : refused;
	if (strstarts(name, "system."))
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

/* The whole value in an allocation of its own, which ends with a NUL; or an ERR_PTR. */
static char *copy_value(const struct xattr_value *value)
{
	char *copy;

	if (value->size > XATTR_SIZE_MAX)
		return ERR_PTR(-E2BIG);
	copy = kzalloc(value->size + 1, GFP_KERNEL);
	if (!copy)
		return ERR_PTR(-ENOMEM);
	if (value->size && copy_from_user(copy, value->data, value->size)) {
		kfree(copy);
		return ERR_PTR(-EFAULT);
	}
	return copy;
}

/* i_mutex is held, until the attribute is changed: the permission depends on owner and mode. */
static int check_set(struct inode *inode, const char *name, const char *value, size_t size)
{
	u32 header = 0;

	if (size && !strcmp(name, "security.capability")) {
		memcpy(&header, value, min(size, sizeof(header)));
		return check_capability(header, size);
	}
	return xattr_permission(inode, name, MAY_WRITE);
}

/* value NULL: removes the attribute. */
static int change_xattr(const struct path *path, const char *name, const char *value, size_t size,
			int flags)
{
	struct inode *inode = path->dentry->d_inode;
	int err;

	mutex_lock(&inode->i_mutex);
	err = check_set(inode, name, value, size);
	if (!err)
		err = check_class(inode, name);
	if (!err)
		err = simple_xattr_set(inode, name, value, size, flags);
	if (!err)
		inode->i_ctime = inode_now();
	mutex_unlock(&inode->i_mutex);
	if (!err)
		fsnotify_dentry(path->dentry, IN_ATTRIB);
	return err;
}

static int vfs_setxattr(const struct path *path, const char __user *user_name,
			const struct xattr_value *value)
{
	char name[XATTR_NAME_MAX + 1], *copy;
	int err = mnt_want_write(path);

	if (err)
		return err;
	if (value->flags & ~(XATTR_CREATE | XATTR_REPLACE))
		return -EINVAL;
	err = copy_name(name, user_name);
	if (err)
		return err;
	copy = copy_value(value);
	if (IS_ERR(copy))
		return (int)PTR_ERR(copy);
	err = change_xattr(path, name, copy, value->size, value->flags);
	kfree(copy);
	return err;
}

static ssize_t vfs_getxattr(const struct path *path, const char __user *user_name,
			    void __user *value, size_t size)
{
	struct inode *inode = path->dentry->d_inode;
	char name[XATTR_NAME_MAX + 1], *copy;
	ssize_t got = copy_name(name, user_name);

	if (!got)
		got = xattr_permission(inode, name, MAY_READ);
	if (!got)
		got = check_class(inode, name);
	if (got)
		return got;
	size = min(size, (size_t)XATTR_SIZE_MAX);
	copy = kmalloc(size + 1, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	mutex_lock(&inode->i_mutex);
	got = simple_xattr_get(inode, name, copy, size);
	mutex_unlock(&inode->i_mutex);
	if (got > 0 && size && copy_to_user(value, copy, (size_t)got))
		got = -EFAULT;
	kfree(copy);
	return got;
}

static ssize_t vfs_listxattr(const struct path *path, char __user *list, size_t size)
{
	struct inode *inode = path->dentry->d_inode;
	char *copy;
	ssize_t got;

	size = min(size, (size_t)XATTR_LIST_MAX);
	copy = kmalloc(size + 1, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	mutex_lock(&inode->i_mutex);
	got = simple_xattr_list(inode, copy, size, capable(CAP_SYS_ADMIN));
	mutex_unlock(&inode->i_mutex);
	if (got > 0 && size && copy_to_user(list, copy, (size_t)got))
		got = -EFAULT;
	kfree(copy);
	return got;
}

static int vfs_removexattr(const struct path *path, const char __user *user_name)
{
	char name[XATTR_NAME_MAX + 1];
	int err = mnt_want_write(path);

	if (!err)
		err = copy_name(name, user_name);
	return err ? err : change_xattr(path, name, NULL, 0, XATTR_REPLACE);
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

/* Restricted: no file system keeps attributes of the class user, nor security.capability. */
SYSCALL_DEFINE5(setxattr, const char __user *, pathname, const char __user *, name,
		const void __user *, value, size_t, size, int, flags)
{
	struct xattr_value set = { value, size, flags };

	return path_setxattr(pathname, LOOKUP_FOLLOW, name, &set);
}

/* Restricted: no file system keeps attributes of the class user, nor security.capability. */
SYSCALL_DEFINE5(lsetxattr, const char __user *, pathname, const char __user *, name,
		const void __user *, value, size_t, size, int, flags)
{
	struct xattr_value set = { value, size, flags };

	return path_setxattr(pathname, 0, name, &set);
}

/* Restricted: no file system keeps attributes of the class user, nor security.capability. */
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

static long path_getxattr(const char __user *pathname, unsigned lookup, const char __user *name,
			  void __user *value, size_t size)
{
	struct path path;
	ssize_t err = user_path_at(AT_FDCWD, pathname, 0, lookup, &path);

	if (err)
		return err;
	err = vfs_getxattr(&path, name, value, size);
	path_put(&path);
	return err;
}

SYSCALL_DEFINE4(getxattr, const char __user *, pathname, const char __user *, name, void __user *,
		value, size_t, size)
{
	return path_getxattr(pathname, LOOKUP_FOLLOW, name, value, size);
}

SYSCALL_DEFINE4(lgetxattr, const char __user *, pathname, const char __user *, name, void __user *,
		value, size_t, size)
{
	return path_getxattr(pathname, 0, name, value, size);
}

/* Restricted: a socket has no system.sockprotoname. */
SYSCALL_DEFINE4(fgetxattr, int, fd, const char __user *, name, void __user *, value, size_t, size)
{
	struct fd f = fdget((unsigned)fd);
	ssize_t err;

	if (!f.file)
		return -EBADF;
	err = vfs_getxattr(&f.file->f_path, name, value, size);
	fdput(f);
	return err;
}

/* ---- listxattr ---- */

static long path_listxattr(const char __user *pathname, unsigned lookup, char __user *list,
			   size_t size)
{
	struct path path;
	ssize_t err = user_path_at(AT_FDCWD, pathname, 0, lookup, &path);

	if (err)
		return err;
	err = vfs_listxattr(&path, list, size);
	path_put(&path);
	return err;
}

SYSCALL_DEFINE3(listxattr, const char __user *, pathname, char __user *, list, size_t, size)
{
	return path_listxattr(pathname, LOOKUP_FOLLOW, list, size);
}

SYSCALL_DEFINE3(llistxattr, const char __user *, pathname, char __user *, list, size_t, size)
{
	return path_listxattr(pathname, 0, list, size);
}

/* Restricted: a socket has no system.sockprotoname. */
SYSCALL_DEFINE3(flistxattr, int, fd, char __user *, list, size_t, size)
{
	struct fd f = fdget((unsigned)fd);
	ssize_t err;

	if (!f.file)
		return -EBADF;
	err = vfs_listxattr(&f.file->f_path, list, size);
	fdput(f);
	return err;
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
