/*
 * Locks on files that programs agree on: of fcntl(2), which belong to a process (POSIX) or to an
 * open file (OFD) and cover a range of bytes; and of flock(2), on the whole file. fs/locks/calls.c
 * holds the system calls.
 */
#pragma once

#include "fs/file/file.h"
#include "fs/vfs/hooks.h"
#include "kernel/errno.h"

/* fcntl(2): locks. */
#define F_GETLK      5
#define F_SETLK      6
#define F_SETLKW     7
#define F_OFD_GETLK  36
#define F_OFD_SETLK  37
#define F_OFD_SETLKW 38

#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2

#define OFFSET_MAX ((loff_t)(~0ULL >> 1))

#define FILE_LOCK_COST 64 /* bytes that a range takes, for the OOM killer */

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

/* Without the feature programs have no locks: -EINVAL, as of a command that is not known. */
static inline long fcntl_lock(unsigned fd, struct file *file, unsigned cmd, void __user *arg)
{
	return vfs_hooks.fcntl_lock ? vfs_hooks.fcntl_lock(fd, file, cmd, arg) : -EINVAL;
}
/* A descriptor of the table `owner` is closed: its process loses its locks on the file. */
static inline void locks_remove_posix(struct file *file, void *owner)
{
	/* A thread with the same table sets a lock, then looks at the table: fcntl_lock(). */
	if (!READ_ONCE(((const struct files_struct *)owner)->light_max))
		smp_mb();
	if (unlikely(READ_ONCE(file->f_inode->i_flctx)))
		vfs_hooks.locks_remove_posix(file, owner);
}
/* The last reference is dropped: removes the locks of the open file. */
static inline void locks_remove_file(struct file *file)
{
	if (unlikely(READ_ONCE(file->f_inode->i_flctx)))
		vfs_hooks.locks_remove_file(file);
}
/* What they call. */
long __fcntl_lock(unsigned fd, struct file *file, unsigned cmd, void __user *arg);
void __locks_remove_posix(struct file *file, void *owner);
void __locks_remove_file(struct file *file);
