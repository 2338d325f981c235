/* Inodes: the objects that names stand for. The last reference frees the inode and its data. */
#include "fs/file_owner.h"
#include "fs/internal.h"
#include "kernel/mm/slab.h"
#include "kernel/time/ktime.h"

static atomic64_t last_ino;

static const struct inode_operations empty_inode_operations;

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
	inode->i_atime = inode->i_mtime = inode->i_ctime = ktime_get();
	inode->i_sb = sb;
	inode->i_op = &empty_inode_operations;
	return inode;
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
	kfree(inode->i_link);
	kfree(inode);
}
