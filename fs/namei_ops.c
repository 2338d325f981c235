/* Creation and removal of names: mkdir, rmdir, unlink, symlink, and new files. */
#include "fs/internal.h"
#include "fs/namei.h"
#include "fs/syscalls.h"
#include "kernel/lib/string.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/ktime.h"

static void touch_dir(struct inode *dir)
{
	dir->i_mtime = dir->i_ctime = ktime_get();
}

int vfs_create(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	int err;

	if (!dir->i_op->create)
		return -EACCES;
	err = dir->i_op->create(dir, dentry, (mode & S_IALLUGO) | S_IFREG);
	if (!err)
		touch_dir(dir);
	return err;
}

/* Not inlined: traces show the function under Linux's name. */
static noinline int vfs_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	int err;

	if (!dir->i_op->mkdir)
		return -EPERM;
	err = dir->i_op->mkdir(dir, dentry, (mode & (S_IRWXUGO | S_ISVTX)) | S_IFDIR);
	if (!err)
		touch_dir(dir);
	return err;
}

static int vfs_symlink(struct inode *dir, struct dentry *dentry, const char *target)
{
	int err;

	if (!dir->i_op->symlink)
		return -EPERM;
	err = dir->i_op->symlink(dir, dentry, target);
	if (!err)
		touch_dir(dir);
	return err;
}

/* Removes a name, unless the file system's remove operation refuses. NULL: -EPERM. */
static int remove_name(struct inode *dir, struct dentry *dentry,
		       int (*remove)(struct inode *dir, struct dentry *dentry))
{
	int err;

	if (!remove)
		return -EPERM;
	if (d_mountpoint(dentry))
		return -EBUSY;
	err = remove(dir, dentry);
	if (!err) {
		d_delete(dentry);
		touch_dir(dir);
	}
	return err;
}

static int vfs_rmdir(struct inode *dir, struct dentry *dentry)
{
	if (!S_ISDIR(dentry->d_inode->i_mode))
		return -ENOTDIR;
	return remove_name(dir, dentry, dir->i_op->rmdir);
}

static int vfs_unlink(struct inode *dir, struct dentry *dentry)
{
	if (S_ISDIR(dentry->d_inode->i_mode))
		return -EISDIR;
	return remove_name(dir, dentry, dir->i_op->unlink);
}

/*
 * Returns a new dentry for the last component of name, and a counted *parent. Locks the i_mutex of
 * the parent; done_path_create() unlocks it. Errors: -EEXIST, and those of a path walk. directory:
 * name may end in a slash.
 */
static struct dentry *kern_path_create(const char *name, struct path *parent, bool directory)
{
	struct nameidata nd;
	struct dentry *dentry;
	int err = nameidata_begin(&nd, name);

	if (err)
		return ERR_PTR(err);
	err = link_path_walk(&nd);
	if (!err && nd.last_type != LAST_NORM)
		err = -EEXIST;
	if (err) {
		nameidata_end(&nd);
		return ERR_PTR(err);
	}
	mutex_lock(&nd.path.dentry->d_inode->i_mutex);
	dentry = lookup_locked(nd.path.dentry, &nd.last);
	if (!dentry && nd.trailing_slash && !directory) {
		dentry = ERR_PTR(-ENOENT);
	} else if (!dentry) {
		dentry = d_alloc(nd.path.dentry, &nd.last);
		dentry = dentry ? dentry : ERR_PTR(-ENOMEM);
	} else if (!IS_ERR(dentry)) {
		dput(dentry);
		dentry = ERR_PTR(-EEXIST);
	}
	if (IS_ERR(dentry)) {
		mutex_unlock(&nd.path.dentry->d_inode->i_mutex);
	} else {
		*parent = nd.path;
		path_get(parent);
	}
	nameidata_end(&nd);
	return dentry;
}

static void done_path_create(struct path *parent, struct dentry *dentry)
{
	dput(dentry);
	mutex_unlock(&parent->dentry->d_inode->i_mutex);
	path_put(parent);
}

SYSCALL_DEFINE2(mkdir, const char *, pathname, umode_t, mode)
{
	struct path parent;
	struct dentry *dentry;
	int err;

	dentry = kern_path_create(pathname, &parent, true);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	err = vfs_mkdir(parent.dentry->d_inode, dentry, mode & ~FS_UMASK);
	done_path_create(&parent, dentry);
	return err;
}

SYSCALL_DEFINE2(symlink, const char *, oldname, const char *, newname)
{
	size_t len = strnlen(oldname, PATH_MAX);
	struct path parent;
	struct dentry *dentry;
	int err;

	if (len == 0)
		return -ENOENT;
	if (len == PATH_MAX)
		return -ENAMETOOLONG;
	dentry = kern_path_create(newname, &parent, false);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	err = vfs_symlink(parent.dentry->d_inode, dentry, oldname);
	done_path_create(&parent, dentry);
	return err;
}

/* Finds the last component and calls remove() for it, with the directory's i_mutex held. */
static int remove_last(struct nameidata *nd,
		       int (*remove)(struct inode *dir, struct dentry *dentry), bool directory)
{
	struct inode *dir = nd->path.dentry->d_inode;
	struct dentry *dentry;
	int err;

	mutex_lock(&dir->i_mutex);
	dentry = lookup_locked(nd->path.dentry, &nd->last);
	if (IS_ERR_OR_NULL(dentry)) {
		err = dentry ? (int)PTR_ERR(dentry) : -ENOENT;
		dentry = NULL;
	} else if (!directory && nd->trailing_slash && !S_ISDIR(dentry->d_inode->i_mode)) {
		err = -ENOTDIR;
	} else {
		err = remove(dir, dentry);
	}
	mutex_unlock(&dir->i_mutex);
	/* After the unlock, because this may free all pages of the file. */
	dput(dentry);
	return err;
}

SYSCALL_DEFINE1(rmdir, const char *, pathname)
{
	static const int by_last_type[] = {
		[LAST_ROOT] = -EBUSY, [LAST_DOT] = -EINVAL, [LAST_DOTDOT] = -ENOTEMPTY
	};
	struct nameidata nd;
	int err;

	err = nameidata_begin(&nd, pathname);
	if (err)
		return err;
	err = link_path_walk(&nd);
	if (!err)
		err = nd.last_type == LAST_NORM ? remove_last(&nd, vfs_rmdir, true)
						: by_last_type[nd.last_type];
	nameidata_end(&nd);
	return err;
}

SYSCALL_DEFINE1(unlink, const char *, pathname)
{
	struct nameidata nd;
	int err;

	err = nameidata_begin(&nd, pathname);
	if (err)
		return err;
	err = link_path_walk(&nd);
	if (!err)
		err = nd.last_type == LAST_NORM ? remove_last(&nd, vfs_unlink, false) : -EISDIR;
	nameidata_end(&nd);
	return err;
}
