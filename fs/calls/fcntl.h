/* Commands of fcntl(2) that several rooms know, and changes of the flags of files. */
#pragma once

#include "fs/vfs/hooks.h"

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

/* Owners, who get the signals of a file. */
#define F_SETOWN        8
#define F_GETOWN        9
#define F_SETSIG        10
#define F_GETSIG        11
#define F_SETOWN_EX     15
#define F_GETOWN_EX     16
#define F_GETOWNER_UIDS 17

/* F_SETOWN and so on. -EINVAL: another command, or no file sends signals. Task context. */
static inline long fcntl_owner(struct file *file, unsigned cmd, unsigned long arg)
{
	return vfs_hooks.fcntl_owner ? vfs_hooks.fcntl_owner(file, cmd, arg) : -EINVAL;
}

/* Changes flags of an open file while other tasks may change others. Not O_ASYNC. Task context. */
void file_change_flags(struct file *file, unsigned clear, unsigned set);
/* ioctl(FIOASYNC) and the part of F_SETFL: 0, -ENOTTY (the file never sends signals), -ENOMEM. */
int fasync_set(int fd, struct file *file, bool on);
