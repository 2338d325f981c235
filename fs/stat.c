/* stat(2) and readlink(2). */
#include "fs/file.h"
#include "fs/internal.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/quiescent.h"

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

long sys_stat(const char *path, struct kstat *st)
{
	syscall_boundary();
	return vfs_statx(path, LOOKUP_FOLLOW, st);
}

long sys_lstat(const char *path, struct kstat *st)
{
	syscall_boundary();
	return vfs_statx(path, 0, st);
}

long sys_fstat(int fd, struct kstat *st)
{
	struct file *file = fcheck(fd);

	syscall_boundary();
	if (!file)
		return -EBADF;
	vfs_getattr(file->f_inode, st);
	return 0;
}

long sys_readlink(const char *name, char *buf, size_t size)
{
	struct path path;
	struct inode *inode;
	char *text;
	long err;

	syscall_boundary();
	err = kern_path(name, 0, &path);
	if (err)
		return err;
	inode = path.dentry->d_inode;
	text = inode->i_link;
	if (!text)
		text = S_ISLNK(inode->i_mode) && inode->i_op->get_link
			       ? inode->i_op->get_link(path.dentry)
			       : ERR_PTR(-EINVAL);
	if (IS_ERR(text)) {
		err = PTR_ERR(text);
	} else {
		err = (long)min(strlen(text), size);
		memcpy(buf, text, (size_t)err);
		if (text != inode->i_link)
			kfree(text);
	}
	path_put(&path);
	return err;
}
