/* The status of files, for the kernel itself. Programs get struct stat or statx
 * (fs/calls/stat.c). */
#pragma once

#include "fs/vfs/fs.h"

struct kstat {
	u32 st_dev;
	u64 st_ino;
	umode_t st_mode;
	u32 st_nlink;
	u32 st_uid, st_gid;
	u32 st_rdev;
	loff_t st_size;
	u64 st_blocks;                    /* of 512 bytes */
	s64 st_atime, st_mtime, st_ctime; /* ns */
	s64 st_btime;                     /* ns; 0: unknown */
	u32 st_mnt_id;
	bool st_mount_root; /* a file system is mounted here */
};

void vfs_getattr(const struct path *path, struct kstat *st);
/* By name, or of an open file. 0, or the errors of a path walk, -EBADF. */
int vfs_stat(const char *name, bool follow, struct kstat *st);
int vfs_fstat(int fd, struct kstat *st);
