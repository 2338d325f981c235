/*
 * O_ASYNC and F_SETOWN of fcntl(2): an open file has an owner, a task or a process group, and sends
 * it signals. kernel/signal/sigio.h says which signals.
 */
#pragma once

#include "fs/vfs/hooks.h"
#include "kernel/errno.h"
#include "kernel/signal/sigio.h"

/* fcntl(2). */
#define F_SETOWN        8
#define F_GETOWN        9
#define F_SETSIG        10
#define F_GETSIG        11
#define F_SETOWN_EX     15
#define F_GETOWN_EX     16
#define F_GETOWNER_UIDS 17

/*
 * For the fasync operation of a file: enters it into the list of an object, or takes it out; sets
 * or clears O_ASYNC. 0 or -ENOMEM; -ENOTTY: no file of this kernel sends signals. Task context.
 */
static inline int fasync_helper(int fd, struct file *file, bool on, struct fasync_struct **list)
{
	return vfs_hooks.fasync_helper ? vfs_hooks.fasync_helper(fd, file, on, list) : -ENOTTY;
}
/*
 * Sets the owner of a file for which fasync_helper() has succeeded; only_first: unless there is
 * one. pid is counted for the caller; NULL: no owner. 0 or -ENOMEM. Task context.
 */
static inline int __f_setown(struct file *file, struct pid *pid, enum pid_type type,
			     bool only_first)
{
	return vfs_hooks.f_setown(file, pid, type, only_first);
}
/* F_SETOWN and so on. -EINVAL: another command. Task context. */
static inline long fcntl_owner(struct file *file, unsigned cmd, unsigned long arg)
{
	return vfs_hooks.fcntl_owner ? vfs_hooks.fcntl_owner(file, cmd, arg) : -EINVAL;
}

/* ---- fs/calls/fcntl.c ---- */

/* Changes flags of an open file while other tasks may change others. Not O_ASYNC. Task context. */
void file_change_flags(struct file *file, unsigned clear, unsigned set);
/* ioctl(FIOASYNC) and the part of F_SETFL: 0, -ENOTTY (the file never sends signals), -ENOMEM. */
int fasync_set(int fd, struct file *file, bool on);
