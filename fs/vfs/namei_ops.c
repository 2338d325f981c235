/* Creation and removal of names: mkdir, mknod, symlink, rmdir, unlink, and new files. */
#include "fs/vfs/internal.h"
#include "fs/vfs/namei.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/fsnotify.h"
#include "fs/vfs/permission.h"
#include "kernel/lib/string.h"

void touch_dir(struct inode *dir)
{
	dir->i_mtime = dir->i_ctime = inode_now();
}

int may_create(struct inode *dir, const struct dentry *parent)
{
	if (READ_ONCE(parent->d_flags) & DCACHE_DEAD)
		return -ENOENT;
	return inode_permission(dir, MAY_WRITE | MAY_EXEC);
}

/* In a directory with S_ISVTX, only the owner of the file or of the directory removes a name. */
static bool sticky_forbids(const struct inode *dir, const struct inode *inode)
{
	if (!(dir->i_mode & S_ISVTX))
		return false;
	return inode->i_uid != current_fsuid() && dir->i_uid != current_fsuid() &&
	       !capable(CAP_FOWNER);
}

int may_delete(struct inode *dir, const struct dentry *dentry, bool directory)
{
	const struct inode *inode = dentry->d_inode;
	int err = inode_permission(dir, MAY_WRITE | MAY_EXEC);

	if (err)
		return err;
	if (sticky_forbids(dir, inode))
		return -EPERM;
	if (directory && !S_ISDIR(inode->i_mode))
		return -ENOTDIR;
	if (!directory && S_ISDIR(inode->i_mode))
		return -EISDIR;
	return 0;
}

/*
 * Ends a creation: sets the times of the directory. event is IN_CREATE, for a directory with
 * IN_ISDIR. Returns err. The dentry may have no inode: tracefs makes an instance with a new one.
 */
static int created(struct inode *dir, struct dentry *dentry, u32 event, int err)
{
	if (err)
		return err;
	touch_dir(dir);
	fsnotify_name(dentry->d_parent, dentry->d_name.name, event, 0);
	return 0;
}

int vfs_create(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	int err = may_create(dir, dentry->d_parent);

	if (err)
		return err;
	if (!dir->i_op->create)
		return -EACCES;
	return created(dir, dentry, IN_CREATE,
		       dir->i_op->create(dir, dentry, (mode & S_IALLUGO) | S_IFREG));
}

/* Not inlined, as the next vfs_ functions: traces show them under the names of Linux. */
static noinline int vfs_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	int err = may_create(dir, dentry->d_parent);

	if (err)
		return err;
	if (!dir->i_op->mkdir)
		return -EPERM;
	return created(dir, dentry, IN_CREATE | IN_ISDIR,
		       dir->i_op->mkdir(dir, dentry, (mode & (S_IRWXUGO | S_ISVTX)) | S_IFDIR));
}

static noinline int vfs_symlink(struct inode *dir, struct dentry *dentry, const char *target)
{
	int err = may_create(dir, dentry->d_parent);

	if (err)
		return err;
	if (!dir->i_op->symlink)
		return -EPERM;
	return created(dir, dentry, IN_CREATE, dir->i_op->symlink(dir, dentry, target));
}

noinline int vfs_mknod(struct inode *dir, struct dentry *dentry, umode_t mode, u32 dev)
{
	bool whiteout = S_ISCHR(mode) && !dev; /* harmless: see RENAME_WHITEOUT */
	int err = may_create(dir, dentry->d_parent);

	if (err)
		return err;
	if ((S_ISCHR(mode) || S_ISBLK(mode)) && !whiteout && !capable(CAP_MKNOD))
		return -EPERM;
	if (!dir->i_op->mknod)
		return -EPERM;
	return created(dir, dentry, IN_CREATE, dir->i_op->mknod(dir, dentry, mode, dev));
}

/*
 * Removes a name, unless the task may not, or the file system's remove operation refuses. NULL:
 * -EPERM. directory: by rmdir.
 */
static int remove_name(struct inode *dir, struct dentry *dentry, bool directory,
		       int (*remove)(struct inode *dir, struct dentry *dentry))
{
	struct inode *inode = dentry->d_inode;
	int err;

	ihold(inode); /* rmdir of an instance drops the dentry itself, and with it the inode */
	/*
	 * Keeps names from appearing in a directory that is being removed, and the owner, which
	 * counts in a sticky directory, from changing before the name is gone.
	 */
	mutex_lock(&inode->i_mutex);
	err = may_delete(dir, dentry, directory);
	if (!err && !remove)
		err = -EPERM;
	if (!err && d_mountpoint(dentry))
		err = -EBUSY;
	if (!err)
		err = remove(dir, dentry);
	if (!err)
		inode->i_ctime = inode_now();
	mutex_unlock(&inode->i_mutex);
	if (!err) {
		if (!S_ISDIR(inode->i_mode))
			fsnotify_inode(inode, IN_ATTRIB);
		d_delete(dentry);
		/* Without another user the object is gone now, before the directory tells it. */
		if (!inode->i_nlink && atomic_read(&dentry->d_count) == 1)
			fsnotify_removed(inode);
		fsnotify_name(dentry->d_parent, dentry->d_name.name,
			      IN_DELETE | (S_ISDIR(inode->i_mode) ? IN_ISDIR : 0), 0);
		touch_dir(dir);
	}
	iput(inode);
	return err;
}

