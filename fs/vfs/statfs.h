/* struct statfs of statfs(2) on x86_64, for super_operations.statfs. */
#pragma once

#include "kernel/compiler.h"

struct kstatfs {
	s64 f_type;
	s64 f_bsize;
	u64 f_blocks; /* of f_bsize bytes */
	u64 f_bfree;
	u64 f_bavail;
	u64 f_files; /* inodes */
	u64 f_ffree;
	int f_fsid[2];
	s64 f_namelen;
	s64 f_frsize;
	s64 f_flags;
	s64 f_spare[4];
};
BUILD_BUG_ON(sizeof(struct kstatfs) != 120);
