/* The system calls on names: they copy the names, and call the do_…at() functions. */
#include "fs/vfs/fs_struct.h"
#include "fs/calls/getname.h"
#include "fs/vfs/namei.h"
#include "kernel/syscalls/syscalls.h"

static long mkdir_user(int dfd, const char __user *pathname, umode_t mode)
{
	struct filename *name = getname(pathname);
	long err;

	if (IS_ERR(name))
		return PTR_ERR(name);
	err = do_mkdirat(dfd, name->name, mode & (umode_t)~current_umask());
	putname(name);
	return err;
}

SYSCALL_DEFINE2(mkdir, const char __user *, pathname, umode_t, mode)
{
	return mkdir_user(AT_FDCWD, pathname, mode);
}

SYSCALL_DEFINE3(mkdirat, int, dfd, const char __user *, pathname, umode_t, mode)
{
	return mkdir_user(dfd, pathname, mode);
}

static long mknod_user(int dfd, const char __user *filename, umode_t mode, unsigned dev)
{
	struct filename *name = getname(filename);
	long err;

	if (IS_ERR(name))
		return PTR_ERR(name);
	err = do_mknodat(dfd, name->name, mode & (umode_t)~current_umask(), dev);
	putname(name);
	return err;
}

SYSCALL_DEFINE3(mknod, const char __user *, filename, umode_t, mode, unsigned, dev)
{
	return mknod_user(AT_FDCWD, filename, mode, dev);
}

SYSCALL_DEFINE4(mknodat, int, dfd, const char __user *, filename, umode_t, mode, unsigned int, dev)
{
	return mknod_user(dfd, filename, mode, dev);
}

static long rmdir_user(int dfd, const char __user *pathname)
{
	struct filename *name = getname(pathname);
	long err;

	if (IS_ERR(name))
		return PTR_ERR(name);
	err = do_rmdirat(dfd, name->name);
	putname(name);
	return err;
}

static long unlink_user(int dfd, const char __user *pathname)
{
	struct filename *name = getname(pathname);
	long err;

	if (IS_ERR(name))
		return PTR_ERR(name);
	err = do_unlinkat(dfd, name->name);
	putname(name);
	return err;
}

SYSCALL_DEFINE1(rmdir, const char __user *, pathname)
{
	return rmdir_user(AT_FDCWD, pathname);
}

SYSCALL_DEFINE1(unlink, const char __user *, pathname)
{
	return unlink_user(AT_FDCWD, pathname);
}

SYSCALL_DEFINE3(unlinkat, int, dfd, const char __user *, pathname, int, flag)
{
	if (flag & ~AT_REMOVEDIR)
		return -EINVAL;
	return flag ? rmdir_user(dfd, pathname) : unlink_user(dfd, pathname);
}

/* Copies two names, calls op for (one, two), which may be ERR_PTRs, and frees the names. */
#define WITH_TWO_NAMES(one_user, one_flags, two_user, op)                                          \
	({                                                                                         \
		struct filename *__one = getname_flags(one_user, one_flags);                       \
		struct filename *__two = getname(two_user);                                        \
		const char *one = filename_text(__one), *two = filename_text(__two);               \
		long __err = (op);                                                                 \
                                                                                                   \
		putname(__one);                                                                    \
		putname(__two);                                                                    \
		__err;                                                                             \
	})

static long symlink_user(const char __user *oldname, int newdfd, const char __user *newname)
{
	return WITH_TWO_NAMES(oldname, 0, newname,
			      IS_ERR(one) ? PTR_ERR(one) : do_symlinkat(one, newdfd, two));
}

SYSCALL_DEFINE2(symlink, const char __user *, oldname, const char __user *, newname)
{
	return symlink_user(oldname, AT_FDCWD, newname);
}

SYSCALL_DEFINE3(symlinkat, const char __user *, oldname, int, newdfd, const char __user *, newname)
{
	return symlink_user(oldname, newdfd, newname);
}

static long link_user(int olddfd, const char __user *oldname, int newdfd,
		      const char __user *newname, int flags)
{
	if (flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	return WITH_TWO_NAMES(oldname, flags, newname, do_linkat(olddfd, one, newdfd, two, flags));
}

SYSCALL_DEFINE2(link, const char __user *, oldname, const char __user *, newname)
{
	return link_user(AT_FDCWD, oldname, AT_FDCWD, newname, 0);
}

SYSCALL_DEFINE5(linkat, int, olddfd, const char __user *, oldname, int, newdfd, const char __user *,
		newname, int, flags)
{
	return link_user(olddfd, oldname, newdfd, newname, flags);
}

static long rename_user(int olddfd, const char __user *oldname, int newdfd,
			const char __user *newname, unsigned flags)
{
	return WITH_TWO_NAMES(oldname, 0, newname, do_renameat2(olddfd, one, newdfd, two, flags));
}

SYSCALL_DEFINE2(rename, const char __user *, oldname, const char __user *, newname)
{
	return rename_user(AT_FDCWD, oldname, AT_FDCWD, newname, 0);
}

SYSCALL_DEFINE4(renameat, int, olddfd, const char __user *, oldname, int, newdfd,
		const char __user *, newname)
{
	return rename_user(olddfd, oldname, newdfd, newname, 0);
}

SYSCALL_DEFINE5(renameat2, int, olddfd, const char __user *, oldname, int, newdfd,
		const char __user *, newname, unsigned int, flags)
{
	return rename_user(olddfd, oldname, newdfd, newname, flags);
}
