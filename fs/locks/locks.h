/*
 * Locks on files that programs agree on: of fcntl(2), which belong to a process (POSIX) or to an
 * open file (OFD) and cover a range of bytes; and of flock(2), on the whole file. fs/locks/calls.c
 * holds the system calls.
 */
#pragma once

#include "fs/calls/fcntl.h"
#include "fs/file/file.h"
#include "fs/vfs/hooks.h"
#include "kernel/errno.h"

#define OFFSET_MAX ((loff_t)(~0ULL >> 1))

/* A lock that a program wants, or asks about. */
struct lock_request {
	struct inode *inode; /* the caller has the file open */
	void *owner;         /* a files_struct, or a struct file */
	bool flock;          /* of flock(2): fcntl(2) does not see it, and the reverse */
	short type;          /* F_* */
	int pid;             /* of a process; -1: the owner is an open file */
	loff_t start, end;   /* the first and the last byte */
};

/*
 * Sets the range, or removes it (F_UNLCK). wait: sleeps until it is free. 0, -EAGAIN,
 * interrupted_error(), -EDEADLK (process only: it would wait for itself), -ENOLCK (memory).
 */
long locks_set(const struct lock_request *want, bool wait);
/* True if a lock is in the way of want, which then describes the first such lock. */
bool locks_find_conflict(struct lock_request *want);

/* ---- for the VFS, through vfs_hooks ---- */

long __fcntl_lock(unsigned fd, struct file *file, unsigned cmd, void __user *arg);
void __locks_remove_posix(struct file *file, void *owner);
void __locks_remove_file(struct file *file);
