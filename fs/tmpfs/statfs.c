/* statfs(2) of a tmpfs: its limits, and what is left. */
#include "fs/tmpfs/tmpfs.h"
#include "fs/vfs/statfs.h"
#include "kernel/init.h"

static void tmpfs_statfs(struct super_block *sb, struct kstatfs *st)
{
	struct tmpfs_sb_info *info = tmpfs_sb(sb);

	if (info->max_blocks) {
		st->f_blocks = (u64)info->max_blocks;
		st->f_bfree = (u64)(info->max_blocks - atomic64_read(&info->used_blocks));
		st->f_bavail = st->f_bfree;
	}
	if (info->max_inodes) {
		st->f_files = (u64)info->max_inodes;
		st->f_ffree = (u64)(info->max_inodes - atomic64_read(&info->used_inodes));
	}
}

static int __init tmpfs_statfs_init(void)
{
	tmpfs_super_operations.statfs = tmpfs_statfs;
	return 0;
}
core_initcall(tmpfs_statfs_init);
