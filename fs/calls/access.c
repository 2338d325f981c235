/* access(2), chdir(2), chroot(2): what the current task may use, and where it is. */
#include "fs/file/file.h"
#include "fs/vfs/fs_struct.h"
#include "fs/calls/getname.h"
#include "fs/vfs/permission.h"
#include "kernel/syscalls/syscalls.h"

/*
 * access(2) asks for the real ids, which a program with S_ISUID uses to ask for its user. Linux
 * gives a real user that is not root no capabilities.
 *
 * Returns credentials that say so, or NULL: memory is short.
 */
static const struct cred *real_id_creds(void)
{
	struct cred *cred = prepare_creds();

	if (!cred)
		return NULL;
	cred->fsuid = cred->uid;
	cred->fsgid = cred->gid;
	cred->cap_effective = cred->uid ? 0 : cred->cap_permitted;
	return cred;
}

static long access_at(int dfd, const char __user *filename, int mode, int flags)
{
	struct path path;
	int err;

	err = user_path_at(dfd, filename, flags & AT_EMPTY_PATH,
			   flags & AT_SYMLINK_NOFOLLOW ? 0 : LOOKUP_FOLLOW, &path);
	if (err)
		return err;
	if (mode)
		err = path_permission(&path, (unsigned)mode);
	path_put(&path);
	return err;
}

static long do_faccessat(int dfd, const char __user *filename, int mode, int flags)
{
	const struct cred *old, *cred;
	long err;

	/* The bits R_OK, W_OK, X_OK are MAY_READ, MAY_WRITE, MAY_EXEC. */
	if (mode & ~7)
		return -EINVAL;
	if (flags & ~(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	old = current_cred();
	if ((flags & AT_EACCESS) || (old->fsuid == old->uid && old->fsgid == old->gid))
		return access_at(dfd, filename, mode, flags);
	cred = real_id_creds();
	if (!cred)
		return -ENOMEM;
	current->cred = cred;
	err = access_at(dfd, filename, mode, flags);
	current->cred = old;
	put_cred(cred);
	return err;
}

SYSCALL_DEFINE2(access, const char __user *, filename, int, mode)
{
	return do_faccessat(AT_FDCWD, filename, mode, 0);
}

SYSCALL_DEFINE3(faccessat, int, dfd, const char __user *, filename, int, mode)
{
	return do_faccessat(dfd, filename, mode, 0);
}

SYSCALL_DEFINE4(faccessat2, int, dfd, const char __user *, filename, int, mode, int, flags)
{
	return do_faccessat(dfd, filename, mode, flags);
}

SYSCALL_DEFINE1(chdir, const char __user *, filename)
{
	struct path path;
	int err = user_path_at(AT_FDCWD, filename, 0, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &path);

	if (err)
		return err;
	err = inode_permission(path.dentry->d_inode, MAY_EXEC);
	if (!err)
		err = set_current_pwd(&path);
	path_put(&path);
	return err;
}

SYSCALL_DEFINE1(fchdir, unsigned int, fd)
{
	struct fd f = fdget_raw(fd);
	int err;

	if (!f.file)
		return -EBADF;
	if (!S_ISDIR(f.file->f_inode->i_mode))
		err = -ENOTDIR;
	else
		err = inode_permission(f.file->f_inode, MAY_EXEC);
	if (!err)
		err = set_current_pwd(&f.file->f_path);
	fdput(f);
	return err;
}

SYSCALL_DEFINE1(chroot, const char __user *, filename)
{
	struct path path;
	int err = user_path_at(AT_FDCWD, filename, 0, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &path);

	if (err)
		return err;
	err = inode_permission(path.dentry->d_inode, MAY_EXEC);
	if (!err && !capable(CAP_SYS_CHROOT))
		err = -EPERM;
	if (!err)
		err = set_current_root(&path);
	path_put(&path);
	return err;
}