static noinline int vfs_rmdir(struct inode *dir, struct dentry *dentry)
{
	return remove_name(dir, dentry, true, dir->i_op->rmdir);
}

static noinline int vfs_unlink(struct inode *dir, struct dentry *dentry)
{
	return remove_name(dir, dentry, false, dir->i_op->unlink);
}

struct dentry *kern_path_create(int dfd, const char *name, struct path *parent, bool directory)
{
	struct nameidata nd;
	struct dentry *dentry;
	int err = nameidata_begin(&nd, dfd, name, 0);

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
	} else if (!dentry && mnt_is_readonly(nd.path.mnt)) {
		dentry = ERR_PTR(-EROFS);
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

void done_path_create(struct path *parent, struct dentry *dentry)
{
	dput(dentry);
	mutex_unlock(&parent->dentry->d_inode->i_mutex);
	path_put(parent);
}

int do_mkdirat(int dfd, const char *name, umode_t mode)
{
	struct path parent;
	struct dentry *dentry = kern_path_create(dfd, name, &parent, true);
	int err;

	if (IS_ERR(dentry))
		return (int)PTR_ERR(dentry);
	err = vfs_mkdir(parent.dentry->d_inode, dentry, mode);
	done_path_create(&parent, dentry);
	return err;
}

int do_mknodat(int dfd, const char *name, umode_t mode, u32 dev)
{
	struct path parent;
	struct dentry *dentry;
	int err;

	switch (mode & S_IFMT) {
	case 0:
	case S_IFREG:
	case S_IFCHR:
	case S_IFBLK:
	case S_IFIFO:
	case S_IFSOCK:
		break;
	default:
		return S_ISDIR(mode) ? -EPERM : -EINVAL;
	}
	dentry = kern_path_create(dfd, name, &parent, false);
	if (IS_ERR(dentry))
		return (int)PTR_ERR(dentry);
	if (!(mode & S_IFMT) || S_ISREG(mode))
		err = vfs_create(parent.dentry->d_inode, dentry, mode);
	else
		err = vfs_mknod(parent.dentry->d_inode, dentry, mode, dev);
	done_path_create(&parent, dentry);
	return err;
}

int do_symlinkat(const char *target, int dfd, const char *name)
{
	struct path parent;
	struct dentry *dentry = kern_path_create(dfd, name, &parent, false);
	int err;

	if (IS_ERR(dentry))
		return (int)PTR_ERR(dentry);
	err = vfs_symlink(parent.dentry->d_inode, dentry, target);
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
	} else if (!directory && nd->trailing_slash) {
		err = S_ISDIR(dentry->d_inode->i_mode) ? -EISDIR : -ENOTDIR;
	} else if (mnt_is_readonly(nd->path.mnt)) {
		err = -EROFS;
	} else {
		err = remove(dir, dentry);
	}
	mutex_unlock(&dir->i_mutex);
	/* After the unlock, because this may free all pages of the file. */
	dput(dentry);
	return err;
}

int do_rmdirat(int dfd, const char *name)
{
	static const int by_last_type[] = {
		[LAST_ROOT] = -EBUSY, [LAST_DOT] = -EINVAL, [LAST_DOTDOT] = -ENOTEMPTY
	};
	struct nameidata nd;
	int err = nameidata_begin(&nd, dfd, name, 0);

	if (err)
		return err;
	err = link_path_walk(&nd);
	if (!err)
		err = nd.last_type == LAST_NORM ? remove_last(&nd, vfs_rmdir, true)
						: by_last_type[nd.last_type];
	nameidata_end(&nd);
	return err;
}

int do_unlinkat(int dfd, const char *name)
{
	struct nameidata nd;
	int err = nameidata_begin(&nd, dfd, name, 0);

	if (err)
		return err;
	err = link_path_walk(&nd);
	if (!err)
		err = nd.last_type == LAST_NORM ? remove_last(&nd, vfs_unlink, false) : -EISDIR;
	nameidata_end(&nd);
	return err;
}
