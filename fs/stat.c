/* stat(2) and readlink(2). */
#include "fs/file.h"
#include "fs/internal.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/syscalls/syscalls.h"

/* What stat(2) fills for a program. Kernel tasks use struct kstat. */
struct stat;

static void vfs_getattr(struct inode *inode, struct kstat *st)
{
	if (inode->i_op->getattr)
		inode->i_op->getattr(inode);
	*st = (struct kstat){
		.st_dev = inode->i_sb->s_dev,
		.st_ino = inode->i_ino,
		.st_mode = inode->i_mode,
		.st_nlink = inode->i_nlink,
		.st_rdev = inode->i_rdev,
		.st_size = READ_ONCE(inode->i_size),
		.st_blocks = READ_ONCE(inode->i_blocks),
		.st_atime = inode->i_atime,
		.st_mtime = inode->i_mtime,
		.st_ctime = inode->i_ctime,
	};
}

static long vfs_statx(const char *name, unsigned flags, struct kstat *st)
{
	struct path path;
	int err = kern_path(name, flags, &path);

	if (err)
		return err;
	vfs_getattr(path.dentry->d_inode, st);
	path_put(&path);
	return 0;
}

SYSCALL_DEFINE2(newstat, const char *, filename, struct stat *, statbuf)
{
	return vfs_statx(filename, LOOKUP_FOLLOW, (struct kstat *)statbuf);
}

SYSCALL_DEFINE2(newlstat, const char *, filename, struct stat *, statbuf)
{
	return vfs_statx(filename, 0, (struct kstat *)statbuf);
}

SYSCALL_DEFINE2(newfstat, unsigned int, fd, struct stat *, statbuf)
{
	struct file *file = fcheck((int)fd);

	if (!file)
		return -EBADF;
	vfs_getattr(file->f_inode, (struct kstat *)statbuf);
	return 0;
}

SYSCALL_DEFINE3(readlink, const char *, path, char *, buf, int, bufsiz)
{
	struct path found;
	struct inode *inode;
	char *text;
	long err;

	if (bufsiz <= 0)
		return -EINVAL;
	err = kern_path(path, 0, &found);
	if (err)
		return err;
	inode = found.dentry->d_inode;
	text = inode->i_link;
	if (!text)
		text = S_ISLNK(inode->i_mode) && inode->i_op->get_link
			       ? inode->i_op->get_link(found.dentry)
			       : ERR_PTR(-EINVAL);
	if (IS_ERR(text)) {
		err = PTR_ERR(text);
	} else {
		err = (long)min(strlen(text), (size_t)bufsiz);
		memcpy(buf, text, (size_t)err);
		if (text != inode->i_link)
			kfree(text);
	}
	path_put(&found);
	return err;
}
