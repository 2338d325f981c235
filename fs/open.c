/* open, chdir, getcwd, chmod, truncate: system calls that work on names. */
#include "fs/internal.h"
#include "fs/namei.h"
#include "fs/namespace.h"
#include "fs/syscalls.h"
#include "kernel/lib/string.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/ktime.h"

/*
 * Walks to nd->last for O_CREAT, and creates the file if it does not exist (*created). Returns 0
 * (nd->path is the file), or 1 if a link's text has replaced nd->last, or a negative errno.
 */
static int lookup_create(struct nameidata *nd, int flags, umode_t mode, bool *created)
{
	struct inode *dir = nd->path.dentry->d_inode;
	struct dentry *dentry;
	int err = 0;

	if (nd->last_type != LAST_NORM)
		return flags & O_EXCL ? -EEXIST : -EISDIR;
	if (nd->trailing_slash)
		return -EISDIR;
	mutex_lock(&dir->i_mutex);
	dentry = lookup_locked(nd->path.dentry, &nd->last);
	if (!dentry) {
		dentry = d_alloc(nd->path.dentry, &nd->last);
		err = dentry ? vfs_create(dir, dentry, mode & ~FS_UMASK) : -ENOMEM;
		*created = !err;
	} else if (IS_ERR(dentry)) {
		err = (int)PTR_ERR(dentry);
		dentry = NULL;
	} else if (flags & O_EXCL) {
		err = -EEXIST;
	}
	mutex_unlock(&dir->i_mutex);
	if (!err && S_ISLNK(dentry->d_inode->i_mode))
		err = flags & O_NOFOLLOW ? -ELOOP : pick_link(nd, dentry);
	if (err)
		dput(dentry);
	else
		step_into(nd, dentry);
	return err;
}

static int open_last_lookups(struct nameidata *nd, int flags, umode_t mode, bool *created)
{
	int err;

	if (!(flags & O_CREAT))
		return path_lookupat(nd, (flags & O_NOFOLLOW ? 0 : LOOKUP_FOLLOW) |
						 (flags & O_DIRECTORY ? LOOKUP_DIRECTORY : 0));
	do {
		err = link_path_walk(nd);
		if (!err)
			err = lookup_create(nd, flags, mode, created);
	} while (err > 0);
	return err;
}

static int handle_truncate(struct inode *inode)
{
	int err;

	if (!S_ISREG(inode->i_mode) || !inode->i_op->truncate)
		return 0;
	mutex_lock(&inode->i_mutex);
	err = inode->i_op->truncate(inode, 0);
	inode->i_mtime = inode->i_ctime = ktime_get();
	mutex_unlock(&inode->i_mutex);
	return err;
}

static int may_open(const struct inode *inode, int flags)
{
	if (S_ISLNK(inode->i_mode))
		return -ELOOP;
	if (S_ISDIR(inode->i_mode) &&
	    ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC))))
		return -EISDIR;
	if ((flags & O_DIRECTORY) && !S_ISDIR(inode->i_mode))
		return -ENOTDIR;
	return 0;
}

static struct file *path_openat(struct nameidata *nd, int flags, umode_t mode)
{
	bool created = false;
	struct file *file;
	int err = open_last_lookups(nd, flags, mode, &created);

	if (!err)
		err = may_open(nd->path.dentry->d_inode, flags);
	if (err)
		return ERR_PTR(err);
	file = alloc_empty_file((unsigned)flags);
	if (IS_ERR(file))
		return file;
	err = vfs_open(&nd->path, file);
	/* These flags are for the open operation only. Linux clears them here too. */
	file->f_flags &= ~(unsigned)(O_CREAT | O_EXCL | O_TRUNC);
	if (!err && (flags & O_TRUNC) && !created)
		err = handle_truncate(nd->path.dentry->d_inode);
	if (err) {
		fput(file);
		return ERR_PTR(err);
	}
	return file;
}

/*
 * Opens a file: returns a counted file, or an ERR_PTR. mode: the permission bits of a new file. Not
 * inlined: traces show the function under Linux's name.
 */
static noinline struct file *do_filp_open(const char *path, int flags, umode_t mode)
{
	struct nameidata nd;
	struct file *file;
	int err;

	if ((flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY))
		return ERR_PTR(-EINVAL);
	err = nameidata_begin(&nd, path);
	if (err)
		return ERR_PTR(err);
	file = path_openat(&nd, flags, mode);
	nameidata_end(&nd);
	return file;
}

SYSCALL_DEFINE3(open, const char *, filename, int, flags, umode_t, mode)
{
	struct file *file;
	int fd;

	file = do_filp_open(filename, flags, mode);
	if (IS_ERR(file))
		return PTR_ERR(file);
	fd = fd_install_from(file, 0);
	if (fd < 0)
		fput(file);
	return fd;
}

SYSCALL_DEFINE1(chdir, const char *, filename)
{
	struct path path;
	int err;

	err = kern_path(filename, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &path);
	if (err)
		return err;
	err = set_current_cwd(&path);
	path_put(&path);
	return err;
}

SYSCALL_DEFINE2(getcwd, char *, buf, unsigned long, size)
{
	struct path cwd;
	char *name;
	size_t len;

	current_cwd(&cwd);
	name = d_path(&cwd, buf, size);
	if (!IS_ERR(name) && list_empty(&cwd.dentry->d_hash) && cwd.dentry != cwd.mnt->mnt_root)
		name = ERR_PTR(-ENOENT);
	path_put(&cwd);
	if (IS_ERR(name))
		return PTR_ERR(name) == -ENAMETOOLONG ? -ERANGE : PTR_ERR(name);
	len = strlen(name) + 1;
	memmove(buf, name, len);
	return (long)len;
}

SYSCALL_DEFINE2(chmod, const char *, filename, umode_t, mode)
{
	struct path path;
	struct inode *inode;
	int err;

	err = kern_path(filename, LOOKUP_FOLLOW, &path);
	if (err)
		return err;
	inode = path.dentry->d_inode;
	mutex_lock(&inode->i_mutex);
	inode->i_mode = (umode_t)((inode->i_mode & S_IFMT) | (mode & S_IALLUGO));
	inode->i_ctime = ktime_get();
	mutex_unlock(&inode->i_mutex);
	path_put(&path);
	return 0;
}

static long do_truncate(struct inode *inode, loff_t length)
{
	int err;

	if (S_ISDIR(inode->i_mode))
		return -EISDIR;
	if (!S_ISREG(inode->i_mode) || !inode->i_op->truncate)
		return -EINVAL;
	mutex_lock(&inode->i_mutex);
	err = inode->i_op->truncate(inode, length);
	if (!err)
		inode->i_mtime = inode->i_ctime = ktime_get();
	mutex_unlock(&inode->i_mutex);
	return err;
}

SYSCALL_DEFINE2(truncate, const char *, path, long, length)
{
	struct path found;
	long err;

	if (length < 0)
		return -EINVAL;
	err = kern_path(path, LOOKUP_FOLLOW, &found);
	if (err)
		return err;
	err = do_truncate(found.dentry->d_inode, length);
	path_put(&found);
	return err;
}

SYSCALL_DEFINE2(ftruncate, unsigned int, fd, off_t, length)
{
	struct file *file;
	long err;

	if (length < 0)
		return -EINVAL;
	file = fget((int)fd);
	if (!file)
		return -EBADF;
	err = file->f_mode & FMODE_WRITE ? do_truncate(file->f_inode, length) : -EINVAL;
	fput(file);
	return err;
}
