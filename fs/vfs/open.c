/*
 * Opening a file by its name: finds or creates it, checks permissions, and opens it. The system
 * calls are in fs/calls/open.c.
 */
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/namei.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/open.h"
#include "fs/vfs/fsnotify.h"
#include "fs/vfs/permission.h"
#include "kernel/error_injection.h"

/* How to open one file. */
struct open_flags {
	int flags;    /* O_* */
	umode_t mode; /* of a new file, with the umask applied */
	unsigned acc; /* MAY_*: the permissions that the caller needs */
	bool created; /* result */
};

/* The permissions for the access mode and the other flags. */
static unsigned access_for(int flags)
{
	static const u8 by_mode[] = { MAY_READ, MAY_WRITE, MAY_READ | MAY_WRITE,
				      MAY_READ | MAY_WRITE };

	if (flags & O_PATH)
		return 0;
	return by_mode[flags & O_ACCMODE] | (flags & O_TRUNC ? MAY_WRITE : 0);
}

/*
 * Walks to nd->last for O_CREAT, and creates the file if it does not exist. Returns 0 (nd->path is
 * the file), or 1 if a link has moved the walk, or a negative errno.
 */
static int lookup_create(struct nameidata *nd, struct open_flags *op)
{
	struct inode *dir = nd->path.dentry->d_inode;
	struct dentry *dentry;
	int err = 0;

	if (nd->last_type != LAST_NORM)
		return op->flags & O_EXCL ? -EEXIST : -EISDIR;
	if (nd->trailing_slash)
		return -EISDIR;
	mutex_lock(&dir->i_mutex);
	dentry = lookup_locked(nd->path.dentry, &nd->last);
	if (!dentry) {
		err = mnt_want_write(&nd->path);
		dentry = err ? NULL : d_alloc(nd->path.dentry, &nd->last);
		if (!err)
			err = dentry ? vfs_create(dir, dentry, op->mode) : -ENOMEM;
		op->created = !err;
	} else if (IS_ERR(dentry)) {
		err = (int)PTR_ERR(dentry);
		dentry = NULL;
	} else if (op->flags & O_EXCL) {
		err = -EEXIST;
	}
	mutex_unlock(&dir->i_mutex);
	if (!err && S_ISLNK(dentry->d_inode->i_mode))
		err = op->flags & O_NOFOLLOW ? -ELOOP : pick_link(nd, dentry);
	if (err) {
		dput(dentry);
		return err;
	}
	return step_into(nd, dentry);
}

static int open_last_lookups(struct nameidata *nd, struct open_flags *op)
{
	int err;

	if (!(op->flags & O_CREAT))
		return path_lookupat(nd);
	do {
		err = link_path_walk(nd);
		if (!err && nd->last_type == LAST_ROOT && nd->links &&
		    !S_ISDIR(nd->path.dentry->d_inode->i_mode))
			return 0; /* a link of proc has named the object */
		if (!err)
			err = lookup_create(nd, op);
	} while (err > 0);
	return err || op->created ? err : complete_walk(nd);
}

int vfs_truncate(struct inode *inode, loff_t length)
{
	int err;

	if (S_ISDIR(inode->i_mode))
		return -EISDIR;
	if (!S_ISREG(inode->i_mode) || !inode->i_op->truncate)
		return -EINVAL;
	mutex_lock(&inode->i_mutex);
	err = inode->i_op->truncate(inode, length);
	if (!err) {
		file_remove_privs(inode);
		inode->i_mtime = inode->i_ctime = inode_now();
	}
	mutex_unlock(&inode->i_mutex);
	return err;
}
ALLOW_ERROR_INJECTION(vfs_truncate, ERRNO);

static int handle_truncate(struct file *file)
{
	struct inode *inode = file->f_inode;
	int err;

	if (!S_ISREG(inode->i_mode) || !inode->i_op->truncate)
		return 0;
	/* A file that is opened for reading only counts no writer. */
	err = get_write_access(inode);
	if (err)
		return err;
	fsnotify_file(file, IN_MODIFY);
	err = vfs_truncate(inode, 0);
	put_write_access(inode);
	return err;
}

