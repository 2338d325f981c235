/* Inodes: the objects that names stand for. The last reference frees the inode and its data. */
#include "fs/file/file_owner.h"
#include "fs/vfs/hooks.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/permission.h"
#include "kernel/error_injection.h"
#include "kernel/mm/slab.h"
#include "kernel/time/timekeeping.h"

static atomic64_t last_ino;

static const struct inode_operations empty_inode_operations;

s64 inode_now(void)
{
	return (s64)ktime_get_real();
}

struct inode *new_inode(struct super_block *sb, umode_t mode)
{
	struct inode *inode = kzalloc(sizeof(*inode), GFP_KERNEL);

	if (!inode)
		return NULL;
	inode->i_mode = mode;
	inode->i_nlink = 1;
	inode->i_ino = (u64)atomic64_inc_return(&last_ino);
	atomic_set(&inode->i_count, 1);
	mutex_init(&inode->i_mutex);
	inode->i_atime = inode->i_mtime = inode->i_ctime = inode_now();
	inode->i_sb = sb;
	inode->i_op = &empty_inode_operations;
	return inode;
}
ALLOW_ERROR_INJECTION(new_inode, NULL);

void inode_init_owner(struct inode *inode, const struct inode *dir)
{
	inode->i_uid = current_fsuid();
	inode->i_gid = current_fsgid();
	if (!(dir->i_mode & S_ISGID))
		return;
	inode->i_gid = dir->i_gid;
	if (S_ISDIR(inode->i_mode))
		inode->i_mode |= S_ISGID;
	else if ((inode->i_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
		 !in_group_p(inode->i_gid) && !capable(CAP_FSETID))
		inode->i_mode &= (umode_t)~S_ISGID; /* not a program of another group */
}

static int no_device_open(struct inode *inode, struct file *file)
{
	(void)inode, (void)file;
	return -ENXIO;
}

/* Block devices, and sockets, which only connect(2) can reach. */
static const struct file_operations no_device_operations = { .open = no_device_open };
static const struct file_operations chrdev_operations = { .open = chrdev_open };

void init_special_inode(struct inode *inode, u32 dev)
{
	if (S_ISCHR(inode->i_mode))
		inode->i_fop = &chrdev_operations;
	else if (S_ISFIFO(inode->i_mode) && vfs_hooks.fifo)
		inode->i_fop = vfs_hooks.fifo;
	else
		inode->i_fop = &no_device_operations;
	if (S_ISCHR(inode->i_mode) || S_ISBLK(inode->i_mode))
		inode->i_rdev = dev;
}

struct inode *ihold(struct inode *inode)
{
	atomic_inc(&inode->i_count);
	return inode;
}

void iput(struct inode *inode)
{
	if (!atomic_dec_and_test(&inode->i_count))
		return;
	if (inode->i_sb && inode->i_sb->s_op && inode->i_sb->s_op->evict_inode)
		inode->i_sb->s_op->evict_inode(inode);
	file_owner_put(inode->i_owner);
	kfree(inode->i_flctx);
	kfree(inode->i_link);
	kfree(inode);
}
