/* tmpfs: a file system in memory. The parts that its files share. */
#pragma once

#include "fs/page_cache.h"
#include "fs/permission.h"

/* One mounted tmpfs. Legend: [A] atomic; [C] constant, or changed by a remount. */
struct tmpfs_sb_info {
	atomic64_t used_blocks; /* [A] pages */
	atomic64_t used_inodes; /* [A] */
	s64 max_blocks;         /* [C] 0: no limit */
	s64 max_inodes;         /* [C] 0: no limit */
	bool show_size;         /* [C] an option has set the limit */
	bool show_inodes;       /* [C] */
	umode_t mode;           /* [C] of the root directory */
	u32 uid, gid;           /* [C] of the root directory */
};

/* An inode with its pages. */
struct tmpfs_inode {
	struct address_space mapping;
};

static inline struct tmpfs_sb_info *tmpfs_sb(const struct super_block *sb)
{
	return sb->s_fs_info;
}

extern const struct file_operations tmpfs_file_operations;
extern const struct inode_operations tmpfs_file_inode_operations;

/* Frees the pages of a regular file, for evict_inode. */
void tmpfs_free_pages(struct inode *inode);