static int may_open(const struct path *path, const struct open_flags *op)
{
	struct inode *inode = path->dentry->d_inode;
	int err;

	if (S_ISLNK(inode->i_mode) && !(op->flags & O_PATH))
		return -ELOOP;
	if (S_ISDIR(inode->i_mode) && ((op->acc & MAY_WRITE) || (op->flags & O_CREAT)))
		return -EISDIR;
	if ((op->flags & O_DIRECTORY) && !S_ISDIR(inode->i_mode))
		return -ENOTDIR;
	if (op->flags & O_PATH)
		return 0;
	if ((S_ISCHR(inode->i_mode) || S_ISBLK(inode->i_mode)) && (path->mnt->mnt_flags & MS_NODEV))
		return -EACCES;
	/* The creator may use the new file, whatever its mode is. */
	err = op->created ? 0 : path_permission(path, op->acc);
	if (!err && (op->flags & O_NOATIME) && !inode_owner_or_capable(inode))
		err = -EPERM;
	return err;
}

/* Opens the object that the walk has found. */
static int open_found(const struct path *path, struct open_flags *op, struct file *file)
{
	int err = may_open(path, op);

	if (err)
		return err;
	err = vfs_open(path, file);
	/* These flags are for the open operation only. Linux clears them here too. */
	file->f_flags &= ~(unsigned)(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC);
	/* Nothing is read or written without the page cache. */
	if (!err && (op->flags & (O_DIRECT | O_PATH)) == O_DIRECT)
		err = -EINVAL;
	if (!err && (op->flags & O_TRUNC) && !op->created)
		err = handle_truncate(file);
	return err;
}

/* O_TMPFILE: the walk ends at the directory in whose file system the file is made. */
static int open_tmpfile(struct nameidata *nd, struct open_flags *op, struct file *file)
{
	struct inode *dir, *inode;
	struct dentry *dentry;
	struct path path;
	int err;

	nd->flags |= LOOKUP_DIRECTORY;
	err = path_lookupat(nd);
	if (!err)
		err = path_permission(&nd->path, MAY_WRITE | MAY_EXEC);
	if (err)
		return err;
	dir = nd->path.dentry->d_inode;
	if (!dir->i_op->tmpfile)
		return -EOPNOTSUPP;
	inode = dir->i_op->tmpfile(dir, op->mode);
	if (IS_ERR(inode))
		return (int)PTR_ERR(inode);
	dentry = d_make_tmpfile(nd->path.dentry, inode);
	if (!dentry)
		return -ENOMEM;
	if (!(op->flags & O_EXCL))
		dentry->d_flags |= DCACHE_TMPFILE;
	op->created = true;
	op->flags &= ~O_TMPFILE;
	file->f_flags &= ~(unsigned)O_TMPFILE;
	path = (struct path){ .mnt = nd->path.mnt, .dentry = dentry };
	err = open_found(&path, op, file);
	dput(dentry);
	file->f_flags |= O_TMPFILE;
	return err;
}

/* The file comes first: if there are too many, open(2) with O_CREAT makes no name. */
static struct file *path_openat(struct nameidata *nd, struct open_flags *op)
{
	struct file *file = alloc_empty_file((unsigned)op->flags);
	int err;

	if (IS_ERR(file))
		return file;
	if (op->flags & __O_TMPFILE) {
		err = open_tmpfile(nd, op, file);
	} else {
		err = open_last_lookups(nd, op);
		err = err ? err : open_found(&nd->path, op, file);
	}
	if (!err)
		return file;
	fput(file);
	return ERR_PTR(err);
}

/* Not inlined: traces show the function under Linux's name. */
noinline struct file *do_filp_open(int dfd, const char *path, int flags, umode_t mode,
				   unsigned lookup)
{
	struct open_flags op = { .flags = flags,
				 .mode = mode & S_IALLUGO,
				 .acc = access_for(flags) };
	struct nameidata nd;
	struct file *file;
	int err;

	if (!(flags & O_PATH))
		lookup |= LOOKUP_AUTOMOUNT;
	if ((flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY))
		return ERR_PTR(-EINVAL);
	if ((flags & __O_TMPFILE) && (!(flags & O_DIRECTORY) || !(op.acc & MAY_WRITE)))
		return ERR_PTR(-EINVAL);
	if (!(flags & O_NOFOLLOW))
		lookup |= LOOKUP_FOLLOW;
	if (flags & O_DIRECTORY)
		lookup |= LOOKUP_DIRECTORY;
	err = nameidata_begin(&nd, dfd, path, lookup);
	if (err)
		return ERR_PTR(err);
	file = path_openat(&nd, &op);
	nameidata_end(&nd);
	if (!IS_ERR(file) && !(flags & O_PATH)) {
		file->f_mode |= FMODE_OPENED;
		fsnotify_file(file, IN_OPEN);
	}
	return file;
}
